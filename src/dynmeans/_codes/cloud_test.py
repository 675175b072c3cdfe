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

from dynmeans._codes.significance import is_significant
from dynmeans._core import minimum_spanning_tree
from dynmeans._model.types import FloatArray, IntArray

MIN_ROWS = 3  # two rows have the same distance after every rotation


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
    return not is_significant(wasted_nats(rows, ids, starts, shortest))


def wasted_nats(rows: FloatArray, ids: IntArray, starts: IntArray, shortest: float) -> FloatArray:
    """Estimate the nats that the Gaussian code wastes on the clusters of each step, (T,)."""
    rng = np.random.default_rng(0)
    steps = [_clusters(rows[a:b], ids[a:b]) for a, b in pairwise(starts)]
    found = [(t, cluster, _random_like(cluster, rng)) for t, step in enumerate(steps) for cluster in step]
    wasted = np.zeros(len(steps))
    for size in {len(cluster) for _, cluster, _ in found}:  # clusters of one size are rotated together
        when, clusters, random = zip(*(each for each in found if len(each[1]) == size), strict=True)
        turned = rotated(np.array(clusters), np.array(random))
        excess = [
            _log_length(b, shortest) - _log_length(a, shortest) for a, b in zip(clusters, turned, strict=True)
        ]
        np.add.at(wasted, np.array(when), float(random[0].shape[1]) * np.array(excess))
    return wasted


def rotated(clusters: FloatArray, random: FloatArray) -> FloatArray:
    """Return random rows with the same means and scatters as the clusters.

    Parameters
    ----------
    clusters : ndarray of shape (m, n, d)
    random : ndarray of shape (m, n, min(n - 1, d))
        Independent normal numbers.
    """
    means, rank = clusters.mean(axis=1, keepdims=True), random.shape[2]
    _, scales, axes = np.linalg.svd(clusters - means, full_matrices=False)
    vectors = np.linalg.qr(random - random.mean(axis=1, keepdims=True))[0]
    found: FloatArray = np.ascontiguousarray(means + (vectors * scales[:, None, :rank]) @ axes[:, :rank])
    return found


def _clusters(rows: FloatArray, ids: IntArray) -> list[FloatArray]:
    names, sizes = np.unique(ids[ids >= 0], return_counts=True)
    return [np.ascontiguousarray(rows[ids == k]) for k in names[sizes >= MIN_ROWS]]


def _random_like(rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    return rng.normal(size=(len(rows), min(len(rows) - 1, rows.shape[1])))


def _log_length(rows: FloatArray, shortest: float) -> float:
    """Return the sum of the logarithms of the edges of the minimum spanning tree."""
    return float(np.log(np.maximum(minimum_spanning_tree(rows, 1)[1], shortest)).sum())
