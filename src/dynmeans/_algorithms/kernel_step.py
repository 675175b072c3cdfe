"""One time step in the space of a kernel: what KD-Means and SD-Means share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynmeans._algorithms.align import align
from dynmeans._algorithms.batch import Batch, Search
from dynmeans._algorithms.cluster_stats import fit_slots
from dynmeans._algorithms.split_merge_events import KernelSpace, add_split_merge_events
from dynmeans._algorithms.support import Support, empty_support, keep_ids, kernel_input, update_support
from dynmeans._algorithms.support_selection import Selection
from dynmeans._core import unique_rows
from dynmeans._model.costs import Costs
from dynmeans._model.lifecycle import StepDiagnostics, StepResult, slot_ids, update_state
from dynmeans._model.motion import WALK
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior, predict_prior
from dynmeans._model.state import ClusterState, empty_state
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels import Kernel, KernelInput, Precomputed, Similarity


class KernelState(NamedTuple):
    """What is carried from step to step."""

    clusters: ClusterState  # centres are means of rows, for people to look at; none for precomputed kernels
    support: Support  # the centres in the space of the kernel; for a precomputed one, rows are similarities
    kernel: Kernel  # with every parameter that could be estimated so far
    origins: IntArray  # (M, 2) step and row of each kept point of a precomputed kernel; (0, 2) for others


class Found(NamedTuple):
    """What a clusterer finds in kernel space, over the representatives."""

    labels: IntArray  # (R,) slots
    cost: float
    n_iter: int
    restart_costs: FloatArray
    lower_bound: float  # NaN where it was not asked for


Clusterer = Callable[[Similarity, Prior, Costs, Search, int], Found]


class KernelOptions(NamedTuple):
    """How a step is made."""

    cluster: Clusterer
    budget: int  # most points kept for a cluster
    selection: Selection
    aligned: bool  # kept points are shifted to meet the batch


def begin(kernel: Kernel, n_features: int) -> KernelState:
    """Before the first batch."""
    columns = 0 if isinstance(kernel, Precomputed) else n_features
    return KernelState(empty_state(columns), empty_support(columns), kernel, np.empty((0, 2), dtype=np.int64))


class KernelStep(NamedTuple):
    """A batch and the memory, compared."""

    scene: KernelInput
    kernel: Kernel  # with what this batch told of it
    similarity: Similarity
    prior: Prior
    shifts: FloatArray | None  # (K, d) of the kept points, if they were moved


def step(
    memory: KernelState, batch: Batch, costs: Costs, search: Search, options: KernelOptions
) -> tuple[KernelState, StepResult]:
    """One time step, from the memory and a batch to the next memory and a report."""
    batch, which = _merged(memory.kernel, batch)
    meeting = meet(memory, batch, costs, options.aligned)
    found = options.cluster(meeting.similarity, meeting.prior, costs, search, memory.clusters.n_steps)
    return settle(memory, meeting, found, costs, batch.time, options.budget, options.selection, which)


def meet(memory: KernelState, batch: Batch, costs: Costs, aligned: bool) -> KernelStep:
    """Compare a batch with the memory, whose kept points are first moved to meet it if they are aligned."""
    prior = predict_prior(memory.clusters, batch.time, costs, WALK)
    scene = see(memory, batch)
    kernel = memory.kernel.fitted(scene)
    scene, shifts = align(scene) if aligned else (scene, None)
    prior = prior if shifts is None else prior._replace(centers=prior.centers + shifts)
    return KernelStep(scene, kernel, kernel.compare(scene), prior, shifts)


def settle(
    memory: KernelState,
    meeting: KernelStep,
    found: Found,
    costs: Costs,
    now: float,
    budget: int,
    selection: Selection = "greedy",
    which: IntArray | None = None,
) -> tuple[KernelState, StepResult]:
    """Roll the memory forward after a clustering, whose labels are of representatives or of rows.

    With ``which``, the labels told are of other rows (n,), each of which is one of those of the scene.
    """
    scene, prior, alike = meeting.scene, meeting.prior, meeting.similarity
    slots = found.labels if len(found.labels) == len(scene.rows) else alike.expand(found.labels)
    places = scene.rows[:, : memory.clusters.centers.shape[1]]
    fit = fit_slots(slots, places, scene.weights, prior, (found.cost, found.n_iter, found.restart_costs))
    support, errors = _renewed(memory, meeting, fit, budget, selection)
    told = StepDiagnostics(found.lower_bound, meeting.shifts, errors)
    rolled = update_state(memory.clusters, prior, fit, costs, WALK, now, which, told)
    rolled = add_split_merge_events(rolled, memory.clusters, fit, scene.weights, KernelSpace(alike))
    return _carried(memory, meeting, support, rolled), rolled


def _merged(kernel: Kernel, batch: Batch) -> tuple[Batch, IntArray]:
    """Distinct rows in lexical order with the sum of their weights, and which of them each row is.

    So a row of weight n is n copies of it, and the order in which rows arrive has no say.
    """
    if isinstance(kernel, Precomputed):
        return batch, np.arange(len(batch.rows))
    rows, weights, which = unique_rows(np.asarray(batch.rows, dtype=np.float64), batch.weights)
    return batch._replace(rows=rows, weights=weights), which


def see(memory: KernelState, batch: Batch) -> KernelInput:
    """A batch together with what is remembered, as the kernel wants it."""
    rows = np.asarray(batch.rows, dtype=np.float64)
    weights = np.ones(len(rows)) if batch.weights is None else batch.weights
    scene = kernel_input(memory.support, memory.clusters.ids, rows, weights)
    return memory.kernel.scene(*scene) if isinstance(memory.kernel, Precomputed) else scene


def squared_distances(memory: KernelState, batch: Batch) -> FloatArray:
    """|omega(y) - phi|^2 of every row and every remembered cluster, (n, K)."""
    similarity = memory.kernel.compare(see(memory, batch))
    gaps = similarity.diagonal[:, None] - 2.0 * similarity.y_phi + similarity.phi_phi
    rows: FloatArray = np.maximum(gaps if similarity.group is None else gaps[similarity.group], 0.0)
    return rows


def _renewed(
    memory: KernelState, meeting: KernelStep, fit: Fit, budget: int, selection: Selection
) -> tuple[Support, FloatArray]:
    """The points that stand for all slots from now on, and the errors of the active ones.

    The rows of a precomputed kernel are numbers here: kept points first, then rows of the batch.
    """
    support, scene, kernel = memory.support, meeting.scene, meeting.kernel
    if isinstance(kernel, Precomputed):
        support, scene, kernel = _numbered(kernel, support, scene)
    result, errors = update_support(
        support,
        scene,
        kernel,
        fit.slots,
        slot_ids(memory.clusters, len(fit.taken)),
        meeting.prior.gammas,
        fit.taken,
        budget,
        selection,
        meeting.similarity.places,
    )
    return result, errors[fit.taken.nonzero()]


def _carried(memory: KernelState, meeting: KernelStep, support: Support, rolled: StepResult) -> KernelState:
    """What the next step needs of the renewed points: those of the clusters that live on."""
    if len(rolled.report.died) > 0:
        support = keep_ids(support, rolled.state.ids)
    if not isinstance(meeting.kernel, Precomputed):
        return KernelState(rolled.state, support, meeting.kernel, memory.origins)
    chosen = support.rows[:, 0].astype(np.int64)
    n = len(meeting.scene.rows)
    rows = np.stack([np.full(n, rolled.report.step), np.arange(n)], axis=1)
    return KernelState(
        rolled.state,
        support._replace(rows=meeting.kernel.carry(meeting.scene, chosen)),
        meeting.kernel,
        np.concatenate([memory.origins, rows])[chosen],
    )


class _Numbered(NamedTuple):
    """A precomputed kernel whose points are numbers: kept ones first, then rows of the batch."""

    kernel: Precomputed
    scene: KernelInput

    def fitted(self, scene: KernelInput) -> Kernel:
        return self

    def compare(self, scene: KernelInput) -> Similarity:
        return self.kernel.compare(self.scene)

    def gram(self, scene: KernelInput, members: IntArray, kept: IntArray) -> FloatArray | None:
        return self.kernel.gram(self.scene, members, kept)


def _numbered(
    kernel: Precomputed, support: Support, scene: KernelInput
) -> tuple[Support, KernelInput, _Numbered]:
    """Numbers in place of similarities: which points stay decides which similarities are carried."""
    n_kept = len(scene.kept)
    kept = np.arange(n_kept, dtype=np.float64)[:, None]
    rows = np.arange(n_kept, n_kept + len(scene.rows), dtype=np.float64)[:, None]
    return support._replace(rows=kept), scene._replace(rows=rows, kept=kept), _Numbered(kernel, scene)
