"""The objective of a clustering of one batch, as printed in the paper."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._model.costs import Costs
from dynmeans._model.prior import Prior
from dynmeans._model.types import FloatArray, SlotArray


class Fit(NamedTuple):
    """One clustering of one batch in slots: 0 .. K-1 are the prior's clusters, the others are newborn."""

    slots: SlotArray  # z (n,) slot of every row
    centers: FloatArray  # theta (slots, d)
    slot_weights: FloatArray  # n (slots,)  weight of the rows in each slot, 0 for sleeping clusters
    cost: float  # J
    n_iter: int
    restart_costs: FloatArray


def objective(X: FloatArray, weights: FloatArray, fit: Fit, prior: Prior, costs: Costs) -> float:
    """Eq. (DMeansObj): births, revivals, distances to old centers and to rows, over active clusters.

    The indicator of the birth cost is printed as dt = 0. It stands for clusters that were never seen before:
    new clusters cost lambda, old ones cost Q dt.
    """
    n_old = len(prior.gammas)
    is_active = fit.slot_weights > 0
    births = costs.birth * np.count_nonzero(is_active[n_old:])
    moved = np.sum((fit.centers[:n_old] - prior.centers) ** 2, axis=1)
    past = np.sum((prior.revival + prior.gammas * moved)[is_active[:n_old]])
    within = np.sum(weights * np.sum((X - fit.centers[fit.slots]) ** 2, axis=1))
    return float(births + past + within)
