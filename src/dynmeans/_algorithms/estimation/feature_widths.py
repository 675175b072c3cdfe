"""Widths of clusters in each feature: whether features that are divided by them have better clusters.

D-Means measures squared distances, as if clusters were equally wide in all features. If they are not, the
widest feature dominates: a birth cost that keeps a cluster together merges clusters that are separate in the
other features.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dynmeans._algorithms.estimation.candidates import (
    DescentParameters,
    FixedParameters,
    candidates,
)
from dynmeans._algorithms.estimation.comparison import Comparison, CostsOf
from dynmeans._algorithms.estimation.first_batches import cluster_sample
from dynmeans._codes.two_codes import STRONG_EVIDENCE, CodeLengths
from dynmeans._model.types import FloatArray, IntArray

MAX_ROUNDS = 2  # in which the scales are measured again
MIN_RATIO = 2.0  # of squared widths: less changes squared distances by less than a factor of two


class _Result(NamedTuple):
    """Labels of the sample with their code lengths."""

    labels: list[IntArray]
    lengths: CodeLengths


def better_scales(
    compared: Comparison, best: DescentParameters, given: FixedParameters, costs_of: CostsOf
) -> tuple[float, ...] | None:
    """Return scales of the features, if divided features have clearly better clusters.

    The rows are encoded as they are, with the labels of either result, by the code that suits the better one.
    The first scales are the widths of all rows, and those of the clusters. Then the widths are measured again
    from each better result.
    """
    codes, sample = compared.codes, compared.sample
    now = shortest = _Result(compared.labels(best), compared.lengths(best))
    by_forest, found = compared.by_forest, None
    one_cluster = [np.zeros(len(rows), dtype=np.int64) for rows in sample.rows]
    for start in (one_cluster, now.labels):
        labels = start
        for _ in range(MAX_ROUNDS):
            scales = widths_within(sample.rows, labels, sample.weights)
            if scales is None or not are_unequal(scales):
                break
            results = [shortest, *_results_with_scales(compared, scales, given, costs_of)]
            by_forest = codes.prefers_forest([lengths for _, lengths in results])
            scaled = min(results, key=lambda result: result.lengths.of(by_forest))
            if scaled is shortest:
                break
            shortest, found, labels = scaled, scales, scaled.labels
    lead = codes.n_rows * (now.lengths.of(by_forest) - shortest.lengths.of(by_forest))
    is_better = lead > STRONG_EVIDENCE and now.lengths.is_clearly_longer(shortest.lengths, by_forest)
    return found if is_better else None


def _results_with_scales(
    compared: Comparison, scales: tuple[float, ...], given: FixedParameters, costs_of: CostsOf
) -> Iterator[_Result]:
    """Cluster the sample with divided features by each of some parameters."""
    sample = compared.sample
    divided = sample._replace(rows=tuple(np.ascontiguousarray(rows / scales) for rows in sample.rows))
    for each in candidates(divided.rows, given, divided.mass):
        if not each.exclusive:
            labels = cluster_sample(divided, each, costs_of(each, divided.interval))[1]
            yield _Result(labels, compared.codes.lengths(labels))


def are_unequal(widths: Sequence[float]) -> bool:
    """Return whether clusters are so much wider in some features that distances change."""
    return max(widths) ** 2 >= MIN_RATIO * min(widths) ** 2


def widths_within(
    batches: Sequence[FloatArray], labels: Sequence[IntArray], weights: Sequence[FloatArray] | None = None
) -> tuple[float, ...] | None:
    """Compute the standard deviation of every feature within the clusters of a step, (d,).

    It is relative to the geometric mean of all features. A feature without spread within clusters counts as
    the mean. None if the clusters have no spread at all.
    """
    total = np.zeros(batches[0].shape[1])
    for step, (rows, ids) in enumerate(zip(batches, labels, strict=True)):
        mass = np.ones(len(rows)) if weights is None else weights[step]
        for k in np.unique(ids[ids >= 0]):
            own, w = np.asarray(rows[ids == k], dtype=np.float64), mass[ids == k]
            total += w @ (own - np.average(own, axis=0, weights=w)) ** 2
    known = total > 0.0
    if not known.any():
        return None
    logs = 0.5 * np.log(total, where=known, out=np.zeros_like(total))
    scales = np.where(known, np.exp(logs - logs[known].mean()), 1.0)
    return tuple(float(f"{scale:.4g}") for scale in scales)
