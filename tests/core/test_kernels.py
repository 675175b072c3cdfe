"""Loops over pairs of points, against their obvious twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans import _core
from strategies import seeds


def gaussian(a, b, bandwidth):
    out = np.full((len(a), len(b)), np.nan)
    _core.rbf_kernel(a, b, bandwidth, out)
    return out


@given(seeds, st.integers(1, 70), st.integers(1, 70), st.integers(1, 4), st.sampled_from([0.01, 0.3, 5.0]))
@settings(max_examples=100, deadline=None)
def test_the_gaussian_kernel_is_exact_to_the_last_digits(seed, n, m, d, bandwidth):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    for right in (a, b):
        slow = np.exp(-0.5 * (((a / bandwidth)[:, None] - right / bandwidth) ** 2).sum(axis=2))
        np.testing.assert_allclose(gaussian(a, right, bandwidth), slow, rtol=1e-12, atol=1e-300)


def test_points_against_themselves_give_a_symmetric_matrix_with_ones_on_the_diagonal():
    points = np.random.default_rng(0).normal(size=(101, 3))
    matrix = gaussian(points, points, 0.7)
    assert (matrix == matrix.T).all()
    assert (matrix.diagonal() == 1.0).all()


def test_points_of_different_dimension_are_refused():
    with pytest.raises(ValueError, match="got 2 and 3"):
        gaussian(np.zeros((1, 2)), np.zeros((1, 3)), 1.0)


def test_a_result_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"shape \(2, 2\)"):
        _core.rbf_kernel(np.zeros((2, 2)), np.zeros((2, 2)), 1.0, np.zeros((2, 3)))
