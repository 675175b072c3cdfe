"""Estimation of scale, motion and mode of D-Means from the first batches.

From the first batch alone, only the birth cost is estimated. From the second batch on, a sample of the
batches so far is clustered with a few combinations of parameters, and the results are scored by code
lengths, as in `tune`. The estimation is repeated after 2, 4, 8, ... batches, until the sample has enough
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from dynmeans._algorithms.batch import Batch, SearchOptions
from dynmeans._algorithms.birth_cost import estimate_birth_cost, estimate_exclusive_birth_cost
from dynmeans._algorithms.descent_candidates import DescentParameters, Given, candidates, squared_span
from dynmeans._algorithms.dmeans import cluster
from dynmeans._codes.gaussian_code import median_interval
from dynmeans._codes.two_codes import STRONG_EVIDENCE, CodeLengths, TwoCodes
from dynmeans._model.costs import Costs
from dynmeans._model.lifecycle import update_state
from dynmeans._model.motion import get_motion
from dynmeans._model.prior import predict_prior
from dynmeans._model.state import empty_state
from dynmeans._model.types import FloatArray, IntArray

MAX_ROWS = 100  # sampled per batch
PERMUTED = 1 << 20  # rows of a batch whose numbers are permuted; of more rows a sample is drawn directly
MIN_BATCHES, MAX_BATCHES = 8, 32  # with rows, after which the estimate is final
ENOUGH_ROWS = 400  # sampled rows after which no more than MIN_BATCHES are needed
MOVING = 2  # best parameters of each mode that are tried again with velocity
MAX_PASSES = 30  # over a batch
ONE_OBJECT = 1e100  # birth cost at which all rows belong to one object

CostsOf = Callable[[float, float], Costs]  # (birth cost, median interval) -> costs


class FirstBatches(NamedTuple):
    """Sample of the first batches, and the parameters that were estimated from it."""

    rows: tuple[FloatArray, ...]  # (n, d) sampled rows of each batch with rows; empty when final
    weights: tuple[FloatArray, ...] | None  # (n,)
    times: tuple[float, ...]
    n_batches: int  # with rows, so far
    interval: float  # median time between batches
    parameters: DescentParameters

    @property
    def is_final(self) -> bool:
        """Whether later batches change nothing."""
        return self.n_batches > 0 and len(self.rows) == 0


def update_first_batches(
    old: FirstBatches | None, batch: Batch, given: Given, costs_of: CostsOf, seed: int
) -> FirstBatches:
    """Add a batch to the sample; after 1, 2, 4, 8, ... batches, estimate the parameters."""
    old = _no_batches(given) if old is None else old
    if old.is_final or len(batch.rows) == 0:
        return old
    found = _extended(old, batch)
    n = found.n_batches
    if n & (n - 1) == 0:  # after 1, 2, 4, 8, ... batches
        interval = median_interval(np.array(found.times))
        found = found._replace(interval=interval)
        found = found._replace(parameters=_estimate(found, batch, given, costs_of, seed))
        n_rows = sum(map(len, found.rows))
        if n >= MAX_BATCHES or (n >= MIN_BATCHES and n_rows >= ENOUGH_ROWS):
            return found._replace(rows=(), weights=None, times=())
    return found


def _no_batches(given: Given) -> FirstBatches:
    """Return the state before the first batch, in which all rows belong to one object."""
    birth = ONE_OBJECT if given.birth is None else given.birth
    start = DescentParameters(birth, given.motion or "walk", bool(given.refine), bool(given.exclusive))
    return FirstBatches((), None, (), 0, 1.0, start)


def _extended(old: FirstBatches, batch: Batch) -> FirstBatches:
    every = sample_rows(len(batch.rows))
    rows: FloatArray = np.ascontiguousarray(batch.rows[every], dtype=np.float64)
    weights = old.weights
    if weights is not None or batch.weights is not None:
        before = tuple(np.ones(len(some)) for some in old.rows) if weights is None else weights
        weights = (*before, np.ones(len(rows)) if batch.weights is None else batch.weights[every])
    times = (*old.times, batch.time)
    return old._replace(rows=(*old.rows, rows), weights=weights, times=times, n_batches=old.n_batches + 1)


def sample_rows(n: int) -> IntArray:
    """Return the numbers of at most MAX_ROWS random rows of a batch of n rows, ascending."""
    if n <= MAX_ROWS:
        return np.arange(n)
    random = np.random.default_rng(0)
    if n <= PERMUTED:
        return np.sort(random.permutation(n)[:MAX_ROWS])
    return np.sort(random.choice(n, MAX_ROWS, replace=False, shuffle=False))


def _estimate(
    found: FirstBatches, batch: Batch, given: Given, costs_of: CostsOf, seed: int
) -> DescentParameters:
    if found.n_batches == 1:
        return _from_one_batch(found.parameters, batch, given, seed)
    if not _has_scale(found.rows):
        return found.parameters
    if len(batch.rows) > MAX_ROWS and _too_few_rows(found, costs_of):
        return found.parameters
    return _best_parameters(found, given, costs_of)


def _from_one_batch(start: DescentParameters, batch: Batch, given: Given, seed: int) -> DescentParameters:
    """Return the parameters with the birth cost of a single batch, which has no motion to estimate."""
    if given.birth is not None:
        return start
    if start.exclusive:
        birth = estimate_exclusive_birth_cost(batch.rows)
    else:
        birth = estimate_birth_cost(batch.rows, batch.weights, seed)
    return start if birth is None else start._replace(birth=birth)


def _has_scale(batches: Sequence[FloatArray]) -> bool:
    """Return whether a batch has two rows at a distance whose square is not 0."""
    return any(len(rows) > 1 and squared_span(rows) > np.finfo(np.float64).tiny for rows in batches)


def _too_few_rows(found: FirstBatches, costs_of: CostsOf) -> bool:
    """Return whether the clusters of the present parameters have fewer than two sampled rows each."""
    labels = _labels(found, found.parameters, costs_of)
    return sum(len(np.unique(ids)) for ids in labels) * 2 > sum(map(len, labels))


def _best_parameters(found: FirstBatches, given: Given, costs_of: CostsOf) -> DescentParameters:
    """Return the parameters whose result has the shortest code."""
    codes = TwoCodes(found.rows, np.array(found.times), found.weights, max_rows=MAX_ROWS)
    first = candidates(found.rows, given) or [found.parameters]
    tried = [(candidate, codes.lengths(_labels(found, candidate, costs_of))) for candidate in first]
    if given.motion is None:
        moving = [candidate._replace(motion="velocity") for candidate in _best_of_modes(codes, tried)]
        tried += [(candidate, codes.lengths(_labels(found, candidate, costs_of))) for candidate in moving]
    by_forest = codes.prefers_forest([lengths for _, lengths in tried])
    if given.motion is None:
        tried = [
            (candidate, lengths)
            for candidate, lengths in tried
            if candidate.motion in ("walk", lengths.motion)
        ]
    best, largest = _middle_of_best(tried, by_forest)
    if given.birth is not None or best.exclusive or best.refine:
        return best
    cautious = best._replace(birth=_with_births(found, best, largest, costs_of))
    length, limit = (codes.lengths(_labels(found, each, costs_of)).of(by_forest) for each in (cautious, best))
    return cautious if length <= limit + STRONG_EVIDENCE / codes.n_rows else best


def _with_births(
    found: FirstBatches, best: DescentParameters, largest: DescentParameters, costs_of: CostsOf
) -> float:
    """Return a birth cost at which each cluster of the result could be born again.

    A large birth cost gives the same clusters if the first batch has them, but no new ones later.
    """
    limits = []
    for rows, labels in zip(found.rows, _labels(found, best, costs_of), strict=True):
        ids, where = np.unique(labels, return_inverse=True)
        if len(ids) < 2:
            continue
        centers = np.array([rows[labels == k].mean(axis=0) for k in ids])
        away = cdist(rows, centers, "sqeuclidean")
        away[np.arange(len(rows)), where] = np.inf
        farthest = np.zeros(len(ids))
        np.maximum.at(farthest, where, away.min(axis=1))
        limits.append(float(farthest.min()))
    high = min([largest.birth, *([float(np.median(limits))] if limits else [])])
    low = best.birth * (best.birth / largest.birth)  # the best is in the middle, in log scale
    return float(np.sqrt(min(low, high)) * np.sqrt(high)) if high > 0.0 else best.birth


def _best_of_modes(
    codes: TwoCodes, tried: Sequence[tuple[DescentParameters, CodeLengths]]
) -> list[DescentParameters]:
    """Return the best parameters of each mode: plain, refined and exclusive."""
    by_forest = codes.prefers_forest([lengths for _, lengths in tried])
    ranked = [candidate for candidate, _ in sorted(tried, key=lambda pair: pair[1].of(by_forest))]
    modes = dict.fromkeys(candidate[2:] for candidate in ranked)
    return [candidate for mode in modes for candidate in [s for s in ranked if s[2:] == mode][:MOVING]]


def _middle_of_best(
    tried: Sequence[tuple[DescentParameters, CodeLengths]], by_forest: bool
) -> tuple[DescentParameters, DescentParameters]:
    """Return the best parameters with the middle, and with the largest, of the birth costs of equal length.

    Among equal results, the motion that the forecasts support is preferred.
    """
    shortest = min(lengths.of(by_forest) for _, lengths in tried)
    ties = [(candidate, lengths) for candidate, lengths in tried if lengths.of(by_forest) <= shortest + 1e-9]
    equal = [candidate for candidate, lengths in ties if candidate.motion == lengths.motion]
    equal = equal or [candidate for candidate, _ in ties]
    same = sorted(candidate for candidate in equal if candidate[1:] == equal[0][1:])
    middle = float(np.sqrt(same[0].birth) * np.sqrt(same[-1].birth))
    return equal[0]._replace(birth=middle), same[-1]


def _labels(found: FirstBatches, candidate: DescentParameters, costs_of: CostsOf) -> list[IntArray]:
    """Cluster the sample of all batches."""
    costs, motion = costs_of(candidate.birth, found.interval), get_motion(candidate.motion)
    search = SearchOptions(0, 1, MAX_PASSES, 1, candidate.refine, candidate.exclusive)
    state, labels = empty_state(found.rows[0].shape[1]), []
    for batch in _batches(found):
        prior = predict_prior(state, batch.time, costs, motion)
        fit = cluster(batch, prior, costs, search, state.n_steps)
        result = update_state(state, prior, fit, costs, motion, batch.time)
        state = result.state
        labels.append(result.report.labels)
    return labels


def _batches(found: FirstBatches) -> Iterable[Batch]:
    weights = found.weights or (None,) * len(found.rows)
    return (Batch(*each) for each in zip(found.rows, weights, found.times, strict=True))
