"""Birth costs that give the same clusters in a sample, and that also suit the batches that follow.

The code length of the sample does not distinguish them. A large birth cost gives no new clusters later. A
small one founds clusters in the tails of the rows that the sample does not have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.spatial.distance import cdist

from dynmeans._model.types import FloatArray, IntArray


def births_to_try(middle: float, largest: float, limit: float, growth: float) -> list[float]:
    """Return birth costs at which each cluster of the sample could be born again, the preferred one first.

    Parameters
    ----------
    middle, largest : float
        The middle, in log scale, and the largest of the birth costs with the same result.
    limit : float
        Result of `rebirth_limit`.
    growth : float
        Result of `tail_growth`.
    """
    low, high = middle * (middle / largest), min(largest, limit)
    lowered = math.sqrt(min(low, high)) * math.sqrt(high)
    low *= growth
    return [
        birth for birth in (low, lowered) if birth == lowered > 0.0 or lowered < birth <= limit < math.inf
    ]


def tail_growth(n_rows: int, share: float) -> float:
    """Return how much larger squared distances to a center reach in all rows than in a sample.

    The largest of n such distances grows with log n if clusters are Gaussian. So a birth cost founds
    clusters in the tails of all rows if the birth cost divided by this factor does so in the sample.

    Parameters
    ----------
    n_rows : int
        Rows of the sample.
    share : float
        Rows of the batches for each row of the sample.
    """
    return 1.0 + math.log(share) / math.log(n_rows)


def rebirth_limit(batches: Sequence[FloatArray], labels: Sequence[IntArray]) -> float:
    """Return the largest birth cost at which, in a typical batch, each cluster has a row that founds it.

    That row is farther than the birth cost from the centers of all other clusters. Infinite without others.
    """
    limits = []
    for rows, ids in zip(batches, labels, strict=True):
        known, where = np.unique(ids, return_inverse=True)
        if len(known) < 2:
            continue
        centers = np.array([rows[ids == k].mean(axis=0) for k in known])
        away = cdist(rows, centers, "sqeuclidean")
        away[np.arange(len(rows)), where] = np.inf
        farthest = np.zeros(len(known))
        np.maximum.at(farthest, where, away.min(axis=1))
        limits.append(float(farthest.min()))
    return float(np.median(limits)) if limits else math.inf
