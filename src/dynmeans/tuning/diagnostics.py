"""What a user should know before trusting the winner."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.tuning.stream import TuningStream
from dynmeans.tuning.trials import Trial

FEWEST_STEPS = 4  # that two clusters must have lived through together
TOGETHER = 0.25  # difference of two clusters' steps over the steps themselves, squared; 1 if independent
CLEAR = 4.0  # squared steps, in units of what chance makes of a resting cluster
WIDE = 0.8  # share of a range over which good settings are spread
TOUCHING = 5.0  # distance of two centres, in standard deviations of the wider cluster


def diagnose(
    trials: Sequence[Trial], tolerance: float, stream: TuningStream, labels: Sequence[IntArray]
) -> tuple[str, ...]:
    """Warnings about the winner, in words.

    They are part of the result rather than Python warnings: nothing went wrong, and who tunes in a loop
    wants to read them beside each winner.
    """
    notes = []
    if trials[0].n_clusters <= 1:
        notes.append(
            "one cluster wins: the data may have none that can be told apart, or they overlap too much; "
            "look at the other settings of the table"
        )
    elif _is_quiet(trials, tolerance):
        notes.append(
            "lifetime and reach make no difference to these batches: nothing in them moves far, leaves or "
            "comes back; if that may happen later, tune on batches that show it"
        )
    pieces, active = pieces_that_move_together(stream.batches, labels)
    if len(pieces) >= 3 and 2 * len(pieces) >= active:
        notes.append(
            f"{len(pieces)} clusters that touch move together: they may be pieces of one shape that is not "
            "round; try KDMeans or SDMeans, or a larger birth cost"
        )
    return tuple(notes)


def _is_quiet(trials: Sequence[Trial], tolerance: float) -> bool:
    """Whether good settings are all over the ranges of lifetime and reach."""
    limit = min(trial.score for trial in trials) + tolerance
    good = np.array([trial.place[1:3] for trial in trials if trial.score <= limit])
    return bool((np.ptp(good, axis=0) > WIDE).all())


def pieces_that_move_together(
    batches: Sequence[FloatArray], labels: Sequence[IntArray]
) -> tuple[set[int], int]:
    """Ids that touch another one and take the same steps, and how many ids lived long enough to tell."""
    paths = _paths(batches, labels)
    long = sorted(k for k, path in paths.items() if len(path) > FEWEST_STEPS)
    joined: set[int] = set()
    for i, a in enumerate(long):
        for b in long[i + 1 :]:
            if _together(paths[a], paths[b]):
                joined |= {a, b}
    return joined, len(long)


def _paths(
    batches: Sequence[FloatArray], labels: Sequence[IntArray]
) -> dict[int, dict[int, tuple[FloatArray, float, int]]]:
    """For every id and step: mean, variance in a coordinate, and number of points."""
    paths: dict[int, dict[int, tuple[FloatArray, float, int]]] = {}
    for step, (batch, ids) in enumerate(zip(batches, labels, strict=True)):
        for k in np.unique(ids).tolist():
            rows = batch[ids == k]
            paths.setdefault(k, {})[step] = (rows.mean(axis=0), float(rows.var(axis=0).mean()), len(rows))
    return paths


def _together(
    a: dict[int, tuple[FloatArray, float, int]], b: dict[int, tuple[FloatArray, float, int]]
) -> bool:
    both = sorted(a.keys() & b.keys())
    pairs = [(s, t) for s, t in pairwise(both) if t == s + 1]
    if len(pairs) < FEWEST_STEPS:
        return False
    d = len(a[both[0]][0])
    widest = max(np.median([path[s][1] for s in both]) for path in (a, b))
    apart = np.median([np.sum((a[s][0] - b[s][0]) ** 2) for s in both])
    if apart > TOUCHING**2 * widest:
        return False
    moves = [np.array([path[t][0] - path[s][0] for s, t in pairs]) for path in (a, b)]
    chance = sum(d * (path[s][1] / path[s][2] + path[t][1] / path[t][2]) for path in (a, b) for s, t in pairs)
    taken = float(sum(np.sum(move**2) for move in moves))
    differ = float(np.sum((moves[0] - moves[1]) ** 2))
    return taken > CLEAR * chance and differ < TOGETHER * taken
