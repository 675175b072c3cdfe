"""One time step in the space of a kernel: what KD-Means and SD-Means share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynmeans.algorithms.align import align
from dynmeans.algorithms.batch import Batch, Search
from dynmeans.algorithms.fitting import fit_slots
from dynmeans.algorithms.kin import Alike, with_kin
from dynmeans.algorithms.selection import Selection
from dynmeans.algorithms.support import Support, empty_support, keep_ids, renew, scene_of
from dynmeans.core import distinct_rows
from dynmeans.kernels import Kernel, Precomputed, Scene, Similarity
from dynmeans.model.costs import Costs
from dynmeans.model.lifecycle import Rolled, Told, roll_forward, slot_ids
from dynmeans.model.motion import WALK
from dynmeans.model.objective import Fit
from dynmeans.model.prior import Prior, carry_forward
from dynmeans.model.state import ClusterState, empty_state
from dynmeans.model.types import FloatArray, IntArray


class KernelMemory(NamedTuple):
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


def begin(kernel: Kernel, n_features: int) -> KernelMemory:
    """Before the first batch."""
    columns = 0 if isinstance(kernel, Precomputed) else n_features
    return KernelMemory(
        empty_state(columns), empty_support(columns), kernel, np.empty((0, 2), dtype=np.int64)
    )


class Meeting(NamedTuple):
    """A batch and the memory, compared."""

    scene: Scene
    kernel: Kernel  # with what this batch told of it
    similarity: Similarity
    prior: Prior
    shifts: FloatArray | None  # (K, d) of the kept points, if they were moved


def step(
    memory: KernelMemory, batch: Batch, costs: Costs, search: Search, options: KernelOptions
) -> tuple[KernelMemory, Rolled]:
    """One time step, from the memory and a batch to the next memory and a report."""
    batch, which = _merged(memory.kernel, batch)
    meeting = meet(memory, batch, costs, options.aligned)
    found = options.cluster(meeting.similarity, meeting.prior, costs, search, memory.clusters.n_steps)
    return settle(memory, meeting, found, costs, batch.time, options.budget, options.selection, which)


def meet(memory: KernelMemory, batch: Batch, costs: Costs, aligned: bool) -> Meeting:
    """Compare a batch with the memory, whose kept points are first moved to meet it if they are aligned."""
    prior = carry_forward(memory.clusters, batch.time, costs, WALK)
    scene = see(memory, batch)
    kernel = memory.kernel.fitted(scene)
    scene, shifts = align(scene) if aligned else (scene, None)
    prior = prior if shifts is None else prior._replace(centers=prior.centers + shifts)
    return Meeting(scene, kernel, kernel.compare(scene), prior, shifts)


def settle(
    memory: KernelMemory,
    meeting: Meeting,
    found: Found,
    costs: Costs,
    now: float,
    budget: int,
    selection: Selection = "greedy",
    which: IntArray | None = None,
) -> tuple[KernelMemory, Rolled]:
    """Roll the memory forward after a clustering, whose labels are of representatives or of rows.

    With ``which``, the labels told are of other rows (n,), each of which is one of those of the scene.
    """
    scene, prior, alike = meeting.scene, meeting.prior, meeting.similarity
    slots = found.labels if len(found.labels) == len(scene.rows) else alike.expand(found.labels)
    places = scene.rows[:, : memory.clusters.centers.shape[1]]
    fit = fit_slots(slots, places, scene.weights, prior, (found.cost, found.n_iter, found.restart_costs))
    support, errors = _renewed(memory, meeting, fit, budget, selection)
    told = Told(found.lower_bound, meeting.shifts, errors)
    rolled = roll_forward(memory.clusters, prior, fit, costs, WALK, now, which, told)
    rolled = with_kin(rolled, memory.clusters, fit, scene.weights, Alike(alike))
    return _carried(memory, meeting, support, rolled), rolled


def _merged(kernel: Kernel, batch: Batch) -> tuple[Batch, IntArray]:
    """Distinct rows in lexical order with the sum of their weights, and which of them each row is.

    So a row of weight n is n copies of it, and the order in which rows arrive has no say.
    """
    if isinstance(kernel, Precomputed):
        return batch, np.arange(len(batch.rows))
    rows, weights, which = distinct_rows(np.asarray(batch.rows, dtype=np.float64), batch.weights)
    return batch._replace(rows=rows, weights=weights), which


def see(memory: KernelMemory, batch: Batch) -> Scene:
    """A batch together with what is remembered, as the kernel wants it."""
    rows = np.asarray(batch.rows, dtype=np.float64)
    weights = np.ones(len(rows)) if batch.weights is None else batch.weights
    scene = scene_of(memory.support, memory.clusters.ids, rows, weights)
    return memory.kernel.scene(*scene) if isinstance(memory.kernel, Precomputed) else scene


def squared_distances(memory: KernelMemory, batch: Batch) -> FloatArray:
    """|omega(y) - phi|^2 of every row and every remembered cluster, (n, K)."""
    similarity = memory.kernel.compare(see(memory, batch))
    gaps = similarity.diagonal[:, None] - 2.0 * similarity.y_phi + similarity.phi_phi
    rows: FloatArray = np.maximum(gaps if similarity.group is None else gaps[similarity.group], 0.0)
    return rows


def _renewed(
    memory: KernelMemory, meeting: Meeting, fit: Fit, budget: int, selection: Selection
) -> tuple[Support, FloatArray]:
    """The points that stand for all slots from now on, and the errors of the active ones.

    The rows of a precomputed kernel are numbers here: kept points first, then rows of the batch.
    """
    support, scene, kernel = memory.support, meeting.scene, meeting.kernel
    if isinstance(kernel, Precomputed):
        support, scene, kernel = _numbered(kernel, support, scene)
    result, errors = renew(
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


def _carried(memory: KernelMemory, meeting: Meeting, support: Support, rolled: Rolled) -> KernelMemory:
    """What the next step needs of the renewed points: those of the clusters that live on."""
    if len(rolled.report.died) > 0:
        support = keep_ids(support, rolled.state.ids)
    if not isinstance(meeting.kernel, Precomputed):
        return KernelMemory(rolled.state, support, meeting.kernel, memory.origins)
    chosen = support.rows[:, 0].astype(np.int64)
    n = len(meeting.scene.rows)
    rows = np.stack([np.full(n, rolled.report.step), np.arange(n)], axis=1)
    return KernelMemory(
        rolled.state,
        support._replace(rows=meeting.kernel.carry(meeting.scene, chosen)),
        meeting.kernel,
        np.concatenate([memory.origins, rows])[chosen],
    )


class _Numbered(NamedTuple):
    """A precomputed kernel whose points are numbers: kept ones first, then rows of the batch."""

    kernel: Precomputed
    scene: Scene

    def fitted(self, scene: Scene) -> Kernel:
        return self

    def compare(self, scene: Scene) -> Similarity:
        return self.kernel.compare(self.scene)

    def gram(self, scene: Scene, members: IntArray, kept: IntArray) -> FloatArray | None:
        return self.kernel.gram(self.scene, members, kept)


def _numbered(kernel: Precomputed, support: Support, scene: Scene) -> tuple[Support, Scene, _Numbered]:
    """Numbers in place of similarities: which points stay decides which similarities are carried."""
    n_kept = len(scene.kept)
    kept = np.arange(n_kept, dtype=np.float64)[:, None]
    rows = np.arange(n_kept, n_kept + len(scene.rows), dtype=np.float64)[:, None]
    return support._replace(rows=kept), scene._replace(rows=rows, kept=kept), _Numbered(kernel, scene)
