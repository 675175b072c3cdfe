"""Cells of space: one weighted point for all that lie in a cell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from dynmeans._model.types import FloatArray, IntArray

EVEN_WIDTH = 0.5  # metres around a cell within which it shares its weight: about a person
_FAR = 1 << 52  # cells: farther out, floats no longer tell neighbours apart
_DENSE = 2000  # cells up to which all are compared with all
_REACH = 8.0  # widths: farther away, a Gaussian is less than the rounding of its sum
_BLOCK = 128  # cells whose neighbours are in memory together
_SPAN = 1 << 20  # cells along an axis: a hundred kilometres of cells of 0.1 m


class Thinned(NamedTuple):
    """Occupied cells."""

    centers: FloatArray  # (m, d)  mean of the points of each cell
    counts: FloatArray  # (m,)
    cell: IntArray  # (n,)  which of them each point is in


def cells_of(points: FloatArray, size: float) -> IntArray:
    """Whole coordinates (n, d) of the cell of each point."""
    with np.errstate(over="ignore"):
        cells = np.floor(points / size)
    far = np.abs(cells).max(axis=1, initial=0.0) > _FAR
    if far.any():
        raise ValueError(
            f"point {points[far][0].tolist()} is farther out than cells of {size:g} can count; remove it"
        )
    return cells.astype(np.int64)


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


def even_weights(centers: FloatArray, counts: FloatArray, width: float = EVEN_WIDTH) -> FloatArray:
    """Weights of cells (m,) that add up to about 1 in every crowd of a width, however many points it has.

    Parameters
    ----------
    centers : float array of shape (m, d)
    counts : float array of shape (m,)
        Points of each cell; their root counts, so that cells with many points do not outweigh the rest.
    width : float
        Of the Gaussian over which weight is shared.

    Examples
    --------
    >>> even_weights(np.array([[0.0, 0.0], [0.0, 0.0], [9.0, 0.0]]), np.array([4.0, 4.0, 100.0]))
    array([0.5, 0.5, 1. ])
    """
    mass = np.sqrt(counts)
    weights: FloatArray = mass / _crowds(centers, mass, width)
    return weights


def _crowds(centers: FloatArray, mass: FloatArray, width: float) -> FloatArray:
    """Mass around each cell, under a Gaussian; of many cells, what is too far away to count is left out."""
    if len(mass) <= _DENSE:
        crowds: FloatArray = np.exp(cdist(centers, centers, "sqeuclidean") * (-0.5 / width**2)) @ mass
        return crowds
    tree, crowds = cKDTree(centers), np.empty(len(mass))
    for begin in range(0, len(mass), _BLOCK):
        some = slice(begin, begin + _BLOCK)
        pairs = cKDTree(centers[some]).sparse_distance_matrix(tree, _REACH * width, output_type="coo_matrix")
        shares = np.exp(pairs.data**2 * (-0.5 / width**2)) * mass[pairs.col]
        crowds[some] = np.bincount(pairs.row, shares)  # every cell is its own neighbour
    return crowds
