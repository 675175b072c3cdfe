"""k-means (k-means++ and Lloyd) on weighted colors, the usual palette of a single frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynmeans._core import nearest_centers
from dynmeans._model.types import FloatArray, IntArray

MAX_ITER = 50  # maximum number of iterations of Lloyd


class Partition(NamedTuple):
    """A partition of points."""

    centers: FloatArray  # (k, d)
    labels: IntArray  # (n,)


def kmeans(points: NDArray[np.float32], weights: FloatArray, k: int, seed: int) -> Partition:
    """Cluster weighted points into at most k groups: k-means++, then Lloyd until no label changes.

    Parameters
    ----------
    points : float32 array of shape (n, d)
    weights : array of shape (n,)
    k : int
        Maximum number of groups; at most the number of distinct points.
    seed : int

    Returns
    -------
    Partition
        No group is empty.

    Examples
    --------
    >>> points = np.array([[0.0], [1.0], [9.0]], dtype=np.float32)
    >>> sorted(kmeans(points, np.array([3.0, 1.0, 1.0]), 2, seed=0).centers.ravel().tolist())
    [0.25, 9.0]
    """
    centers = _spread(points, weights, min(k, len(points)), np.random.default_rng(seed))
    labels = np.full(len(points), -1)
    for _ in range(MAX_ITER):
        before, labels = labels, nearest_centers(points, centers, 1).astype(np.int64)
        used, labels = np.unique(labels, return_inverse=True)
        centers = _means(points, weights, labels, len(used))
        if np.array_equal(before, labels):
            break
    return Partition(centers, labels)


def _spread(
    points: NDArray[np.float32], weights: FloatArray, k: int, random: np.random.Generator
) -> FloatArray:
    """Draw k initial centers, each with probability proportional to its squared distance (k-means++)."""
    chosen = [int(random.choice(len(points), p=weights / weights.sum()))]
    nearest = np.full(len(points), np.inf)
    while len(chosen) < k:
        nearest = np.minimum(nearest, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
        share = weights * nearest
        if not share.any():
            break
        chosen.append(int(random.choice(len(points), p=share / share.sum())))
    return points[chosen].astype(np.float64)


def _means(points: NDArray[np.float32], weights: FloatArray, labels: IntArray, k: int) -> FloatArray:
    sizes = np.bincount(labels, weights, minlength=k)
    sums = [np.bincount(labels, weights * column, minlength=k) for column in points.T]
    return np.column_stack(sums) / sizes[:, None]
