"""Properties of the assignment of clusters to old ones."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog

from algorithms import kernel_reference as twin
from algorithms.kernel_reference import steps
from algorithms.linking_twin import link, link_costs
from dynmeans._core import link_clusters
from kernel_twins import cluster_sums, kernel_cost
from strategies import seeds


def some_partition(step, seed):
    """Labels 0 .. L-1, none of them empty."""
    n = len(step.similarity.weights)
    return np.unique(np.random.default_rng(seed).integers(4, size=n), return_inverse=True)[1]


def linear_program(change):
    """The paper's program, solved by HiGHS: value and solution (L, K)."""
    n_found, n_old = change.shape
    once_found = np.kron(np.eye(n_found), np.ones(n_old))
    once_old = np.kron(np.ones(n_found), np.eye(n_old))
    limits = np.concatenate([once_found, once_old])
    solved = linprog(change.ravel(), A_ub=limits, b_ub=np.ones(len(limits)), bounds=(0, None), method="highs")
    return solved.fun, solved.x.reshape(change.shape)


def all_linkings(labels, n_old):
    """Every injective choice of an old cluster, or none, for every cluster."""
    n_found = labels.max() + 1
    fresh = [n_old + i for i in range(n_found)]
    choices = [*range(n_old), *fresh]
    return {tuple(chosen) for chosen in permutations(choices, int(n_found))}


@given(steps(max_rows=15, max_old=5), seeds)
@settings(max_examples=150, deadline=None)
def test_the_linking_is_worth_as_much_as_the_linear_program_whose_solution_is_integral(step, seed):
    labels, n_old = some_partition(step, seed), len(step.prior.gammas)
    if n_old == 0:
        assert link(labels, *step).tolist() == labels.tolist()
        return
    change = link_costs(cluster_sums(step.similarity, labels, labels.max() + 1), *step)
    value, solution = linear_program(change)
    np.testing.assert_allclose(solution, solution.round(), atol=1e-9)
    slots = link(labels, *step)
    firsts = [np.flatnonzero(labels == found)[0] for found in range(labels.max() + 1)]
    worth = sum(change[found, slots[i]] for found, i in enumerate(firsts) if slots[i] < n_old)
    assert worth == pytest.approx(value, abs=1e-7)  # the solver's own tolerance


@given(steps(max_rows=8, max_old=3), seeds)
@settings(max_examples=100, deadline=None)
def test_no_other_linking_of_these_clusters_costs_less(step, seed):
    labels = some_partition(step, seed)
    found = kernel_cost(step.similarity, link(labels, *step), step.prior, step.costs)
    every = [
        twin.slow_cost(step, np.array(names)[labels])
        for names in all_linkings(labels, len(step.prior.gammas))
    ]
    assert found == pytest.approx(min(every), abs=1e-9)


@given(steps(max_rows=20, max_old=4), seeds)
@settings(max_examples=60, deadline=None)
def test_linking_neither_splits_nor_merges_clusters(step, seed):
    labels, n_old = some_partition(step, seed), len(step.prior.gammas)
    slots = link(labels, *step)
    assert twin.same_partition(slots, labels)
    newborn = np.unique(slots[slots >= n_old])
    assert newborn.tolist() == list(range(n_old, n_old + len(newborn)))


def test_a_link_that_saves_nothing_is_not_made():
    step = twin.ideal_blocks([3], {0: (1.0, 0.5)}, birth=0.5)
    assert link(np.zeros(3, dtype=np.int64), *step).tolist() == [1, 1, 1]


def paired(change):
    """Slots of clusters whose links change the cost by `change` (found, old)."""
    n_found, n_old = change.shape
    heavy = np.full(n_old, 1e12)  # so that costs are distances
    return link_clusters(change + 1.0, np.ones(n_found), heavy, np.zeros(n_old), 1.0)


def assert_cheapest(slots, change):
    n_found, n_old = change.shape
    linked = slots < n_old
    assert len(set(slots)) == n_found
    least = np.minimum(change, 0.0)
    best = least[linear_sum_assignment(least)].sum()
    assert change[linked, slots[linked]].sum() == pytest.approx(best, abs=1e-9)


@given(seeds, st.integers(1, 30), st.integers(1, 30))
@settings(max_examples=60, deadline=None)
def test_many_clusters_are_paired_as_cheaply_as_by_the_assignment_of_scipy(seed, n_found, n_old):
    change = np.random.default_rng(seed).uniform(-1.0, 1.0, size=(n_found, n_old))
    assert_cheapest(paired(change), change)


@given(seeds, st.integers(2, 30), st.integers(1, 30))
@settings(max_examples=60, deadline=None)
def test_very_long_links_do_not_affect_the_others(seed, n_found, n_old):
    rng = np.random.default_rng(seed)
    change = rng.uniform(-1.0, 1.0, size=(n_found, n_old))
    change[rng.random(change.shape) < 0.7] = 1e20
    assert_cheapest(paired(change), change)
