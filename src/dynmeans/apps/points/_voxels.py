"""Voxel grid: one weighted point per occupied cell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from dynmeans._model.types import FloatArray, IntArray

EVEN_WIDTH = 0.5  # meters: width over which weights are equalized, about one person
_FAR = 1 << 52  # cells: beyond this, doubles cannot separate neighboring cells
_DENSE = 2000  # cells up to which all pairs are computed
_REACH = 8.0  # widths: beyond this, a Gaussian is below the rounding error of the sum
_BLOCK = 128  # cells per block of neighbors in memory
_SPAN = 1 << 20  # cells along an axis: 100 km at 0.1 m


class GroundCells(NamedTuple):
    """Occupied cells."""

    centers: FloatArray  # (m, d)  mean of the points of each cell
    counts: FloatArray  # (m,)
    cell: IntArray  # (n,)  cell index of each point


def cells_of(points: FloatArray, size: float) -> IntArray:
    """Return the integer cell coordinates (n, d) of each point."""
    with np.errstate(over="ignore"):
        cells = np.floor(points / size)
    far = np.abs(cells).max(axis=1, initial=0.0) > _FAR
    if far.any():
        raise ValueError(f"point {points[far][0].tolist()} is too far away for cells of {size:g}; remove it")
    return cells.astype(np.int64)


def keys_of(cells: IntArray) -> IntArray:
    """Encode cells as integers, with constant offsets between neighbors; distant cells wrap around."""
    shifted = (cells + _SPAN // 2) % _SPAN
    keys: IntArray = shifted @ _SPAN ** np.arange(cells.shape[1])[::-1]
    return keys


def bin_points(points: FloatArray, size: float) -> GroundCells:
    """Bin points into cells and average them.

    Parameters
    ----------
    points : float array of shape (n, d)
    size : float
        Edge of a cell.

    Returns
    -------
    GroundCells

    Examples
    --------
    >>> bin_points(np.array([[0.1, 0.1], [0.3, 0.1], [5.0, 5.0]]), 1.0).counts
    array([2., 1.])
    """
    _, cell, counts = np.unique(keys_of(cells_of(points, size)), return_inverse=True, return_counts=True)
    sums = [np.bincount(cell, weights=column, minlength=len(counts)) for column in points.T]
    return GroundCells(np.stack(sums, axis=1) / counts[:, None], counts.astype(np.float64), cell)


def even_weights(centers: FloatArray, counts: FloatArray, width: float = EVEN_WIDTH) -> FloatArray:
    """Compute cell weights (m,) that sum to about 1 within each neighborhood, for any number of points.

    Parameters
    ----------
    centers : float array of shape (m, d)
    counts : float array of shape (m,)
        Points per cell; the square root is used, so that dense cells do not dominate.
    width : float
        Width of the Gaussian neighborhood.

    Examples
    --------
    >>> even_weights(np.array([[0.0, 0.0], [0.0, 0.0], [9.0, 0.0]]), np.array([4.0, 4.0, 100.0]))
    array([0.5, 0.5, 1. ])
    """
    mass = np.sqrt(counts)
    weights: FloatArray = mass / _local_mass(centers, mass, width)
    return weights


def _local_mass(centers: FloatArray, mass: FloatArray, width: float) -> FloatArray:
    """Sum the mass around each cell with Gaussian weights; many cells use a truncated sum."""
    if len(mass) <= _DENSE:
        local_mass: FloatArray = np.exp(cdist(centers, centers, "sqeuclidean") * (-0.5 / width**2)) @ mass
        return local_mass
    tree, local_mass = cKDTree(centers), np.empty(len(mass))
    for begin in range(0, len(mass), _BLOCK):
        some = slice(begin, begin + _BLOCK)
        pairs = cKDTree(centers[some]).sparse_distance_matrix(tree, _REACH * width, output_type="coo_matrix")
        shares = np.exp(pairs.data**2 * (-0.5 / width**2)) * mass[pairs.col]
        local_mass[some] = np.bincount(pairs.row, shares)  # every cell is its own neighbor
    return local_mass
