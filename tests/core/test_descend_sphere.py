"""The compiled descent on the sphere against its slow twin, the exhaustive optimum, and itself."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
import sphere_twin
from sphere_twin import descend_directions, make_sphere_problem, run, sphere_problems, unit
from strategies import seeds


@given(sphere_problems(), seeds, st.integers(0, 1000))
@settings(max_examples=120, deadline=None)
def test_finds_the_labels_of_the_slow_twin(problem, seed, step):
    slots, _, slot_weights, cost, n_iter, _, lengths, _ = run(problem, seed=seed, step=step)
    labels, passes = sphere_twin.descend(problem, seed, step, 0, 100)
    n_old = len(problem.phi)
    assert reference.canonical(slots, n_old).tolist() == reference.canonical(labels, n_old).tolist()
    assert n_iter == passes
    assert cost == pytest.approx(sphere_twin.cost(problem, labels), rel=1e-9, abs=1e-12)
    for k in range(len(slot_weights)):
        length = np.linalg.norm(sphere_twin.resultant(problem, slots, k)) if slot_weights[k] > 0 else 0.0
        assert lengths[k] == pytest.approx(length, rel=1e-12)


@pytest.mark.parametrize(("n", "d", "n_old"), [(200, 64, 30), (150, 7, 5), (250, 20, 12)])
def test_larger_batches_find_the_labels_of_the_slow_twin(n, d, n_old):
    problem = make_sphere_problem(n, n, d, n_old, weighted=n < 220, birth=0.6, noise=1.0)
    slots, *_ = run(problem, max_iter=4)
    labels, _ = sphere_twin.descend(problem, 0, 0, 0, 4)
    assert reference.canonical(slots, n_old).tolist() == reference.canonical(labels, n_old).tolist()


@given(seeds, st.integers(1, 6), st.integers(0, 2), st.booleans(), st.sampled_from([0.1, 0.5, 1.2]))
@settings(max_examples=60, deadline=None)
def test_is_never_below_the_exhaustive_optimum(seed, n, n_old, weighted, birth):
    problem = make_sphere_problem(seed, n, 3, n_old, weighted=weighted, birth=birth, noise=1.0)
    cost = run(problem, n_restarts=10)[3]
    assert cost >= sphere_twin.optimum(problem) - 1e-9


def test_many_restarts_usually_find_the_exhaustive_optimum():
    problems = [make_sphere_problem(k, 6, 3, 2, weighted=False, birth=0.4, noise=1.0) for k in range(20)]
    hits = [run(p, n_restarts=20)[3] <= sphere_twin.optimum(p) + 1e-9 for p in problems]
    assert np.mean(hits) >= 0.6


@given(sphere_problems(max_rows=20, max_old=3), seeds)
@settings(max_examples=50, deadline=None)
def test_the_center_is_the_best_direction(problem, seed):
    slots, centers, slot_weights, *_ = run(problem)
    rng = np.random.default_rng(seed)
    for k in np.flatnonzero(slot_weights):
        a = sphere_twin.resultant(problem, slots, k)
        others = unit(centers[k] + 0.3 * rng.normal(size=(20, len(a))))
        assert np.linalg.norm(centers[k]) == pytest.approx(1.0)
        assert (others @ a <= centers[k] @ a + 1e-9).all()


@given(sphere_problems(), seeds)
@settings(max_examples=50, deadline=None)
def test_more_passes_never_raise_the_cost(problem, seed):
    costs = [run(problem, seed=seed, max_iter=n)[3] for n in (1, 2, 3, 5, 100)]
    assert all(after <= before + 1e-9 for before, after in pairwise(costs))


@given(sphere_problems(), seeds)
@settings(max_examples=60, deadline=None)
def test_float32_costs_the_same_up_to_rounding(problem, seed):
    single, double = run(problem, seed=seed, dtype=np.float32), run(problem, seed=seed)
    if np.array_equal(single[0], double[0]):
        assert single[3] == pytest.approx(double[3], abs=1e-4)


def test_opposite_rows_keep_a_direction():
    X = np.array([[1.0, 0.0], [-1.0, 0.0]])
    found = descend_directions(X, birth=2.0)
    assert len(found[2]) == 1
    assert np.linalg.norm(found[1][0]) == pytest.approx(1.0)
    assert 0 < found[6][0] < 1e-9
    assert found[3] == pytest.approx(2.0 + 2.0)


def test_tables_must_fit():
    X = np.eye(3)
    with pytest.raises(ValueError, match="an old cluster must have a center"):
        descend_directions(X, birth=1.0, centers=np.empty((1, 3)))
    with pytest.raises(ValueError, match="a row must have a weight"):
        descend_directions(X, np.ones(2), birth=1.0)
