"""What a setting is worth: it is run, and its result is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone

from dynmeans.metrics import tracking_accuracy
from dynmeans.model.types import IntArray
from dynmeans.tuning.code_length import code_parts, make_reference
from dynmeans.tuning.stream import TuningStream

DIGITS = 6  # of a score


class Verdict(NamedTuple):
    """A setting, run once."""

    score: float  # less is better
    n_clusters: float  # active in a step, in the median
    n_ids: int  # in the whole run
    steps: tuple[float, ...] = ()  # score of each step, where there is one


Judge: TypeAlias = Callable[[dict[str, Any], int], Verdict]  # (parameters, seed of the orders) -> Verdict


def prepared(estimator: Any, params: dict[str, Any], seed: int) -> Any:
    """An unfitted copy with a setting; it runs on one thread, because the settings run side by side."""
    unset = {"lifetime": None, "reach": None, "aging_cost": None, "drift": None, "on_event": None}
    return clone(estimator).set_params(**{**unset, **params}, random_state=seed, n_jobs=1)


def follow(model: Any, stream: TuningStream) -> list[IntArray]:
    """Cluster the whole stream; the labels of every batch."""
    return [report.labels for report in model.stream(stream.steps)]


def verdict(score: float, labels: Sequence[IntArray]) -> Verdict:
    """A score, and how many clusters there were.

    Rounded, so that settings with equal results tie whatever the units of the data do to the last digits.
    """
    active = float(np.median([len(np.unique(batch)) for batch in labels]))
    return Verdict(round(score, DIGITS), active, len(np.unique(np.concatenate(labels))))


def by_code_length(estimator: Any, stream: TuningStream) -> Judge:
    """Judge by the code length of the result, in nats per point."""
    reference = make_reference(stream.batches, stream.times, stream.weights)

    def judge(params: dict[str, Any], seed: int) -> Verdict:
        labels = follow(prepared(estimator, params, seed), stream)
        return verdict(float(code_parts(reference, labels).sum()), labels)

    return judge


def by_labels(estimator: Any, stream: TuningStream, truth: Sequence[Any]) -> Judge:
    """Judge by the share of points that are not tracked."""
    known = [np.asarray(labels) for labels in truth]

    def judge(params: dict[str, Any], seed: int) -> Verdict:
        labels = follow(prepared(estimator, params, seed), stream)
        return verdict(1.0 - tracking_accuracy(known, labels), labels)

    return judge
