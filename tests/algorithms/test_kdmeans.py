"""KD-Means from blocks: its results, which are the same for every form of a kernel."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import descent_twins
from descent_twins import as_features, as_matrix, kernel_problems, make_kernel_problem
from dynmeans._algorithms.batch import SearchOptions
from dynmeans._algorithms.kernel_space.coarsening import mean_squared_deviation, merge, sample
from dynmeans._algorithms.kernel_space.kdmeans import descend_kernel
from dynmeans._core import kernel_descend
from dynmeans._model.costs import Costs
from dynmeans._model.prior import Prior
from dynmeans.kernels.base import Similarity
from kernel_twins import kernel_cost
from strategies import seeds

NONE = np.empty(0)
EMPTY_PRIOR = Prior(np.empty((0, 1)), NONE, NONE, NONE)


def as_sparse(problem):
    dense = as_matrix(problem)
    return dense._replace(matrix=csr_array(dense.matrix))


FORMS = [as_matrix, as_features, as_sparse]


def fit(problem, form=as_matrix, *, seed=0, n_restarts=2, start=None):
    prior = Prior(problem.phi, problem.gamma, problem.revival, NONE)
    search = SearchOptions(seed, n_restarts, 100, 1)
    return descend_kernel(form(problem), prior, Costs(problem.birth, 3.0, 1.0), search, 3, start)


def round_kernel(seed, n):
    """Six blobs under a bounded kernel."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 6
    X = np.array([[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]])[truth] + 0.1 * rng.normal(size=(n, 2))
    matrix = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / (2 * 0.3**2))
    return Similarity(np.ones(n), np.ones(n), np.empty((n, 0)), NONE, matrix=matrix), truth


def same_partition(one, other):
    return len(np.unique(np.stack([one, other]), axis=1).T) == len(np.unique(one)) == len(np.unique(other))


@given(kernel_problems(max_rows=30), st.sampled_from(FORMS), seeds)
@settings(max_examples=100, deadline=None)
def test_cost_is_that_of_the_labels_and_of_the_cheapest_restart(problem, form, seed):
    found = fit(problem, form, seed=seed, n_restarts=3)
    assert found.cost == pytest.approx(descent_twins.cost(problem, found.labels), rel=1e-9, abs=1e-9)
    assert found.cost == found.restart_costs.min()
    assert found.restart_costs.shape == (3,)


@given(kernel_problems(), seeds)
@settings(max_examples=50, deadline=None)
def test_ends_where_no_single_move_lowers_the_cost(problem, seed):
    found = fit(problem, seed=seed)
    for i in range(len(found.labels)):
        assert min(descent_twins.moves(problem, found.labels, i).values()) >= found.cost - 1e-9


def test_reaches_the_exhaustive_optimum_of_most_tiny_batches():
    tiny = [make_kernel_problem(s, 5, 2, weighted=s % 2 == 1, birth=0.7) for s in range(20)]
    gaps = [fit(p, n_restarts=5).cost - descent_twins.optimum(p) for p in tiny]
    assert min(gaps) >= -1e-9
    assert np.mean(np.array(gaps) <= 1e-9) > 0.7


@given(kernel_problems(), seeds)
@settings(max_examples=60, deadline=None)
def test_refining_never_raises_the_cost(problem, seed):
    n, n_old = len(problem.weights), len(problem.phi)
    start = np.random.default_rng(seed).integers(n_old + n, size=n)
    found = fit(problem, seed=seed, start=start)
    assert found.cost <= descent_twins.cost(problem, start) + 1e-9
    assert found.restart_costs.tolist() == [found.cost]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [300, 1500])
def test_the_three_forms_of_a_kernel_agree(n, weighted):
    problem = make_kernel_problem(n, n, 4, weighted=weighted, birth=n / 20, d=6)
    found = [fit(problem, form, n_restarts=1) for form in FORMS]
    assert all(f.labels.tolist() == found[0].labels.tolist() for f in found)
    assert all(f.cost == pytest.approx(found[0].cost, rel=1e-9) for f in found)


@pytest.mark.parametrize("n", [240, 1800])
def test_blocks_find_clusters_that_no_single_row_can_found(n):
    """Every row is within distance 2 of every center, so no single row saves a birth cost of n / 30."""
    similarity, truth = round_kernel(n, n)
    found = descend_kernel(similarity, EMPTY_PRIOR, Costs(n / 30, 3.0, 1.0), SearchOptions(0, 1, 100, 1), 0)
    rows_only = kernel_descend(
        weights=similarity.weights,
        diagonal=similarity.diagonal,
        y_phi=similarity.y_phi,
        phi_phi=NONE,
        gammas=NONE,
        revival=NONE,
        birth=n / 30,
        seed=0,
        step=0,
        restart=0,
        max_iter=100,
        matrix=similarity.matrix,
    )
    assert same_partition(found.labels, truth)
    assert found.cost < rows_only[1]


def test_a_step_depends_on_its_seed_and_number_alone():
    problem = make_kernel_problem(0, 1200, 3, weighted=True, birth=0.1)
    one, again, other = (fit(problem, seed=s, n_restarts=1) for s in (1, 1, 2))
    assert one.labels.tolist() == again.labels.tolist()
    assert one.labels.tolist() != other.labels.tolist()


@pytest.mark.parametrize("value", [1.0, 0.0])
def test_equal_rows_are_one_cluster(value):
    problem = make_kernel_problem(0, 50, 0, weighted=False, birth=1.0, d=2)
    assert fit(problem._replace(features=np.full((50, 2), value))).labels.tolist() == [0] * 50


@given(kernel_problems(), st.sampled_from(FORMS), seeds)
@settings(max_examples=60, deadline=None)
def test_blocks_cost_what_their_rows_cost_less_the_spread_within(problem, form, seed):
    rng = np.random.default_rng(seed)
    n, n_old = len(problem.weights), len(problem.phi)
    blocks = np.unique(rng.integers(n, size=n), return_inverse=True)[1]
    prior = Prior(problem.phi, problem.gamma, problem.revival, NONE)
    costs = Costs(problem.birth, 3.0, 1.0)
    coarse = merge(form(problem), blocks)
    within = [
        kernel_cost(form(problem), labels[blocks], prior, costs) - kernel_cost(coarse, labels, prior, costs)
        for labels in rng.integers(n_old + 2, size=(2, len(coarse.weights)))
    ]
    assert within[0] == pytest.approx(within[1], abs=1e-8)


@pytest.mark.parametrize("form", FORMS)
def test_a_sample_has_the_weight_of_all_and_about_their_spread(form):
    problem = make_kernel_problem(4, 2000, 2, weighted=True, birth=1.0)
    some = sample(form(problem), np.arange(0, 2000, 4))
    assert some.weights.sum() == pytest.approx(problem.weights.sum())
    middle = np.average(problem.features, axis=0, weights=problem.weights)
    deviations = problem.weights * ((problem.features - middle) ** 2).sum(axis=1)
    assert mean_squared_deviation(form(problem)) == pytest.approx(deviations.mean())
    assert mean_squared_deviation(some) == pytest.approx(4 * deviations.mean(), rel=0.1)
