"""Nearest neighbours along the shape that a point lies on."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from dynmeans._model.types import FloatArray, IntArray

CANDIDATES = 3  # times k: the nearest rows, of which the stretched neighbourhood takes k
CORE = 0.7  # of k: the neighbours that show which way a shape runs
ROUNDNESS = 0.1  # least width of a neighbourhood, as a share of its mean variance
ROUNDS = 2  # the second one looks along the shape that the first one found
BLOCK = 1 << 21  # numbers in the differences that are worked on at a time


def stretched_neighbours(rows: FloatArray, k: int) -> IntArray:
    """Each row, then its k nearest others by a distance of its own, (n, k + 1).

    On a noisy curve, a round neighbourhood that is wide enough to reach along the curve also reaches over to
    the next one. So distances are measured in units of the covariance of the nearest neighbours: a
    neighbourhood is stretched along the curve, and narrow across.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        Points.
    k : int
        Number of neighbours, from 1 to n - 1.

    Returns
    -------
    ndarray of shape (n, k + 1)
        Indices of rows. The first is the row itself, which may have equals.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels.neighbours import stretched_neighbours
    >>> line = np.stack([np.arange(9), np.zeros(9)], axis=1)
    >>> sorted(stretched_neighbours(line, 2)[4].tolist())
    [3, 4, 5]
    """
    near = _itself_first(cKDTree(rows).query(rows, min(CANDIDATES * k, len(rows) - 1) + 1)[1])
    step = max(1, BLOCK // (near.shape[1] * rows.shape[1]))
    for begin in range(0, len(rows), step):
        _stretch(rows, near[begin : begin + step], max(1, round(CORE * k)))
    return near[:, : k + 1]


def _stretch(rows: FloatArray, near: IntArray, core: int) -> None:
    """Sort candidates (s, c), whose first one is the row itself, by the distance of its neighbourhood."""
    for _ in range(ROUNDS):
        gaps = rows[near] - rows[near[:, :1]]
        lengths = np.einsum("sci,sci->sc", gaps, gaps @ _metric(gaps[:, : core + 1]))
        lengths[:, 0] = -1.0
        near[:] = np.take_along_axis(near, np.argsort(lengths, axis=1, kind="stable"), axis=1)


def _metric(gaps: FloatArray) -> FloatArray:
    """Inverse covariances (s, d, d) of points (s, c, d), up to scale, and made a little rounder."""
    s, _, d = gaps.shape
    centred = gaps - gaps.mean(axis=1, keepdims=True)
    scatter = centred.transpose(0, 2, 1) @ centred
    width = np.trace(scatter, axis1=1, axis2=2)[:, None, None] / d
    shape = np.divide(scatter, width, out=np.zeros((s, d, d)), where=width > 0)
    metric: FloatArray = np.linalg.inv(shape + ROUNDNESS * np.eye(d))
    return metric


def _itself_first(near: IntArray) -> IntArray:
    """The row itself in front; one with many equals may not have found itself."""
    own = np.arange(len(near))
    itself = near == own[:, None]
    place = np.where(itself.any(axis=1), itself.argmax(axis=1), near.shape[1] - 1)
    near[own, place] = near[:, 0]
    near[:, 0] = own
    return near
