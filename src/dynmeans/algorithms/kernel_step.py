"""One time step in the space of a kernel: what KD-Means and SD-Means share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynmeans.algorithms.align import align
from dynmeans.algorithms.batch import Batch, Search
from dynmeans.algorithms.selection import Selection
from dynmeans.algorithms.support import Support, empty_support, keep_ids, renew, scene_of
from dynmeans.kernels import Kernel, Precomputed, Scene, Similarity
from dynmeans.model.costs import Costs
from dynmeans.model.lifecycle import Rolled, roll_forward, slot_ids
from dynmeans.model.motion import motion_named
from dynmeans.model.objective import Fit
from dynmeans.model.prior import Prior, carry_forward
from dynmeans.model.state import ClusterState, empty_state
from dynmeans.model.types import FloatArray, IntArray

WALK = motion_named("walk")


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


def step(
    memory: KernelMemory, batch: Batch, costs: Costs, search: Search, options: KernelOptions
) -> tuple[KernelMemory, Rolled]:
    """One time step, from the memory and a batch to the next memory and a report."""
    batch, which = _merged(memory.kernel, batch)
    prior = carry_forward(memory.clusters, batch.time, costs, WALK)
    scene = see(memory, batch)
    kernel = memory.kernel.fitted(scene)
    scene, shifts = align(scene) if options.aligned else (scene, None)
    prior = prior if shifts is None else prior._replace(centers=prior.centers + shifts)
    similarity = kernel.compare(scene)
    found = options.cluster(similarity, prior, costs, search, memory.clusters.n_steps)
    fit = _fit(similarity.expand(found.labels), scene, prior, found, memory.clusters.centers.shape[1])
    rolled = roll_forward(memory.clusters, prior, fit, costs, WALK, batch.time)
    carried, errors = _remember(memory._replace(kernel=kernel), scene, fit, prior, rolled, options)
    report = rolled.report._replace(
        labels=rolled.report.labels[which],
        lower_bound=found.lower_bound,
        shifts=shifts,
        support_errors=errors,
    )
    return carried, rolled._replace(report=report)


def _merged(kernel: Kernel, batch: Batch) -> tuple[Batch, IntArray]:
    """Distinct rows in lexical order with the sum of their weights, and which of them each row is.

    So a row of weight n is n copies of it, and the order in which rows arrive has no say.
    """
    n = len(batch.rows)
    if isinstance(kernel, Precomputed):
        return batch, np.arange(n)
    order = np.lexsort(batch.rows.T[::-1])
    rows = batch.rows[order]
    is_new = np.concatenate([[True], (rows[1:] != rows[:-1]).any(axis=1)])
    which = np.empty(n, dtype=np.int64)
    which[order] = np.cumsum(is_new) - 1
    mass = np.ones(n) if batch.weights is None else batch.weights
    weights: FloatArray = np.bincount(which, weights=mass).astype(np.float64)
    return batch._replace(rows=rows[is_new], weights=weights), which


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


def _fit(slots: IntArray, scene: Scene, prior: Prior, found: Found, n_features: int) -> Fit:
    """Sizes and means of the slots; eq. paramupdate for the means, where rows are places."""
    old, n_slots = scene.n_old, max(scene.n_old, int(slots.max()) + 1)
    places = scene.rows[:, :n_features]
    taken: FloatArray = np.bincount(slots, weights=scene.weights, minlength=n_slots).astype(np.float64)
    gammas = np.concatenate([prior.gammas, np.zeros(n_slots - old)])
    sums = np.zeros((n_slots, n_features))
    np.add.at(sums, slots, scene.weights[:, None] * places)
    sums[:old] += prior.gammas[:, None] * prior.centers
    centers = sums / (gammas + taken)[:, None]
    order = _newborn_last(centers, taken, old, np.average(places, axis=0, weights=scene.weights))
    rank = np.argsort(order)
    return Fit(
        rank[slots].astype(np.int32),
        centers[order],
        taken[order],
        found.cost,
        found.n_iter,
        found.restart_costs,
    )


def _newborn_last(centers: FloatArray, taken: FloatArray, old: int, middle: FloatArray) -> IntArray:
    """Remembered slots as they are, then newborn ones by size and nearness to the middle, as in D-Means.

    Nearness counts in steps of a millionth, so that rounding does not decide between equals.
    """
    gaps = np.sum((centers[old:] - middle) ** 2, axis=1)
    steps = np.round(1e6 * gaps / max(float(gaps.max(initial=0.0)), np.finfo(float).tiny))
    return np.concatenate([np.arange(old), old + np.lexsort((steps, -taken[old:]))])


def _remember(
    memory: KernelMemory, scene: Scene, fit: Fit, prior: Prior, rolled: Rolled, options: KernelOptions
) -> tuple[KernelMemory, FloatArray]:
    """The points that stand for the clusters from now on, and the errors of the active ones."""
    ids, slots = slot_ids(memory.clusters, len(fit.taken)), fit.slots.astype(np.int64)

    def reduced(support: Support, scene: Scene, kernel: Kernel) -> tuple[Support, FloatArray]:
        result, errors = renew(
            support, scene, kernel, slots, ids, prior.gammas, fit.taken, options.budget, options.selection
        )
        return keep_ids(result, rolled.state.ids), errors[fit.taken > 0]

    if not isinstance(memory.kernel, Precomputed):
        support, errors = reduced(memory.support, scene, memory.kernel)
        return memory._replace(clusters=rolled.state, support=support), errors
    support, errors = reduced(*_numbered(memory.kernel, memory.support, scene))
    chosen = support.rows[:, 0].astype(np.int64)
    rows = np.stack([np.full(len(slots), rolled.report.step), np.arange(len(slots))], axis=1)
    return memory._replace(
        clusters=rolled.state,
        support=support._replace(rows=memory.kernel.carry(scene, chosen)),
        origins=np.concatenate([memory.origins, rows])[chosen],
    ), errors


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
