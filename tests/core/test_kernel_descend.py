"""The compiled kernel descent against its slow twin, the exhaustive optimum, and itself."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import descent_twins
import reference
from descent_twins import as_features, as_matrix, kernel_problems, make_kernel_problem
from dynmeans._core import kernel_descend
from strategies import seeds


def dense(problem):
    return {"matrix": as_matrix(problem).matrix}


def features(problem):
    return {"features": problem.features, "phi_features": problem.phi}


def sparse(problem):
    rows = csr_array(as_matrix(problem).matrix)
    return {
        "begin": rows.indptr.astype(np.int64),
        "neighbors": rows.indices.astype(np.int32),
        "values": rows.data,
    }


FORMS = [dense, features, sparse]
forms = st.sampled_from(FORMS)


def run(problem, form=dense, *, seed=0, step=0, restart=0, max_iter=200, start=None, **changed):
    s = as_features(problem)._replace(**changed)
    begin = None if start is None else np.asarray(start, dtype=np.int32)
    cost_arguments = (problem.gamma, problem.revival, problem.birth)
    return kernel_descend(
        s.weights,
        s.diagonal,
        s.y_phi,
        s.phi_phi,
        *cost_arguments,
        seed,
        step,
        restart,
        max_iter,
        begin,
        **form(problem),
    )


@given(kernel_problems(), forms, seeds, st.integers(0, 1000), st.integers(0, 5))
@settings(max_examples=100, deadline=None)
def test_finds_the_labels_of_the_slow_twin(problem, form, seed, step, restart):
    labels, cost, n_iter = run(problem, form, seed=seed, step=step, restart=restart)
    twin, sweeps = descent_twins.descend(problem, (seed, step, restart), 200)
    n_old = len(problem.phi)
    assert reference.canonical(labels, n_old).tolist() == reference.canonical(twin, n_old).tolist()
    assert n_iter == sweeps
    assert cost == pytest.approx(descent_twins.cost(problem, twin), rel=1e-9, abs=1e-9)


@given(kernel_problems(), forms, seeds)
@settings(max_examples=50, deadline=None)
def test_refines_any_labels_as_the_slow_twin_does_and_never_raises_the_cost(problem, form, seed):
    rng = np.random.default_rng(seed)
    n, n_old = len(problem.weights), len(problem.phi)
    start = rng.integers(rng.integers(1, n_old + n + 1), size=n)
    labels, cost, _ = run(problem, form, seed=seed, start=start)
    twin, _ = descent_twins.descend(problem, (seed, 0, 0), 200, start)
    assert reference.canonical(labels, n_old).tolist() == reference.canonical(twin, n_old).tolist()
    assert cost <= descent_twins.cost(problem, start) + 1e-9


@given(kernel_problems(), seeds)
@settings(max_examples=40, deadline=None)
def test_rows_without_a_label_join_those_that_have_one(problem, seed):
    n, n_old = len(problem.weights), len(problem.phi)
    start = np.random.default_rng(seed).integers(-1, n_old + 2, size=n).clip(max=n_old + n - 1)
    labels, *_ = run(problem, seed=seed, start=start)
    twin, _ = descent_twins.descend(problem, (seed, 0, 0), 200, start)
    assert reference.canonical(labels, n_old).tolist() == reference.canonical(twin, n_old).tolist()


@given(kernel_problems(), forms, seeds)
@settings(max_examples=100, deadline=None)
def test_cost_never_rises_from_sweep_to_sweep(problem, form, seed):
    costs = [run(problem, form, seed=seed, max_iter=i)[1] for i in range(1, 10)]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(costs))


@given(kernel_problems(), forms, seeds)
@settings(max_examples=100, deadline=None)
def test_ends_where_no_single_move_lowers_the_cost(problem, form, seed):
    labels, cost, _ = run(problem, form, seed=seed)
    for i in range(len(labels)):
        assert min(descent_twins.moves(problem, labels, i).values()) >= cost - 1e-9


@given(kernel_problems(max_rows=6, max_old=2), forms, seeds)
@settings(max_examples=60, deadline=None)
def test_is_never_below_the_exhaustive_optimum(problem, form, seed):
    assert run(problem, form, seed=seed)[1] >= descent_twins.optimum(problem) - 1e-9


def test_ten_orders_reach_the_exhaustive_optimum_of_most_tiny_batches():
    tiny = [make_kernel_problem(s, 5, 2, weighted=False, birth=0.7) for s in range(20)]
    reached = [min(run(p, restart=r)[1] for r in range(10)) <= descent_twins.optimum(p) + 1e-9 for p in tiny]
    assert np.mean(reached) > 0.7


@pytest.mark.parametrize("weighted", [False, True])
def test_the_three_forms_of_a_kernel_agree_on_larger_batches(weighted):
    problem = make_kernel_problem(5, 500, 6, weighted=weighted, birth=2.0, d=8)
    found = [run(problem, form, seed=3) for form in FORMS]
    for labels, cost, n_iter in found[1:]:
        assert labels.tolist() == found[0][0].tolist()
        assert cost == pytest.approx(found[0][1], rel=1e-10)
        assert n_iter == found[0][2]


@given(kernel_problems(max_rows=15), forms, seeds)
@settings(max_examples=60, deadline=None)
def test_weight_n_costs_as_much_as_n_copies_that_move_together(problem, form, seed):
    counts = np.random.default_rng(seed).integers(1, 4, size=len(problem.weights))
    labels, cost, _ = run(problem._replace(weights=counts.astype(float)), form, seed=seed)
    copies = problem._replace(features=problem.features.repeat(counts, axis=0), weights=np.ones(counts.sum()))
    assert cost == pytest.approx(descent_twins.cost(copies, labels.repeat(counts)), rel=1e-9, abs=1e-9)


@given(kernel_problems(max_old=2), forms, seeds)
@settings(max_examples=100, deadline=None)
def test_newborn_clusters_are_numbered_without_gaps_by_weight(problem, form, seed):
    labels, *_ = run(problem, form, seed=seed)
    taken = np.bincount(labels, weights=problem.weights, minlength=len(problem.phi))[len(problem.phi) :]
    assert (taken > 0).all()
    assert (np.diff(taken) <= 1e-12).all()


def test_equal_newborn_clusters_are_numbered_by_birth():
    far = make_kernel_problem(0, 6, 0, weighted=False, birth=0.1, d=1)
    far = far._replace(features=np.arange(6.0)[:, None] * 10)
    order = list(range(6))
    reference.Random(11, 4, 2).shuffle(order)
    labels, *_ = run(far, seed=11, step=4, restart=2)
    assert labels[order].tolist() == list(range(6))


@given(kernel_problems(), seeds)
@settings(max_examples=60, deadline=None)
def test_old_centers_may_reach_beyond_the_features(problem, seed):
    s, extra = as_features(problem), np.linspace(0.1, 1.0, len(problem.phi))
    changed = {"phi_phi": s.phi_phi + extra}
    one, other = (run(problem, form, seed=seed, **changed) for form in (dense, features))
    assert one[0].tolist() == other[0].tolist()
    assert one[1] == pytest.approx(other[1], rel=1e-9, abs=1e-9)


def test_features_far_from_the_origin_lose_no_digits_of_the_cost():
    problem = make_kernel_problem(2, 200, 3, weighted=True, birth=0.7)
    far = problem._replace(features=problem.features + 1e5, phi=problem.phi + 1e5)
    here, there = run(problem, features), run(far, features)
    assert here[0].tolist() == there[0].tolist()
    assert here[1] == pytest.approx(there[1], rel=1e-8)


def test_a_row_that_could_as_well_be_elsewhere_stays():
    even = make_kernel_problem(0, 5, 0, weighted=False, birth=0.8, d=1)
    even = even._replace(features=np.array([[0.0], [0.0], [1.0], [2.0], [2.0]]))
    assert run(even, start=[0, 0, 0, 1, 1])[0].tolist() == [0, 0, 0, 1, 1]
    assert run(even, start=[0, 0, 1, 1, 1])[0].tolist() == [1, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("start", "rule"),
    [
        ([0, 1], "one label per row: got 2 labels for 3"),
        ([0, -2, 0], "in -1 .. 4, got -2"),
        ([0, 5, 0], "got 5 for row 1"),
    ],
)
def test_bad_starts_are_refused(start, rule):
    with pytest.raises(ValueError, match=rule):
        run(make_kernel_problem(0, 3, 2, weighted=False, birth=1.0), start=start)


def test_a_kernel_in_no_form_and_no_sweeps_are_refused():
    problem = make_kernel_problem(0, 3, 0, weighted=False, birth=1.0)
    with pytest.raises(ValueError, match="give matrix, or features and phi_features"):
        run(problem, lambda _: {})
    with pytest.raises(ValueError, match="max_iter must be at least 1, got 0"):
        run(problem, max_iter=0)
