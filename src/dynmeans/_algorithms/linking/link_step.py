"""The step of `PersistentIds`: link the clusters of another method to the remembered ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.cluster_stats import fit_slots
from dynmeans._algorithms.kernel_space.kernel_fit import KernelFit
from dynmeans._algorithms.kernel_space.kernel_objective import apart_from_old, cost_of_sums, row_sums
from dynmeans._algorithms.kernel_space.kernel_state import KernelState
from dynmeans._algorithms.kernel_space.kernel_step import BatchComparison, finalize_step
from dynmeans._algorithms.linking.group_assignment import assign_groups
from dynmeans._algorithms.linking.shared_items import SharedItems
from dynmeans._algorithms.split_merge_events import RowSpace, add_split_merge_events
from dynmeans._model.costs import Costs
from dynmeans._model.lifecycle import StepResult, update_state
from dynmeans._model.motion import Motion
from dynmeans._model.objective import objective
from dynmeans._model.prior import predict_prior
from dynmeans._model.state import ClusterState
from dynmeans._model.types import BoolArray, FloatArray, IntArray

NOISE = -1


class BatchClusters(NamedTuple):
    """The given clusters of a batch, without noise."""

    rows: FloatArray  # (n, d)
    weights: FloatArray  # (n,)
    which: IntArray  # (n,)  group of each row, 0 .. L-1
    sizes: FloatArray  # (L,)
    means: FloatArray  # (L, d)
    is_clustered: BoolArray  # (rows of the batch,)  False for noise
    origin: IntArray  # (clustered,)  row here of each clustered row of the batch
    time: float

    def row_groups(self) -> IntArray:
        """Return the group of every clustered row of the batch."""
        return self.which[self.origin]

    def labeled(self, result: StepResult) -> StepResult:
        """Return the step with a label for every row of the batch, -1 for noise."""
        labels = np.full(len(self.is_clustered), NOISE, dtype=np.int64)
        labels[self.is_clustered] = result.report.labels[self.origin]
        return result._replace(report=result.report._replace(labels=labels))


def gather(batch: Batch, labels: IntArray, *, merged: bool = False) -> BatchClusters:
    """Form the groups of a batch from a label for each row (n,), where -1 is noise.

    With ``merged``, equal rows of a group become one row: a kernel must not count copies as neighbors of a
    row.
    """
    is_clustered = labels != NOISE
    rows = np.asarray(batch.rows[is_clustered], dtype=np.float64)
    weights = np.ones(len(rows)) if batch.weights is None else batch.weights[is_clustered]
    which = _by_appearance(labels[is_clustered])
    origin = np.arange(len(rows))
    if merged:
        marked, origin = np.unique(np.column_stack([which, rows]), axis=0, return_inverse=True)
        origin = origin.ravel()
        which, rows = marked[:, 0].astype(np.int64), np.ascontiguousarray(marked[:, 1:])
        weights = np.bincount(origin, weights, len(rows)).astype(np.float64)
    sizes: FloatArray = np.bincount(which, weights).astype(np.float64)
    sums = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(sums, which, weights[:, None] * rows)
    return BatchClusters(
        rows=rows,
        weights=weights,
        which=which,
        sizes=sizes,
        means=sums / sizes[:, None],
        is_clustered=is_clustered,
        origin=origin,
        time=batch.time,
    )


def _by_appearance(labels: IntArray) -> IntArray:
    """Renumber labels 0, 1, ... in order of appearance, so that their values do not matter."""
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[which]


def link_rows(
    state: ClusterState,
    groups: BatchClusters,
    costs: Costs,
    motion: Motion,
    shared: SharedItems | None = None,
) -> StepResult:
    """Run one time step in the space of the rows."""
    prior = predict_prior(state, groups.time, costs, motion)
    zeta = groups.sizes[:, None] * cdist(groups.means, prior.centers, "sqeuclidean")
    slots = assign_groups(zeta, groups.sizes, prior, costs.birth, shared)
    fit = fit_slots(slots[groups.which], groups.rows, groups.weights, prior)
    cost = objective(groups.rows, groups.weights, fit, prior, costs)
    fit = fit._replace(cost=cost, restart_costs=np.full(1, cost))
    result = update_state(state, prior, fit, costs, motion, groups.time)
    return groups.labeled(
        add_split_merge_events(result, state, fit, groups.weights, RowSpace(groups.rows, prior.centers))
    )


def link_kernel(
    memory: KernelState,
    groups: BatchClusters,
    comparison: BatchComparison,
    costs: Costs,
    budget: int,
    shared: SharedItems | None = None,
) -> tuple[KernelState, StepResult]:
    """Run one time step in the space of a kernel, with the same costs."""
    # The birth cost was estimated after the comparison; the revival costs depend on it.
    prior = comparison.prior.with_costs(costs)
    comparison, similarity = comparison._replace(prior=prior), comparison.similarity
    sums = row_sums(similarity, groups.weights, groups.which, len(groups.sizes))
    zeta = apart_from_old(sums, similarity)
    slots = assign_groups(zeta, sums.weight, prior, costs.birth, shared)[groups.which]
    n_slots = max(len(prior.gammas), int(slots.max()) + 1)
    cost = cost_of_sums(row_sums(similarity, groups.weights, slots, n_slots), similarity, prior, costs)
    fit = KernelFit(slots, cost, n_iter=1, restart_costs=np.full(1, cost))
    memory, result = finalize_step(memory, comparison, fit, costs, groups.time, budget=budget)
    return memory, groups.labeled(result)
