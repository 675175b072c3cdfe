"""Widths of clusters in each feature: whether features that are divided by them have better clusters.

D-Means measures squared distances, as if clusters were equally wide in all features. If they are not, the
widest feature dominates: a birth cost that keeps a cluster together merges clusters that are separate in the
other features.
"""

from __future__ import annotations

from collections.abc import Sequence

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

MAX_ROUNDS = 4
MIN_RATIO = 2.0  # of squared widths: less changes squared distances by less than a factor of two


def better_scales(
    compared: Comparison, best: DescentParameters, given: FixedParameters, costs_of: CostsOf
) -> tuple[float, ...] | None:
    """Return the widths of the clusters, if features that are divided by them have clearly better clusters.

    The rows are encoded as they are, with the labels of either result. The widths are those of the best
    clusters, which depend on the scales: they are measured again from each better result.
    """
    sample, now = compared.sample, compared.lengths(best)
    labels, shortest, found = compared.labels(best), now, None
    for _ in range(MAX_ROUNDS):
        scales = widths_within(sample.rows, labels, sample.weights)
        if scales is None or not are_unequal(scales):
            break
        labels, lengths = _best_with_scales(compared, scales, given, costs_of)
        if lengths.of(compared.by_forest) >= shortest.of(compared.by_forest):
            break
        shortest, found = lengths, scales
    lead = compared.codes.n_rows * (now.of(compared.by_forest) - shortest.of(compared.by_forest))
    is_better = lead > STRONG_EVIDENCE and now.is_clearly_longer(shortest, compared.by_forest)
    return found if is_better else None


def _best_with_scales(
    compared: Comparison, scales: tuple[float, ...], given: FixedParameters, costs_of: CostsOf
) -> tuple[list[IntArray], CodeLengths]:
    """Return the labels of the sample with the shortest code, of clusters of divided features."""
    sample, codes = compared.sample, compared.codes
    divided = sample._replace(rows=tuple(np.ascontiguousarray(rows / scales) for rows in sample.rows))
    tried = (each for each in candidates(divided.rows, given, divided.mass) if not each.exclusive)
    results = [cluster_sample(divided, each, costs_of(each, divided.interval))[1] for each in tried]
    lengths = [codes.lengths(labels) for labels in results]
    best = int(np.argmin([each.of(compared.by_forest) for each in lengths]))
    return results[best], lengths[best]


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
