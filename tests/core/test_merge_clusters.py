"""Merging of clusters that are not worth a birth, against a slow twin that works on the rows."""

import numpy as np
import pytest
from hypothesis import given, settings

import reference
from dynmeans._core import descend, merge_clusters
from strategies import make_problem, problems, seeds


def descended(problem, seed=0):
    """Return the slots, centers, slot weights and cost of a descent."""
    return descend(
        X=problem.X,
        weights=problem.weights,
        centers=problem.phi,
        gammas=problem.gamma,
        revival=problem.revival,
        birth=problem.birth,
        seed=seed,
        step=0,
        n_restarts=1,
        max_iter=100,
        n_threads=1,
    )[:4]


def merged(problem, fit, birth):
    return merge_clusters(
        centers=fit[1],
        slot_weights=fit[2],
        old_centers=problem.phi,
        gammas=problem.gamma,
        revival=problem.revival,
        birth=birth,
    )


def added_spread(problem, one, other):
    """Return by how much the squared deviations grow if two groups of rows become one."""

    def spread(rows):
        m = problem.weights[rows]
        mean = m @ problem.X[rows] / m.sum()
        return m @ ((problem.X[rows] - mean) ** 2).sum(axis=1)

    return spread(one | other) - spread(one) - spread(other)


def merge_twin(problem, slots, birth):
    """From the youngest slot to the oldest, relabel its rows if an older slot has room for them."""
    slots = slots.copy()
    for young in sorted(set(slots.tolist()), reverse=True):
        older = [k for k in sorted(set(slots.tolist())) if k < young]
        costs = [added_spread(problem, slots == k, slots == young) for k in older]
        if costs and min(costs) < birth:
            slots[slots == young] = older[int(np.argmin(costs))]
    return slots


def numbered(slots, n_old):
    """Number the newborn slots without gaps."""
    newborn = sorted({k for k in slots.tolist() if k >= n_old})
    return np.array([k if k < n_old else n_old + newborn.index(k) for k in slots.tolist()])


@given(problems(max_rows=40, max_old=6), seeds)
@settings(max_examples=300, deadline=None)
def test_rows_cost_centers_and_weights_are_those_of_the_twin(problem, seed):
    fit = descended(problem, seed)
    slots = fit[0]
    birth = problem.birth * np.random.default_rng(seed).choice([1.0, 2.0, 5.0, 30.0])
    found = merged(problem, fit, birth)
    expected = merge_twin(problem, slots, birth)
    if found is None:
        np.testing.assert_array_equal(expected, slots)
        return
    numbers, new_centers, new_weights, change = found
    n_old, new = len(problem.phi), numbers[slots]
    np.testing.assert_array_equal(new, numbered(expected, n_old))
    assert len(new_weights) == max(n_old, new.max() + 1)
    changed = problem._replace(birth=birth)
    before, after = reference.cost(changed, slots), reference.cost(changed, new)
    assert change == pytest.approx(after - before, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(new_weights, np.bincount(new, problem.weights, len(new_weights)), rtol=1e-12)
    for k in range(len(new_weights)):
        is_active = (new == k).any()
        center = reference.center(problem, new, k) if is_active else problem.phi[k]
        np.testing.assert_allclose(new_centers[k], center, atol=1e-9)


def test_the_older_cluster_takes_the_rows_and_the_younger_one_sleeps():
    problem = make_problem(0, 1, 1, 0, weighted=False)._replace(
        X=np.array([[0.0], [0.1], [1.0]]),
        weights=np.ones(3),
        phi=np.array([[0.0], [1.0], [9.0]]),
        gamma=np.array([0.5, 20.0, 1.0]),
        revival=np.zeros(3),
        birth=0.1,
    )
    fit = descended(problem)
    assert fit[0].tolist() == [0, 0, 1]
    assert merged(problem, fit, 0.6) is None  # 2 * 1 / 3 * 0.95^2 = 0.602
    numbers, centers, weights, _ = merged(problem, fit, 0.61)
    assert numbers.tolist() == [0, 0, 2]
    assert weights.tolist() == [3.0, 0.0, 0.0]
    assert centers[1:].tolist() == [[1.0], [9.0]]


def test_tables_that_contradict_each_other_are_refused():
    problem = make_problem(1, 9, 2, 2, weighted=False)
    fit = descended(problem)
    with pytest.raises(ValueError, match="a slot must have a center and a weight"):
        merged(problem, (fit[0], fit[1][:-1], fit[2]), 1.0)
