from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from dynmeans import metrics

Metric = Callable[[Any, Any], float]

PAIRWISE = [
    metrics.tracking_accuracy,
    metrics.per_step_accuracy,
    metrics.identity_f1,
    metrics.identity_switches,
]
every_metric = pytest.mark.parametrize("metric", PAIRWISE)


@every_metric
def test_runs_of_different_length_are_refused(metric: Metric) -> None:
    with pytest.raises(ValueError, match="true_batches has 2 batches but found_batches has 1"):
        metric([[0], [0]], [[5]])


@every_metric
def test_the_batch_with_different_rows_is_named(metric: Metric) -> None:
    with pytest.raises(ValueError, match="batch 1 has 2 rows in true_batches but 3 in found_batches"):
        metric([[0], [0, 0]], [[5], [5, 5, 5]])


@every_metric
@pytest.mark.parametrize(("nothing", "n_batches"), [([], 0), ([[], []], 2)])
def test_a_run_without_points_is_refused(metric: Metric, nothing: list[list[int]], n_batches: int) -> None:
    with pytest.raises(ValueError, match=f"true_batches has no points in {n_batches} batches"):
        metric(nothing, nothing)


def test_lifetimes_of_a_run_without_points_are_refused() -> None:
    with pytest.raises(ValueError, match="found_batches has no points in 1 batches"):
        metrics.lifetimes([[]])


@pytest.mark.parametrize("labels", [[0.5, 1.0], ["a", "b"], [True, False], [None, 1]])
def test_labels_that_are_not_integers_are_refused(labels: list[Any]) -> None:
    with pytest.raises(TypeError, match=r"found_batches\[1\] has dtype .*; labels must be integers"):
        metrics.tracking_accuracy([[0], [0, 0]], [[5], labels])


@pytest.mark.parametrize("labels", [0, [[0, 1]]])
def test_labels_that_are_not_one_row_are_refused(labels: Any) -> None:
    with pytest.raises(ValueError, match=r"true_batches\[0\] has shape .* one-dimensional"):
        metrics.identity_f1([labels], [[0]])


def test_an_unsigned_label_that_would_turn_into_noise_is_refused() -> None:
    huge = np.array([2**64 - 1], dtype=np.uint64)
    with pytest.raises(ValueError, match=r"found_batches\[0\] has the label 18446744073709551615"):
        metrics.tracking_accuracy([[0]], [huge])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_labels_of_any_integer_type_mean_the_same(dtype: type) -> None:
    found = [np.array([5, 5, 6], dtype=dtype), np.array([6, 5], dtype=dtype)]
    assert metrics.tracking_accuracy([[0, 0, 1], [0, 1]], found) == 0.5


def test_batches_may_come_from_generators() -> None:
    def once(batches: Iterable[list[int]]) -> Iterable[list[int]]:
        yield from batches

    assert metrics.identity_f1(once([[0], [1]]), once([[5], [6]])) == 1.0


def test_labels_are_not_changed() -> None:
    true, found = np.array([3, 3, 1]), np.array([-1, 8, 2])
    metrics.tracking_accuracy([true], [found])
    assert true.tolist() == [3, 3, 1]
    assert found.tolist() == [-1, 8, 2]


MASKED = np.ma.MaskedArray([0, 1], mask=[False, True])


@every_metric
def test_masked_labels_are_refused(metric: Metric) -> None:
    with pytest.raises(ValueError, match=r"found_batches\[1\] has masked entries"):
        metric([[0], [0, 0]], [[5], MASKED])
    with pytest.raises(ValueError, match=r"true_batches\[0\] has masked entries"):
        metric([MASKED], [[0, 0]])


def test_masked_points_weights_and_similarities_are_refused() -> None:
    ids, rows = [[0, 1]], [[[0.0], [1.0]]]
    masked = np.ma.MaskedArray(rows[0], mask=[[False], [True]])
    with pytest.raises(ValueError, match=r"point_batches\[0\] has masked entries"):
        metrics.cmm([masked], ids, ids)
    with pytest.raises(ValueError, match=r"weight_batches\[0\] has masked entries"):
        metrics.weighted_accuracy(ids, ids, [MASKED])
    with pytest.raises(ValueError, match=r"found_positions\[0\] has masked entries"):
        metrics.objects_from_positions(ids, rows, ids, [masked], zero_distance=1.0)
    with pytest.raises(ValueError, match=r"similarity_batches\[0\] has masked entries"):
        metrics.hota(ids, ids, [np.ma.MaskedArray(np.eye(2), mask=np.eye(2))])
    assert metrics.identity_f1([np.ma.MaskedArray([0, 1])], ids) == 1.0
