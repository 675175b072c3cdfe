"""Distances of the warnings, against NumPy and SciPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from dynmeans._core import farthest_from_others, squared_span
from strategies import seeds


@given(
    seeds, st.integers(1, 9), st.integers(2, 5), st.integers(1, 4), st.sampled_from([np.float32, np.float64])
)
@settings(max_examples=60, deadline=None)
def test_span_and_farthest_row_equal_their_definitions(seed, n, n_centers, d, dtype):
    rng = np.random.default_rng(seed)
    rows, centers = rng.normal(size=(n, d)).astype(dtype), rng.normal(size=(n_centers, d))
    own = rng.integers(n_centers, size=n)
    both = np.concatenate([rows, centers])
    assert squared_span(rows, centers) == pytest.approx(np.sum(np.ptp(both, axis=0) ** 2))
    away = cdist(rows, centers, "sqeuclidean")
    away[np.arange(n), own] = np.inf
    assert farthest_from_others(rows, own, centers) == pytest.approx(away.min(axis=1).max())


def test_tables_of_different_size_are_refused():
    with pytest.raises(ValueError, match="same length"):
        squared_span(np.ones((2, 2)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="there must be two"):
        farthest_from_others(np.ones((2, 2)), np.zeros(2, dtype=np.int64), np.ones((1, 2)))
