"""What a setting is worth: it is run, and its result is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone

from dynmeans._model.types import IntArray
from dynmeans.metrics import tracking_accuracy
from dynmeans.tuning.code_length import code_parts, make_reference
from dynmeans.tuning.stream import TuningStream

DIGITS = 6  # of a score


class Evaluation(NamedTuple):
    """A setting, run once."""

    score: float  # less is better
    n_clusters: float  # active in a step, in the median
    n_ids: int  # in the whole run
    steps: tuple[float, ...] = ()  # score of each step, where there is one


Scorer: TypeAlias = Callable[[dict[str, Any], int], Evaluation]  # (parameters, seed of the orders) -> Verdict


def prepared(estimator: Any, params: dict[str, Any], seed: int) -> Any:
    """An unfitted copy with a setting; it runs on one thread, because the settings run side by side."""
    unset = {"lifetime": None, "reach": None, "aging_cost": None, "drift": None, "on_event": None}
    return clone(estimator).set_params(**{**unset, **params}, random_state=seed, n_jobs=1)


def follow(model: Any, stream: TuningStream) -> list[IntArray]:
    """Cluster the whole stream; the labels of every batch."""
    return [report.labels for report in model.stream(stream.steps)]


def evaluate(score: float, labels: Sequence[IntArray]) -> Evaluation:
    """A score, and how many clusters there were.

    Rounded, so that settings with equal results tie whatever the units of the data do to the last digits.
    """
    active = float(np.median([len(np.unique(batch)) for batch in labels]))
    return Evaluation(round(score, DIGITS), active, len(np.unique(np.concatenate(labels))))


def score_by_code_length(estimator: Any, stream: TuningStream) -> Scorer:
    """Judge by the code length of the result, in nats per point."""
    reference = make_reference(stream.batches, stream.times, stream.weights)

    def judge(params: dict[str, Any], seed: int) -> Evaluation:
        labels = follow(prepared(estimator, params, seed), stream)
        return evaluate(float(code_parts(reference, labels).sum()), labels)

    return judge


def score_by_labels(estimator: Any, stream: TuningStream, truth: Sequence[Any]) -> Scorer:
    """Judge by the share of points that are not tracked."""
    known = [np.asarray(labels) for labels in truth]

    def judge(params: dict[str, Any], seed: int) -> Evaluation:
        labels = follow(prepared(estimator, params, seed), stream)
        return evaluate(1.0 - tracking_accuracy(known, labels), labels)

    return judge
