"""Bounds are stored in single precision, but no result depends on its range."""

import numpy as np
import pytest

from dynmeans import DMeans
from dynmeans._core import max_abs


@pytest.mark.parametrize("power", [-140, 300])
def test_scaling_beyond_the_range_of_single_precision_changes_no_label(power):
    rng = np.random.default_rng(0)
    X = rng.random((12, 3))[rng.integers(12, size=6000)] + 0.2 * rng.standard_normal((6000, 3))
    scale = 2.0**power
    model = DMeans(0.5, n_restarts=2, random_state=0).fit(X)
    scaled = DMeans(0.5 * scale**2, n_restarts=2, random_state=0).fit(scale * X)
    assert model.n_iter_ > 3  # so that bounds were used
    assert scaled.n_iter_ == model.n_iter_
    np.testing.assert_array_equal(scaled.labels_, model.labels_)
    np.testing.assert_allclose(scaled.cluster_centers_, scale * model.cluster_centers_, rtol=1e-12)


@pytest.mark.parametrize("value", [7.0, -7.0, np.nan, np.inf])
def test_the_largest_number_is_the_same_on_any_number_of_threads(value):
    X = np.ones((700_000, 2))
    for row in (0, 350_000, 699_999):
        X[row, 1] = value
        np.testing.assert_equal([max_abs(X, n_threads) for n_threads in (1, 2, 3)], 3 * [abs(value)])
        X[row, 1] = 1.0
