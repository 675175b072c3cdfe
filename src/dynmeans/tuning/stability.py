"""For kernels, where no density can be written down: do two halves of the data tell the same story?

Each batch is cut into two halves at random. Two models follow one half each, and after every step each of
them also says where the rows of the other half belong. A setting is good if what one model says of rows
agrees with what the other found: on the clusters of each step, and on ids over the whole stream. Agreement is
the adjusted Rand index, but one cluster for everything, on which it is easy to agree, counts as none. Both
models may also break their ids at the same moment and agree on that; so the ids have to last, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from dynmeans.model.types import IntArray
from dynmeans.tuning.judges import Judge, Verdict, prepared, verdict
from dynmeans.tuning.stream import TuningStream

HALVING_SEED = 0  # the same halves for every setting
TOLERANCE = 0.01  # of agreement: one row in a hundred


def by_stability(estimator: Any, stream: TuningStream) -> Judge:
    """Judge by 1 minus the agreement of two halves."""
    halves = _halves(stream)

    def judge(params: dict[str, Any], seed: int) -> Verdict:
        models = [prepared(estimator, params, seed) for _ in range(2)]
        found: list[list[IntArray]] = [[], []]
        guessed: list[list[IntArray]] = [[], []]
        for pair in halves:
            for model, half, labels in zip(models, pair, found, strict=True):
                labels.append(model.partial_fit(**half).labels_)
            for other, half, labels in zip(reversed(models), pair, guessed, strict=True):
                labels.append(other.predict(half["X"]))
        merit = [_agreement(a, b) * _continuity(a) for a, b in zip(found, guessed, strict=True)]
        return verdict(1.0 - float(np.mean(merit)), found[0])

    return judge


def _agreement(found: list[IntArray], guessed: list[IntArray]) -> float:
    """Of clusters in a step, on average, times that of ids over the stream; at best 1, at worst 0."""
    in_steps = float(np.mean([_rand(a, b) for a, b in zip(found, guessed, strict=True)]))
    return max(in_steps, 0.0) * max(_rand(np.concatenate(found), np.concatenate(guessed)), 0.0)


def _rand(a: IntArray, b: IntArray) -> float:
    """Adjusted Rand index, and 0 where there is nothing to agree on."""
    return float(adjusted_rand_score(a, b)) if np.ptp(a) > 0 and np.ptp(b) > 0 else 0.0


def _continuity(found: list[IntArray]) -> float:
    """Share of the rows after the first step whose id is older than their step."""
    newest = np.maximum.accumulate([int(ids.max()) for ids in found])
    old = [ids <= last for ids, last in zip(found[1:], newest[:-1], strict=True)]
    return float(np.mean(np.concatenate(old))) if old else 1.0


def _halves(stream: TuningStream) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Arguments of partial_fit for both halves of every batch; a single row is in both."""
    rng = np.random.default_rng(HALVING_SEED)
    pairs = []
    for step, (batch, t) in enumerate(zip(stream.batches, stream.times, strict=True)):
        order = rng.permutation(len(batch))
        middle = (len(batch) + 1) // 2
        weights = None if stream.weights is None else stream.weights[step]
        first, second = order[:middle], order[len(batch) - middle :]
        pairs.append((_part(batch, weights, t, first), _part(batch, weights, t, second)))
    return pairs


def _part(batch: Any, weights: Any, t: float, rows: IntArray) -> dict[str, Any]:
    return {"X": batch[rows], "sample_weight": None if weights is None else weights[rows], "t": float(t)}
