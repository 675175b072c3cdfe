import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans.datasets import moving_rings
from dynmeans.kernels._geometry import neighbors
from dynmeans.kernels._geometry.neighbors import stretched_neighbors
from kernel_twins import slow_neighbors
from strategies import seeds


@given(seeds, st.integers(8, 40), st.integers(1, 7), st.integers(1, 4))
@settings(max_examples=50, deadline=None)
def test_neighbors_are_those_of_the_slow_twin(seed, n, k, d):
    rows = np.random.default_rng(seed).normal(size=(n, d))
    slow = np.stack([slow_neighbors(rows, i, k)[: k + 1] for i in range(n)])
    np.testing.assert_array_equal(stretched_neighbors(rows, k), slow)


def test_blocks_change_nothing(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(100, 3))
    whole = stretched_neighbors(rows, 5)
    monkeypatch.setattr(neighbors, "BLOCK", 100)
    np.testing.assert_array_equal(stretched_neighbors(rows, 5), whole)


def test_neighbors_of_a_ring_lie_along_it():
    """Of twelve neighbors, fewer are on another ring than among the twelve nearest."""
    crossing = []
    for seed in range(5):
        stream = moving_rings(1, n_points=200, random_state=seed)
        rows, ring = stream.batches[0], stream.labels[0]
        plain = np.argsort(np.linalg.norm(rows[:, None] - rows, axis=2), axis=1)[:, :13]
        crossing.append(
            [np.mean(ring[near] != ring[:, None]) for near in (stretched_neighbors(rows, 12), plain)]
        )
    stretched, plain = np.mean(crossing, axis=0)
    assert stretched < 0.8 * plain


@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 2), (50, 4), (50, 49)])
def test_rows_at_one_position_are_each_their_own_first_neighbor(n, k):
    near = stretched_neighbors(np.full((n, 2), 7.0), k)
    assert near.shape == (n, k + 1)
    np.testing.assert_array_equal(near[:, 0], np.arange(n))
    assert all(len(set(row)) == k + 1 for row in near.tolist())
