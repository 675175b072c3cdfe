"""Search with features divided by the widths of clusters.

The search is repeated with the features divided by the widths of the clusters of the best result so far.
Every result is scored by the same code, which is that of the rows as they are. The features stay as they are
unless a result with scales leads by two standard errors over the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dynmeans._algorithms.estimation.better_features import are_unequal, widths_within
from dynmeans._codes.gaussian_code import MIN_VARIANCE_SHARE
from dynmeans.estimators import DMeans
from dynmeans.tuning._entries import dmeans_spaces, is_cosine
from dynmeans.tuning._scorers import cluster, configure
from dynmeans.tuning._search import search_refining
from dynmeans.tuning._selection import MIN_LEAD, decide, decide_lifetime, decide_motion, leads
from dynmeans.tuning._stream import TuningStream
from dynmeans.tuning.trials import Entry, Runner, Trial

SHARE = 0.5  # of the budget, for each search with scales
MAX_ROUNDS = 4  # the widths are measured again after each round, until the result is no better


def search_scales(
    runner: Runner,
    trials: list[Trial],
    stream: TuningStream,
    motions: Sequence[str] | None,
    budget: int,
    seed: int,
    tolerance: float,
) -> list[Trial]:
    """Return all trials, first the chosen one, after further searches with scaled features."""
    entry = _free_entry(runner, stream, motions) if _is_encoded(stream) else None
    if entry is None or not trials[0].steps or trials[0].params.get("exclusive"):
        return trials
    found, results = trials, []
    for i in range(MAX_ROUNDS):
        scales = _spread(runner, found, stream)
        if scales is None or not are_unequal(scales):
            break
        found = _search_scaled(runner, _scaled_entry(entry, stream, motions, scales), budget, seed, tolerance)
        results.append(found)
        if leads(trials[0], found[0], tolerance) or (i > 0 and found[0].score >= results[-2][0].score):
            break
    best = min((each[0] for each in results), key=lambda trial: trial.score, default=trials[0])
    if not leads(best, trials[0], tolerance, MIN_LEAD):
        return trials
    return _in_order(best, [*trials, *(trial for each in results for trial in each)])


def _search_scaled(runner: Runner, entry: Entry, budget: int, seed: int, tolerance: float) -> list[Trial]:
    """Search the space of one entry, scored by the code that was chosen before, and add it to the runner."""
    own = runner.with_entries([entry])
    found = search_refining(own, max(1, round(SHARE * budget)), seed)
    for rule in (decide, decide_lifetime, decide_motion):
        found = rule(own, found, tolerance)
    index = runner.add_entry(entry)
    return [trial._replace(entry=index) for trial in found]


def _in_order(best: Trial, trials: Sequence[Trial]) -> list[Trial]:
    """Return the best trial, then the others that were run under several orders, then the rest."""
    others = [trial for trial in trials if trial is not best]
    return [best, *sorted(others, key=lambda trial: (-len(trial.scores), trial.score))]


def _free_entry(runner: Runner, stream: TuningStream, motions: Sequence[str] | None) -> Entry | None:
    """Return the first D-Means whose scales may be chosen."""
    if not runner.has_codes or stream.batches[0].shape[1] == 1:
        return None
    for entry in runner.entries:
        model = entry.estimator
        if isinstance(model, DMeans) and model.feature_scales is None and not _is_single(model):
            return None if is_cosine(model, stream, motions) else entry
    return None


def _is_single(model: DMeans) -> bool:
    """Return whether every cluster has one row, and so no spread within a step."""
    return model.exclusive is True


def _is_encoded(stream: TuningStream) -> bool:
    """Return whether the code depends on every feature that varies."""
    variances = np.var(np.concatenate(stream.batches), axis=0, dtype=np.float64)
    return not bool(np.any((variances > 0.0) & (variances < MIN_VARIANCE_SHARE * variances.sum())))


def _spread(runner: Runner, trials: Sequence[Trial], stream: TuningStream) -> tuple[float, ...] | None:
    """Return the spread within clusters by the result that has the shortest Gaussian code."""
    best = min(trials, key=lambda trial: min((pair.gaussian for pair in trial.lengths), default=np.inf))
    if best.params.get("exclusive") or "birth_cost" not in best.params:
        return None
    labels = cluster(configure(runner.entries[best.entry].estimator, best.params, best.seed), stream)
    return widths_within(stream.batches, labels, stream.weights)


def _scaled_entry(
    entry: Entry, stream: TuningStream, motions: Sequence[str] | None, scales: tuple[float, ...]
) -> Entry:
    """Return an entry whose candidates have the scales, with ranges of the scaled rows."""
    scaled = stream._replace(batches=[batch / np.array(scales) for batch in stream.batches])
    space = dmeans_spaces(entry.estimator, scaled, motions)[0]
    choices: list[dict[str, Any]] = [{**choice, "feature_scales": scales} for choice in space.choices]
    return entry._replace(space=space._replace(choices=tuple(choices)))
