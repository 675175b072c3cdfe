"""Estimation of the lifetime from the steps in which objects were missed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dynmeans._codes.two_codes import STRONG_EVIDENCE
from dynmeans._model.types import IntArray

ROUNDING = 1e-6  # tolerance of ages, in intervals: the unit of time has no effect


def age_of_end(times: Sequence[float], labels: Sequence[IntArray], interval: float, lifetime: float) -> float:
    """Return the age at which an object that is not seen has ended, by odds of 20 to 1.

    An object that exists is seen in a step with probability p, and missed with q = 1 - p. It ends with rate
    h per interval. After a intervals in which it was not seen, the odds that it exists are q^a to h / p, the
    sum of h q^j over the steps j in which it may have ended. Both rates are estimated from the ids of a
    stream.

    Parameters
    ----------
    times : sequence of float
    labels : sequence of ndarray of shape (n,)
        Ids of the rows at each time.
    interval : float
        Usual time between batches.
    lifetime : float
        Age, in intervals, at which an id that is not seen at the end of the stream has ended.

    Returns
    -------
    float
        In intervals.
    """
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    n_sightings = 0
    for time, ids in zip(times, labels, strict=True):
        present = np.unique(ids).tolist()
        n_sightings += len(present)
        for k in present:
            first.setdefault(k, time)
            last[k] = time
    exposure = sum(last[k] - first[k] for k in first) / interval  # intervals in which an id could be missed
    n_missed = max(exposure - (n_sightings - len(first)), 0.0)
    n_ends = sum((times[-1] - time) / interval > lifetime + ROUNDING for time in last.values())
    missed, ends = (n_missed + 0.5) / (exposure + 1.0), (n_ends + 0.5) / (exposure + 1.0)
    return (math.log(ends / (1.0 - missed)) - STRONG_EVIDENCE) / math.log(missed)
