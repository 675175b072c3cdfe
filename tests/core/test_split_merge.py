"""The refinement of D-Means against its slow twin, the exhaustive optimum, and the descent without it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
import split_merge_twin
from compiled_descents import descend_problem
from dynmeans import DMeans, load
from strategies import make_problem, problems, seeds


def run(problem, *, refine=True, **options):
    return descend_problem(problem, refine=refine, **options)


@given(problems(max_rows=10, max_old=3), seeds, st.integers(0, 1000))
@settings(max_examples=80, deadline=None)
def test_finds_the_labels_of_the_slow_twin(problem, seed, step):
    slots, _, _, cost, *_ = run(problem, seed=seed, step=step)
    start, _ = reference.descend(problem, seed, step, 0, 300)
    expected = split_merge_twin.refine(problem, start, (seed, step, 0), 300)
    n_old = len(problem.phi)
    assert cost == pytest.approx(reference.cost(problem, expected), rel=1e-9, abs=1e-12)
    assert reference.canonical(slots, n_old).tolist() == reference.canonical(expected, n_old).tolist()


@given(problems(), seeds)
@settings(max_examples=150, deadline=None)
def test_no_restart_costs_more_than_without_it(problem, seed):
    plain, refined = (run(problem, seed=seed, n_restarts=4, refine=refine)[5] for refine in (False, True))
    assert np.all(refined <= plain * (1 + 1e-12) + 1e-15)


@given(problems(), seeds)
@settings(max_examples=100, deadline=None)
def test_cost_centers_and_sizes_are_those_of_the_labels(problem, seed):
    slots, centers, taken, cost, *_ = run(problem, seed=seed)
    assert cost == pytest.approx(reference.cost(problem, slots), rel=1e-9, abs=1e-12)
    for k in range(len(taken)):
        assert taken[k] == pytest.approx(problem.weights[slots == k].sum())
        if taken[k]:
            np.testing.assert_allclose(centers[k], reference.center(problem, slots, k), rtol=1e-9, atol=1e-12)


def test_a_cluster_is_also_split_across_the_direction_of_its_farthest_row():
    """Two groups above each other, and a row on either side that is farther from the mean."""
    heap = np.stack([np.full(10, -0.05), np.linspace(0.9, 1.0, 10)], axis=1)
    rows = np.concatenate([heap, heap * [1.0, -1.0], [[1.1, 0.0], [-1.1, 0.0]]])
    nothing = make_problem(0, 5, 2, 0, weighted=False)
    problem = nothing._replace(X=rows, weights=np.ones(len(rows)), birth=5.0)
    assert set(run(problem, refine=False)[0]) == {0}  # no two rows are farther apart than a birth
    slots = run(problem)[0]
    assert len(set(slots)) == 2
    assert len(set(slots[:10])) == len(set(slots[10:20])) == 1


@given(problems(max_rows=5, max_old=2), seeds)
@settings(max_examples=50, deadline=None)
def test_is_never_below_the_exhaustive_optimum(problem, seed):
    assert run(problem, seed=seed)[3] >= reference.optimum(problem) * (1 - 1e-12) - 1e-15


def test_one_restart_reaches_the_exhaustive_optimum_of_nearly_all_tiny_batches():
    tiny = [make_problem(s, 5, 2, 2, weighted=False) for s in range(25)]
    best = [reference.optimum(problem) for problem in tiny]
    reached = {
        refine: np.mean([run(p, refine=refine)[3] <= b * (1 + 1e-9) for p, b in zip(tiny, best, strict=True)])
        for refine in (False, True)
    }
    assert reached[True] > 0.9
    assert reached[True] > reached[False] + 0.2


@given(problems(max_rows=20), seeds)
@settings(max_examples=60, deadline=None)
def test_copies_are_one_row_with_their_number_as_weight(problem, seed):
    counts = np.random.default_rng(seed).integers(1, 4, size=len(problem.X))
    weighted = problem._replace(weights=counts.astype(float))
    copies = problem._replace(X=problem.X.repeat(counts, axis=0), weights=np.ones(counts.sum()))
    assert run(weighted, seed=seed)[0].repeat(counts).tolist() == run(copies, seed=seed)[0].tolist()


def test_results_do_not_depend_on_the_number_of_threads():
    problem = make_problem(1, 3000, 3, 6, weighted=True, birth=2.0)
    one, two = (run(problem, n_restarts=2, n_threads=n) for n in (1, 2))
    assert one[0].tolist() == two[0].tolist()
    assert one[3] == two[3]


def test_clusters_that_became_one_are_merged_and_one_that_became_two_is_split():
    rng = np.random.default_rng(0)
    here, there = rng.normal(0, 0.05, (30, 2)), rng.normal(0, 0.05, (30, 2)) + 0.4
    apart = DMeans(1.0, refine=True, random_state=0).partial_fit(np.concatenate([here, there]))
    plain = DMeans(1.0, random_state=0).partial_fit(np.concatenate([here, there]))
    assert len(apart.cluster_ids_) == 2  # together they save a birth cost, none of them alone
    assert len(plain.cluster_ids_) == 1
    apart.partial_fit(np.concatenate([here, here + 0.01]))
    assert len(apart.step_.active) == 1


def test_a_run_with_refinement_goes_on_exactly_after_saving(tmp_path):
    rng = np.random.default_rng(1)
    batches = [rng.random((40, 2)) for _ in range(8)]
    model = DMeans(0.3, refine=True, random_state=3)
    for batch in batches[:4]:
        model.partial_fit(batch)
    model.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    assert again.refine is True
    for batch in batches[4:]:
        assert again.partial_fit(batch).labels_.tolist() == model.partial_fit(batch).labels_.tolist()
