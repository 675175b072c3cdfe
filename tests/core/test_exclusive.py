"""At most one row per cluster: the compiled assignment against exhaustive search and SciPy."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import reference
from dynmeans._core import assign_exclusive
from strategies import make_problem, problems, seeds


def run(problem, dtype=np.float64):
    X = problem.X.astype(dtype)
    return assign_exclusive(
        X, problem.weights, problem.phi, problem.gamma, problem.revival, birth=problem.birth
    )


def exclusive_labelings(n, n_old):
    """Every labeling without two rows in one cluster; a newborn cluster is n_old plus its row."""
    choices = [*range(n_old), *[-1] * n]
    for chosen in set(permutations(choices, n)):
        yield np.array([k if k >= 0 else n_old + i for i, k in enumerate(chosen)])


def changes(problem):
    """Cost of every link (n, K) less that of a birth."""
    m, gamma = problem.weights[:, None], problem.gamma
    return (
        problem.revival + gamma * m / (gamma + m) * cdist(problem.X, problem.phi, "sqeuclidean")
    ) - problem.birth


@given(problems(max_rows=4, max_old=3))
@settings(max_examples=200, deadline=None)
def test_cost_is_the_exhaustive_optimum_of_the_objective(problem):
    cost = run(problem)[3]
    best = min(
        reference.cost(problem, labels) for labels in exclusive_labelings(len(problem.X), len(problem.phi))
    )
    assert cost == pytest.approx(best, rel=1e-9, abs=1e-12)


@given(problems(max_rows=40, max_old=20))
@settings(max_examples=200, deadline=None)
def test_cost_centers_and_weights_belong_to_the_labels_and_agree_with_scipy(problem):
    slots, centers, taken, cost, n_iter, restart_costs = run(problem)
    n, n_old = len(problem.X), len(problem.phi)
    assert len(set(slots.tolist())) == n
    assert sorted(k for k in slots if k >= n_old) == list(range(n_old, len(taken)))
    assert cost == pytest.approx(reference.cost(problem, slots), rel=1e-9, abs=1e-12)
    for i, k in enumerate(slots):
        np.testing.assert_allclose(centers[k], reference.center(problem, slots, k), atol=1e-12)
        assert taken[k] == problem.weights[i]
    is_idle = np.setdiff1d(np.arange(n_old), slots)
    np.testing.assert_array_equal(centers[is_idle], problem.phi[is_idle])
    assert not taken[is_idle].any()
    assert (n_iter, restart_costs.tolist()) == (1, [cost])
    gain = np.minimum(changes(problem), 0.0)
    best = problem.birth * n + gain[linear_sum_assignment(gain)].sum()
    assert cost == pytest.approx(best, rel=1e-9, abs=1e-12)


@given(problems(max_rows=30, max_old=20), seeds)
@settings(max_examples=100, deadline=None)
def test_a_permutation_of_the_rows_permutes_the_slots(problem, seed):
    order = np.random.default_rng(seed).permutation(len(problem.X))
    moved = problem._replace(X=problem.X[order], weights=problem.weights[order])
    n_old = len(problem.phi)  # newborn clusters of equal rank are numbered in the order of the rows
    expected, found = run(problem), run(moved)
    assert np.minimum(found[0], n_old).tolist() == np.minimum(expected[0][order], n_old).tolist()
    assert found[3] == pytest.approx(expected[3], rel=1e-12)


def test_a_large_crowd_in_one_component_is_assigned_optimally():
    problem = make_problem(0, 300, 2, 250, weighted=True, birth=5.0)
    gain = np.minimum(changes(problem), 0.0)
    assert run(problem)[3] == pytest.approx(5.0 * 300 + gain[linear_sum_assignment(gain)].sum(), rel=1e-9)


def test_a_nearer_cluster_is_left_to_the_row_that_needs_it():
    phi, gamma = np.array([[0.0], [2.0]]), np.full(2, 1e9)
    X, no_cost = np.array([[0.9], [-1.0]]), np.zeros(2)
    assert assign_exclusive(X, None, phi, gamma, no_cost, birth=4.0)[0].tolist() == [1, 0]
    # Alone, the first row would be linked to the first cluster, which is nearer.
    assert assign_exclusive(X[:1], None, phi, gamma, no_cost, birth=4.0)[0].tolist() == [0]


def test_a_link_that_costs_as_much_as_a_birth_is_not_made():
    phi, gamma, revival = np.array([[0.0]]), np.array([1.0]), np.array([0.5])
    row = np.array([[1.0]])  # 0.5 + 1 / 2
    assert assign_exclusive(row, None, phi, gamma, revival, birth=1.0)[0].tolist() == [1]
    assert assign_exclusive(row, None, phi, gamma, revival, birth=1.0 + 1e-9)[0].tolist() == [0]
    assert assign_exclusive(row, None, phi, gamma, np.array([2.0]), birth=1.0)[0].tolist() == [1]


def test_equal_rows_are_different_objects():
    slots, *_ = assign_exclusive(np.zeros((3, 2)), None, np.zeros((1, 2)), np.ones(1), np.zeros(1), birth=1.0)
    assert sorted(slots.tolist()) == [0, 1, 2]


@given(problems(max_rows=20, max_old=10))
@settings(max_examples=50, deadline=None)
def test_single_precision_rows_are_read_in_place(problem):
    rounded = problem._replace(X=problem.X.astype(np.float32).astype(np.float64))
    assert run(problem, np.float32)[0].tolist() == run(rounded)[0].tolist()


def test_a_batch_without_rows_and_a_state_without_clusters():
    phi = np.array([[1.0, 2.0]])
    slots, centers, taken, cost, *_ = assign_exclusive(
        np.empty((0, 2)), None, phi, np.ones(1), np.zeros(1), birth=1.0
    )
    assert (len(slots), centers.tolist(), taken.tolist(), cost) == (0, phi.tolist(), [0.0], 0.0)
    nothing = np.empty((0, 2)), np.empty(0), np.empty(0)
    assert assign_exclusive(phi, None, *nothing, birth=1.0)[0].tolist() == [0]


def test_tables_that_contradict_each_other_are_refused():
    with pytest.raises(ValueError, match="an old cluster must have a center as long as a row"):
        assign_exclusive(np.zeros((1, 2)), None, np.zeros((1, 3)), np.ones(1), np.zeros(1), birth=1.0)
    with pytest.raises(ValueError, match="a row must have a weight"):
        assign_exclusive(np.zeros((1, 2)), np.ones(2), np.zeros((1, 2)), np.ones(1), np.zeros(1), birth=1.0)
