"""Clusters that somebody else found, linked to the remembered ones: the step of `PersistentIds`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.cluster_stats import fit_slots
from dynmeans._algorithms.kernel_objective import apart_from_old, cost_of_sums, row_sums
from dynmeans._algorithms.kernel_step import Found, KernelState, KernelStep, meet, settle
from dynmeans._algorithms.split_merge_events import Places, add_split_merge_events
from dynmeans._algorithms.support import keep_ids
from dynmeans._core import link_clusters
from dynmeans._model.costs import Costs
from dynmeans._model.lifecycle import StepResult, update_state
from dynmeans._model.motion import WALK, Motion
from dynmeans._model.objective import objective
from dynmeans._model.prior import predict_prior
from dynmeans._model.state import ClusterState
from dynmeans._model.types import BoolArray, FloatArray, IntArray

NOISE = -1


class Groups(NamedTuple):
    """The clusters of a batch as they were handed over, without the noise."""

    rows: FloatArray  # (n, d)
    weights: FloatArray  # (n,)
    which: IntArray  # (n,)  group of each row, 0 .. L-1
    sizes: FloatArray  # (L,)
    means: FloatArray  # (L, d)
    real: BoolArray  # (rows of the batch,)  not noise
    origin: IntArray  # (real,)  which row here each of them is
    time: float

    def labelled(self, rolled: StepResult) -> StepResult:
        """The step with a label for every row of the batch, -1 for the noise."""
        labels = np.full(len(self.real), NOISE, dtype=np.int64)
        labels[self.real] = rolled.report.labels[self.origin]
        return rolled._replace(report=rolled.report._replace(labels=labels))


def gather(batch: Batch, labels: IntArray, *, merged: bool = False) -> Groups:
    """Groups of a batch with a label for each row (n,), where -1 is noise.

    With ``merged``, equal rows of a group are one row: a kernel must not look at copies, which would count
    among the neighbours of a row.
    """
    real = labels != NOISE
    rows = np.asarray(batch.rows[real], dtype=np.float64)
    weights = np.ones(len(rows)) if batch.weights is None else batch.weights[real]
    which = _by_appearance(labels[real])
    origin = np.arange(len(rows))
    if merged:
        marked, origin = np.unique(np.column_stack([which, rows]), axis=0, return_inverse=True)
        origin = origin.ravel()
        which, rows = marked[:, 0].astype(np.int64), np.ascontiguousarray(marked[:, 1:])
        weights = np.bincount(origin, weights, len(rows)).astype(np.float64)
    sizes: FloatArray = np.bincount(which, weights).astype(np.float64)
    sums = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(sums, which, weights[:, None] * rows)
    return Groups(rows, weights, which, sizes, sums / sizes[:, None], real, origin, batch.time)


def _by_appearance(labels: IntArray) -> IntArray:
    """Numbers 0, 1, ... in the order in which labels appear: their names have no say."""
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[which]


def link_rows(state: ClusterState, groups: Groups, costs: Costs, motion: Motion) -> StepResult:
    """One time step in the space of the rows.

    A group of weight n with mean m is the old cluster k for Q dt + gamma n / (gamma + n) |m - phi|^2, and new
    for the birth cost; all groups together are linked at the least cost.
    """
    prior = predict_prior(state, groups.time, costs, motion)
    zeta = groups.sizes[:, None] * cdist(groups.means, prior.centers, "sqeuclidean")
    slots = link_clusters(zeta, groups.sizes, prior.gammas, prior.revival, costs.birth)
    fit = fit_slots(slots[groups.which], groups.rows, groups.weights, prior)
    cost = objective(groups.rows, groups.weights, fit, prior, costs)
    fit = fit._replace(cost=cost, restart_costs=np.full(1, cost))
    rolled = update_state(state, prior, fit, costs, motion, groups.time)
    return groups.labelled(
        add_split_merge_events(rolled, state, fit, groups.weights, Places(groups.rows, prior.centers))
    )


def link_kernel(
    memory: KernelState, groups: Groups, meeting: KernelStep, costs: Costs, budget: int
) -> tuple[KernelState, StepResult]:
    """One time step in the space of a kernel, at the same prices."""
    # What two groups are apart had to be known before there was a birth cost: revival goes with it.
    prior = meeting.prior._replace(revival=costs.aging * meeting.prior.elapsed)
    meeting, alike = meeting._replace(prior=prior), meeting.similarity
    sums = row_sums(alike, groups.weights, groups.which, len(groups.sizes))
    zeta = apart_from_old(sums, alike)
    slots = link_clusters(zeta, sums.weight, prior.gammas, prior.revival, costs.birth)[groups.which]
    n_slots = max(len(prior.gammas), int(slots.max()) + 1)
    cost = cost_of_sums(row_sums(alike, groups.weights, slots, n_slots), alike, prior, costs)
    found = Found(slots, cost, 1, np.full(1, cost), np.nan)
    memory, rolled = settle(memory, meeting, found, costs, groups.time, budget)
    return memory, groups.labelled(rolled)


def compare(memory: KernelState, groups: Groups, costs: Costs, aligned: bool) -> KernelStep:
    """Groups and memory in the space of the kernel."""
    return meet(memory, Batch(groups.rows, groups.weights, groups.time), costs, aligned)


def link_nothing(memory: KernelState, groups: Groups, costs: Costs) -> tuple[KernelState, StepResult]:
    """One time step in the space of a kernel with nothing but noise: all clusters sleep."""
    rolled = link_rows(memory.clusters, groups, costs, WALK)
    support = keep_ids(memory.support, rolled.state.ids)
    return memory._replace(clusters=rolled.state, support=support), rolled
