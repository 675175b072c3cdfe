"""Slow and obvious twins of the metrics, by enumeration, and random runs for the comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from hypothesis import strategies as st

NOISE = -1
Pair = tuple[int, int]


class LabeledRun(NamedTuple):
    true: list[list[int]]
    found: list[list[int]]


@st.composite
def runs(draw: st.DrawFn, noise: bool = True, max_steps: int = 4, max_points: int = 7) -> LabeledRun:
    """Few ids, so that there are many overlaps, ties and conflicts; steps may be empty, runs are not."""
    point = st.tuples(st.integers(0, 2), st.integers(NOISE if noise else 0, 3))
    step = st.lists(point, max_size=max_points)
    steps = draw(st.lists(step, min_size=1, max_size=max_steps).filter(any))
    return LabeledRun(
        [[t for t, _ in points] for points in steps], [[f for _, f in points] for points in steps]
    )


def renamed(batches: list[list[int]], names: dict[int, int]) -> list[list[int]]:
    return [[names.get(label, label) for label in batch] for batch in batches]


def concatenated(batches: list[list[int]]) -> list[int]:
    return [label for batch in batches for label in batch]


def pairings(pairs: list[Pair]) -> Iterator[set[Pair]]:
    """Every one-to-one set of pairs."""
    if not pairs:
        yield set()
        return
    (true, found), rest = pairs[0], pairs[1:]
    yield from pairings(rest)
    for others in pairings([(t, f) for t, f in rest if t != true and f != found]):
        yield {(true, found), *others}


def best_pairings(shared: dict[Pair, Fraction]) -> list[set[Pair]]:
    """Every one-to-one set of pairs with the largest sum; pairs without common points are left out."""
    options = list(pairings([pair for pair, weight in shared.items() if weight > 0]))
    most = max(sum(shared[pair] for pair in option) for option in options)
    return [option for option in options if sum(shared[pair] for pair in option) == most]


def shared_weight(true: list[int], found: list[int], weight: list[int] | None = None) -> dict[Pair, Fraction]:
    shared: dict[Pair, Fraction] = {}
    for t, f, w in zip(true, found, weight or [1] * len(true), strict=True):
        if f != NOISE:
            shared[t, f] = shared.get((t, f), Fraction(0)) + w
    return shared


def most_shared(true: list[int], found: list[int], weight: list[int] | None = None) -> Fraction:
    shared = shared_weight(true, found, weight)
    return sum((shared[pair] for pair in best_pairings(shared)[0]), Fraction(0))


def possible_tracking_accuracies(run: LabeledRun) -> set[Fraction]:
    """The values that the definition allows: one for each resolution of ties."""
    outcomes = {(frozenset[Pair](), Fraction(0))}
    for true, found in zip(run.true, run.found, strict=True):
        if true:
            outcomes = {after for pairs, total in outcomes for after in _next_step(pairs, total, true, found)}
    n_steps = sum(bool(batch) for batch in run.true)
    return {total / n_steps for _, total in outcomes}


def _next_step(
    pairs: frozenset[Pair], total: Fraction, true: list[int], found: list[int]
) -> Iterator[tuple[frozenset[Pair], Fraction]]:
    taken_true, taken_found = {t for t, _ in pairs}, {f for _, f in pairs}
    rest = [(t, f) for t, f in zip(true, found, strict=True) if t not in taken_true and f not in taken_found]
    for made in best_pairings(shared_weight([t for t, _ in rest], [f for _, f in rest])):
        now = pairs | made
        right = sum(pair in now for pair in zip(true, found, strict=True))
        yield now, total + Fraction(right, len(true))


def slow_switches(run: LabeledRun) -> int:
    order = list(dict.fromkeys(concatenated(run.found)))
    last: dict[int, int] = {}
    switches = 0
    for true, found in zip(run.true, run.found, strict=True):
        for who in set(true):
            votes = Counter(f for t, f in zip(true, found, strict=True) if t == who and f != NOISE)
            if votes:
                top = [f for f in order if votes[f] == max(votes.values())]
                now = last[who] if last.get(who) in top else top[0]
                switches += now != last.get(who, now)
                last[who] = now
    return switches
