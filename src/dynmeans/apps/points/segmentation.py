"""Pieces of people: SD-Means on the cells of one frame alone."""

from __future__ import annotations

import numpy as np

from dynmeans._algorithms.batch import Search
from dynmeans._algorithms.sdmeans import cluster_spectral
from dynmeans._model.costs import Costs
from dynmeans._model.motion import WALK
from dynmeans._model.prior import predict_prior
from dynmeans._model.state import empty_state
from dynmeans.apps.points.voxels import Thinned, even_weights
from dynmeans.kernels import RBF, first_input

_ITERATIONS = 100


def cut(cells: Thinned, bandwidth: float, birth_cost: float) -> Thinned:
    """Cut a frame where it is thin, into pieces that belong to one person each.

    The cells are clustered by SD-Means without a past, so that the number of pieces depends on this frame
    alone: a cluster that was awake before cannot keep half of somebody.

    Parameters
    ----------
    cells : Thinned
        Of the ground plane.
    bandwidth : float
        Metres within which cells are alike.
    birth_cost : float
        What a piece costs, as a share of the weight of a person.

    Returns
    -------
    Thinned
        The pieces, as cells of their own.

    Examples
    --------
    >>> centers = np.array([[0.0, 0.0], [0.1, 0.0], [3.0, 0.0]])
    >>> cells = Thinned(centers, np.ones(3), np.array([0, 1, 2, 2]))
    >>> cut(cells, 0.3, 0.35).cell
    array([0, 0, 1, 1])
    """
    weights = even_weights(cells.centers, cells.counts, bandwidth)
    alike = RBF(bandwidth).compare(first_input(cells.centers, weights))
    costs, search = Costs(birth_cost, np.inf, 0.0), Search(0, 1, _ITERATIONS, 1)
    nobody = predict_prior(empty_state(2), 0.0, costs, WALK)
    slots = cluster_spectral(alike, nobody, costs, search, n_steps=0).labels
    piece = np.unique(slots, return_inverse=True)[1]
    mass = np.bincount(piece, weights)
    centers = [np.bincount(piece, weights * column) / mass for column in cells.centers.T]
    counts = np.bincount(piece, cells.counts).astype(np.float64)
    return Thinned(np.stack(centers, axis=1), counts, piece[cells.cell])
