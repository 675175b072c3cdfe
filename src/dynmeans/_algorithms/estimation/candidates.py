"""Combinations of D-Means parameters that are tried on a sample of the first batches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from dynmeans._model.types import FloatArray
from dynmeans._sampling import evenly_spaced

PAIRS = 10  # consecutive batches that are compared
BIRTHS = 8  # least number of birth costs that are tried
SPACING = 4.0  # largest factor between them: distances differ by a factor of two
SMALLEST = float(np.finfo(np.float32).eps) ** 2  # share of the largest: smaller distances are rounding errors
EXCLUSIVE_BIRTHS = 5  # birth costs that are tried in the exclusive mode
EXCLUSIVE_RANGE = (1.0 / 30.0, 2.0)  # range of birth costs, in squared distances to the nearest row
DRIFT = 1.5  # the first drift that is tried; with a lifetime of 5, a reach of 2
LIFETIME = 5.0  # the shortest lifetime that is estimated, in median intervals
DRIFTS = tuple(DRIFT * 0.4**k for k in (3, 2, 1, -1))  # others: reaches of 0.88, 0.99, 1.28 and 3.8


class DescentParameters(NamedTuple):
    """Parameters of D-Means that are estimated together."""

    birth: float  # birth cost
    motion: str = "walk"
    refine: bool = False
    exclusive: bool = False
    drift: float = DRIFT  # tau per median interval
    merge: bool = False
    lifetime: float = LIFETIME  # in median intervals


class FixedParameters(NamedTuple):
    """The same parameters where the user has set them; None where they are estimated."""

    birth: float | None = None
    motion: str | None = None
    refine: bool | None = None
    exclusive: bool | None = None
    has_drift: bool = False  # reach or drift is set
    merge: bool | None = None
    has_lifetime: bool = False  # lifetime or aging cost is set
    has_scales: bool = False  # the scales of the features are set

    @property
    def may_be_scaled(self) -> bool:
        """Whether other scales of the features may be proposed."""
        return self.birth is None and not self.has_scales


def candidates(
    batches: Sequence[FloatArray], given: FixedParameters, mass: float = 1.0
) -> list[DescentParameters]:
    """Return the parameters to try on a sample of batches, without velocity unless it is given.

    A sampled row stands for rows of total weight ``mass``. With ``refine``, the rows of a cluster share its
    birth cost, which therefore grows with their mass. Otherwise a birth is decided by one row, whose weight
    counts if it is less than 1.
    """
    motion = given.motion or "walk"
    tried: list[DescentParameters] = []
    if not given.exclusive:
        births = _births(batches) if given.birth is None else [given.birth]
        for refine in (False, True) if given.refine is None else (given.refine,):
            scale = mass if refine else min(mass, 1.0)
            if given.birth is not None:
                scale = 1.0
            tried += [
                DescentParameters(scale * birth, motion, refine, merge=bool(given.merge)) for birth in births
            ]
    if given.exclusive or (given.exclusive is None and not given.refine):
        births = _exclusive_births(batches) if given.birth is None else [given.birth]
        tried += [DescentParameters(birth, motion, bool(given.refine), True) for birth in births]
    return tried


def _births(batches: Sequence[FloatArray]) -> list[float]:
    """Return birth costs from the distance of neighbors to the diameter of a batch, both squared.

    Clusters may be small compared with the batch: sites in a country, or one row far away from all others.
    """
    within, between = neighbor_distances(batches)
    if within == 0.0:  # most rows are copies
        within, between = neighbor_distances([np.unique(rows, axis=0) for rows in batches])
    spans = [squared_span(rows) for rows in batches if len(rows) > 1]
    high = float(np.quantile(spans, 0.9)) or max(spans)
    low = EXCLUSIVE_RANGE[0] * within if between < within else within
    low = min(max(low, SMALLEST * high), high) if np.isfinite(low) else high / SPACING ** (BIRTHS - 1)
    n_births = max(BIRTHS, 1 + math.ceil(math.log(high / low, SPACING)))
    births: list[float] = np.geomspace(low, high, n_births).tolist()
    return births


def _exclusive_births(batches: Sequence[FloatArray]) -> list[float]:
    """Return birth costs for one row per cluster; none if rows cannot be single objects.

    A row that is an object has no neighbor in its batch as near as in the next batch.
    """
    scale = exclusive_range(batches)
    return [] if scale is None else np.geomspace(*scale, EXCLUSIVE_BIRTHS).tolist()


def exclusive_range(batches: Sequence[FloatArray]) -> tuple[float, float] | None:
    """Return a range of birth costs for one row per cluster; None if rows cannot be single objects."""
    within, between = neighbor_distances(batches)
    if not (np.isfinite(within) and np.isfinite(between)) or within <= 0.0 or between >= within:
        return None
    return EXCLUSIVE_RANGE[0] * within, EXCLUSIVE_RANGE[1] * within


def neighbor_distances(batches: Sequence[FloatArray]) -> tuple[float, float]:
    """Return the median squared distance to the nearest other row of the batch, and of the next batch.

    NaN if no batch has two rows, or no two consecutive batches have rows.
    """
    pairs = list(pairwise(batches))
    some = [pairs[i] for i in evenly_spaced(len(pairs), PAIRS)]
    within = [cKDTree(batch).query(batch, k=2)[0][:, 1] for batch, _ in some if len(batch) > 1]
    between = [cKDTree(after).query(before)[0] for before, after in some if len(before) and len(after)]
    return _median_square(within), _median_square(between)


def _median_square(distances: Sequence[FloatArray]) -> float:
    return float(np.median(np.concatenate(distances))) ** 2 if distances else float("nan")


def squared_span(rows: FloatArray) -> float:
    """Return the squared diagonal of the bounding box of the rows."""
    return float(np.sum(np.ptp(rows, axis=0) ** 2))
