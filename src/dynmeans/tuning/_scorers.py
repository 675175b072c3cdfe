"""Scorers: run hyperparameters over a stream and evaluate the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone

from dynmeans._codes.two_codes import CodeLengths, TwoCodes
from dynmeans._model.types import IntArray
from dynmeans.metrics import tracking_accuracy
from dynmeans.tuning._stream import TuningStream

DIGITS = 6  # decimals of a score


class Evaluation(NamedTuple):
    """Result of one run."""

    score: float  # lower is better
    n_clusters: float  # median number of active clusters per step
    n_ids: int  # number of ids in the whole run
    steps: tuple[float, ...] = ()  # score of each step, where the scorer has one
    lengths: CodeLengths | None = None  # both code lengths, if the result is scored by them


FAILED = Evaluation(math.inf, 0.0, 0, (), CodeLengths(math.inf, math.inf, 0))

Scorer: TypeAlias = Callable[[dict[str, Any], int], Evaluation]  # (parameters, seed) -> Evaluation


def configure(estimator: Any, params: dict[str, Any], seed: int) -> Any:
    """Return an unfitted copy with new parameters, on one thread because trials run in parallel."""
    unset = {"lifetime": None, "reach": None, "aging_cost": None, "drift": None, "on_event": None}
    model = clone(estimator)
    threads = {"n_jobs": 1} if "n_jobs" in model.get_params(deep=False) else {}
    return model.set_params(**{**unset, **params}, random_state=seed, **threads)


def cluster(model: Any, stream: TuningStream) -> list[IntArray]:
    """Cluster the whole stream and return the labels of every batch with rows."""
    model._is_silent = True  # poor candidates are expected
    labels: list[IntArray] = stream.with_rows(report.labels for report in model.stream(stream.steps))
    del model._is_silent
    return labels


def evaluate(score: float, labels: Sequence[IntArray]) -> Evaluation:
    """Combine a score with the number of clusters.

    The score is rounded, so that equal results tie in all units of the data.
    """
    active = float(np.median([len(np.unique(batch[batch >= 0])) for batch in labels]))
    ids = np.unique(np.concatenate(labels))
    return Evaluation(round(score, DIGITS), active, int(np.count_nonzero(ids >= 0)))


def score_by_codes(estimator: Any, stream: TuningStream, codes: TwoCodes) -> Scorer:
    """Score by the Gaussian code, in nats per point, and report both code lengths."""

    def score(params: dict[str, Any], seed: int) -> Evaluation:
        model = configure(estimator, params, seed)
        try:
            labels = cluster(model, stream)
        except ValueError:
            if not hasattr(estimator, "estimator"):
                raise
            return FAILED  # a wrapped clusterer may reject a batch, such as one with too few rows
        lengths = codes.lengths(labels, exclusive=getattr(model, "exclusive", None) is True)
        return evaluate(lengths.gaussian, labels)._replace(lengths=lengths)

    return score


def score_by_labels(estimator: Any, stream: TuningStream, truth: Sequence[Any]) -> Scorer:
    """Score by 1 minus tracking accuracy."""
    if len(truth) != len(stream.steps):
        raise ValueError(
            f"labels must have one entry for each of {len(stream.steps)} batches, got {len(truth)}"
        )
    known = [np.asarray(labels) for labels in stream.with_rows(truth)]

    def score(params: dict[str, Any], seed: int) -> Evaluation:
        labels = cluster(configure(estimator, params, seed), stream)
        return evaluate(1.0 - tracking_accuracy(known, labels), labels)

    return score
