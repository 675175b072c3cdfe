"""D-Means for detections: at most one row per cluster, with or without duplicate rows.

If no cluster has two rows, the objective of the paper is a sum over rows. A row of weight m costs

    Q dt + gamma m / (gamma + m) |x - phi|^2     in a remembered cluster, whose center is optimal
    lambda                                       in a new one

so the cheapest linear assignment is the exact optimum
(`src/core/dmeans/assignment/exclusive_assignment.hpp`).
"""

from __future__ import annotations

import numpy as np

from dynmeans._algorithms.batch import Batch, SearchOptions
from dynmeans._algorithms.descent import descend_batch
from dynmeans._core import assign_exclusive
from dynmeans._model.costs import Costs
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior


def assign_rows(batch: Batch, prior: Prior, costs: Costs) -> Fit:
    """Minimize the cost under the restriction of one row per cluster. The result is the exact optimum."""
    return Fit(
        *assign_exclusive(
            batch.rows, batch.weights, prior.centers, prior.gammas, prior.revival, birth=costs.birth
        )
    )


def assign_with_duplicates(
    batch: Batch, prior: Prior, costs: Costs, search: SearchOptions, n_steps: int
) -> Fit:
    """Assign one row to each cluster, then cluster the other rows by plain D-Means.

    The plain descent starts from the clusters as the assigned rows leave them. A row x of weight m in a
    remembered cluster has the optimal center theta, and

        gamma |c - phi|^2 + m |c - x|^2  =  (gamma + m) |c - theta|^2 + constant

    for every c. So the descent starts from the clusters with a row with center theta, weight gamma + m and no
    revival cost, and the two costs add up to the objective of all rows.
    """
    first = assign_rows(batch, prior, costs)
    n_old = len(prior.gammas)
    is_left = first.slots >= n_old
    if not is_left.any():
        return first
    left = Batch(
        rows=batch.rows[is_left],
        weights=None if batch.weights is None else batch.weights[is_left],
        time=batch.time,
    )
    after_first = prior._replace(
        centers=first.centers[:n_old],
        gammas=prior.gammas + first.slot_weights[:n_old],
        revival=np.where(first.slot_weights[:n_old] > 0, 0.0, prior.revival),
    )
    found = descend_batch(left, after_first, costs, search, n_steps)
    slots, weights = first.slots.copy(), found.slot_weights.copy()
    slots[is_left] = found.slots
    weights[:n_old] += first.slot_weights[:n_old]
    links = first.cost - costs.birth * np.count_nonzero(is_left)
    return found._replace(
        slots=slots,
        slot_weights=weights,
        cost=links + found.cost,
        restart_costs=links + found.restart_costs,
    )
