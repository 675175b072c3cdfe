"""Estimation of scale, motion and mode of D-Means from the first batches.

From the first batch alone, only the birth cost is estimated. From the second batch on, a sample of the
batches so far is clustered with a few combinations of parameters, and the results are scored by code
lengths, as in `tune`. The estimation is repeated after 2, 4, 8, ... batches, until the sample has enough
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.birth_cost import estimate_birth_cost, estimate_exclusive_birth_cost
from dynmeans._algorithms.birth_cost_range import births_to_try, rebirth_limit, tail_growth
from dynmeans._algorithms.descent_candidates import (
    DRIFT,
    DRIFTS,
    DescentParameters,
    FixedParameters,
    candidates,
    squared_span,
)
from dynmeans._algorithms.first_batches import (
    MAX_ROWS,
    MIN_BATCHES,
    FirstBatches,
    add_batch,
    begin_again,
    cluster_sample,
    single_objects,
)
from dynmeans._codes.gaussian_code import median_interval
from dynmeans._codes.two_codes import STRONG_EVIDENCE, CodeLengths, TwoCodes
from dynmeans._model.costs import Costs
from dynmeans._model.types import FloatArray, IntArray

CostsOf = Callable[[DescentParameters, float], Costs]  # (parameters, median interval) -> costs

MOVING = 2  # best parameters of each mode that are tried again with velocity
ONE_OBJECT = 1e100  # birth cost at which all rows belong to one object


def update_first_batches(
    old: FirstBatches | None, batch: Batch, given: FixedParameters, costs_of: CostsOf, seed: int
) -> FirstBatches:
    """Add a batch to the sample; after 1, 2, 4, 8, ... batches, estimate the parameters."""
    old = _no_batches(given) if old is None else old
    if old.is_final or len(batch.rows) == 0:
        return old
    found = add_batch(old, batch)
    if not found.is_due:
        return found
    found = found._replace(interval=median_interval(np.array(found.times)))
    if not found.is_enough:
        return _estimated(found, batch, given, costs_of, seed)
    if not _has_scale(found.rows):
        return begin_again(found)
    return _estimated(found._replace(is_final=True), batch, given, costs_of, seed)


def _no_batches(given: FixedParameters) -> FirstBatches:
    """Return the state before the first batch, in which all rows belong to one object."""
    birth = ONE_OBJECT if given.birth is None else given.birth
    start = DescentParameters(
        birth,
        given.motion or "walk",
        refine=bool(given.refine),
        exclusive=bool(given.exclusive),
        merge=bool(given.merge),
    )
    return FirstBatches((), None, (), 0, 1.0, start)


def _estimated(
    found: FirstBatches, batch: Batch, given: FixedParameters, costs_of: CostsOf, seed: int
) -> FirstBatches:
    """Return the sample with new parameters."""
    if found.n_batches == 1:
        return found._replace(parameters=_from_one_batch(found.parameters, batch, given, seed))
    if not _has_scale(found.rows):
        return found
    objects = single_objects(found)
    if objects is not None:
        whole, found = found, objects
    elif len(batch.rows) > MAX_ROWS and _too_few_rows(found, costs_of):
        return found
    codes = TwoCodes(found.rows, np.array(found.times), found.weights, max_rows=MAX_ROWS)
    best, by_forest = _best_parameters(found, codes, given, costs_of)
    if not given.has_drift:
        best = _with_best_drift(found, codes, best, by_forest, given, costs_of)
    if given.birth is None and best.exclusive and best.motion == "velocity":
        best = _with_least_birth(found, codes, best, by_forest, costs_of)
    if given.merge is None and not best.exclusive:
        best = best._replace(merge=_merges(found, codes, best, by_forest, costs_of))
    if not given.has_lifetime:
        best = best._replace(lifetime=_lifetime(found, best, costs_of))
    labels = _labels(found, best, costs_of)
    if objects is not None:
        return whole._replace(parameters=best)
    return found._replace(parameters=best, contradicts=_contradicts(found, codes, by_forest, labels))


def _contradicts(found: FirstBatches, codes: TwoCodes, by_forest: bool, new: Sequence[IntArray]) -> bool:
    """Return whether there is strong evidence for new labels, against those of the batches before the last.

    Estimates from fewer batches than a final one needs are too uncertain to change clusters.
    """
    old = found.labels
    if len(new) < MIN_BATCHES or len(old) != len(new) - 1:  # an earlier version saved no labels
        return False
    lengths = [codes.lengths(labels).up_to for labels in ([*old, new[-1]], new)]
    before, after = (each[int(by_forest)][-2] for each in lengths if each is not None)
    return bool((before - after) * codes.n_rows > STRONG_EVIDENCE)


def _from_one_batch(
    start: DescentParameters, batch: Batch, given: FixedParameters, seed: int
) -> DescentParameters:
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


def _best_parameters(
    found: FirstBatches, codes: TwoCodes, given: FixedParameters, costs_of: CostsOf
) -> tuple[DescentParameters, bool]:
    """Return the parameters whose result has the shortest code, and whether that is the forest code."""
    first = candidates(found.rows, given, found.mass) or [found.parameters]
    tried = _try(found, codes, first, costs_of)
    if given.motion is None:
        moving = [
            candidate._replace(motion="velocity", drift=_likely_drift(candidate, lengths, given))
            for candidate, lengths in _best_of_modes(codes, tried)
        ]
        moving += [c._replace(motion="velocity") for c in first if c.exclusive]
        tried += _try(found, codes, moving, costs_of)
    by_forest = codes.prefers_forest([lengths for _, lengths in tried])
    if given.motion is None:
        tried = [
            (candidate, lengths.with_motion(candidate.motion, codes.n_rows))
            for candidate, lengths in tried
            if candidate.motion in ("walk", lengths.motion)
        ]
    if len(found.rows) >= MIN_BATCHES:  # fewer than two rows per id say nothing about the stream
        tried = [(c, lengths) for c, lengths in tried if 2 * lengths.n_ids <= codes.n_rows] or tried
    best, largest = _middle_of_best(tried, by_forest)
    if given.birth is not None or best.exclusive or best.refine:
        return best, by_forest

    def length(birth: float) -> float:
        return codes.lengths(_labels(found, best._replace(birth=birth), costs_of)).of(by_forest)

    limit = length(best.birth) + STRONG_EVIDENCE / codes.n_rows
    growth = tail_growth(sum(map(len, found.rows)), found.share)
    tail = 1.0 if by_forest else growth  # the forest code is for clusters that are not Gaussian
    rebirth = rebirth_limit(found.rows, _labels(found, best, costs_of))
    for birth in births_to_try(best.birth, largest.birth, rebirth, growth):
        if length(birth) <= limit and (tail == 1.0 or length(birth / tail) <= limit):
            return best._replace(birth=birth), by_forest
    return best, by_forest


def _try(
    found: FirstBatches, codes: TwoCodes, some: Sequence[DescentParameters], costs_of: CostsOf
) -> list[tuple[DescentParameters, CodeLengths]]:
    """Cluster the sample with each of some parameters, and return them with the code lengths."""
    return [(each, codes.lengths(_labels(found, each, costs_of), exclusive=each.exclusive)) for each in some]


def _with_best_drift(
    found: FirstBatches,
    codes: TwoCodes,
    best: DescentParameters,
    by_forest: bool,
    given: FixedParameters,
    costs_of: CostsOf,
) -> DescentParameters:
    """Return the parameters with the drift of the shortest code.

    A drift that is too small ends ids of objects that move far. One that is too large lets a sleeping cluster
    take rows of other objects, and follows the noise of single positions. Among equal results of clusters
    with a velocity, the drift that forecasts them best is preferred.
    """
    drifts = (best.drift, *DRIFTS)
    if best.motion == "velocity":
        likely = _likely_drift(best, codes.lengths(_labels(found, best, costs_of)), given)
        drifts = (likely, *drifts)
    tried = _try(found, codes, [best._replace(drift=drift) for drift in drifts], costs_of)
    return min(tried, key=lambda pair: pair[1].of(by_forest))[0]


MARGIN = 1.41421356


def _with_least_birth(found, codes, best, by_forest, costs_of):
    def length(birth: float) -> float:
        return codes.lengths(_labels(found, best._replace(birth=birth), costs_of), exclusive=True).of(
            by_forest
        )

    limit, birth = length(best.birth) + 1e-9, best.birth
    while length(birth / MARGIN) <= limit:
        birth /= MARGIN
    return best._replace(birth=min(MARGIN * birth, best.birth))


def _merges(
    found: FirstBatches, codes: TwoCodes, best: DescentParameters, by_forest: bool, costs_of: CostsOf
) -> bool:
    """Return whether to merge clusters that are not worth a birth: unless the code is clearly longer.

    Wrong clusters collect over a long stream, of which the sample has only the beginning.
    """
    separate, merged = (
        codes.lengths(_labels(found, best._replace(merge=merge), costs_of)) for merge in (False, True)
    )
    return not merged.is_clearly_longer(separate, by_forest)


def _lifetime(found: FirstBatches, best: DescentParameters, costs_of: CostsOf) -> float:
    """Return the age at which an object that is not seen has ended, with strong evidence."""
    longest = (found.times[-1] - found.times[0]) / found.interval
    while True:
        labels = _labels(found, best, costs_of)
        lifetime = min(age_of_ends(found.times, labels, found.interval, best.lifetime), longest)
        if lifetime <= best.lifetime * 1.1:
            return best.lifetime
        best = best._replace(lifetime=lifetime)


def age_of_ends(
    times: Sequence[float], labels: Sequence[IntArray], interval: float, lifetime: float
) -> float:
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    n = 0
    for time, ids in zip(times, labels, strict=True):
        for k in np.unique(ids[ids >= 0]).tolist():
            if k in last:
                n += 1
            first.setdefault(k, time)
            last[k] = time
    exposure = sum(last[k] - first[k] for k in first) / interval
    ends = sum((times[-1] - last[k]) / interval > lifetime for k in last)
    missed = exposure - n
    q = (missed + 0.5) / (exposure + 1.0)
    h = (ends + 0.5) / (exposure + 1.0)
    if q >= 1 or q <= 0:
        return lifetime
    return float(np.log(h / (20.0 * (1 - q))) / np.log(q))


def _best_of_modes(
    codes: TwoCodes, tried: Sequence[tuple[DescentParameters, CodeLengths]]
) -> list[tuple[DescentParameters, CodeLengths]]:
    """Return the best parameters of each mode: plain, refined and exclusive."""
    by_forest = codes.prefers_forest([lengths for _, lengths in tried])
    ranked = sorted(tried, key=lambda pair: pair[1].of(by_forest))
    modes = dict.fromkeys((candidate.refine, candidate.exclusive) for candidate, _ in ranked)
    return [
        pair
        for mode in modes
        for pair in [pair for pair in ranked if (pair[0].refine, pair[0].exclusive) == mode][:MOVING]
    ]


def _likely_drift(candidate: DescentParameters, lengths: CodeLengths, given: FixedParameters) -> float:
    """Return the drift with which the positions of the ids are forecast best, with a velocity.

    It is at most the first drift that is tried. A larger one would follow the positions of single rows hardly
    better, but let sleeping clusters take rows from far away.
    """
    return candidate.drift if given.has_drift else min(lengths.velocity_drift, DRIFT)


def _middle_of_best(
    tried: Sequence[tuple[DescentParameters, CodeLengths]], by_forest: bool
) -> tuple[DescentParameters, DescentParameters]:
    """Return the best parameters with the middle, and with the largest, of the birth costs of equal length.

    Among equal results, the motion that the forecasts support is preferred, and the exclusive mode on strong
    evidence that clusters have one row per step.
    """
    best, shortest = min(tried, key=lambda pair: pair[1].of(by_forest))
    ties = [
        (candidate, lengths)
        for candidate, lengths in tried
        if lengths.of(by_forest) <= shortest.of(by_forest) + 1e-9
        or (candidate.motion == best.motion and abs(lengths.gaussian - shortest.gaussian) <= 1e-9)
    ]
    if max(lengths.single_rows for _, lengths in ties) >= STRONG_EVIDENCE:
        ties = [(candidate, lengths) for candidate, lengths in ties if candidate.exclusive] or ties
    equal = [candidate for candidate, lengths in ties if candidate.motion == lengths.motion]
    equal = equal or [candidate for candidate, _ in ties]
    same = sorted(candidate for candidate in equal if candidate[1:] == equal[0][1:])
    middle = float(np.sqrt(same[0].birth) * np.sqrt(same[-1].birth))
    return equal[0]._replace(birth=middle), same[-1]


def _labels(found: FirstBatches, candidate: DescentParameters, costs_of: CostsOf) -> list[IntArray]:
    """Cluster the sample of all batches."""
    return cluster_sample(found, candidate, costs_of(candidate, found.interval))[1]
