"""The scores and `tune` refuse invalid streams in one line that names the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dynmeans import DMeans, tune
from dynmeans.tuning import code_length, pair_score

RNG = np.random.default_rng(0)
BATCHES = [RNG.normal(size=(20, 2)) for _ in range(3)]
LABELS = [np.arange(20) % 3] * 3
WEIGHTS = [np.ones(20)] * 3
MASKED = np.ma.MaskedArray(np.arange(20) % 3, mask=np.arange(20) == 4)


def with_second(values: list[Any], other: Any) -> list[Any]:
    return [values[0], other, *values[2:]]


@pytest.mark.parametrize("score", [code_length, pair_score])
@pytest.mark.parametrize(
    "labels",
    [
        *(np.arange(5), np.arange(99), np.zeros((20, 2), int), np.zeros(20), 3, None, np.array(["a"] * 20)),
        *(MASKED, np.full(20, 2**64 - 1, dtype=np.uint64)),
    ],
)
def test_labels_that_do_not_fit_the_rows_are_refused(score: Any, labels: Any) -> None:
    with pytest.raises(ValueError, match=r"labels\[1\]: ") as caught:
        score(BATCHES, with_second(LABELS, labels))
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("score", [code_length, pair_score])
@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        (np.full((20, 2), np.nan), r"batches\[1\]: .*NaN"),
        (np.ones(20), r"batches\[1\]: Expected 2D"),
        (np.full((20, 2), 1e308), r"batches\[1\]: coordinates must lie within"),
        (np.ma.MaskedArray(BATCHES[1], mask=True), r"batches\[1\]: X must have no masked entries"),
        (np.ones((20, 3)), "same number of features"),
        (np.ones((7, 2)), r"labels\[1\]: must be 7 whole numbers"),
    ],
)
def test_rows_that_are_invalid_are_refused(score: Any, rows: Any, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        score(with_second(BATCHES, rows), LABELS)


@pytest.mark.parametrize("weights", [np.ones(5), -np.ones(20), np.full(20, 1e308), MASKED])
def test_weights_that_are_invalid_are_refused(weights: Any) -> None:
    with pytest.raises(ValueError, match=r"weights\[1\]: sample_weight"):
        code_length(BATCHES, LABELS, weights=with_second(WEIGHTS, weights))


@pytest.mark.parametrize("times", [[0.0, 1.0], [0.0, 2.0, 1.0], [0.0, np.nan, 1.0], 3.0])
def test_times_that_are_invalid_are_refused(times: Any) -> None:
    with pytest.raises(ValueError, match="times must"):
        code_length(BATCHES, LABELS, times)


@pytest.mark.parametrize("score", [code_length, pair_score])
def test_streams_of_different_length_and_empty_ones_are_refused(score: Any) -> None:
    with pytest.raises(ValueError, match="labels must have one entry for each of 3 batches, got 2"):
        score(BATCHES, LABELS[:2])
    with pytest.raises(ValueError, match="without rows"):
        score([np.empty((0, 2))], [[]])


@pytest.mark.parametrize(
    ("batch", "rule"),
    [
        (1.0, r"batches\[1\]: Expected 2D"),
        (None, r"batches\[1\]: Expected 2D"),
        (BATCHES[0] * 1j, r"batches\[1\]: Complex"),
        (np.ma.MaskedArray(BATCHES[0], mask=True), r"batches\[1\]: X must have no masked"),
        ({"rows": BATCHES[0]}, r"batches\[1\] is a mapping without the rows 'X'; it has \['rows'\]"),
        ({"X": BATCHES[0], "sample_weight": 1e308}, "sample_weight must be 0 or lie within"),
        ({"X": BATCHES[0], "sample_weight": MASKED}, "sample_weight must have no masked"),
        ({"X": BATCHES[0], "sample_weight": np.ones(3)}, r"sample_weight must have shape \(20,\)"),
    ],
)
def test_tune_refuses_an_invalid_batch(batch: Any, rule: str) -> None:
    with pytest.raises(ValueError, match=rule) as caught:
        tune(with_second(BATCHES, batch), DMeans(), budget=1)
    assert len(str(caught.value).splitlines()) == 1
