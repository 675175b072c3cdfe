"""Rows put in order and added up, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans.core import distinct_rows, expand_centers, slot_sums
from strategies import seeds


@given(seeds, st.integers(1, 60), st.integers(1, 3), st.booleans())
@settings(max_examples=100, deadline=None)
def test_distinct_rows_are_those_of_numpy_with_the_weights_of_their_copies(seed, n, d, weighted):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(n, d)) * 0.5
    weights = rng.uniform(0.5, 2.0, size=n) if weighted else None
    rows, mass, which = distinct_rows(X, weights)
    expected, inverse = np.unique(X, axis=0, return_inverse=True)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(which, inverse.reshape(-1))
    np.testing.assert_allclose(mass, np.bincount(which, weights=weights))


@given(seeds, st.integers(1, 40), st.integers(0, 3), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_slot_sums_are_those_of_a_loop(seed, n, d, n_slots):
    rng = np.random.default_rng(seed)
    slots, weights, X = rng.integers(n_slots, size=n), rng.uniform(size=n), rng.normal(size=(n, d))
    taken, sums = slot_sums(slots, weights, X, n_slots)
    for k in range(n_slots):
        assert taken[k] == pytest.approx(weights[slots == k].sum())
        np.testing.assert_allclose(sums[k], weights[slots == k] @ X[slots == k], atol=1e-12)


def test_a_slot_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match=r"0 \.\. 1, got 2"):
        slot_sums(np.array([0, 2]), np.ones(2), np.zeros((2, 1)), 2)


@given(seeds, st.integers(1, 60), st.integers(1, 4), st.integers(1, 6), st.integers(1, 20))
@settings(max_examples=150, deadline=None)
def test_points_are_sorted_by_slot_and_merged_by_place_where_there_are_too_many(seed, n, n_slots, m, budget):
    rng = np.random.default_rng(seed)
    slots, places, shares = rng.integers(n_slots, size=n), rng.integers(m, size=n), rng.normal(size=n)
    weight = rng.integers(0, 2, size=n_slots).astype(float)
    expected = []
    for k in np.flatnonzero(weight):
        mine = np.flatnonzero(slots == k)
        if len(mine) <= budget:
            expected += [(i, k, shares[i]) for i in mine]
        else:
            together = [mine[places[mine] == p] for p in dict.fromkeys(places[mine])]
            expected += [(who[0], k, shares[who].sum()) for who in together]
    found = list(zip(*expand_centers(slots, shares, weight, places, m, budget), strict=True))
    assert [point[:2] for point in found] == [point[:2] for point in expected]
    np.testing.assert_allclose([p[2] for p in found], [p[2] for p in expected], atol=1e-12)
