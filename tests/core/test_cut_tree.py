"""A spanning tree with its long edges cut, against SciPy's components."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from dynmeans.core import cut_tree, spanning_tree
from strategies import seeds


@given(seeds, st.integers(1, 80), st.integers(1, 3), st.sampled_from([0.0, 0.03, 0.1, 9.0]))
@settings(max_examples=150, deadline=None)
def test_components_are_joined_by_short_edges_and_linked_by_long_ones(seed, n, d, scale):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, d))[rng.integers(n, size=n)]
    edges, lengths = spanning_tree(X)
    component, parent, length = cut_tree(edges, lengths, scale)
    short = edges[lengths <= scale]
    count, expected = connected_components(
        coo_array((np.ones(len(short)), short.T), shape=(n, n)), directed=False
    )
    assert count == len(parent) == len(length)
    assert len(np.unique(np.stack([component, expected]), axis=1).T) == count
    ends = np.sort(component[edges[lengths > scale]], axis=1)
    links = sorted(zip(ends[:, 0], ends[:, 1], lengths[lengths > scale], strict=True))
    assert links == sorted(zip(parent[1:], np.arange(1, count), length[1:], strict=True))


@given(seeds, st.integers(1, 80))
@settings(deadline=None)
def test_parents_come_before_their_children(seed, n):
    edges, lengths = spanning_tree(np.random.default_rng(seed).uniform(size=(n, 2)))
    component, parent, length = cut_tree(edges, lengths, 0.05)
    assert component[0] == 0
    assert (parent < np.arange(len(parent))).all()
    assert parent[0] == -1
    assert length[0] == 0
