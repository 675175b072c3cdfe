"""A spanning tree with its long edges cut, against SciPy's components and the tree itself."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from dynmeans._core import minimum_spanning_tree, mst_components, tree_distances
from strategies import seeds


@given(seeds, st.integers(1, 80), st.integers(1, 3), st.sampled_from([0.0, 0.03, 0.1, 9.0]))
@example(0, 1600, 2, 0.02)  # more rows than are compared in pairs
@settings(max_examples=150, deadline=None)
def test_components_are_joined_by_short_edges_and_linked_by_long_ones(seed, n, d, scale):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, d))[rng.integers(n, size=n)]
    edges, lengths = minimum_spanning_tree(X)
    component, parent, length = mst_components(X, scale)
    short = edges[lengths <= scale]
    count, expected = connected_components(
        coo_array((np.ones(len(short)), short.T), shape=(n, n)), directed=False
    )
    assert count == len(parent) == len(length)
    assert len(np.unique(np.stack([component, expected]), axis=1).T) == count
    ends = np.sort(component[edges[lengths > scale]], axis=1)
    links = sorted(zip(ends[:, 0], ends[:, 1], lengths[lengths > scale], strict=True))
    assert links == sorted(zip(parent[1:], np.arange(1, count), length[1:], strict=True))


@given(seeds, st.integers(2, 30), st.integers(0, 6))
@settings(max_examples=150, deadline=None)
def test_an_edge_exactly_as_long_as_the_scale_is_short(seed, n, which):
    """The rounded root of a square may be less or more than the number."""
    X = np.random.default_rng(seed).uniform(size=(n, 2))
    lengths = minimum_spanning_tree(X)[1]
    scale = lengths[which % len(lengths)]
    assert len(mst_components(X, scale)[1]) == 1 + np.count_nonzero(lengths > scale)
    assert len(mst_components(X, np.nextafter(scale, 0.0))[1]) == 1 + np.count_nonzero(lengths >= scale)


@given(seeds, st.integers(1, 80))
@example(0, 1600)
@settings(deadline=None)
def test_parents_come_before_their_children(seed, n):
    component, parent, length = mst_components(np.random.default_rng(seed).uniform(size=(n, 2)), 0.05)
    assert component[0] == 0
    assert (parent < np.arange(len(parent))).all()
    assert parent[0] == -1
    assert length[0] == 0


@given(seeds, st.integers(1, 30))
@settings(deadline=None)
def test_distances_are_sums_of_edges_along_the_path(seed, m):
    rng = np.random.default_rng(seed)
    parent = np.array([-1, *(rng.integers(v) for v in range(1, m))])
    length = np.concatenate([[0.0], rng.uniform(size=m - 1)])

    def path(u, v):
        if u == v:
            return 0.0
        return length[max(u, v)] + path(parent[max(u, v)], min(u, v))

    slow = [[path(u, v) for v in range(m)] for u in range(m)]
    np.testing.assert_allclose(tree_distances(parent, length), slow)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_points_that_are_not_finite_are_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        mst_components(np.array([[0.0], [bad]]), 1.0)
