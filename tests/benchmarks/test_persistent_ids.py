from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchmarks import persistent_ids
from benchmarks.rows import Row
from dynmeans import PersistentIds


def test_seeds_for_choosing_are_not_those_reported() -> None:
    assert not set(persistent_ids.CHOOSING_SEEDS) & set(persistent_ids.REPORTED_SEEDS)
    assert len(persistent_ids.REPORTED_SEEDS) == 50


def test_the_interval_is_that_of_a_one_sample_t_test() -> None:
    values = np.array([0.1, 0.3, 0.2, 0.5])
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert persistent_ids.interval(values) == pytest.approx((expected.low, expected.high))


def test_the_target_is_reached_only_where_the_whole_interval_is_above_zero() -> None:
    def reached(ours: list[float]) -> Row:
        return persistent_ids.compare("x", ours, [0.2, 0.2, 0.2], 0.0)[1]

    assert reached([0.5, 0.5, 0.6]).reached is True
    assert reached([0.2, 0.2, 0.6]).reached is False


def test_given_labels_equal_those_of_the_clusterer() -> None:
    clusterer = persistent_ids.CLUSTERERS["KMeans(5)"]
    found = persistent_ids.cluster(clusterer, seed=7, n_steps=4)
    model, twin = PersistentIds(clusterer), PersistentIds()
    for X, labels in zip(found.stream.batches, found.labels, strict=True):
        np.testing.assert_array_equal(model.partial_fit(X).labels_, twin.update(X, labels).labels_)


def test_the_gate_is_chosen_from_the_grid() -> None:
    assert persistent_ids.choose_gate("HDBSCAN()", seeds=[1000], n_steps=5) in persistent_ids.GATES
