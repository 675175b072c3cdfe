"""The step of `PersistentIds` with cosine similarity: clusters are compared by their mean directions.

Rows x and centers phi are unit vectors. A group with sum of rows S and mean direction u = S / |S| is linked
to old cluster k at the cost

    Q dt + g (1 - u . phi),

and is new at the birth cost lambda. g = (1 - 1/T_Q) / k_tau, so that a cluster is new beyond
1 - cos = k_tau lambda one step later. The cost does not depend on sizes: mean directions of groups
have hardly any sampling error. The center after the step is the mean direction of all rows so far,

    A = gamma phi + S,  phi' = A / |A|,  w' = |A|,

which is the posterior of a von Mises-Fisher mean direction. There is no motion: gamma = w, unless a drift is
given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from dynmeans._algorithms.cluster_stats import fit_slots
from dynmeans._algorithms.linking.group_assignment import assign_groups
from dynmeans._algorithms.linking.link_step import BatchClusters
from dynmeans._algorithms.linking.shared_items import SharedItems
from dynmeans._algorithms.sphere import with_lengths
from dynmeans._algorithms.split_merge_events import RowSpace, add_split_merge_events
from dynmeans._model.costs import Costs
from dynmeans._model.lifecycle import StepResult, slot_ids, update_state
from dynmeans._model.motion import WALK
from dynmeans._model.objective import Fit, objective
from dynmeans._model.prior import Prior, predict_prior
from dynmeans._model.state import ClusterState
from dynmeans._model.types import FloatArray

ISOTROPIC = 0.5  # half the mean 1 - cos of unrelated directions, if none is preferred


class AngleScale(NamedTuple):
    """Statistics of the stream so far, on the sphere."""

    apart: float  # half the mean 1 - cos of two groups of a batch, summed over batches
    n_batches: float

    def birth_cost(self) -> float:
        """Return half the mean 1 - cos between unrelated clusters.

        The prior has the weight of one batch: unrelated directions are orthogonal.
        """
        return (ISOTROPIC + self.apart) / (1.0 + self.n_batches)


def update_angle_scale(scale: AngleScale, groups: BatchClusters) -> AngleScale:
    """Update the statistics by a batch."""
    n = len(groups.sizes)
    if n < 2:
        return scale
    total = directions(groups).sum(axis=0)
    mean_cosine = (float(total @ total) - n) / (n * (n - 1))
    return AngleScale(scale.apart + max((1.0 - mean_cosine) / 2.0, 0.0), scale.n_batches + 1.0)


def directions(groups: BatchClusters) -> FloatArray:
    """Return the mean direction (L, d) of every group; of rows that cancel, the direction of the first."""
    return _unit(groups.means, groups.rows[np.unique(groups.which, return_index=True)[1]])


def link_directions(
    state: ClusterState, groups: BatchClusters, costs: Costs, scale: float, shared: SharedItems | None = None
) -> StepResult:
    """Run one time step on the sphere; the rows are unit vectors, and ``scale`` is g."""
    prior = predict_prior(state, groups.time, costs, WALK)
    ones = np.ones(len(groups.sizes))
    # With gamma = n = 1, the cost of a link is half the squared distance of two unit vectors: 1 - cos.
    even = prior._replace(gammas=np.ones(len(prior.gammas)))
    distances = scale * cdist(directions(groups), prior.centers, "sqeuclidean")
    slots = assign_groups(distances, ones, even, costs.birth, shared)
    fit, lengths = _mean_directions(fit_slots(slots[groups.which], groups.rows, groups.weights, prior), prior)
    cost = _objective(groups, fit, prior, costs)
    fit = fit._replace(cost=cost, restart_costs=np.full(1, cost))
    result = update_state(state, prior, fit, costs, WALK, groups.time)
    result = result._replace(state=with_lengths(result.state, slot_ids(state, len(lengths)), lengths))
    return groups.labeled(
        add_split_merge_events(result, state, fit, groups.weights, RowSpace(groups.rows, prior.centers))
    )


def _mean_directions(fit: Fit, prior: Prior) -> tuple[Fit, FloatArray]:
    """Return the fit with unit centers A / |A|, and |A| (slots,), 0 for slots without rows."""
    n_old = len(prior.gammas)
    weights = fit.slot_weights.copy()
    weights[:n_old] += prior.gammas
    lengths = weights * np.linalg.norm(fit.centers, axis=1)
    first = np.zeros_like(fit.centers)
    first[:n_old] = prior.centers
    first[n_old:, 0] = 1.0  # rows that cancel exactly have no direction: use any
    floor = weights * np.finfo(float).eps
    lengths = np.where(fit.slot_weights > 0, np.maximum(lengths, floor), 0.0)
    return fit._replace(centers=_unit(fit.centers, first)), lengths


def _unit(vectors: FloatArray, instead: FloatArray) -> FloatArray:
    """Return vectors of length 1; ``instead`` replaces those that are zero up to rounding."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    is_zero = lengths <= np.finfo(float).eps
    unit: FloatArray = np.where(is_zero, instead, vectors / np.where(is_zero, 1.0, lengths))
    return unit


def _objective(groups: BatchClusters, fit: Fit, prior: Prior, costs: Costs) -> float:
    """Return births, revivals, and 1 - cos to old centers and to rows: half the squared distances."""
    half = prior._replace(gammas=prior.gammas / 2.0)
    return objective(groups.rows, groups.weights / 2.0, fit, half, costs)
