"""Warnings about the selected hyperparameters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.estimators._diagnostics.result_checks import check_result
from dynmeans.tuning._stream import TuningStream
from dynmeans.tuning.trials import Trial

MIN_COMMON_STEPS = 4  # steps in which both clusters have points
MAX_DIFFERENCE = 0.25  # squared difference of two displacements over their squares; 1 if independent
MIN_MOTION = 4.0  # squared displacements, in units of the sampling noise of a static cluster
MIN_SPREAD = 0.8  # share of a range that good hyperparameters cover
MIN_RATIO = 2.0  # ratio of two numbers of clusters above which the codes disagree
MAX_DISTANCE = 5.0  # distance of two centers, in standard deviations of the wider cluster


def diagnose(
    trials: Sequence[Trial],
    tolerance: float,
    stream: TuningStream,
    labels: Sequence[IntArray],
    best: Any,
    *,
    by_forest: bool,
) -> tuple[str, ...]:
    """Return warnings about the best trial as text.

    They are part of the result rather than Python warnings, because nothing failed and because a loop over
    several streams needs them beside each result.
    """
    warnings = []
    if len(stream.batches) == 1:
        warnings.append(
            "one step contains no information about motion, lifetime and reach: tune on several, or set them"
        )
    if trials[0].n_clusters <= 1:
        warnings.append(
            "the best result has one cluster: the data may have no separate clusters, or they overlap too "
            "much; compare the other rows of the table"
        )
    elif len(stream.batches) > 1 and _is_quiet(trials, tolerance):
        warnings.append(
            "lifetime and reach make no difference to these batches: no cluster moves far, disappears or "
            "returns; if that may happen later, tune on batches that show it"
        )
    comoving, active = comoving_clusters(stream.batches, labels)
    if len(comoving) >= 3 and 2 * len(comoving) >= active:
        warnings.append(
            f"{len(comoving)} adjacent clusters move together: they may be parts of one non-convex "
            "shape; try KDMeans or SDMeans, or a larger birth cost"
        )
    found = _result_warnings(stream, labels, best)
    if any(trial.params.get("exclusive") for trial in trials):
        found.pop("single", None)  # a mode with one row per cluster was compared, and was not better
    warnings += found.values()
    warnings += _disagreement(trials, by_forest)
    return tuple(warnings)


def _result_warnings(stream: TuningStream, labels: Sequence[IntArray], best: Any) -> dict[str, str]:
    """Return the warnings that the fitted estimator would issue, by kind."""
    report = best.step_
    if report.parameters is None or len(report.labels) == 0:
        return {}
    found = check_result(
        stream.batches[-1], report, best._state, report.parameters, had_births=_had_births(labels)
    )
    if "single" in found:
        found["single"] += "; tune again with exclusive=True in that case"
    found.pop("one", None)  # reported by another rule
    return found


def _had_births(labels: Sequence[IntArray]) -> bool:
    """Return whether a cluster was born in the second half of the steps."""
    half = (len(labels) + 1) // 2
    before = np.concatenate(labels[:half])
    return bool(len(before) and not np.isin(np.concatenate([before, *labels[half:]]), before).all())


def _disagreement(trials: Sequence[Trial], by_forest: bool) -> list[str]:
    """Return a warning if the other code would choose a different number of clusters."""
    judged = [trial for trial in trials if trial.lengths]
    if not judged:
        return []
    other = min(judged, key=lambda trial: float(np.mean([pair.of(not by_forest) for pair in trial.lengths])))
    few, many = sorted((max(trials[0].n_clusters, 1.0), max(other.n_clusters, 1.0)))
    if many < MIN_RATIO * few:
        return []
    return [
        f"the two codes disagree: the {_name(by_forest)} code chose {trials[0].n_clusters:g} clusters per "
        f"step, the {_name(not by_forest)} code would choose {other.n_clusters:g}, with {_words(other)}; "
        "compare both results"
    ]


def _name(by_forest: bool) -> str:
    return "forest" if by_forest else "Gaussian"


def _words(trial: Trial) -> str:
    return ", ".join(
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value!r}"
        for name, value in trial.params.items()
    )


def _is_quiet(trials: Sequence[Trial], tolerance: float) -> bool:
    """Return whether good hyperparameters cover the ranges of lifetime and reach."""
    limit = min(trial.score for trial in trials) + tolerance
    same = [t for t in trials if (t.entry, t.choice) == (trials[0].entry, trials[0].choice)]
    good = np.array([trial.position[1:3] for trial in same if trial.score <= limit])
    if len(good) == 0:
        return False
    return bool((np.ptp(good, axis=0) > MIN_SPREAD).all())


def comoving_clusters(batches: Sequence[FloatArray], labels: Sequence[IntArray]) -> tuple[set[int], int]:
    """Return the ids adjacent to another id with equal displacements, and the number of long-lived ids."""
    paths = _paths(batches, labels)
    long = sorted(k for k, path in paths.items() if len(path) > MIN_COMMON_STEPS)
    together: set[int] = set()
    for i, a in enumerate(long):
        for b in long[i + 1 :]:
            if _move_together(paths[a], paths[b]):
                together |= {a, b}
    return together, len(long)


def _paths(
    batches: Sequence[FloatArray], labels: Sequence[IntArray]
) -> dict[int, dict[int, tuple[FloatArray, float, int]]]:
    """Compute for every id and step: mean, variance per coordinate, and number of points."""
    paths: dict[int, dict[int, tuple[FloatArray, float, int]]] = {}
    for step, (batch, ids) in enumerate(zip(batches, labels, strict=True)):
        for k in np.unique(ids).tolist():
            rows = batch[ids == k]
            paths.setdefault(k, {})[step] = (rows.mean(axis=0), float(rows.var(axis=0).mean()), len(rows))
    return paths


def _move_together(
    a: dict[int, tuple[FloatArray, float, int]], b: dict[int, tuple[FloatArray, float, int]]
) -> bool:
    both = sorted(a.keys() & b.keys())
    pairs = [(s, t) for s, t in pairwise(both) if t == s + 1]
    if len(pairs) < MIN_COMMON_STEPS:
        return False
    d = len(a[both[0]][0])
    widest = max(np.median([path[s][1] for s in both]) for path in (a, b))
    apart = np.median([np.sum((a[s][0] - b[s][0]) ** 2) for s in both])
    if apart > MAX_DISTANCE**2 * widest:
        return False
    displacements = [np.array([path[t][0] - path[s][0] for s, t in pairs]) for path in (a, b)]
    chance = sum(d * (path[s][1] / path[s][2] + path[t][1] / path[t][2]) for path in (a, b) for s, t in pairs)
    taken = float(sum(np.sum(move**2) for move in displacements))
    differ = float(np.sum((displacements[0] - displacements[1]) ** 2))
    return taken > MIN_MOTION * chance and differ < MAX_DIFFERENCE * taken
