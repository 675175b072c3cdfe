"""The compiled descent against its slow twin, the exhaustive optimum, and itself."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from compiled_descents import descend_problem as run
from compiled_descents import descend_rows
from dynmeans._core import nearest_centers
from strategies import make_problem, problems, seeds


@given(problems(), seeds, st.integers(0, 1000))
@settings(max_examples=300, deadline=None)
def test_finds_the_labels_of_the_slow_twin(problem, seed, step):
    slots, _, _, cost, n_iter, _ = run(problem, seed=seed, step=step)
    labels, passes = reference.descend(problem, seed, step, 0, 300)
    n_old = len(problem.phi)
    assert reference.canonical(slots, n_old).tolist() == reference.canonical(labels, n_old).tolist()
    assert n_iter == passes
    assert cost == pytest.approx(reference.cost(problem, labels), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("n", "d", "n_old"), [(700, 2, 12), (400, 7, 5), (5000, 2, 3)])
def test_larger_batches_find_the_labels_of_the_slow_twin(n, d, n_old):
    problem = make_problem(n, n, d, n_old, weighted=n < 500, birth=0.3)
    slots, *_ = run(problem, max_iter=4)
    labels, _ = reference.descend(problem, 0, 0, 0, 4)
    assert reference.canonical(slots, n_old).tolist() == reference.canonical(labels, n_old).tolist()


@given(
    seeds,
    st.sampled_from([15, 16, 17, 40, 200]),
    st.integers(1, 30),
    st.integers(0, 6),
    st.booleans(),
    st.sampled_from([0.005, 0.02, 0.1]),
)
@settings(max_examples=200, deadline=None)
def test_wide_rows_find_the_labels_and_the_cost_of_the_slow_twin(seed, d, n, n_old, weighted, share):
    problem = make_problem(seed, n, d, n_old, weighted=weighted, birth=share * d)
    slots, _, _, _, _, costs = run(problem, seed=seed, n_restarts=3)
    twins = [reference.descend(problem, seed, 0, restart, 300)[0] for restart in range(3)]
    expected = [reference.cost(problem, labels) for labels in twins]
    np.testing.assert_allclose(costs, expected, rtol=1e-9, atol=1e-12)
    best = twins[int(np.argmin(costs))]
    assert reference.canonical(slots, n_old).tolist() == reference.canonical(best, n_old).tolist()


@pytest.mark.parametrize("seed", range(8))
def test_wide_rows_among_many_old_clusters_find_the_labels_of_the_slow_twin(seed):
    problem = make_problem(seed, 40, 150, 50, weighted=seed % 2 == 0, birth=3.0)
    slots, *_ = run(problem, seed=seed)
    labels, _ = reference.descend(problem, seed, 0, 0, 300)
    assert reference.canonical(slots, 50).tolist() == reference.canonical(labels, 50).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_batches_of_wide_rows_that_are_too_large_to_be_moved_are_read_in_place(dtype):
    rng = np.random.default_rng(0)
    middles, which = 10.0 * rng.normal(size=(5, 400)), rng.integers(5, size=2700)  # more than 2^20 numbers
    X = (middles[which] + 0.1 * rng.normal(size=(2700, 400))).astype(dtype)
    slots, centers, *_ = descend_rows(X, birth=100.0, n_restarts=2, max_iter=100)
    assert len(set(zip(slots.tolist(), which.tolist(), strict=True))) == 5
    np.testing.assert_allclose(centers[slots], middles[which], atol=0.05)


@given(problems(), seeds)
@settings(max_examples=150, deadline=None)
def test_descent_never_raises_the_cost(problem, seed):
    costs = [run(problem, seed=seed, max_iter=i)[3] for i in range(1, 12)]
    assert all(later <= earlier * (1 + 1e-12) + 1e-15 for earlier, later in pairwise(costs))


@given(problems(), seeds)
@settings(max_examples=150, deadline=None)
def test_ends_where_no_row_moves(problem, seed):
    slots = run(problem, seed=seed)[0]
    centers = reference.all_centers(problem, slots)
    for i, own in enumerate(slots.tolist()):
        costs = reference.label_costs(problem, centers, i)
        assert costs[own] <= min(costs.values()) * (1 + 1e-9) + 1e-15


@given(problems(max_rows=6, max_old=2), seeds)
@settings(max_examples=150, deadline=None)
def test_is_never_below_the_exhaustive_optimum(problem, seed):
    found = run(problem, seed=seed, n_restarts=20)[3]
    assert found >= reference.optimum(problem) * (1 - 1e-12) - 1e-15


def test_twenty_restarts_reach_the_exhaustive_optimum_of_most_tiny_batches():
    problems = [make_problem(s, 5, 2, 2, weighted=False) for s in range(40)]
    reached = [run(p, n_restarts=20)[3] <= reference.optimum(p) * (1 + 1e-9) for p in problems]
    assert np.mean(reached) > 0.7


@given(problems(), seeds)
@settings(max_examples=60, deadline=None)
def test_the_cheapest_restart_wins(problem, seed):
    *_, cost, _, restart_costs = run(problem, seed=seed, n_restarts=5)
    assert len(restart_costs) == 5
    assert cost == restart_costs.min()


@given(problems(), seeds)
@settings(max_examples=100, deadline=None)
def test_centers_and_sizes_are_those_of_the_labels(problem, seed):
    slots, centers, slot_weights, *_ = run(problem, seed=seed)
    for k in range(len(slot_weights)):
        assert slot_weights[k] == pytest.approx(problem.weights[slots == k].sum())
        if slot_weights[k]:
            np.testing.assert_allclose(centers[k], reference.center(problem, slots, k), rtol=1e-9, atol=1e-12)


@given(problems(max_rows=20), seeds)
@settings(max_examples=100, deadline=None)
def test_copies_are_one_row_with_their_number_as_weight(problem, seed):
    counts = np.random.default_rng(seed).integers(1, 4, size=len(problem.X))
    weighted = problem._replace(weights=counts.astype(float))
    copies = problem._replace(X=problem.X.repeat(counts, axis=0), weights=np.ones(counts.sum()))
    one, many = run(weighted, seed=seed), run(copies, seed=seed)
    assert one[0].repeat(counts).tolist() == many[0].tolist()
    assert one[3] == pytest.approx(many[3], rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("d", [1, 15, 16, 17, 200])
def test_zeros_of_either_sign_are_copies_of_each_other(d):
    problem = make_problem(d, 30, d, 3, weighted=False, birth=0.02 * d)
    rows = problem.X.copy()
    rows[:, ::2] = 0.0
    copies = rows.repeat(2, axis=0)
    copies[1::2, ::2] *= -1.0
    one = run(problem._replace(X=rows, weights=np.full(30, 2.0)))
    many = run(problem._replace(X=copies, weights=np.ones(60)))
    assert one[0].repeat(2).tolist() == many[0].tolist()
    assert one[3] == many[3]  # to the last bit: the copies are merged


def test_many_copies_in_a_large_batch_change_nothing_but_the_time():
    problem = make_problem(3, 200, 3, 4, weighted=False)
    rng = np.random.default_rng(0)
    rows = rng.permutation(np.arange(20_000) % 200)
    crowd = problem._replace(X=problem.X[rows], weights=np.ones(len(rows)))
    slots, _, slot_weights, *_ = run(crowd)
    assert slot_weights.sum() == len(rows)
    assert all(len(np.unique(slots[rows == r])) == 1 for r in range(200))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 2, 3, 5, 40])
def test_results_do_not_depend_on_the_number_of_threads(dtype, d):
    problem = make_problem(d, 60_000, d, 6, weighted=True, birth=0.05 * d)
    alone, team = (run(problem, n_threads=t, max_iter=25, dtype=dtype) for t in (1, 3))
    for one, other in zip(alone, team, strict=True):
        np.testing.assert_array_equal(one, other)


@given(problems(), seeds)
@settings(max_examples=60, deadline=None)
def test_float32_rows_find_about_the_same_cost(problem, seed):
    single = problem._replace(X=problem.X.astype(np.float32).astype(float))
    narrow, wide = run(problem, seed=seed, dtype=np.float32), run(single, seed=seed)
    assert narrow[0].tolist() == wide[0].tolist()
    assert narrow[3] == pytest.approx(wide[3], rel=1e-5, abs=1e-9)


def test_weights_of_one_are_no_weights():
    problem = make_problem(1, 500, 2, 3, weighted=False)
    for one, other in zip(run(problem), run(problem, weights=False), strict=True):
        np.testing.assert_array_equal(one, other)


def test_newborn_clusters_are_numbered_by_size():
    rows = np.array([[9.0]] + [[0.0]] * 3 + [[5.0]] * 2 + [[5.1]])
    slots, _, slot_weights, *_ = descend_rows(rows, birth=1.0, max_iter=10)
    assert slot_weights.tolist() == [3.0, 3.0, 1.0]
    assert slots[0] == 2


@pytest.mark.parametrize("value", [1e-300, 1e150, -1e150, 0.0])
def test_extreme_coordinates_work(value):
    rows = np.array([[value, 0.0], [0.0, value], [value, value]])
    slots, centers, _, cost, *_ = descend_rows(rows, birth=1.0, n_restarts=2, max_iter=100)
    assert np.isfinite(centers).all()
    assert np.isfinite(cost)
    assert len(np.unique(slots)) == (3 if abs(value) > 1 else 1)


@given(seeds, st.sampled_from([1, 3, 100, 128, 205]), st.integers(1, 70), st.integers(1, 20), st.booleans())
@settings(max_examples=100, deadline=None)
def test_the_nearest_center_is_that_of_a_loop(seed, d, n, n_centers, is_single):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(n_centers, d)) * rng.choice([0.1, 1.0], size=n_centers)[:, None]
    rows = (centers[rng.integers(n_centers, size=n)] + 0.3 * rng.normal(size=(n, d))).astype(
        np.float32 if is_single else np.float64
    )
    squared = ((rows.astype(float)[:, None] - centers) ** 2).sum(axis=2)
    found = nearest_centers(rows, centers, 1)
    np.testing.assert_allclose(squared[np.arange(n), found], squared.min(axis=1), rtol=1e-4)


@pytest.mark.parametrize("d", [2, 200])
def test_of_centers_that_are_equally_near_the_first_is_found(d):
    rng = np.random.default_rng(0)
    centers = rng.integers(-3, 4, size=(6, d)).astype(float)
    assert nearest_centers(centers, np.concatenate([centers, centers]), 1).tolist() == list(range(6))
