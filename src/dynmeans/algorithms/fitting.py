"""From the slots of rows to a fit: sizes and means, the newborn in an order that no clusterer chooses."""

from __future__ import annotations

import numpy as np

from dynmeans.core import slot_sums
from dynmeans.model.objective import Fit
from dynmeans.model.prior import Prior
from dynmeans.model.types import FloatArray, IntArray

_UNPRICED = (np.nan, 1, np.full(1, np.nan))  # what a fit says of its cost before that is known


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
    taken, sums = slot_sums(slots, weights, places, n_slots)
    middle = sums.sum(axis=0) / max(taken.sum(), np.finfo(float).tiny)
    mass = taken.copy()
    mass[:old] += prior.gammas
    sums[:old] += prior.gammas[:, None] * prior.centers
    centers = sums / mass[:, None]
    if n_slots == old:
        return Fit(slots.astype(np.int32), centers, taken, *_UNPRICED)
    order = _newborn_last(centers, taken, old, middle)
    rank = np.argsort(order)
    return Fit(rank[slots].astype(np.int32), centers[order], taken[order], *_UNPRICED)


def _newborn_last(centers: FloatArray, taken: FloatArray, old: int, middle: FloatArray) -> IntArray:
    """Remembered slots as they are, then newborn ones by size and nearness to the middle, as in D-Means.

    Nearness counts in steps of a millionth, so that rounding does not decide between equals.
    """
    gaps = np.sum((centers[old:] - middle) ** 2, axis=1)
    steps = np.round(1e6 * gaps / max(float(gaps.max(initial=0.0)), np.finfo(float).tiny))
    return np.concatenate([np.arange(old), old + np.lexsort((steps, -taken[old:]))])
