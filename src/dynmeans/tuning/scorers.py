"""Scorers: run hyperparameters over a stream and evaluate the result."""

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
    """Result of one run."""

    score: float  # lower is better
    n_clusters: float  # median number of active clusters per step
    n_ids: int  # number of ids in the whole run
    steps: tuple[float, ...] = ()  # score of each step, where the scorer has one


Scorer: TypeAlias = Callable[[dict[str, Any], int], Evaluation]  # (parameters, seed) -> Evaluation


def configure(estimator: Any, params: dict[str, Any], seed: int) -> Any:
    """Return an unfitted copy with new parameters, on one thread because trials run in parallel."""
    unset = {"lifetime": None, "reach": None, "aging_cost": None, "drift": None, "on_event": None}
    return clone(estimator).set_params(**{**unset, **params}, random_state=seed, n_jobs=1)


def cluster(model: Any, stream: TuningStream) -> list[IntArray]:
    """Cluster the whole stream and return the labels of every batch."""
    return [report.labels for report in model.stream(stream.steps)]


def evaluate(score: float, labels: Sequence[IntArray]) -> Evaluation:
    """Combine a score with the number of clusters.

    The score is rounded, so that equal results tie in all units of the data.
    """
    active = float(np.median([len(np.unique(batch)) for batch in labels]))
    return Evaluation(round(score, DIGITS), active, len(np.unique(np.concatenate(labels))))


def score_by_code_length(estimator: Any, stream: TuningStream) -> Scorer:
    """Score by the code length of the result, in nats per point."""
    reference = make_reference(stream.batches, stream.times, stream.weights)

    def score(params: dict[str, Any], seed: int) -> Evaluation:
        labels = cluster(configure(estimator, params, seed), stream)
        return evaluate(float(code_parts(reference, labels).sum()), labels)

    return score


def score_by_labels(estimator: Any, stream: TuningStream, truth: Sequence[Any]) -> Scorer:
    """Score by 1 minus tracking accuracy."""
    known = [np.asarray(labels) for labels in truth]

    def score(params: dict[str, Any], seed: int) -> Evaluation:
        labels = cluster(configure(estimator, params, seed), stream)
        return evaluate(1.0 - tracking_accuracy(known, labels), labels)

    return score
