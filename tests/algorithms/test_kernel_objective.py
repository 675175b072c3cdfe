"""Properties of the cost in the space of a kernel."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from algorithms import kernel_reference as twin
from algorithms.kernel_reference import linear, prior_of, steps
from dynmeans._algorithms.kernel_space import kernel_objective
from dynmeans._model.costs import Costs
from dynmeans._model.objective import Fit, objective
from kernel_twins import cluster_sums, kernel_cost
from strategies import problems, seeds

forms = st.sampled_from(["matrix", "features", "sparse"])


def some_labels(seed, n, n_old):
    return np.random.default_rng(seed).integers(n_old + 3, size=n)


@given(problems(), forms, seeds)
@settings(max_examples=150, deadline=None)
def test_with_the_linear_kernel_it_is_the_objective_of_dmeans(problem, form, seed):
    n_old = len(problem.phi)
    labels = some_labels(seed, len(problem.X), n_old)
    prior, costs = prior_of(problem.gamma, problem.revival, problem.phi), Costs(problem.birth, 3.0, 1.0)
    taken = np.bincount(labels, weights=problem.weights, minlength=n_old + 3)
    centers = np.zeros((len(taken), problem.X.shape[1]))
    for k in np.unique(labels):
        centers[k] = reference.center(problem, labels, k)
    expected = objective(
        problem.X, problem.weights, Fit(labels, centers, taken, 0.0, 1, np.empty(0)), prior, costs
    )
    found = kernel_cost(linear(problem.X, problem.weights, problem.phi, form), labels, prior, costs)
    assert found == pytest.approx(expected, rel=1e-9)


@given(steps(max_rows=8, max_old=3), seeds)
@settings(max_examples=100, deadline=None)
def test_it_is_the_printed_equation_term_by_term(step, seed):
    labels = some_labels(seed, len(step.similarity.weights), len(step.prior.gammas))
    found = kernel_cost(step.similarity, labels, step.prior, step.costs)
    assert found == pytest.approx(twin.slow_cost(step, labels), rel=1e-9)


def test_an_integer_birth_cost_does_not_change_revival_costs():
    step = twin.make_step(0, 5, 1, form="matrix", weighted=False, birth=1.0)
    whole = step.costs._replace(birth=1)
    labels = np.zeros(5, dtype=np.int64)
    assert kernel_cost(step.similarity, labels, step.prior, whole) == pytest.approx(
        twin.slow_cost(step, labels)
    )


@given(steps(max_rows=12, max_old=2), seeds)
@settings(max_examples=60, deadline=None)
def test_dense_and_sparse_indicators_give_the_same_sums(step, seed):
    labels = some_labels(seed, len(step.similarity.weights), 2)
    dense = cluster_sums(step.similarity, labels, 6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_objective, "LARGEST_DENSE", 0)
        sparse = cluster_sums(step.similarity, labels, 6)
    for one, other in zip(dense, sparse, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_features_are_never_multiplied_out():
    n = 200_000  # the full matrix would need 320 GB
    rows = np.random.default_rng(0).normal(size=(n, 2))
    similarity = linear(rows, np.ones(n), np.zeros((1, 2)))
    prior = prior_of(np.ones(1), np.ones(1))
    expected = np.sum(rows**2) + 1.0 - np.sum(rows.sum(axis=0) ** 2) / (1.0 + n)
    found = kernel_cost(similarity, np.zeros(n, dtype=np.int64), prior, Costs(1.0, 3.0, 1.0))
    assert found == pytest.approx(expected)
