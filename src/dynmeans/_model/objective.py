"""The cost that a clustering is judged by, written as the paper writes it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynmeans._model.costs import Costs
from dynmeans._model.prior import Prior
from dynmeans._model.types import FloatArray


class Fit(NamedTuple):
    """One clustering of one batch in slots: 0..K-1 are the prior's clusters, those after are newborn."""

    slots: NDArray[np.int32]  # z (n,) slot of every row
    centers: FloatArray  # theta (slots, d)
    taken: FloatArray  # n   (slots,)  weight of the rows in each slot, 0 for the sleeping
    cost: float  # J
    n_iter: int
    restart_costs: FloatArray


def objective(X: FloatArray, weights: FloatArray, fit: Fit, prior: Prior, costs: Costs) -> float:
    """Eq. (DMeansObj): births, revivals, pull of the past, and squared distances, over active clusters.

    The printed indicator of the birth cost is short for dt = 0: new clusters pay it, old ones pay Q dt.
    """
    old = len(prior.gammas)
    active = fit.taken > 0
    revived = active[:old]
    births = costs.birth * np.count_nonzero(active[old:])
    past = np.sum((fit.centers[:old] - prior.centers) ** 2, axis=1)
    pull = np.sum((prior.revival + prior.gammas * past)[revived])
    spread = np.sum(weights * np.sum((X - fit.centers[fit.slots]) ** 2, axis=1))
    return float(births + pull + spread)
