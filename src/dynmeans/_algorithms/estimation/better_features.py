"""Changes of the features that lead to clearly better clusters: other scales, and logarithms.

D-Means measures squared distances, as if clusters were equally wide in all features and everywhere. If they
are wider in one feature, it dominates: a birth cost that keeps a cluster together merges clusters that are
separate in the other features. If their width grows with the values of a feature, as with durations and
amounts, clusters of large values are split, and those of small values are merged. Their logarithms have equal
widths.
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
from dynmeans._algorithms.estimation.first_batches import FirstBatches, cluster_sample
from dynmeans._algorithms.estimation.proposal import Proposal
from dynmeans._codes.significance import is_significant
from dynmeans._codes.two_codes import STRONG_EVIDENCE, CodeLengths, TwoCodes
from dynmeans._model.types import FloatArray, IntArray

MIN_RATIO = 2.0  # of squared widths: less changes squared distances by less than a factor of two
MAX_ROUNDS = 2  # in which the scales are measured again


class _Result(NamedTuple):
    """Labels of the sample with their code lengths, and the change of the features that led to them."""

    labels: list[IntArray]
    lengths: CodeLengths
    proposal: Proposal


def better_features(
    compared: Comparison, best: DescentParameters, given: FixedParameters, costs_of: CostsOf
) -> Proposal | None:
    """Return a change of the features that has clearly better clusters, or None.

    Only the mode of the best parameters is tried: with both, the estimation takes a quarter longer.
    """
    given = given._replace(refine=best.refine)
    now = _Result(compared.labels(best), compared.lengths(best), Proposal())
    results = [now, *_with_scales(compared, now, given, costs_of)]
    return _logarithms(compared, results, given, costs_of) or _scales(compared, results)


def _scales(compared: Comparison, results: Sequence[_Result]) -> Proposal | None:
    """Return scales with clearly better clusters than the first result.

    Among equal results, the scales that are nearest to the widths of the clusters are the most accurate.
    """
    codes, sample = compared.codes, compared.sample
    by_forest = codes.prefers_forest([result.lengths for result in results])
    best = min(results, key=lambda result: result.lengths.of(by_forest))
    leads = results[0].lengths.steps(by_forest) - best.lengths.steps(by_forest)
    widths = widths_within(sample.rows, best.labels, sample.weights)
    if widths is None or not _is_clear(leads, codes.n_rows):
        return None
    equal = [each.proposal for each in results if each.lengths.of(by_forest) == best.lengths.of(by_forest)]
    return min(equal, key=lambda proposal: float(np.abs(np.log(np.divide(proposal.scales, widths))).max()))


def _is_clear(leads: FloatArray, n_rows: int) -> bool:
    """Return whether a lead, (T,) nats per row, is strong evidence and significant over the steps."""
    return leads.sum() * n_rows > STRONG_EVIDENCE and is_significant(leads)


def _with_scales(
    compared: Comparison, now: _Result, given: FixedParameters, costs_of: CostsOf
) -> Iterator[_Result]:
    """Yield results of features that are divided by widths. The rows are encoded as they are.

    The first scales are the widths of all rows, and those of the clusters. Then the widths are measured again
    from the best result.
    """
    sample, codes = compared.sample, compared.codes
    one_cluster = [np.zeros(len(rows), dtype=np.int64) for rows in sample.rows]
    for start in (one_cluster, now.labels):
        labels = start
        for _ in range(MAX_ROUNDS):
            scales = widths_within(sample.rows, labels, sample.weights)
            if scales is None or not are_unequal(scales):
                break
            changed = _with_rows(sample, [rows / scales for rows in sample.rows])
            found = [
                _Result(each, codes.lengths(each), Proposal(scales=scales))
                for each in _clusterings(changed, given, costs_of)
            ]
            yield from found
            by_forest = codes.prefers_forest([result.lengths for result in found])
            labels = min(found, key=lambda result: result.lengths.of(by_forest)).labels


def _logarithms(
    compared: Comparison, results: Sequence[_Result], given: FixedParameters, costs_of: CostsOf
) -> Proposal | None:
    """Return positive features, if their logarithms have other and clearly better clusters."""
    sample = compared.sample
    positive = np.flatnonzero(np.min([rows.min(axis=0) for rows in sample.rows], axis=0) > 0.0).tolist()
    if not positive or sample.weights is not None or compared.codes.has_copies:
        return None
    found = _with_logarithms(compared, positive, given, costs_of)
    if found is None or not _leads(found, compared, results):
        return None
    found = _without_useless(found, compared, given, costs_of)
    if all(np.array_equal(a, b) for a, b in zip(results[0].labels, found.labels, strict=True)):
        return None
    return Proposal(logarithms=found.features) if _leads(found, compared, results) else None


class _Logarithms(NamedTuple):
    """Clusters of the logarithms of some features, and their code."""

    features: tuple[int, ...]
    labels: list[IntArray]
    by_forest: bool
    steps: FloatArray  # (T,) nats per row of the values


def _with_logarithms(
    compared: Comparison, features: Sequence[int], given: FixedParameters, costs_of: CostsOf
) -> _Logarithms | None:
    """Return the best clusters of the logarithms; None if the rows were projected before they were encoded.

    The logarithms are encoded. By the change of variables, the density of a value is that of its logarithm,
    divided by the value.
    """
    sample, columns = compared.sample, list(features)
    changed = [rows.copy() for rows in sample.rows]
    for rows in changed:
        rows[:, columns] = np.log(rows[:, columns])
    other = Comparison(_with_rows(sample, changed), costs_of)
    old_unit, new_unit = (_unit(each.sample.rows, each.codes) for each in (compared, other))
    if old_unit is None or new_unit is None:
        return None
    clusterings = list(_clusterings(other.sample, given, costs_of))
    lengths = [other.codes.lengths(labels) for labels in clusterings]
    by_forest = other.codes.prefers_forest(lengths)
    best = int(np.argmin([each.of(by_forest) for each in lengths]))
    of_units = sample.rows[0].shape[1] * np.log(new_unit / old_unit)
    of_values = np.array([rows[:, columns].sum() + len(rows) * of_units for rows in changed])
    steps = lengths[best].steps(by_forest) + of_values / compared.codes.n_rows
    return _Logarithms(tuple(features), clusterings[best], by_forest, steps)


def _without_useless(
    found: _Logarithms, compared: Comparison, given: FixedParameters, costs_of: CostsOf
) -> _Logarithms:
    """Leave out features whose logarithms are not clearly better than their values.

    A coordinate may be positive only because of the position of a sensor.
    """
    while len(found.features) > 1:
        fewer = [[other for other in found.features if other != each] for each in found.features]
        tried = [_with_logarithms(compared, features, given, costs_of) for features in fewer]
        equal = [other for other in tried if other is not None and other.by_forest == found.by_forest]
        best = min(equal, key=lambda other: float(other.steps.sum()), default=None)
        if best is None or _is_clear(best.steps - found.steps, compared.codes.n_rows):
            return found
        found = best
    return found


def _leads(found: _Logarithms, compared: Comparison, results: Sequence[_Result]) -> bool:
    """Return whether logarithms are clearly better than the best result without them, by the same code."""
    others = [compared.shortest(found.by_forest), *(result.lengths for result in results)]
    before = min(others, key=lambda each: each.of(found.by_forest)).steps(found.by_forest)
    return _is_clear(before - found.steps, compared.codes.n_rows)


def _with_rows(sample: FirstBatches, batches: Sequence[FloatArray]) -> FirstBatches:
    return sample._replace(rows=tuple(map(np.ascontiguousarray, batches)))


def _clusterings(sample: FirstBatches, given: FixedParameters, costs_of: CostsOf) -> Iterator[list[IntArray]]:
    """Yield the labels of the sample by each of the parameters that are tried."""
    for each in candidates(sample.rows, given, sample.mass):
        if not each.exclusive:
            yield cluster_sample(sample, each, costs_of(each, sample.interval))[1]


def _unit(batches: Sequence[FloatArray], codes: TwoCodes) -> float | None:
    """Return the length by which rows were divided before they were encoded; None if they were projected."""
    rows, encoded = np.concatenate(batches), codes.rows
    if rows.shape != encoded.shape:
        return None
    return float(np.linalg.norm(rows - rows[0]) / np.linalg.norm(encoded - encoded[0]))


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
