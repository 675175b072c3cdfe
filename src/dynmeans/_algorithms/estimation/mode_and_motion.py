"""Choice of birth cost, mode and motion among combinations of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynmeans._algorithms.estimation.birth_cost_range import births_to_try, rebirth_limit, tail_growth
from dynmeans._algorithms.estimation.candidates import (
    DRIFT,
    DescentParameters,
    FixedParameters,
    candidates,
)
from dynmeans._algorithms.estimation.comparison import Attempt, Comparison
from dynmeans._algorithms.estimation.first_batches import MIN_BATCHES
from dynmeans._codes.two_codes import STRONG_EVIDENCE, CodeLengths

MOVING = 2  # best parameters of each mode that are tried with the drift that forecasts their ids best


def choose_mode_and_motion(compared: Comparison, given: FixedParameters) -> DescentParameters:
    """Return the parameters whose result has the shortest code, and choose this code."""
    codes, sample = compared.codes, compared.sample
    still = candidates(sample.rows, given, sample.mass) or [sample.parameters]
    tried = compared.attempts(still)
    if given.motion is None:
        moving = [
            best.parameters._replace(motion="velocity", drift=likely_drift(best, given))
            for best in _best_of_modes(compared, tried)
        ]
        moving += [each._replace(motion="velocity") for each in still]
        tried += compared.attempts(moving)
    compared.by_forest = codes.prefers_forest([lengths for _, lengths in tried])
    if given.motion is None:
        tried = [
            Attempt(each, lengths.with_motion(each.motion, codes.n_rows))
            for each, lengths in tried
            if each.motion in ("walk", lengths.motion)
        ]
    # Ids of single rows say nothing about the stream. Of few batches, objects may enter and leave.
    tried = [attempt for attempt in tried if 2 * attempt.lengths.n_rows_alone <= codes.n_rows] or tried
    if len(sample.rows) >= MIN_BATCHES:
        tried = [attempt for attempt in tried if 2 * attempt.lengths.n_ids <= codes.n_rows] or tried
    middle, largest = _middle_of_best(tried, compared.by_forest)
    if given.birth is not None or middle.exclusive or middle.refine:
        return middle
    return _with_suitable_birth(compared, middle, largest)


def likely_drift(attempt: Attempt, given: FixedParameters) -> float:
    """Return the drift with which the positions of the ids are forecast best, with a velocity.

    It is at most the first drift that is tried. A larger one would follow the positions of single rows hardly
    better, but let sleeping clusters take rows from far away.
    """
    return attempt.parameters.drift if given.has_drift else min(attempt.lengths.velocity_drift, DRIFT)


def _best_of_modes(compared: Comparison, tried: Sequence[Attempt]) -> list[Attempt]:
    """Return the best parameters of each mode: plain, refined and exclusive."""
    by_forest = compared.codes.prefers_forest([lengths for _, lengths in tried])
    ranked = sorted(tried, key=lambda attempt: attempt.lengths.of(by_forest))
    modes: dict[tuple[bool, bool], list[Attempt]] = {}
    for attempt in ranked:
        mode = attempt.parameters.refine, attempt.parameters.exclusive
        modes.setdefault(mode, []).append(attempt)
    return [attempt for of_mode in modes.values() for attempt in of_mode[:MOVING]]


def _middle_of_best(tried: Sequence[Attempt], by_forest: bool) -> tuple[DescentParameters, DescentParameters]:
    """Return the best parameters with the middle, and with the largest, of the birth costs of equal length.

    Among equal results, the motion that the forecasts support is preferred, and the exclusive mode on strong
    evidence that clusters have one row per step.
    """

    def is_tie(parameters: DescentParameters, lengths: CodeLengths) -> bool:
        return lengths.of(by_forest) <= shortest.of(by_forest) + 1e-9 or (
            parameters.motion == best.motion and abs(lengths.gaussian - shortest.gaussian) <= 1e-9
        )

    best, shortest = min(tried, key=lambda attempt: attempt.lengths.of(by_forest))
    ties = [attempt for attempt in tried if is_tie(*attempt)]
    if max(lengths.single_rows for _, lengths in ties) >= STRONG_EVIDENCE:
        ties = [attempt for attempt in ties if attempt.parameters.exclusive] or ties
    supported = [each for each, lengths in ties if each.motion == lengths.motion]
    equal = supported or [each for each, _ in ties]
    same = sorted(each for each in equal if each[1:] == equal[0][1:])
    middle = float(np.sqrt(same[0].birth) * np.sqrt(same[-1].birth))
    return equal[0]._replace(birth=middle), same[-1]


def _with_suitable_birth(
    compared: Comparison, middle: DescentParameters, largest: DescentParameters
) -> DescentParameters:
    """Return the parameters with a birth cost that also suits rows that are not in the sample."""
    sample = compared.sample

    def length(birth: float) -> float:
        return compared.length(middle._replace(birth=birth))

    limit = length(middle.birth) + STRONG_EVIDENCE / compared.codes.n_rows
    growth = tail_growth(sum(map(len, sample.rows)), sample.share)
    tail = 1.0 if compared.by_forest else growth  # the forest code is for clusters that are not Gaussian
    rebirth = rebirth_limit(sample.rows, compared.labels(middle))
    for birth in births_to_try(middle.birth, largest.birth, rebirth, growth):
        if length(birth) <= limit and (tail == 1.0 or length(birth / tail) <= limit):
            return middle._replace(birth=birth)
    return middle
