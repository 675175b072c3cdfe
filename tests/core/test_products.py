"""Comparison by float32 products: the labels are those of exact distances, at any scale and position."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from compiled_descents import descend_problem as run
from strategies import make_problem, seeds


@pytest.mark.parametrize(
    ("n", "d", "n_old", "birth"), [(900, 3, 40, 0.05), (700, 24, 30, 1.0), (800, 1, 25, 0.001)]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_many_clusters_find_the_labels_of_the_slow_twin(n, d, n_old, birth, weighted):
    problem = make_problem(n, n, d, n_old, weighted=weighted, birth=birth)
    for epoch in (-1, 256):
        slots, *_ = run(problem, epoch=epoch, max_iter=4)
        labels, _ = reference.descend(problem, 0, 0, 0, 4)
        assert reference.canonical(slots, n_old).tolist() == reference.canonical(labels, n_old).tolist()


@given(
    seeds,
    st.sampled_from([2, 3, 17]),
    st.sampled_from([1e-150, 1e-30, 1e-19, 1.0, 1e10, 1e17, 1e30, 1e140]),
    st.sampled_from([0.0, 1.0, 1e4, 1e9]),
)
@settings(max_examples=60, deadline=None)
def test_blocks_of_rows_equal_the_serial_loop_at_any_scale(seed, d, scale, offset):
    # Below 1e-154 the squares are denormal, and too short for ties to be the same in both.
    problem = make_problem(seed, 600, d, 25, weighted=True, birth=0.02 * d)
    moved = problem._replace(
        X=scale * (problem.X + offset),
        phi=scale * (problem.phi + offset),
        revival=scale**2 * problem.revival,
        birth=scale**2 * problem.birth,
    )
    serial, blocks = run(moved, epoch=-1, seed=seed), run(moved, epoch=200, seed=seed, n_threads=2)
    for one, other in zip(serial, blocks, strict=True):
        np.testing.assert_array_equal(one, other)


@given(seeds, st.integers(1, 3), st.sampled_from([0.3, 0.6]))
@settings(max_examples=60, deadline=None)
def test_rows_between_equally_near_centers_go_where_the_serial_loop_puts_them(seed, d, birth):
    rng = np.random.default_rng(seed)
    problem = make_problem(seed, 500, d, 0, weighted=False)
    grid = rng.integers(0, 40 // d, size=(500, d)) / 2.0
    phi = np.unique(rng.integers(0, 20 // d, size=(40, d)), axis=0).astype(float)
    ones = np.ones(len(phi))
    tied = problem._replace(
        X=grid, weights=np.full(500, 0.9), phi=phi, gamma=ones, revival=0.01 * ones, birth=birth
    )
    serial, blocks = run(tied, epoch=-1, seed=seed), run(tied, epoch=150, seed=seed)
    for one, other in zip(serial, blocks, strict=True):
        np.testing.assert_array_equal(one, other)
