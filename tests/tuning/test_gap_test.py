from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from dynmeans._codes.gap_test import WIDER_OF_TWO, edge_shares, have_gaps
from strategies import seeds

SHORTEST = 1e-6


def slow_shares(rows: np.ndarray, ids: np.ndarray, trees: np.ndarray) -> list[float]:
    """For each tested edge, add up the shorter edges of its two clusters one by one."""
    tree = minimum_spanning_tree(squareform(pdist(rows))).tocoo()
    edges = list(zip(tree.row, tree.col, np.maximum(tree.data, SHORTEST), strict=True))
    shares = []
    for i, j, length in edges:
        is_large = all(np.count_nonzero(ids == ids[k]) >= 3 and ids[k] >= 0 for k in (i, j))
        if ids[i] == ids[j] or trees[i] != trees[j] or trees[i] < 0 or not is_large:
            continue
        own = [other for a, b, other in edges if ids[a] == ids[b] and ids[a] in (ids[i], ids[j])]
        shares.append((sum(other for other in own if other < length) + length / 2) / (sum(own) + length))
    return shares


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 30), st.integers(1, 3), seeds)
def test_shares_equal_those_of_the_slow_version(n: int, d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, ids, trees = rng.normal(size=(n, d)), rng.integers(-1, 4, n), rng.integers(-1, 2, n)
    found = sorted(edge_shares(rows, ids, trees, SHORTEST))
    assert found == pytest.approx(sorted(slow_shares(rows, ids, trees)))


def steps(batches: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = np.concatenate(batches)
    return rows, np.zeros(len(rows), int), np.concatenate([[0], np.cumsum([len(b) for b in batches])])


@pytest.mark.parametrize("d", [1, 2, 3, 20])
def test_pieces_of_an_object_have_no_gaps(d: int) -> None:
    rng = np.random.default_rng(d)
    rows, trees, starts = steps([rng.random((60, d)) for _ in range(40)])
    cut = np.repeat(rng.uniform(0.2, 0.8, 40), 60)
    pieces = (rows[:, 0] > cut).astype(int)
    shares = [edge_shares(rows[a:b], pieces[a:b], trees[a:b], SHORTEST) for a, b in pairwise(starts)]
    assert 0.4 < np.concatenate(shares).mean() < WIDER_OF_TWO
    assert not have_gaps(rows, pieces, trees, starts, SHORTEST)


@pytest.mark.parametrize("d", [1, 2, 3, 20])
def test_clusters_that_touch_have_gaps(d: int) -> None:
    rng = np.random.default_rng(d)
    ids = np.repeat([0, 1], 30)
    shift = np.zeros(d)
    shift[0] = 7.0
    rows, trees, starts = steps([rng.normal(size=(60, d)) + ids[:, None] * shift for _ in range(40)])
    assert have_gaps(rows, np.tile(ids, 40), trees, starts, SHORTEST)
    assert not have_gaps(rows, np.tile(ids, 40), np.tile(ids, 40), starts, SHORTEST)  # no edge is tested


def test_equal_rows_and_few_steps_are_no_evidence() -> None:
    rows, ids = np.zeros((12, 2)), np.repeat([0, 1], 6)
    assert not have_gaps(rows, ids, 0 * ids, np.array([0, 12]), SHORTEST)
    assert not have_gaps(np.tile(rows, (5, 1)), np.tile(ids, 5), np.zeros(60, int), np.arange(0, 61, 12), 0.1)
