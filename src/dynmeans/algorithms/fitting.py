"""From the slots of rows to a fit: sizes and means, the newborn in an order that no clusterer chooses."""

from __future__ import annotations

import numpy as np

from dynmeans.model.objective import Fit
from dynmeans.model.prior import Prior
from dynmeans.model.types import FloatArray, IntArray


def fit_slots(slots: IntArray, places: FloatArray, weights: FloatArray, prior: Prior) -> Fit:
    """Sizes and means of the slots; eq. paramupdate for the means. What it cost is not known here.

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
    """
    old, n_slots = len(prior.gammas), max(len(prior.gammas), int(slots.max(initial=-1)) + 1)
    taken: FloatArray = np.bincount(slots, weights=weights, minlength=n_slots).astype(np.float64)
    gammas = np.concatenate([prior.gammas, np.zeros(n_slots - old)])
    sums = np.zeros((n_slots, places.shape[1]))
    np.add.at(sums, slots, weights[:, None] * places)
    sums[:old] += prior.gammas[:, None] * prior.centers
    centers = sums / (gammas + taken)[:, None]
    order = np.arange(n_slots)
    if n_slots > old:
        order = _newborn_last(centers, taken, old, np.average(places, axis=0, weights=weights))
    rank = np.argsort(order)
    return Fit(rank[slots].astype(np.int32), centers[order], taken[order], np.nan, 1, np.full(1, np.nan))


def _newborn_last(centers: FloatArray, taken: FloatArray, old: int, middle: FloatArray) -> IntArray:
    """Remembered slots as they are, then newborn ones by size and nearness to the middle, as in D-Means.

    Nearness counts in steps of a millionth, so that rounding does not decide between equals.
    """
    gaps = np.sum((centers[old:] - middle) ** 2, axis=1)
    steps = np.round(1e6 * gaps / max(float(gaps.max(initial=0.0)), np.finfo(float).tiny))
    return np.concatenate([np.arange(old), old + np.lexsort((steps, -taken[old:]))])
