"""D-Means on the unit sphere (Straub, Campbell, How and Fisher 2015): the step of D-Means with directions.

Rows x and centers theta are unit vectors, and the cost of a row is 1 - x . theta. With A = gamma phi + sum of
m x over the rows of a cluster, the best center is A / |A| (Eq. sphere-center), and Eq. sphere-objective is

    J = sum over active clusters of (lambda, or Q dt) + gamma + n - |A|          Eq. sphere-eliminated

The life cycle is that of D-Means, but the weight after a step is w = |A| (Eq. sphere-weight), the
concentration of the posterior of the center. It tends to gamma + n for small angles.
"""

from __future__ import annotations

import numpy as np

from dynmeans._algorithms.batch import Batch, Rows, SearchOptions
from dynmeans._algorithms.dmeans import lower_bound
from dynmeans._algorithms.split_merge_events import RowSpace, add_split_merge_events
from dynmeans._core import descend_sphere
from dynmeans._model.costs import Costs
from dynmeans._model.lifecycle import StepResult, slot_ids, update_state
from dynmeans._model.motion import WALK
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior, predict_prior
from dynmeans._model.state import ClusterState
from dynmeans._model.types import FloatArray, IntArray

SMALLEST_SQUARE = 1e-200  # squared norms below it have lost digits
BLOCK = 1 << 22  # cosines that are computed at once


def unit_rows(rows: Rows) -> Rows:
    """Return the directions of the rows; a row of zeros has none."""
    squared = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    if np.any(squared < SMALLEST_SQUARE):
        largest = np.abs(rows).max(axis=1, keepdims=True)
        zero = np.flatnonzero(largest == 0)
        if len(zero) > 0:
            raise ValueError(f"row {zero[0]} is all zeros; metric='cosine' needs rows with a direction")
        rows = (rows / largest).astype(rows.dtype, copy=False)
        squared = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    directions: Rows = rows * (1.0 / np.sqrt(squared)).astype(rows.dtype)[:, None]
    return directions


def step(
    state: ClusterState, batch: Batch, costs: Costs, search: SearchOptions, *, certify: bool = False
) -> StepResult:
    """Run one time step on unit rows, from a state and a batch to the next state and a report."""
    prior = predict_prior(state, batch.time, costs, WALK)
    fit, lengths, whole_cost = cluster(batch, prior, costs, search, state.n_steps)
    result = update_state(state, prior, fit, costs, WALK, batch.time)
    result = result._replace(state=with_lengths(result.state, slot_ids(state, len(lengths)), lengths))
    result = add_split_merge_events(result, state, fit, batch.weights, RowSpace(batch.rows, prior.centers))
    if not certify:
        return result
    bound = min(sphere_lower_bound(batch, prior, costs, whole_cost), fit.cost)
    return result._replace(report=result.report._replace(lower_bound=bound))


def cluster(
    batch: Batch, prior: Prior, costs: Costs, search: SearchOptions, n_steps: int
) -> tuple[Fit, FloatArray, float]:
    """Minimize the cost from several random orders.

    Return the clustering, |A| of every slot, and the cost of a whole cluster: the birth cost or, with
    refinement, Eq. (sphere-whole).
    """
    *fields, lengths, whole_cost = descend_sphere(
        X=batch.rows,
        weights=batch.weights,
        centers=prior.centers,
        gammas=prior.gammas,
        revival=prior.revival,
        birth=costs.birth,
        seed=search.seed,
        step=n_steps,
        n_restarts=search.n_restarts,
        max_iter=search.max_iter,
        refine=search.refine,
    )
    return Fit._make(fields), lengths, whole_cost


def with_lengths(state: ClusterState, ids: IntArray, lengths: FloatArray) -> ClusterState:
    """Eq. (sphere-weight): active clusters have the weight |A|.

    ``ids`` (slots,) rise, dead ones included. ``lengths`` (slots,) are 0 for slots without rows.
    """
    found = lengths[np.searchsorted(ids, state.ids)]
    return state._replace(weights=np.where(found > 0, found, state.weights))


def sphere_lower_bound(batch: Batch, prior: Prior, costs: Costs, whole_cost: float) -> float:
    """Return a lower bound on the cost of any clustering, from that of D-Means on the same unit rows.

    With r = |A| / (gamma + n) in [0, 1], 1 - r >= (1 - r^2) / 2. So the objective is at least half of the
    objective of D-Means with twice the birth and revival costs (Eq. sphere-bound).
    """
    doubled = prior._replace(revival=2.0 * whole_cost / costs.birth * prior.revival)
    return max(0.5 * lower_bound(batch, doubled, costs._replace(birth=2.0 * whole_cost)), 0.0)


def cheapest_directions(rows: Rows, prior: Prior) -> IntArray:
    """Return the index (n,) of the sleeping cluster of least cost for each row: Eq. sphere-label."""
    gammas, found = prior.gammas, np.empty(len(rows), dtype=np.int64)
    centers = np.asarray(prior.centers, dtype=rows.dtype)
    size = max(1, BLOCK // len(gammas))
    for start in range(0, len(rows), size):
        cosines = np.asarray(np.dot(rows[start : start + size], centers.T), dtype=np.float64)
        lengths = np.sqrt(np.maximum(1.0 + gammas**2 + 2.0 * gammas * cosines, 0.0))
        found[start : start + size] = np.argmin(prior.revival + 1.0 + gammas - lengths, axis=1)
    return found
