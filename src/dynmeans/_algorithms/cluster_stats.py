"""From the slots of rows to a fit: sizes and means, the newborn in an order that no clusterer chooses."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from dynmeans._core import cluster_means
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior
from dynmeans._model.types import FloatArray, IntArray

Price: TypeAlias = tuple[float, int, FloatArray]

UNPRICED: Price = (np.nan, 1, np.full(1, np.nan))  # what a fit says of its cost before that is known


def fit_slots(
    slots: IntArray, places: FloatArray, weights: FloatArray, prior: Prior, price: Price = UNPRICED
) -> Fit:
    """Sizes and means of the slots; eq. paramupdate for the means.

    Parameters
    ----------
    slots : ndarray of shape (n,)
        0 .. K-1 for the remembered clusters, K and up for the newborn, none of which is empty.
    places : ndarray of shape (n, d)
        The rows.
    weights : ndarray of shape (n,)
        Of the rows.
    prior : Prior
        Of K remembered clusters.
    price : tuple
        Cost, iterations and costs of the restarts, if they are known.
    """
    return Fit(*cluster_means(slots, weights, places, prior.centers, prior.gammas), *price)
