"""The first pass in epochs against the serial loop: the same bits for any epoch and number of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from compiled_descents import descend_problem
from reference import Problem
from strategies import make_problem, seeds


def run(problem, *, epoch=-1, **options):
    return descend_problem(problem, epoch=epoch, **options)


def assert_same(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def make_grid_problem(seed: int, n: int, d: int, n_old: int, birth: float) -> Problem:
    """Rows and old centers on a small grid: duplicates, and many costs that are equal."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n, d)).astype(float)
    X[:: max(2, n // 5)] += 0.25  # enough distinct rows, so that they are not merged
    phi = rng.integers(0, 4, size=(n_old, d)).astype(float)
    weights = rng.choice([0.5, 1.0, 2.0], size=n)
    return Problem(X, weights, phi, rng.choice([1.0, 3.0], size=n_old), np.full(n_old, birth / 4), birth)


epochs = st.sampled_from([1, 2, 3, 7, 16, 64, 1000])
threads = st.sampled_from([1, 2, 3, 8])
many = settings(max_examples=150, deadline=None)


@given(
    seeds,
    st.integers(1, 150),
    st.integers(1, 5),
    st.integers(0, 30),
    st.booleans(),
    st.sampled_from([0.001, 0.01, 0.05, 0.3]),
    epochs,
    threads,
)
@many
def test_epochs_equal_the_serial_loop(seed, n, d, n_old, weighted, birth, epoch, n_threads):
    problem = make_problem(seed, n, d, n_old, weighted=weighted, birth=birth)
    for max_iter in (1, 300):
        serial = run(problem, seed=seed, max_iter=max_iter)
        assert_same(serial, run(problem, epoch=epoch, n_threads=n_threads, seed=seed, max_iter=max_iter))


@given(
    seeds, st.integers(1, 120), st.integers(1, 3), st.integers(0, 12), st.sampled_from([0.3, 1, 4]), epochs
)
@many
def test_ties_and_duplicates_go_where_the_serial_loop_puts_them(seed, n, d, n_old, birth, epoch):
    problem = make_grid_problem(seed, n, d, n_old, birth)
    assert_same(run(problem, seed=seed), run(problem, epoch=epoch, n_threads=2, seed=seed))


@given(
    seeds, st.sampled_from([15, 16, 40, 150]), st.integers(1, 60), st.integers(0, 40), st.booleans(), epochs
)
@settings(max_examples=80, deadline=None)
def test_epochs_of_wide_rows_equal_the_serial_loop(seed, d, n, n_old, weighted, epoch):
    problem = make_problem(seed, n, d, n_old, weighted=weighted, birth=0.02 * d)
    serial = run(problem, seed=seed, n_restarts=2)
    assert_same(serial, run(problem, epoch=epoch, n_threads=3, seed=seed, n_restarts=2))


@given(seeds, st.integers(1, 60), st.integers(0, 6), st.sampled_from([0.02, 0.15]), epochs)
@settings(max_examples=60, deadline=None)
def test_epochs_find_the_labels_of_the_slow_twin(seed, n, n_old, birth, epoch):
    problem = make_problem(seed, n, 2, n_old, weighted=True, birth=birth)
    slots, *_ = run(problem, epoch=epoch, n_threads=2, seed=seed, max_iter=1)
    labels, _ = reference.descend(problem, seed, 0, 0, 1)
    assert reference.canonical(slots, n_old).tolist() == reference.canonical(labels, n_old).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d", "n_old", "birth"), [(70_000, 2, 40, 0.002), (5_000, 3, 300, 0.01)])
def test_large_batches_equal_the_serial_loop(n, d, n_old, birth, dtype):
    problem = make_problem(n, n, d, n_old, weighted=True, birth=birth)
    serial = run(problem, max_iter=2, dtype=dtype)
    for n_threads, epoch in ((2, 0), (3, 0), (8, 0), (1, 333), (2, 5_000)):
        assert_same(serial, run(problem, n_threads=n_threads, epoch=epoch, max_iter=2, dtype=dtype))


def test_an_epoch_is_a_number_of_rows():
    with pytest.raises(ValueError, match="epoch"):
        run(make_problem(0, 5, 2, 1, weighted=False), epoch=-2)
