"""Test whether clusters are Gaussian clouds: a rotation test of their spanning trees.

Given the size, the mean and the scatter of a Gaussian cluster, the left singular vectors of its centered rows
are uniformly distributed (Langsrud, 2005). Rows with random singular vectors have the same Gaussian code, and
spanning trees of the same lengths if the cluster is a Gaussian cloud. Rows on a line or a surface, or in
dense parts, have shorter trees. The difference of the logarithmic lengths, times the dimension, estimates the
nats that the Gaussian code wastes (Hero and Michel, 1999).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from dynmeans._core import minimum_spanning_tree
from dynmeans._model.types import FloatArray, IntArray

MIN_ROWS = 3  # two rows have the same distance after every rotation
SIGNIFICANT = 2.0  # standard errors over steps


def are_clouds(rows: FloatArray, ids: IntArray, starts: IntArray, shortest: float) -> bool:
    """Return whether no waste of the Gaussian code is significant over the steps.

    Parameters
    ----------
    rows : ndarray of shape (N, d)
    ids : ndarray of shape (N,)
        Cluster of every row; rows with a negative id are noise.
    starts : ndarray of shape (T + 1,)
        First row of each step.
    shortest : float
        Shorter edges count as equal.
    """
    wasted = wasted_nats(rows, ids, starts, shortest)
    error = float(wasted.std(ddof=1)) / np.sqrt(len(wasted)) if len(wasted) > 1 else np.inf
    return bool(wasted.mean() <= SIGNIFICANT * error)


def wasted_nats(rows: FloatArray, ids: IntArray, starts: IntArray, shortest: float) -> FloatArray:
    """Estimate the nats that the Gaussian code wastes on the clusters of each step, (T,)."""
    rng = np.random.default_rng(0)

    def wasted(some: FloatArray) -> float:
        excess = _log_length(rotated(some, rng), shortest) - _log_length(some, shortest)
        return float(min(len(some) - 1, some.shape[1])) * excess

    steps = [(rows[a:b], ids[a:b]) for a, b in pairwise(starts)]
    return np.array([sum(map(wasted, _clusters(some, labels))) for some, labels in steps], dtype=np.float64)


def rotated(rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return random rows with the same mean and scatter."""
    mean = rows.mean(axis=0)
    _, scales, axes = np.linalg.svd(rows - mean, full_matrices=False)
    rank = min(len(rows) - 1, rows.shape[1])
    random = rng.normal(size=(len(rows), rank))
    vectors = np.linalg.qr(random - random.mean(axis=0))[0]
    found: FloatArray = np.ascontiguousarray(mean + (vectors * scales[:rank]) @ axes[:rank])
    return found


def _clusters(rows: FloatArray, ids: IntArray) -> list[FloatArray]:
    names, sizes = np.unique(ids[ids >= 0], return_counts=True)
    return [np.ascontiguousarray(rows[ids == k]) for k in names[sizes >= MIN_ROWS]]


def _log_length(rows: FloatArray, shortest: float) -> float:
    """Return the sum of the logarithms of the edges of the minimum spanning tree."""
    return float(np.log(np.maximum(minimum_spanning_tree(rows, 1)[1], shortest)).sum())
