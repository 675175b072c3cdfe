"""Segmentation of one frame: SD-Means on its cells."""

from __future__ import annotations

import numpy as np

from dynmeans._algorithms.batch import SearchOptions
from dynmeans._algorithms.kernel_space.sdmeans import cluster_spectral
from dynmeans._model.costs import Costs
from dynmeans._model.motion import WALK
from dynmeans._model.prior import predict_prior
from dynmeans._model.state import empty_state
from dynmeans.apps.points._voxels import GroundCells, even_weights
from dynmeans.kernels import RBF, first_input

_ITERATIONS = 100  # maximum number, as in SDMeans


def segment(cells: GroundCells, bandwidth: float, birth_cost: float) -> GroundCells:
    """Segment a frame into pieces of at most one person each.

    SD-Means clusters the cells without memory, so that the number of pieces depends on this frame only: a
    cluster of an earlier frame cannot absorb part of a person.

    Parameters
    ----------
    cells : GroundCells
        Cells of the ground plane.
    bandwidth : float
        Width of the Gaussian similarity in meters.
    birth_cost : float
        Cost of a piece, as a share of the weight of a person.

    Returns
    -------
    GroundCells
        One entry per piece.

    Examples
    --------
    >>> centers = np.array([[0.0, 0.0], [0.1, 0.0], [3.0, 0.0]])
    >>> cells = GroundCells(centers, np.ones(3), np.array([0, 1, 2, 2]))
    >>> segment(cells, 0.3, 0.35).cell
    array([0, 0, 1, 1])
    """
    weights = even_weights(cells.centers, cells.counts, bandwidth)
    similarity = RBF(bandwidth).compare(first_input(cells.centers, weights))
    costs, search = Costs(birth_cost, np.inf, 0.0), SearchOptions(0, 1, _ITERATIONS, 1)
    prior = predict_prior(empty_state(2), 0.0, costs, WALK)
    slots = cluster_spectral(similarity, prior, costs, search, n_steps=0).labels
    piece = np.unique(slots, return_inverse=True)[1]
    mass = np.bincount(piece, weights)
    centers = [np.bincount(piece, weights * column) / mass for column in cells.centers.T]
    counts = np.bincount(piece, cells.counts).astype(np.float64)
    return GroundCells(np.stack(centers, axis=1), counts, piece[cells.cell])
