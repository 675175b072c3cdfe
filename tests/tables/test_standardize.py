from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dynmeans._tables.standardize import learn_scale, scale_of_parts

tables = st.integers(1, 12).flatmap(
    lambda n: arrays(float, (n, 2), elements=st.floats(-1e6, 1e6, allow_subnormal=False))
)


@given(tables)
def test_scaled_rows_come_back(X: np.ndarray) -> None:
    scale, _ = learn_scale(X)
    assert np.allclose(scale.undo(scale.apply(X)), X, rtol=1e-12, atol=1e-9 * (1 + np.abs(X).max()))


def test_scaled_features_have_mean_zero_and_deviation_one_in_any_unit() -> None:
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1e-200, 1.0, 1e200] + [0.0, 5.0, 0.0]
    scaled = learn_scale(X).scale.apply(X)
    assert np.allclose(scaled.mean(axis=0), 0.0)
    assert np.allclose(scaled.std(axis=0), 1.0)


def test_equal_rows_are_left_at_their_distance() -> None:
    scale, is_constant = learn_scale(np.array([[3.0, 1.0], [3.0, 2.0]]))
    assert is_constant.tolist() == [True, False]
    assert scale.apply(np.array([[4.0, 1.5]])).tolist() == [[1.0, 0.0]]


def test_equal_rows_of_any_weight_are_constant() -> None:
    """The products of a value and the weights are rounded, so the mean may differ from the value."""
    rng = np.random.default_rng(0)
    for value in rng.random(200):
        scale, is_constant = learn_scale(np.full((3, 1), value), rng.random(3))
        assert is_constant.all()
        assert scale.deviation.tolist() == [1.0]


def test_weight_n_equals_n_rows() -> None:
    X, copies = np.array([[0.0], [1.0], [9.0]]), np.array([2, 3, 0])
    weighted, _ = learn_scale(X, copies.astype(float))
    repeated, _ = learn_scale(np.repeat(X, copies, axis=0))
    assert np.allclose(weighted.mean, repeated.mean)
    assert np.allclose(weighted.deviation, repeated.deviation)


def test_parts_in_any_order_have_the_scale_of_all_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(999, 3)) * [1e-150, 1.0, 1e12] + [0.0, 1e9, 0.0]
    weights = rng.uniform(size=999)
    whole, _ = learn_scale(X, weights)
    order = rng.permutation(999)
    parts = [(X[rows], weights[rows]) for rows in np.array_split(order, 7)]
    scale, _ = scale_of_parts(lambda measure, *arguments: [measure(*part, *arguments) for part in parts])
    assert scale.mean.tolist() == whole.mean.tolist()
    assert scale.deviation.tolist() == whole.deviation.tolist()
    assert np.allclose(whole.mean, np.average(X, axis=0, weights=weights), rtol=1e-12)
