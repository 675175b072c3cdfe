"""The range of a threshold that agrees with most of its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class ThresholdRange(NamedTuple):
    """Range of a threshold between bounds from below and from above."""

    low: float
    high: float
    n_violated: int  # number of bounds on the wrong side


def widest_range(lower: Sequence[float], upper: Sequence[float]) -> ThresholdRange:
    """Return the range of a threshold that violates the fewest bounds, and the widest such range by ratio.

    Examples
    --------
    >>> from dynmeans.kernels._estimation.threshold_range import widest_range
    >>> widest_range([1.0, 2.0, 9.0], [5.0, 8.0, 8.0])
    ThresholdRange(low=2.0, high=5.0, n_violated=1)
    """
    bounds = np.unique(np.concatenate([[0.0], lower, upper]))
    if len(bounds) < 2:
        return ThresholdRange(float(bounds[0]), float(bounds[0]), len(upper))
    above, below = np.sort(lower), np.sort(upper)
    too_low = len(above) - np.searchsorted(above, bounds[:-1], side="right")
    too_high = np.searchsorted(below, bounds[:-1], side="right")
    violated = too_low + too_high
    with np.errstate(divide="ignore", over="ignore"):
        width = bounds[1:] / bounds[:-1]
    best = min(range(len(violated)), key=lambda i: (violated[i], -width[i]))
    return ThresholdRange(float(bounds[best]), float(bounds[best + 1]), int(violated[best]))
