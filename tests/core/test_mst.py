"""The minimum Euclidean spanning tree against SciPy's, over a dense matrix of distances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csgraph
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from dynmeans._core import minimum_spanning_tree
from strategies import seeds


def tree_of(edges, n):
    return coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))


def total_length(X):
    """Length of SciPy's tree; a tiny shift makes edges of zero distances."""
    distances = cdist(X, X)
    shift = 1.0 + distances.max()
    return csgraph.minimum_spanning_tree(distances + shift).sum() - shift * (len(X) - 1)


def grown_length(X):
    """The same for many rows: the tree grows from row 0 by its nearest row (Prim)."""
    squared, total = ((X - X[0]) ** 2).sum(axis=1), 0.0
    outside = np.arange(len(X)) > 0
    squared[0] = np.inf
    for _ in range(len(X) - 1):
        nearest = squared.argmin()
        total += np.sqrt(squared[nearest])
        outside[nearest] = False
        squared = np.where(outside, np.minimum(squared, ((X - X[nearest]) ** 2).sum(axis=1)), np.inf)
    return total


def assert_is_minimum_spanning_tree(X, edges, lengths):
    n = len(X)
    assert edges.shape == (n - 1, 2)
    assert edges.dtype == np.int32
    assert lengths.shape == (n - 1,)
    assert connected_components(tree_of(edges, n), directed=False)[0] == 1
    np.testing.assert_allclose(lengths, np.linalg.norm(X[edges[:, 0]] - X[edges[:, 1]], axis=1), rtol=1e-12)
    assert lengths.sum() == pytest.approx(total_length(X), rel=1e-9, abs=1e-9 * np.abs(X).max())


@given(seeds, st.integers(1, 120), st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_random_rows(seed, n, d):
    X = np.random.default_rng(seed).normal(size=(n, d))
    assert_is_minimum_spanning_tree(X, *minimum_spanning_tree(X))


@given(seeds, st.integers(1, 200), st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_rows_on_a_coarse_grid_with_many_ties_and_copies(seed, n, d, side):
    X = np.random.default_rng(seed).integers(0, side, size=(n, d)).astype(float)
    assert_is_minimum_spanning_tree(X, *minimum_spanning_tree(X))


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_many_rows_on_any_number_of_threads(d):
    rng = np.random.default_rng(d)
    X = rng.uniform(size=(12, d))[rng.integers(12, size=5000)] + 0.05 * rng.normal(size=(5000, d))
    alone, team = minimum_spanning_tree(X, 1), minimum_spanning_tree(X, 3)
    for one, other in zip(alone, team, strict=True):
        np.testing.assert_array_equal(one, other)
    assert alone[1].sum() == pytest.approx(grown_length(X), rel=1e-9)


@pytest.mark.parametrize("side", [2, 20, 60])
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_many_rows_on_a_coarse_grid_with_ties_and_copies(d, side):
    X = np.random.default_rng(side).integers(0, side, size=(3000, d)).astype(float)
    edges, lengths = minimum_spanning_tree(X)
    assert connected_components(tree_of(edges, 3000), directed=False)[0] == 1
    np.testing.assert_allclose(lengths, np.linalg.norm(X[edges[:, 0]] - X[edges[:, 1]], axis=1), rtol=1e-12)
    assert lengths.sum() == pytest.approx(grown_length(X), rel=1e-9)


@pytest.mark.parametrize("n", [2, 3, 9, 1000, 20_000])
def test_equal_rows_are_joined_by_edges_of_length_zero(n):
    edges, lengths = minimum_spanning_tree(np.full((n, 2), 0.1))
    assert len(edges) == n - 1
    assert not lengths.any()


@pytest.mark.parametrize("order", [1, -1])
def test_rows_in_order_on_a_line_are_joined_one_after_another(order):
    X = np.stack([np.arange(50_000.0)[::order], np.zeros(50_000)], axis=1)
    edges, lengths = minimum_spanning_tree(X)
    assert (np.abs(np.diff(edges, axis=1)) == 1).all()
    assert (lengths == 1).all()
    assert len(np.unique(edges.min(axis=1))) == 49_999


def test_gaps_that_double_are_all_kept():
    X = 2.0 ** np.arange(500)[:, None]
    lengths = np.sort(minimum_spanning_tree(X)[1])
    np.testing.assert_array_equal(lengths, 2.0 ** np.arange(499))


def test_one_row_has_no_edges():
    edges, lengths = minimum_spanning_tree(np.zeros((1, 3)))
    assert edges.shape == (0, 2)
    assert lengths.shape == (0,)


@given(seeds, st.sampled_from([60, 2000]), st.sampled_from([1e-290, 1e-12, 3.0, 1e150, 1e300]))
@settings(max_examples=40, deadline=None)
def test_the_tree_follows_the_scale_of_the_rows(seed, n, scale):
    X = np.random.default_rng(seed).uniform(-1, 1, size=(n, 2))
    lengths, scaled = minimum_spanning_tree(X)[1], minimum_spanning_tree(scale * X)[1]
    np.testing.assert_allclose(np.sort(scaled), scale * np.sort(lengths), rtol=1e-9)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_rows_that_are_not_finite_are_refused(value):
    with pytest.raises(ValueError, match="every coordinate must be finite"):
        minimum_spanning_tree(np.array([[0.0, 1.0], [value, 2.0]]))


def test_no_rows_are_refused():
    with pytest.raises(ValueError, match="X has 0 rows; it must have 1"):
        minimum_spanning_tree(np.empty((0, 2)))
