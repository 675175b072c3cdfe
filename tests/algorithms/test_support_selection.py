"""Sparse regressor selection: against slow twins, and one method against the other."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path_gram

from dynmeans._algorithms.kernel_space.support_selection import DEPENDENT, choose, subsample
from strategies import seeds


def bell(points, width=0.5):
    return np.exp(-((points[:, None] - points[None]) ** 2).sum(axis=2) / (2 * width**2))


def expansion(seed, n_points, d=2):
    """W of random points, half of them with uneven and negative coefficients."""
    rng = np.random.default_rng(seed)
    coefficients = np.where(np.arange(n_points) % 2, 1.0, rng.uniform(-0.2, 1.5, size=n_points))
    return bell(rng.normal(size=(n_points, d))), coefficients / coefficients.sum()


def error_of(gram, coefficients, chosen):
    """Smallest error with these points."""
    best = np.linalg.lstsq(gram[np.ix_(chosen, chosen)], (gram @ coefficients)[chosen], rcond=None)[0]
    left = coefficients.copy()
    left[chosen] -= best
    return np.sqrt(max(left @ gram @ left, 0.0))


def slow_greedy(gram, coefficients, budget):
    chosen = []
    for _ in range(budget):
        free = [j for j in range(len(gram)) if j not in chosen]
        chosen.append(min(free, key=lambda j: error_of(gram, coefficients, [*chosen, j])))
    return sorted(chosen)


methods = st.sampled_from(["greedy", "l1"])


@given(seeds, st.integers(2, 25), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_greedy_selection_adds_what_reduces_the_error_most(seed, n_points, budget):
    gram, coefficients = expansion(seed, n_points)
    found = choose(gram, coefficients, min(budget, n_points))
    twin = error_of(gram, coefficients, slow_greedy(gram, coefficients, min(budget, n_points)))
    assert found.error == pytest.approx(twin, rel=1e-6, abs=1e-3 * DEPENDENT**0.5)


@given(seeds, st.integers(1, 40), st.integers(1, 12), methods)
@settings(max_examples=150, deadline=None)
def test_coefficients_are_optimal_and_the_error_is_reported(seed, n_points, budget, method):
    gram, coefficients = expansion(seed, n_points)
    found = choose(gram, coefficients, budget, method)
    assert 1 <= len(found.chosen) <= budget
    assert (np.diff(found.chosen) > 0).all()
    left = coefficients.copy()
    left[found.chosen] -= found.coefficients
    assert found.error == pytest.approx(np.sqrt(max(left @ gram @ left, 0.0)), abs=1e-7)
    assert found.error <= error_of(gram, coefficients, found.chosen) + 1e-6


@given(seeds, st.integers(3, 30), st.integers(1, 8))
@settings(max_examples=100, deadline=None)
def test_l1_selection_is_on_the_path_of_lasso(seed, n_points, budget):
    gram, coefficients = expansion(seed, n_points, d=1 + seed % 2)  # on a line, points leave the path often
    found = choose(gram, coefficients, min(budget, n_points // 3), "l1")
    assume(np.linalg.eigvalsh(gram[np.ix_(found.chosen, found.chosen)])[0] > 1e-4)  # else rounding decides
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # at the end of the path, beyond the budget
        *_, path = lars_path_gram(gram @ coefficients, gram, n_samples=1, method="lasso", copy_Gram=True)
    supports = [np.flatnonzero(step).tolist() for step in path.T]
    assert found.chosen.tolist() in supports


def test_greedy_selection_has_the_smaller_error_so_it_is_the_default():
    cases = [(*expansion(s, 30 + 10 * s), budget) for s in range(12) for budget in (5, 15)]
    greedy, default, l1 = (
        np.array([choose(*case, *more).error for case in cases]) for more in (("greedy",), (), ("l1",))
    )
    assert (default == greedy).all()
    assert np.mean(greedy < l1) > 0.9
    assert greedy.sum() < 0.8 * l1.sum()


@pytest.mark.parametrize("method", ["greedy", "l1"])
def test_as_many_points_as_dimensions_leave_no_error(method):
    points = np.random.default_rng(0).normal(size=(50, 3))
    found = choose(points @ points.T, np.full(50, 0.02), 10, method)
    assert found.error < 1e-7
    assert method == "l1" or len(found.chosen) == 3


def test_of_points_that_explain_as_much_the_most_independent_wins():
    """In the plane any second point leaves no error; one near the first would need huge coefficients."""
    clouds = np.random.default_rng(1).normal(size=(40, 60, 2))
    largest = [np.abs(choose(X @ X.T, np.full(60, 1 / 60), 5).coefficients).max() for X in clouds]
    assert max(largest) < 2.0


@pytest.mark.parametrize("method", ["greedy", "l1"])
def test_equal_points_become_one(method):
    found = choose(np.ones((20, 20)), np.full(20, 0.05), 5, method)
    assert found.coefficients.sum() == pytest.approx(1.0)
    assert found.error < 1e-7


@pytest.mark.parametrize("method", ["greedy", "l1"])
@pytest.mark.parametrize("points", [[-1.0, 1.0], [0.0, 0.0]])
def test_a_center_at_the_origin_keeps_a_point(points, method):
    gram = np.outer(points, points)
    found = choose(gram, np.full(2, 0.5), 1, method)
    assert len(found.chosen) == 1
    assert found.error == 0.0


@pytest.mark.parametrize(
    ("budget", "method", "rule"), [(0, "greedy", "budget must"), (3, "best", "method must")]
)
def test_invalid_parameters_are_refused(budget, method, rule):
    with pytest.raises(ValueError, match=rule):
        choose(np.eye(3), np.ones(3), budget, method)


@given(seeds, st.integers(1, 60), st.integers(1, 30))
@settings(max_examples=150, deadline=None)
def test_subsampling_keeps_the_total_and_samples_in_proportion(seed, n_points, budget):
    coefficients = np.random.default_rng(seed).uniform(0.01, 1.0, size=n_points)
    chosen, kept = subsample(coefficients, budget)
    assert 1 <= len(chosen) <= budget
    assert kept.sum() == pytest.approx(coefficients.sum())
    full = np.zeros(n_points)
    full[chosen] = kept
    sample = coefficients.sum() / budget
    assert np.abs(np.cumsum(full) - np.cumsum(coefficients)).max() <= sample / 2 + 1e-9
