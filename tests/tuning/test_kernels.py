from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dynmeans import KDMeans, SDMeans, tune
from dynmeans.datasets import moving_gaussians, moving_rings
from dynmeans.kernels import MST, RBF, Diffusion
from dynmeans.metrics import tracking_accuracy
from dynmeans.tuning._space import birth_costs

FIRST = 5  # steps to tune on


@pytest.fixture(scope="module")
def rings() -> Any:
    return moving_rings(10, n_points=120, radii=(0.4, 0.0), random_state=3)


def tracked(model: Any, stream: Any) -> float:
    found = [step.labels for step in model.stream(stream.batches)]
    return tracking_accuracy(stream.labels[FIRST:], found[FIRST:])


def a_model(kernel: Any, **params: Any) -> KDMeans:
    return KDMeans(**{"kernel": kernel, **params}, motion="align", n_restarts=1, random_state=0)


def test_good_defaults_are_kept(rings: Any) -> None:
    found = tune(rings.batches[:FIRST], a_model("mst"), budget=10, random_state=0)
    assert found.best_params_["lifetime"] == pytest.approx(12.0)
    assert tracked(a_model("mst"), rings) > 0.95
    assert tracked(a_model(**found.best_params_), rings) > 0.9


def test_poor_defaults_are_replaced(rings: Any) -> None:
    found = tune(rings.batches[:FIRST], a_model("rbf"), budget=14, random_state=0)
    assert tracked(a_model("rbf"), rings) < 0.8
    assert tracked(a_model(**found.best_params_), rings) > 0.9


@pytest.mark.parametrize("strategy", ["refine", "grid", "optuna"])
def test_the_defaults_are_tried_within_the_budget(rings: Any, strategy: Any) -> None:
    if strategy == "optuna":
        pytest.importorskip("optuna", reason='pip install "dynmeans[tune]"')
    tried: list[Any] = []
    tune(
        rings.batches[:2], a_model("mst"), budget=6, strategy=strategy, random_state=0, on_trial=tried.append
    )
    assert tried[0].params["kernel"] == MST()
    assert tried[0].params["lifetime"] == pytest.approx(12.0)
    assert len(tried) <= 6 + 6  # and all of them again


@pytest.mark.parametrize("kernel", [RBF(), MST(), Diffusion()])
def test_the_kernels_own_parameter_is_searched(rings: Any, kernel: Any) -> None:
    found = tune([X[:60] for X in rings.batches[:2]], SDMeans(kernel), budget=3, random_state=0)
    kernels = found.table_["kernel"].tolist()
    assert kernel in kernels
    assert len(set(kernels)) == 3


def test_a_given_parameter_is_kept(rings: Any) -> None:
    found = tune(rings.batches[:2], SDMeans(RBF(0.1)), budget=3, random_state=0)
    assert "kernel" not in found.table_


@pytest.mark.parametrize("change", [lambda X: 1000 * X, lambda X: X + 1e6])
def test_scale_and_translation_change_no_label(rings: Any, change: Any) -> None:
    here = tune(rings.batches[:3], a_model("mst"), budget=8, random_state=0)
    there = tune([change(X) for X in rings.batches[:3]], a_model("mst"), budget=8, random_state=0)
    np.testing.assert_array_equal(here.best_estimator_.labels_, there.best_estimator_.labels_)
    np.testing.assert_allclose(here.table_["score"], there.table_["score"], atol=1e-5)


def test_a_kernel_is_chosen_from_several(rings: Any) -> None:
    kernels = [RBF(0.02), RBF(0.2), RBF(2.0)]
    found = tune(rings.batches[:FIRST], a_model("rbf"), kernels=kernels, budget=12, random_state=0)
    assert found.best_params_["kernel"] == RBF(0.2)
    assert found.best_params_["relative"] is True


@pytest.mark.parametrize("height", [1.0, 50.0])
def test_a_function_of_row_numbers_is_tuned_in_its_own_space(height: float) -> None:
    stream = moving_gaussians(3, 4, points_per_cluster=15, noise=0.02, motion=0.01, death=0.0, random_state=1)
    table = np.concatenate(stream.batches)
    numbers = np.split(np.arange(len(table), dtype=float)[:, None], 4)

    def look_up(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return height * RBF(0.1).between(table[a[:, 0].astype(int)], table[b[:, 0].astype(int)])

    found = tune(numbers, SDMeans(look_up), budget=10, random_state=0)
    rows = [step.labels for step in SDMeans(look_up, **found.best_params_).stream(numbers)]
    assert tracking_accuracy(stream.labels, rows) > 0.95


def test_a_linear_kernel_is_tuned_as_dmeans_is() -> None:
    stream = moving_gaussians(3, 8, noise=0.03, motion=0.03, random_state=2)
    linear = tune(stream.batches, KDMeans("linear"), budget=16, random_state=0)
    assert linear.best_params_["relative"] is False
    low, high = birth_costs(stream.batches)
    births = linear.table_["birth_cost"]
    assert low <= min(births) <= max(births) <= high
    labels = [step.labels for step in linear.best_estimator_.stream(stream.batches)]
    assert tracking_accuracy(stream.labels, labels) > 0.9
