"""Nearest neighbors in neighborhoods that are stretched along the local shape."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from dynmeans._model.types import FloatArray, IntArray

CANDIDATES = 3  # times k: number of nearest rows from which the k neighbors are taken
CORE = 0.7  # times k: number of neighbors that determine the local direction
ROUNDNESS = 0.1  # minimum width of a neighborhood, relative to its mean variance
ROUNDS = 2  # the second round uses the direction that the first one found
BLOCK = 1 << 21  # numbers per block of differences


def stretched_neighbors(rows: FloatArray, k: int) -> IntArray:
    """Return each row and its k nearest neighbors by a local metric, (n, k + 1).

    On a noisy curve, a round neighborhood that is wide enough along the curve also reaches the next curve. So
    distances are Mahalanobis distances with the covariance of the nearest neighbors: a neighborhood is long
    along the curve and narrow across it.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        Points.
    k : int
        Number of neighbors, from 1 to n - 1.

    Returns
    -------
    ndarray of shape (n, k + 1)
        Indices of rows. The first is the row itself.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels._geometry.neighbors import stretched_neighbors
    >>> line = np.stack([np.arange(9), np.zeros(9)], axis=1)
    >>> sorted(stretched_neighbors(line, 2)[4].tolist())
    [3, 4, 5]
    """
    near = _itself_first(cKDTree(rows).query(rows, min(CANDIDATES * k, len(rows) - 1) + 1)[1])
    step = max(1, BLOCK // (near.shape[1] * rows.shape[1]))
    for begin in range(0, len(rows), step):
        _stretch(rows, near[begin : begin + step], max(1, round(CORE * k)))
    return near[:, : k + 1]


def _stretch(rows: FloatArray, near: IntArray, core: int) -> None:
    """Sort candidates (s, c), the first of which is the row itself, by the local metric."""
    for _ in range(ROUNDS):
        differences = rows[near] - rows[near[:, :1]]
        lengths = _lengths(differences, differences[:, : core + 1])
        lengths[:, 0] = -1.0
        near[:] = np.take_along_axis(near, np.argsort(lengths, axis=1, kind="stable"), axis=1)


def _lengths(differences: FloatArray, core: FloatArray) -> FloatArray:
    """Return squared lengths (s, c) by the local metric, up to a factor per row."""
    if core.shape[1] >= core.shape[2]:
        return np.asarray(np.einsum("sci,sci->sc", differences, differences @ _metric(core)))
    # In many dimensions, the Woodbury identity needs matrices of the size of the core only.
    centered = core - core.mean(axis=1, keepdims=True)
    inner = centered @ centered.transpose(0, 2, 1)
    width = np.trace(inner, axis1=1, axis2=2)[:, None, None] / core.shape[2]
    shape = np.divide(inner, width, out=np.zeros_like(inner), where=width > 0)
    along = differences @ centered.transpose(0, 2, 1)
    inverse = np.linalg.inv(shape + ROUNDNESS * np.eye(core.shape[1]))
    squares = np.einsum("sck,sck->sc", along, along @ inverse)
    explained = np.divide(squares, width[:, 0], out=np.zeros_like(squares), where=width[:, 0] > 0)
    return np.asarray((np.einsum("sci,sci->sc", differences, differences) - explained) / ROUNDNESS)


def _metric(differences: FloatArray) -> FloatArray:
    """Return regularized inverse covariances (s, d, d) of points (s, c, d), up to scale."""
    s, _, d = differences.shape
    centered = differences - differences.mean(axis=1, keepdims=True)
    scatter = centered.transpose(0, 2, 1) @ centered
    width = np.trace(scatter, axis1=1, axis2=2)[:, None, None] / d
    shape = np.divide(scatter, width, out=np.zeros((s, d, d)), where=width > 0)
    metric: FloatArray = np.linalg.inv(shape + ROUNDNESS * np.eye(d))
    return metric


def _itself_first(near: IntArray) -> IntArray:
    """Move each row to the front of its neighbors; a row with many duplicates may be missing among them."""
    own = np.arange(len(near))
    itself = near == own[:, None]
    position = np.where(itself.any(axis=1), itself.argmax(axis=1), near.shape[1] - 1)
    near[own, position] = near[:, 0]
    near[:, 0] = own
    return near
