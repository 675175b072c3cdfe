"""For kernels, where no density can be written down: are the clusters apart, and are their ids expected?

A round cluster is as good as its width; a ring is not. What makes a ring one cluster is that one can walk all
over it in short hops, and what makes it another cluster than the disc inside is that the way there needs a
long one. So distances are replaced by the longest hop of the best way, and a row is well placed if its own
cluster is nearer by hops than any other. The kernel does not enter, so no setting is judged by its own ruler.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import cdist, squareform

from dynmeans._algorithms.align import align
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels import MST, RBF, Diffusion, Kernel, KernelInput, Linear, first_input
from dynmeans.kernels.density import near_rank
from dynmeans.kernels.rbf import evenly_spaced
from dynmeans.tuning.scorers import Evaluation, Scorer, evaluate, follow, prepared
from dynmeans.tuning.stream import TuningStream

SAMPLE = 500  # rows of a batch that are looked at
RECALL = 4  # steps back from which an id may return as expected
TOLERANCE = 0.01  # of a score: one row in a hundred
MEASURE_ROWS = (RBF, MST, Diffusion, Linear)  # kernels to which the distance between two rows means something


class SeparationReference(NamedTuple):
    """A stream as it is judged, the same for every clustering of it."""

    picked: list[IntArray]  # rows of each batch that are looked at
    rows: list[FloatArray]  # these rows, around the mean of all
    weights: list[FloatArray]  # (n,)
    hops: list[FloatArray]  # (n, n) longest hop on the best way between two rows of a batch
    past: list[FloatArray] | None  # (n, m) distance to all rows of the last steps; None if rows have places


def score_by_separation(estimator: Any, stream: TuningStream, kernel: Kernel) -> Scorer:
    """Judge by 1 minus the merit of the steps, on average."""
    ground = make_separation_reference(stream, kernel)

    def judge(params: dict[str, Any], seed: int) -> Evaluation:
        labels = follow(prepared(estimator, params, seed), stream)
        lost = 1.0 - merits(ground, labels)
        return evaluate(float(lost.mean()), labels)._replace(steps=tuple(lost.tolist()))

    return judge


def make_separation_reference(stream: TuningStream, kernel: Kernel) -> SeparationReference:
    """Measure all ways within the batches; through the kernel, if rows are no places to it."""
    picked = [evenly_spaced(len(batch), SAMPLE) for batch in stream.batches]
    rows = [batch[some] for batch, some in zip(stream.batches, picked, strict=True)]
    given = stream.weights or [np.ones(len(batch)) for batch in stream.batches]
    weights = [w[some] for w, some in zip(given, picked, strict=True)]
    if isinstance(kernel, MEASURE_ROWS):
        middle = np.concatenate(rows).mean(axis=0)
        rows = [batch - middle for batch in rows]
        return SeparationReference(picked, rows, weights, [longest_hops(cdist(X, X)) for X in rows], None)
    hops = [longest_hops(kernel_distances(kernel, X)) for X in rows]
    past = [_to_the_past(kernel, rows, step) for step in range(len(rows))]
    return SeparationReference(picked, rows, weights, hops, past)


def merits(ground: SeparationReference, labels: Sequence[IntArray]) -> FloatArray:
    """What each step is worth, at best 1: how far its clusters are apart, times how expected its ids are."""
    found = [ids[some] for ids, some in zip(labels, ground.picked, strict=True)]
    apart = [separation(*parts) for parts in zip(ground.hops, found, ground.weights, strict=True)]
    known = [expected(ground, found, step) for step in range(len(found))]
    worth: FloatArray = np.maximum(apart, 0.0) * np.array(known)
    return worth


def longest_hops(distances: FloatArray) -> FloatArray:
    """Longest hop on the way between two rows whose longest hop is shortest, (n, n).

    No hop is shorter than the distance from either end to its neighbour of rank sqrt(n) / 3, so that a few
    stray rows between two clusters are no bridge.
    """
    n = len(distances)
    if n < 2:
        return np.zeros((n, n))
    rank = min(near_rank(n), n - 1)  # the row itself has rank 0
    sparse = np.partition(distances, rank, axis=1)[:, rank]
    hops = np.maximum(distances, np.maximum(sparse[:, None], sparse))
    np.fill_diagonal(hops, 0.0)
    tree = linkage(squareform(hops, checks=False), "single")
    found: FloatArray = squareform(cophenet(tree))
    return found


def separation(hops: FloatArray, ids: IntArray, weights: FloatArray) -> float:
    """Silhouette by hops: 1 - own / other, of the mean distances to a row's own and to the next cluster.

    It is 0 for one cluster, for clusters of one row, and where a cut has no gap: there the way to the other
    side is as easy as that to the own. It is below 0 where two clusters are one.
    """
    names, own = np.unique(ids, return_inverse=True)
    if len(names) < 2:
        return 0.0
    rows = np.arange(len(ids))
    members = (own[:, None] == np.arange(len(names))) * weights[:, None]
    mass, to_each = members.sum(axis=0), hops @ members
    others = mass[own] - weights
    inside = np.divide(to_each[rows, own], others, out=np.zeros(len(ids)), where=others > 0)
    means = to_each / mass
    means[rows, own] = np.inf
    outside = means.min(axis=1)
    larger = np.maximum(inside, outside)
    counted = (larger > 0) & (others > 0)
    score = np.divide(outside - inside, larger, out=np.zeros(len(ids)), where=counted)
    return float(np.average(score, weights=weights))


def expected(ground: SeparationReference, found: Sequence[IntArray], step: int) -> float:
    """How many of a row's nearest neighbours among the clusters of the last steps have its id: a share.

    Every id is where it was last seen, moved as a whole to where it explains the batch best.
    """
    if step == 0:
        return 1.0
    window = range(max(0, step - RECALL), step)
    before = np.concatenate([found[s] for s in window])
    when = np.repeat(window, [len(found[s]) for s in window])
    names, owner = np.unique(before, return_inverse=True)
    last = np.zeros(len(names), dtype=np.int64)
    np.maximum.at(last, owner, when)
    kept = when == last[owner]
    if ground.past is None:
        old = np.concatenate([ground.rows[s] for s in window])[kept]
        distances = _to_moved(ground.rows[step], ground.weights[step], old, owner[kept])
    else:
        distances = ground.past[step][:, kept]
    k = min(near_rank(len(distances)), distances.shape[1])
    near = np.argpartition(distances, k - 1, axis=1)[:, :k]
    right = (before[kept][near] == found[step][:, None]).mean(axis=1)
    return float(np.average(right, weights=ground.weights[step]))


def kernel_distances(kernel: Kernel, rows: FloatArray) -> FloatArray:
    """Distances (n, n) in the space of a kernel."""
    scene = first_input(rows)
    matrix = kernel.fitted(scene).gram(scene, np.arange(len(rows)), np.arange(0))
    if matrix is None:
        raise ValueError(f"kernel is {kernel!r}; it compares no single rows, so it cannot be tuned")
    own = matrix.diagonal()
    squared: FloatArray = np.maximum(own[:, None] + own - 2.0 * matrix, 0.0)
    return np.sqrt(squared)


def _to_the_past(kernel: Kernel, rows: Sequence[FloatArray], step: int) -> FloatArray:
    n = len(rows[step])
    return kernel_distances(kernel, np.concatenate([rows[step], *rows[max(0, step - RECALL) : step]]))[:n, n:]


def _to_moved(rows: FloatArray, weights: FloatArray, old: FloatArray, owner: IntArray) -> FloatArray:
    """Distances to old rows after each cluster of them has moved to meet the batch."""
    sizes = np.bincount(owner)
    scene = KernelInput(rows, weights, old, 1.0 / sizes[owner], owner.astype(np.int64), len(sizes))
    distances: FloatArray = cdist(rows, align(scene)[0].kept)
    return distances
