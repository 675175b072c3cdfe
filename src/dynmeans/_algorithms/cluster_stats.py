"""Weights and centers of the slots of a batch."""

from __future__ import annotations

import math

import numpy as np

from dynmeans._core import cluster_means
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior
from dynmeans._model.types import FloatArray, IntArray


def fit_slots(slots: IntArray, rows: FloatArray, weights: FloatArray, prior: Prior) -> Fit:
    """Compute the weights and centers of the slots, the latter by Eq. paramupdate.

    Parameters
    ----------
    slots : ndarray of shape (n,)
        0 .. K-1 for the remembered clusters, K and above for newborn ones, none of which is empty.
    rows : ndarray of shape (n, d)
        The batch.
    weights : ndarray of shape (n,)
        Weights of the rows.
    prior : Prior
        Prior of K remembered clusters.

    Returns
    -------
    Fit
        Newborn slots are renumbered in an order that depends on the clusters only. The cost is NaN.
    """
    slots_, centers, slot_weights = cluster_means(slots, weights, rows, prior.centers, prior.gammas)
    return Fit(slots_, centers, slot_weights, cost=math.nan, n_iter=1, restart_costs=np.full(1, math.nan))
