"""The compiled refinement on the sphere against its slow twin, the exhaustive optimum, and itself."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import reference
import sphere_refine_twin
import sphere_twin
from sphere_twin import make_sphere_problem, run, sphere_problems
from strategies import seeds

# The axis to the farthest row of a cluster of three is equally far from the other two, which weigh the same.
EQUALLY_FAR = make_sphere_problem(253182, 15, 5, 1, weighted=True, birth=0.3, noise=2.0)


@given(sphere_problems(max_rows=20, max_old=4), seeds)
@example(EQUALLY_FAR, 135)
@settings(max_examples=30, deadline=None)
def test_finds_the_labels_of_the_slow_twin(problem, seed):
    slots, _, _, cost, *_, whole_cost = run(problem, seed=seed, refine=True)
    start, _ = sphere_twin.descend(problem, seed, 0, 0, 100)
    whole = sphere_refine_twin.with_whole_cost(problem, start)
    labels = sphere_refine_twin.refine(whole, start, 100)
    n_old = len(problem.phi)
    assert whole_cost == pytest.approx(whole.birth, rel=1e-9)
    assert reference.canonical(slots, n_old).tolist() == reference.canonical(labels, n_old).tolist()
    assert cost == pytest.approx(sphere_twin.cost(whole, labels), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("number", [424, 912])
@pytest.mark.parametrize("rotation", range(4))
def test_rounding_does_not_choose_between_rows_that_are_equally_far(number, rotation):
    """A rotation changes the rounding errors, but no distance."""
    problem = make_sphere_problem(number, 15, 5, 0, weighted=True, birth=0.3, noise=2.0)
    turn = np.linalg.qr(np.random.default_rng(rotation).normal(size=(5, 5)))[0]
    turned = problem._replace(X=problem.X @ turn)
    assert run(problem, refine=True)[0].tolist() == run(turned, refine=True)[0].tolist()


@given(sphere_problems(), seeds)
@settings(max_examples=40, deadline=None)
def test_never_raises_the_cost(problem, seed):
    plain, refined = run(problem, seed=seed), run(problem, seed=seed, refine=True)
    whole_cost = refined[-1]
    assert whole_cost >= problem.birth * (1 - 1e-12)
    whole = problem._replace(birth=whole_cost, revival=problem.revival * whole_cost / problem.birth)
    assert refined[3] <= sphere_twin.cost(whole, plain[0]) + 1e-9


@given(seeds, st.integers(1, 6), st.integers(0, 2), st.booleans(), st.sampled_from([0.1, 0.5, 1.2]))
@settings(max_examples=25, deadline=None)
def test_is_never_below_the_exhaustive_optimum(seed, n, n_old, weighted, birth):
    problem = make_sphere_problem(seed, n, 3, n_old, weighted=weighted, birth=birth, noise=1.0)
    found = run(problem, n_restarts=5, refine=True)
    whole = problem._replace(birth=found[-1], revival=problem.revival * found[-1] / birth)
    assert found[3] >= sphere_twin.optimum(whole) - 1e-9


def test_usually_finds_the_exhaustive_optimum_in_one_descent():
    hits = []
    for k in range(20):
        problem = make_sphere_problem(k, 6, 3, 2, weighted=False, birth=0.4, noise=1.0)
        found = run(problem, refine=True)
        whole = problem._replace(birth=found[-1], revival=problem.revival * found[-1] / problem.birth)
        hits.append(found[3] <= sphere_twin.optimum(whole) + 1e-9)
    assert np.mean(hits) >= 0.75


def test_pieces_of_one_broad_cluster_are_merged():
    rng = np.random.default_rng(0)
    X = sphere_twin.unit(np.eye(64)[0] + 1.5 * rng.normal(size=(300, 64)) / 8)
    problem = reference.Problem(X, np.ones(300), np.empty((0, 64)), np.empty(0), np.empty(0), 0.7)
    assert len(run(problem)[2]) > 1
    assert len(run(problem, refine=True)[2]) == 1
