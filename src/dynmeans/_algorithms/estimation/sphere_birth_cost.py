"""Estimation of the birth cost on the sphere, from the first few batches.

A row founds a cluster if its cosine to every center is below c = 1 - lambda. Two errors are possible: a row
of a known cluster founds another, or a row of a new cluster joins a known one. The first depends on the
cosines of two rows of one cluster, because a young cluster is a single row. The second depends on the largest
cosine of a row to the centers of other clusters, which are means of several rows.

A sample of the batch is clustered at several c. The quality of each result is its equal error: the frequency
of both errors at the threshold where they are equally frequent (Eq. sphere-equal-error). The estimate lies
in the lower part of the range of c around the least equal error. It is raised until at least half of the
rows would found a cluster if their own did not exist (Eq. sphere-newcomer). If no result is good, as in a
batch of one topic, c is the chance level of unrelated directions (Eq. sphere-chance).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dynmeans._algorithms.batch import Rows
from dynmeans._core import descend_gram, gram_matrix
from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans._sampling import evenly_spaced

SAMPLE = 500  # number of rows that are clustered
LARGE_SAMPLE = 1500  # number of rows if most clusters are tiny in the small sample
MIN_ROWS = 50  # fewer are too few to estimate errors or a common direction
COMMON_QUANTILE = 0.05  # a quantile of the cosines of all pairs
COMMON_LEVEL = 3.0  # standard deviations of a chance cosine at which this quantile shows a common direction
LEVELS = np.arange(0.5, 4.75, 0.5)  # thresholds, in standard deviations of a chance cosine
HIGH_SHARES = np.array([0.12, 0.25, 0.4, 0.6])  # further thresholds, between the last level and 1
LARGEST_ERROR = 0.4  # Phi(-1/4): the means of the two kinds of cosines differ by half a standard deviation
STANDARD_ERRORS = 2.0  # a result that is worse than the best by at most this is as good
# If most rows are in smaller clusters, a result cannot be evaluated: the few rows that are nearest to each
# other always form a cluster.
MIN_SIZE = 4  # rows of a cluster that is not tiny
MIN_SHARE = 0.5  # minimum share of the rows in clusters that are not tiny
# Share of the good range that lies below the estimate. A row that joins a wrong cluster moves to the right
# one in a later pass, while a cluster that is founded by mistake stays. So low thresholds are safer.
LOW_SHARE = 0.25
PASSES = 2  # number of passes over the sample; labels need not have converged to count errors
MAX_RAISES = 4  # how often a threshold is raised; the change is small after two or three times
SMALLEST, LARGEST = 0.01, 1.0  # birth costs

Sample = NDArray[np.float32]


class Pairs(NamedTuple):
    """Cosines of all pairs of rows of a sample, with which it is clustered many times."""

    cosines: NDArray[np.float32]  # (n, n)
    tolerance: float  # of the difference of two cosines


class Chance(NamedTuple):
    """Mean and standard deviation of the cosine of unrelated directions."""

    mean: float
    deviation: float


class Clustering(NamedTuple):
    """A clustering of the sample."""

    slots: IntArray  # (n,)
    cosines: FloatArray  # (K, n)  of the centers to the rows
    sizes: IntArray  # (K,)

    @property
    def is_shared(self) -> BoolArray:
        """Rows (n,) that are not alone in their cluster."""
        shared: BoolArray = self.sizes[self.slots] > 1
        return shared

    @property
    def is_scattered(self) -> bool:
        """Whether most rows are in tiny clusters, so that the result cannot be evaluated."""
        return bool((self.sizes[self.slots] >= MIN_SIZE).mean() <= MIN_SHARE)


def estimate_sphere_birth_cost(rows: Rows, seed: int, *, of_pairs: bool = False) -> float | None:
    """Return the birth cost 1 - c of a batch of unit rows, or None if all rows are equal.

    With ``of_pairs``, c separates pairs of rows, without regard to new clusters: Eq. sphere-newcomer is left
    out.
    Weights are not used: copies of a row carry no information about the scatter of a cluster.
    """
    sample = distinct_sample(rows, SAMPLE)
    if len(sample) < 2:
        return None
    thresholds, pairs = thresholds_of(chance_of(sample)), pairs_of(sample)
    if len(rows) > SAMPLE and _cluster(pairs, thresholds[len(LEVELS) - 1], seed).is_scattered:
        pairs = pairs_of(distinct_sample(rows, LARGE_SAMPLE))
    best = None if len(pairs.cosines) < MIN_ROWS else _best_threshold(pairs, thresholds, seed)
    if best is None:
        best = isotropic_chance(sample).deviation
    elif not of_pairs:
        best = _raised(pairs, best, seed)
    return float(np.clip(1.0 - best, SMALLEST, LARGEST))


def distinct_sample(rows: Rows, size: int) -> Sample:
    """Return at most ``size`` evenly spaced rows without copies."""
    every = evenly_spaced(len(rows), size)
    picked = np.ascontiguousarray(rows[every], dtype=np.float32)
    first = {row.tobytes(): i for i, row in reversed(list(enumerate(picked)))}
    return np.ascontiguousarray(picked[sorted(first.values())])


def pairs_of(sample: Sample) -> Pairs:
    """Return the cosines of all pairs of rows."""
    rounding = 4.0 * (sample.shape[1] / 16.0 + 8.0) * float(np.finfo(np.float32).eps)
    return Pairs(gram_matrix(sample), rounding)


def isotropic_chance(sample: Sample) -> Chance:
    """Eq. (sphere-chance): mean and deviation of the cosine of independent directions of d features."""
    return Chance(0.0, float(1.0 / np.sqrt(sample.shape[1])))


def chance_of(sample: Sample) -> Chance:
    """Return the cosine of unrelated rows, which may share a common direction.

    If nearly all pairs have a larger cosine than independent directions, then the rows share a direction, or
    are one cluster, and the mean is that of the farthest pairs.
    """
    isotropic, n = isotropic_chance(sample), len(sample)
    deviation = isotropic.deviation
    if n < MIN_ROWS:
        return isotropic
    low = float(np.quantile((sample @ sample.T)[np.triu_indices(n, 1)], COMMON_QUANTILE))
    if low <= COMMON_LEVEL * deviation:
        return isotropic
    # The quantile is that of the mean m and the deviation (1 - m) / sqrt(d), solved for m.
    tail = -float(ndtri(COMMON_QUANTILE)) * deviation
    mean = min((low + tail) / (1.0 + tail), 1.0)
    return Chance(mean, (1.0 - mean) * deviation)


def thresholds_of(chance: Chance) -> FloatArray:
    """Return cosines from the chance level to one that no unrelated pair has, then a few up to 1."""
    low = np.minimum(chance.mean + LEVELS * chance.deviation, 0.9)
    thresholds: FloatArray = np.concatenate([low, low[-1] + HIGH_SHARES * (1.0 - low[-1])])
    return thresholds


def _cluster(pairs: Pairs, threshold: float, seed: int) -> Clustering:
    slots, cosines, sizes = descend_gram(pairs.cosines, pairs.tolerance, 1.0 - threshold, seed, PASSES)
    return Clustering(slots.astype(np.int64), cosines, sizes.astype(np.int64))


def _best_threshold(pairs: Pairs, thresholds: FloatArray, seed: int) -> float | None:
    """Return a threshold among those around the least equal error, or None if that is too large.

    The high thresholds only extend the range: at them, copies with small changes are separate clusters.
    """
    errors = _errors(pairs, thresholds, seed)
    inner = errors[: len(LEVELS)]
    best = int(np.argmin(inner))
    least = inner[best]
    if least > LARGEST_ERROR:
        return None
    n = len(pairs.cosines)
    is_good = errors <= least + STANDARD_ERRORS * np.sqrt(max(least * (1.0 - least), 1.0 / n) / n)
    first = last = best
    while first > 0 and is_good[first - 1]:
        first -= 1
    while last + 1 < len(errors) and is_good[last + 1]:
        last += 1
    return float(thresholds[first] + LOW_SHARE * (thresholds[last] - thresholds[first]))


def _raised(pairs: Pairs, threshold: float, seed: int) -> float:
    """Eq. (sphere-newcomer): raise c to the median of the largest cosines of rows to other centers.

    At a lower c, most rows of a new cluster would join an old one. More clusters have a nearer one among
    them, so this is repeated.
    """
    for _ in range(MAX_RAISES):
        found = _cluster(pairs, threshold, seed)
        if found.is_scattered or np.count_nonzero(found.sizes > 1) < 2:
            break
        others = float(np.median(_other_cosines(found)))
        if others <= threshold:
            break
        threshold = others
    return threshold


def _errors(pairs: Pairs, thresholds: FloatArray, seed: int) -> FloatArray:
    """Return the equal errors of rising thresholds, infinite after one with tiny clusters."""
    errors: FloatArray = np.full(len(thresholds), np.inf)
    for i, threshold in enumerate(thresholds):
        found = _cluster(pairs, float(threshold), seed)
        if found.is_scattered:
            break
        errors[i] = equal_error(pairs, found)
    return errors


def equal_error(pairs: Pairs, found: Clustering) -> float:
    """Eq. (sphere-equal-error): least maximum of the shares of own cosines below and of others above.

    It is infinite for one cluster, and if most rows are in tiny clusters.
    """
    if found.is_scattered or np.count_nonzero(found.sizes > 1) < 2:
        return np.inf
    own = np.sort(_own_cosines(pairs, found))
    other = np.sort(_other_cosines(found))
    grid = np.concatenate([own, other])
    below = np.searchsorted(own, grid) / len(own)
    above = 1.0 - np.searchsorted(other, grid, side="right") / len(other)
    return float(np.maximum(below, above).min())


def _own_cosines(pairs: Pairs, found: Clustering) -> FloatArray:
    """Return the cosine of every row that is not alone to the next row of its cluster, in cyclic order."""
    order = np.argsort(found.slots, kind="stable")
    order = order[found.is_shared[order]]
    changes = found.slots[order[1:]] != found.slots[order[:-1]]
    follows = np.arange(1, len(order) + 1)
    follows[np.append(changes, True)] = np.flatnonzero(np.append(True, changes))
    cosines: FloatArray = pairs.cosines[order, order[follows]].astype(np.float64)
    return cosines


def _other_cosines(found: Clustering) -> FloatArray:
    """Return the largest cosine of every row that is not alone to another center of several rows."""
    is_other = np.arange(len(found.sizes))[:, None] != found.slots
    is_other &= (found.sizes > 1)[:, None]
    largest: FloatArray = found.cosines.max(axis=0, where=is_other, initial=-np.inf)
    return largest[found.is_shared]
