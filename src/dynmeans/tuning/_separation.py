"""Separation score for kernels: a silhouette of minimax path distances, times id consistency.

Clusters of a kernel have no explicit density, so they have no code length. The distance of two rows is the
longest edge of the path whose longest edge is shortest (minimax path distance). It is small within a
connected shape, such as a ring, and large between shapes. A row is well assigned if its own cluster is nearer
than any other. The kernel does not enter, so different hyperparameters are comparable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from dynmeans._algorithms.kernel_space.align import align
from dynmeans._model.types import FloatArray, IntArray
from dynmeans._sampling import evenly_spaced
from dynmeans.kernels import MST, RBF, Diffusion, Kernel, KernelInput, Linear, first_input
from dynmeans.kernels._estimation.density import near_rank
from dynmeans.kernels._geometry.distances import distances
from dynmeans.tuning._scorers import Evaluation, Scorer, cluster, configure, evaluate
from dynmeans.tuning._stream import TuningStream

SAMPLE = 500  # rows sampled per batch
RECALL = 4  # previous steps in which an id is expected
TOLERANCE = 0.01  # of a score: one row in a hundred
MEASURE_ROWS = (RBF, MST, Diffusion, Linear)  # kernels of the Euclidean distance between rows


class SeparationReference(NamedTuple):
    """Preprocessed stream with the quantities that do not depend on the clustering."""

    picked: list[IntArray]  # sampled rows of each batch
    rows: list[FloatArray]  # these rows, centered
    weights: list[FloatArray]  # (n,)
    paths: list[FloatArray]  # (n, n) minimax path distances within a batch
    past: list[FloatArray] | None  # (n, m) kernel distances to past rows; None if rows are vectors


def score_by_separation(estimator: Any, stream: TuningStream, kernel: Kernel) -> Scorer:
    """Score by 1 minus the mean quality of the steps."""
    reference = make_separation_reference(stream, kernel)

    def score(params: dict[str, Any], seed: int) -> Evaluation:
        labels = cluster(configure(estimator, params, seed), stream)
        lost = 1.0 - step_qualities(reference, labels)
        return evaluate(float(lost.mean()), labels)._replace(steps=tuple(lost.tolist()))

    return score


def make_separation_reference(stream: TuningStream, kernel: Kernel) -> SeparationReference:
    """Compute the path distances within batches, by the kernel if rows are not vectors."""
    picked = [evenly_spaced(len(batch), SAMPLE) for batch in stream.batches]
    rows = [batch[some] for batch, some in zip(stream.batches, picked, strict=True)]
    given = stream.weights or [np.ones(len(batch)) for batch in stream.batches]
    weights = [w[some] for w, some in zip(given, picked, strict=True)]
    if kernel.is_euclidean():
        middle = np.concatenate(rows).mean(axis=0)
        rows = [batch - middle for batch in rows]
        return SeparationReference(
            picked, rows, weights, [minimax_distances(distances(X, X)) for X in rows], None
        )
    paths = [minimax_distances(kernel_distances(kernel, X)) for X in rows]
    past = [_distances_to_past(kernel, rows, step) for step in range(len(rows))]
    return SeparationReference(picked, rows, weights, paths, past)


def step_qualities(reference: SeparationReference, labels: Sequence[IntArray]) -> FloatArray:
    """Compute the quality of each step, at most 1: separation of clusters times consistency of ids."""
    found = [ids[some] for ids, some in zip(labels, reference.picked, strict=True)]
    apart = [separation(*step) for step in zip(reference.paths, found, reference.weights, strict=True)]
    known = [id_consistency(reference, found, step) for step in range(len(found))]
    quality: FloatArray = np.maximum(apart, 0.0) * np.array(known)
    return quality


def minimax_distances(distances: FloatArray) -> FloatArray:
    """Compute minimax path distances between rows, (n, n).

    No edge is shorter than the distance from either end to its neighbor of rank sqrt(n) / 3, so that a few
    outliers between two clusters do not connect them.
    """
    n = len(distances)
    if n < 2:
        return np.zeros((n, n))
    rank = min(near_rank(n), n - 1)  # the row itself has rank 0
    core = np.partition(distances, rank, axis=1)[:, rank]
    edges = np.maximum(distances, np.maximum(core[:, None], core))
    np.fill_diagonal(edges, 0.0)
    tree = linkage(squareform(edges, checks=False), "single")
    found: FloatArray = squareform(cophenet(tree))
    return found


def separation(distances: FloatArray, ids: IntArray, weights: FloatArray) -> float:
    """Compute the mean silhouette: 1 - own / other, from mean distances to own and nearest other cluster.

    It is 0 for one cluster, for clusters of one row, and where the two distances are equal. It is negative
    where one connected shape is split.
    """
    names, own = np.unique(ids, return_inverse=True)
    if len(names) < 2:
        return 0.0
    rows = np.arange(len(ids))
    members = (own[:, None] == np.arange(len(names))) * weights[:, None]
    mass, to_each = members.sum(axis=0), distances @ members
    others = mass[own] - weights
    inside = np.divide(to_each[rows, own], others, out=np.zeros(len(ids)), where=others > 0)
    means = to_each / mass
    means[rows, own] = np.inf
    outside = means.min(axis=1)
    larger = np.maximum(inside, outside)
    counted = (larger > 0) & (others > 0)
    score = np.divide(outside - inside, larger, out=np.zeros(len(ids)), where=counted)
    return float(np.average(score, weights=weights))


def id_consistency(reference: SeparationReference, found: Sequence[IntArray], step: int) -> float:
    """Compute the share of nearest neighbors in the last steps that have the id of the row.

    Every cluster is taken from its last step and aligned to the batch by a translation.
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
    if reference.past is None:
        old = np.concatenate([reference.rows[s] for s in window])[kept]
        distances = _distances_to_aligned(reference.rows[step], reference.weights[step], old, owner[kept])
    else:
        distances = reference.past[step][:, kept]
    k = min(near_rank(len(distances)), distances.shape[1])
    near = np.argpartition(distances, k - 1, axis=1)[:, :k]
    right = (before[kept][near] == found[step][:, None]).mean(axis=1)
    return float(np.average(right, weights=reference.weights[step]))


def kernel_distances(kernel: Kernel, rows: FloatArray) -> FloatArray:
    """Compute distances (n, n) in the feature space of a kernel."""
    scene = first_input(rows)
    matrix = kernel.fitted(scene).gram(scene, np.arange(len(rows)), np.arange(0))
    if matrix is None:
        raise ValueError(f"kernel is {kernel!r}; it does not compare single rows, so it cannot be tuned")
    own = matrix.diagonal()
    squared: FloatArray = np.maximum(own[:, None] + own - 2.0 * matrix, 0.0)
    return np.sqrt(squared)


def _distances_to_past(kernel: Kernel, rows: Sequence[FloatArray], step: int) -> FloatArray:
    n = len(rows[step])
    return kernel_distances(kernel, np.concatenate([rows[step], *rows[max(0, step - RECALL) : step]]))[:n, n:]


def _distances_to_aligned(
    rows: FloatArray, weights: FloatArray, old: FloatArray, owner: IntArray
) -> FloatArray:
    """Compute distances to old rows after each of their clusters is aligned to the batch."""
    sizes = np.bincount(owner)
    scene = KernelInput(rows, weights, old, 1.0 / sizes[owner], owner.astype(np.int64), len(sizes))
    return distances(rows, align(scene)[0].kept)
