"""Linking by shared items: counts, the best links, and the remembered items."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans._algorithms.linking.group_assignment import assign_groups
from dynmeans._algorithms.linking.shared_items import (
    ItemMemory,
    SharedItems,
    count_shared,
    empty_item_memory,
    remember_items,
)
from dynmeans._model.prior import Prior

NOTHING = np.empty(0, dtype=np.int64)


@st.composite
def memories_and_batches(draw):
    """Items of some remembered clusters, and a batch of distinct items in groups."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    as_text = draw(st.booleans())
    known, fresh = rng.permutation(12)[: rng.integers(1, 12)], rng.permutation(12)[: rng.integers(1, 12)]

    def named(values):
        return np.array([f"item {v}" for v in values], dtype=object) if as_text else values.astype(np.int64)

    ids = np.array([2, 5, 9])
    which = np.unique(rng.integers(0, 4, len(fresh)), return_inverse=True)[1]
    return ItemMemory(named(known), ids[rng.integers(0, 3, len(known))]), named(fresh), which, ids


@given(memories_and_batches())
@settings(max_examples=100, deadline=None)
def test_counts_are_the_sizes_of_the_intersections(case):
    memory, items, which, ids = case
    shared = count_shared(memory, items, which, ids)
    members = [set(memory.items[memory.ids == k].tolist()) for k in ids]
    groups = [set(items[which == g].tolist()) for g in range(which.max() + 1)]
    assert shared.counts.tolist() == [[len(group & known) for known in members] for group in groups]
    assert shared.known.tolist() == [len(group & set().union(*members)) for group in groups]


@given(memories_and_batches(), st.lists(st.floats(-0.5, 1.0), min_size=3, max_size=3))
@settings(max_examples=100, deadline=None)
def test_no_other_links_keep_more_items_under_their_id(case, worth):
    shared = count_shared(*case)
    worth = np.array(worth)

    def value(group, k):
        n, in_batch = shared.counts[group, k], shared.counts[:, k].sum()
        is_enough = n >= in_batch / 2 and n >= shared.known[group] / 2
        return n * max(worth[k], 0.0) if is_enough else 0.0

    n_groups = len(shared.counts)
    best = max(
        sum(value(group, k) for group, k in enumerate(chosen) if k is not None)
        for chosen in set(permutations([0, 1, 2, *[None] * n_groups], n_groups))
    )
    links = shared.links(worth)
    assert len(set(links[links >= 0].tolist())) == np.count_nonzero(links >= 0)
    assert all(value(group, k) > 0 for group, k in enumerate(links) if k >= 0)
    assert sum(value(group, k) for group, k in enumerate(links) if k >= 0) == pytest.approx(best)


def test_a_link_needs_a_mutual_majority():
    """A cluster that dissolves does not carry its id into a group that is mostly another cluster."""

    def links(counts, known):
        return SharedItems(np.array(counts), np.array(known)).links(np.ones(len(counts[0]))).tolist()

    assert links([[9], [1]], [9, 20]) == [0, -1]  # one of ten members is elsewhere
    assert links([[0, 20], [9, 0], [0, 0]], [20, 9, 0]) == [1, 0, -1]
    assert links([[3, 20]], [23]) == [1]  # a merge keeps the id of most members
    assert links([[3], [3], [3]], [3, 3, 3]) == [-1, -1, -1]  # three equal pieces: centers decide
    assert links([[3, 9], [0, 9]], [12, 9]) in ([1, -1], [-1, 1])  # cluster 0 ends
    assert links([[0]], [0]) == [-1]


def test_members_elsewhere_rule_out_a_link_by_centers():
    shared = SharedItems(np.array([[0, 0], [9, 0]]), np.array([0, 9]))
    assert shared.excluded().tolist() == [[True, False], [False, False]]


def prior_of(n_clusters, revival=0.0):
    full = np.full(n_clusters, 1.0)
    return Prior(np.zeros((n_clusters, 1)), full, revival * full, full)


def test_items_decide_before_centers_and_centers_decide_the_rest():
    distances = np.array([[0.0, 9.0, 9.0], [9.0, 9.0, 0.1], [9.0, 0.0, 9.0]])
    shared = SharedItems(np.array([[0, 4, 0], [0, 0, 0], [0, 0, 0]]), np.array([4, 0, 0]))
    by_centers = assign_groups(distances, np.ones(3), prior_of(3), 1.0)
    assert by_centers.tolist() == [0, 2, 1]
    by_items = assign_groups(distances, np.ones(3), prior_of(3), 1.0, shared)
    assert by_items.tolist() == [1, 2, 3]  # group 2 is near cluster 1, whose members are in group 0


def test_an_older_memory_counts_less():
    """Both clusters had the four members of the only group, one of them longer ago."""
    shared = SharedItems(np.array([[4, 4]]), np.array([4]))
    prior = prior_of(2)._replace(revival=np.array([0.6, 0.3]))
    assert assign_groups(np.zeros((1, 2)), np.ones(1), prior, 1.0, shared).tolist() == [1]


def test_only_the_last_appearance_of_remembered_clusters_is_kept():
    memory = remember_items(empty_item_memory(), np.arange(6), np.array([0, 0, 1, 1, 2, -1]), np.arange(3))
    assert (memory.items.tolist(), memory.ids.tolist()) == ([0, 1, 2, 3, 4], [0, 0, 1, 1, 2])
    memory = remember_items(memory, np.array([1, 7]), np.array([0, 0]), np.array([0, 1]))
    assert (memory.items.tolist(), memory.ids.tolist()) == ([2, 3, 1, 7], [1, 1, 0, 0])
    memory = remember_items(memory, None, np.array([1, 1]), np.array([0, 1]))
    assert (memory.items.tolist(), memory.ids.tolist()) == ([1, 7], [0, 0])
    assert len(remember_items(memory, None, NOTHING, NOTHING).items) == 0
