"""Cells of space: one weighted point for all that lie in a cell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans.model.types import FloatArray, IntArray

_SPAN = 1 << 20  # cells along an axis: a hundred kilometres of cells of 0.1 m


class Thinned(NamedTuple):
    """Occupied cells."""

    centers: FloatArray  # (m, d)  mean of the points of each cell
    counts: FloatArray  # (m,)
    cell: IntArray  # (n,)  which of them each point is in


def cells_of(points: FloatArray, size: float) -> IntArray:
    """Whole coordinates (n, d) of the cell of each point."""
    return np.floor(points / size).astype(np.int64)


def keys_of(cells: IntArray) -> IntArray:
    """One number for each cell, so that neighbours differ by constants; cells far outside wrap around."""
    shifted = (cells + _SPAN // 2) % _SPAN
    keys: IntArray = shifted @ _SPAN ** np.arange(cells.shape[1])[::-1]
    return keys


def thin(points: FloatArray, size: float) -> Thinned:
    """One point for each cell, at the mean of its points.

    Parameters
    ----------
    points : float array of shape (n, d)
    size : float
        Edge of a cell.

    Returns
    -------
    Thinned

    Examples
    --------
    >>> thin(np.array([[0.1, 0.1], [0.3, 0.1], [5.0, 5.0]]), 1.0).counts
    array([2., 1.])
    """
    _, cell, counts = np.unique(keys_of(cells_of(points, size)), return_inverse=True, return_counts=True)
    sums = [np.bincount(cell, weights=column, minlength=len(counts)) for column in points.T]
    return Thinned(np.stack(sums, axis=1) / counts[:, None], counts.astype(np.float64), cell)
