"""Sorted and summed rows, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans._core import cluster_means, expand_centers, unique_rows
from strategies import seeds


@given(seeds, st.integers(1, 60), st.integers(1, 3), st.booleans())
@settings(max_examples=100, deadline=None)
def test_distinct_rows_are_those_of_numpy_with_the_weights_of_their_copies(seed, n, d, weighted):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(n, d)) * 0.5
    weights = rng.uniform(0.5, 2.0, size=n) if weighted else None
    rows, mass, which = unique_rows(X, weights)
    expected, inverse = np.unique(X, axis=0, return_inverse=True)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(which, inverse.reshape(-1))
    np.testing.assert_allclose(mass, np.bincount(which, weights=weights))


@given(seeds, st.integers(1, 60), st.sampled_from([1.0, 1e-310, 1e150, 1e308]), st.booleans())
@settings(max_examples=100, deadline=None)
def test_rows_are_in_lexical_order_for_any_spread_of_the_first_coordinate(seed, n, size, crowded):
    """Evenly spread, all but one close together, closer than normal numbers, or too far for a difference."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, size=(n, 2)) * size
    X[1:, 0] *= 1e-9 if crowded else 1.0
    rows, _, which = unique_rows(X, None)
    np.testing.assert_array_equal(rows, np.unique(X, axis=0))
    np.testing.assert_array_equal(rows[which], X)


def some_step(seed, n, d, n_old, n_born):
    """Slots of rows, none of the newborn empty, with weights that are often equal."""
    rng = np.random.default_rng(seed)
    born = n_old + np.arange(n_born)
    slots = np.concatenate([born, rng.integers(n_old + n_born, size=n)])
    X, weights = rng.normal(size=(len(slots), d)), rng.integers(1, 3, size=len(slots)).astype(float)
    return slots, weights, X, rng.normal(size=(n_old, d)), rng.uniform(0.1, 5.0, size=n_old)


@given(seeds, st.integers(1, 40), st.integers(0, 3), st.integers(0, 3), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_slots_have_the_means_of_their_rows_and_of_the_past(seed, n, d, n_old, n_born):
    slots, weights, X, centers, gammas = some_step(seed, n, d, n_old, n_born)
    found, means, taken = cluster_means(slots, weights, X, centers, gammas)
    np.testing.assert_array_equal(found[slots < n_old], slots[slots < n_old])
    for k in range(n_old + n_born):
        inside = found == k
        assert len(set(slots[inside])) <= 1
        assert taken[k] == pytest.approx(weights[inside].sum())
        gamma = gammas[k] if k < n_old else 0.0
        past = gamma * centers[k] if k < n_old else 0.0
        np.testing.assert_allclose(
            (gamma + taken[k]) * means[k], weights[inside] @ X[inside] + past, atol=1e-12
        )


@given(seeds, st.integers(1, 20), st.integers(0, 3), st.integers(2, 5))
@settings(max_examples=100, deadline=None)
def test_newborn_slots_come_by_size_then_by_nearness_to_the_middle(seed, n, n_old, n_born):
    slots, weights, X, centers, gammas = some_step(seed, n, 2, n_old, n_born)
    _, means, taken = cluster_means(slots, weights, X, centers, gammas)
    squared = np.sum((means - weights @ X / weights.sum()) ** 2, axis=1)[n_old:]
    near = squared / squared.max() if squared.max() > 0 else squared
    for a in range(n_born - 1):  # distances are rounded to a millionth, so rounding errors do not matter
        smaller = taken[n_old + a + 1] < taken[n_old + a]
        assert smaller or (taken[n_old + a + 1] == taken[n_old + a] and near[a] <= near[a + 1] + 1.1e-6)


def test_a_slot_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match=r"0 \.\. 1, got 2"):
        cluster_means(np.array([0, 2]), np.ones(2), np.zeros((2, 1)), np.empty((0, 1)), np.empty(0))


@given(
    seeds, st.integers(0, 20), st.integers(1, 40), st.integers(1, 4), st.integers(1, 6), st.integers(1, 20)
)
@settings(max_examples=150, deadline=None)
def test_points_are_sorted_by_slot_and_merged_by_position_over_the_budget(seed, n_kept, n, n_old, m, budget):
    """The points of slots without rows are unchanged."""
    rng = np.random.default_rng(seed)
    owner, slots = np.sort(rng.integers(n_old, size=n_kept)), rng.integers(n_old + 1, size=n)
    coefficients, weights, gammas = rng.normal(size=n_kept), rng.uniform(size=n), rng.uniform(size=n_old)
    taken, positions = np.bincount(slots, weights, n_old + 1), rng.integers(m, size=n_kept + n)
    every, mass = np.concatenate([owner, slots]), taken + np.append(gammas, 0.0)
    shares = np.concatenate([gammas[owner] * coefficients, weights]) / mass[every]
    expected, crowded = [], []
    for k in range(n_old + 1):
        mine = np.flatnonzero(every == k)
        if taken[k] == 0:
            expected += [(n_kept + n + i, k, coefficients[i]) for i in mine]
            continue
        together = [mine[positions[mine] == p] for p in dict.fromkeys(positions[mine])]
        together = [[i] for i in mine] if len(mine) <= budget else together
        expected += [(who[0], k, shares[who].sum()) for who in together]
        crowded += [k] if len(together) > budget else []
    kept, rows, asleep = (rng.normal(size=(count, 2)) for count in (n_kept, n, n_kept))
    ids = np.sort(rng.choice(30, size=n_old + 1, replace=False))
    taking = owner, coefficients, slots.astype(np.int32), weights, gammas, taken, positions, m, budget
    points, found, shares, names, begin, over = expand_centers(kept, rows, asleep, ids, *taking)
    which, slot, share = zip(*expected, strict=True)
    assert points.tolist() == list(which)
    np.testing.assert_array_equal(found, np.concatenate([kept, rows, asleep])[points])
    np.testing.assert_allclose(shares, share, atol=1e-12)
    assert names.tolist() == ids[list(slot)].tolist()
    assert begin.tolist() == np.searchsorted(slot, np.arange(n_old + 2)).tolist()
    assert over.tolist() == crowded
