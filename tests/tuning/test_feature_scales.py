"""`tune` divides features by the spread of clusters where this gives a better result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.cluster import DBSCAN

from dynmeans import DMeans, PersistentIds, tune
from dynmeans._algorithms.estimation.better_features import widths_within
from dynmeans.datasets import moving_gaussians
from dynmeans.metrics import tracking_accuracy

RATIO = 30.0


def long_clusters(n_steps: int = 12) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Two clusters that are wide in the second feature and separate in the first."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 30)
    rows = [
        np.column_stack([labels + 0.05 * t + rng.normal(0, 0.1, 60), rng.normal(0, 0.1 * RATIO, 60)])
        for t in range(n_steps)
    ]
    return rows, [labels] * n_steps


@pytest.fixture(scope="module")
def found() -> Any:
    return tune(long_clusters()[0], budget=40, random_state=0, n_jobs=1)


def test_long_clusters_are_found_by_scaled_features(found: Any) -> None:
    rows, labels = long_clusters()
    narrow, wide = found.best_params_["feature_scales"]
    assert wide / narrow > 4.0
    model = DMeans(**found.best_params_, random_state=0)
    assert tracking_accuracy(labels, [step.labels for step in model.stream(rows)]) > 0.99
    fixed = tune(rows, DMeans(feature_scales=(1.0, 1.0)), budget=40, random_state=0)
    assert "feature_scales" not in fixed.best_params_
    assert found.best_score_ < fixed.best_score_


def test_the_table_has_all_candidates_with_the_best_first(found: Any) -> None:
    scales, orders = found.table_["feature_scales"], found.table_["n_orders"]
    assert scales[0] == found.best_params_["feature_scales"]
    assert sum(value is None for value in scales) == 40
    finalists = orders == orders.max()
    assert list(finalists) == sorted(finalists, reverse=True)
    for part in (found.table_["score"][1:][finalists[1:]], found.table_["score"][~finalists]):
        assert list(part) == sorted(part)


def test_the_ratio_of_features_changes_no_label() -> None:
    rows, labels = long_clusters()
    scaled = [X * (1.0, 1.0 / RATIO) for X in rows]
    round_clusters = tune(scaled, budget=40, random_state=0)
    assert "feature_scales" not in round_clusters.best_params_
    found = [step.labels for step in DMeans(**round_clusters.best_params_, random_state=0).stream(scaled)]
    assert tracking_accuracy(labels, found) > 0.99


@pytest.mark.parametrize("strategy", ["grid", "paper"])
def test_other_strategies_search_no_scales(strategy: Any) -> None:
    found = tune(long_clusters()[0], budget=12, strategy=strategy, random_state=0)
    assert "feature_scales" not in found.table_


def test_widths_within_clusters() -> None:
    rng = np.random.default_rng(1)
    labels = [np.repeat([0, 1, -1], [200, 200, 5])] * 3
    rows = [
        np.column_stack([ids + rng.normal(0, 0.1, 405), rng.normal(0, 0.4, 405), np.full(405, 7.0)])
        for ids in labels
    ]
    np.testing.assert_allclose(widths_within(rows, labels), (0.5, 2.0, 1.0), rtol=0.1)
    np.testing.assert_allclose(
        widths_within(rows, labels, [np.full(405, 2.0)] * 3), widths_within(rows, labels)
    )
    assert widths_within(rows, [np.arange(405)] * 3) is None


def test_round_clusters_keep_their_features() -> None:
    stream = moving_gaussians(3, 12, noise=0.03, motion=0.03, death=0.02, random_state=2)
    tried: list[Any] = []
    tune(stream.batches, budget=20, random_state=0, on_trial=tried.append)
    assert not any("feature_scales" in trial.params for trial in tried)


def test_the_best_result_may_be_that_of_another_estimator() -> None:
    rng = np.random.default_rng(0)
    stream = moving_gaussians(3, 15, noise=0.02, random_state=0)
    batches = [np.concatenate([X, rng.uniform(0, 1, (20, 2))]) * (3.0, 1.0) for X in stream.batches]
    found = tune(batches, [DMeans(), PersistentIds(DBSCAN())], budget=20, random_state=0, n_jobs=1)
    assert len(found.table_["score"]) >= 20


def test_features_that_the_code_cannot_see_are_not_scaled() -> None:
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [12.0, 0.0], [0.0, 12.0]])
    which = [rng.integers(0, 3, 40) for _ in range(10)]
    rows = [(centers[labels] + rng.normal(size=(40, 2))) * (1e9, 1.0) for labels in which]
    found = tune(rows, budget=20, random_state=0, n_jobs=1)
    assert "feature_scales" not in found.best_params_
