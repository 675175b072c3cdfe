"""Properties of SD-Means on one batch."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from algorithms import kernel_reference as twin
from algorithms.kernel_reference import blobs, ideal_blocks, steps
from algorithms.linking_twin import link_slowly
from algorithms.rounding_twin import embed_slowly, largest_row, round_slowly
from dynmeans._algorithms.batch import SearchOptions
from dynmeans._algorithms.kernel_space.kdmeans import descend_kernel
from dynmeans._algorithms.kernel_space.relaxation import core_arguments, relaxed
from dynmeans._algorithms.kernel_space.sdmeans import cluster_spectral
from dynmeans._core import cluster_matrix, cluster_vectors, relax
from kernel_twins import kernel_cost
from strategies import seeds

SEARCH = SearchOptions(seed=7, n_restarts=3, max_iter=100, n_threads=1)


@given(steps(max_rows=25, max_old=3), st.booleans())
@settings(max_examples=100, deadline=None)
def test_the_cost_is_that_of_the_labels_and_the_lowest_of_all_restarts(step, refine):
    fit = cluster_spectral(*step, SEARCH, 0, refine=refine)
    assert fit.cost == pytest.approx(
        kernel_cost(step.similarity, fit.labels, step.prior, step.costs), abs=1e-9
    )
    assert len(fit.restart_costs) == SEARCH.n_restarts
    assert fit.cost == fit.restart_costs.min()


@given(steps(max_rows=25, max_old=3), st.booleans())
@settings(max_examples=100, deadline=None)
def test_relaxing_and_rounding_in_one_call_is_the_same_as_one_after_the_other(step, refine):
    similarity, prior, costs = step
    arguments = core_arguments(similarity, prior, costs.birth)
    options = {"seed": SEARCH.seed, "step": 0, "n_restarts": SEARCH.n_restarts, "max_iter": SEARCH.max_iter}
    options["refine"] = refine
    dense = np.asarray(similarity.multiply(np.eye(len(similarity.weights))))
    values, vectors, bound = relax(**arguments, matrix=dense)
    apart = cluster_vectors(vectors, **arguments, **options, matrix=dense)
    together = cluster_matrix(**arguments, matrix=dense, **options)
    for one, other in zip((*apart, bound, len(values)), together, strict=True):
        np.testing.assert_array_equal(one, other)


@given(steps(max_rows=25, max_old=3))
@settings(max_examples=100, deadline=None)
def test_refining_only_lowers_the_cost_of_every_restart(step):
    rough = cluster_spectral(*step, SEARCH, 0, refine=False)
    fine = cluster_spectral(*step, SEARCH, 0, refine=True)
    assert np.all(fine.restart_costs <= rough.restart_costs + 1e-9)
    assert fine.n_iter > 0


@given(steps(max_rows=25, max_old=3), st.booleans())
@settings(max_examples=100, deadline=None)
def test_the_gap_is_never_negative(step, refine):
    fit = cluster_spectral(*step, SEARCH, 0, refine=refine)
    assert fit.lower_bound <= fit.cost


@given(steps(max_rows=5, max_old=2))
@settings(max_examples=100, deadline=None)
def test_on_tiny_batches_the_optimum_lies_between_bound_and_cost(step):
    fit = cluster_spectral(*step, SEARCH, 0)
    assert fit.lower_bound - 1e-9 <= twin.optimum(step) <= fit.cost + 1e-9


@given(
    st.lists(st.integers(2, 6), min_size=1, max_size=5),
    st.sets(st.integers(0, 4), max_size=3),
    st.sampled_from([0.1, 5.0, 300.0]),
)
@settings(max_examples=80, deadline=None)
def test_ideal_blocks_are_found_and_known_again_with_a_certificate_of_optimality(sizes, known, gamma):
    known = sorted(k for k in known if k < len(sizes))
    step = ideal_blocks(sizes, dict.fromkeys(known, (gamma, 0.0)), birth=0.3)
    fit = cluster_spectral(*step, SEARCH, 0, refine=False)
    fresh = [k for k in range(len(sizes)) if k not in known]
    assert fit.labels.tolist() == np.repeat(np.argsort([*known, *fresh]), sizes).tolist()
    assert fit.cost - fit.lower_bound == pytest.approx(0.0, abs=1e-6)


@given(seeds, st.integers(0, 4), st.booleans())
@settings(max_examples=30, deadline=None)
def test_separated_blobs_are_one_cluster_each_and_old_ones_keep_their_slots(seed, n_old, refine):
    step = blobs(seed, 60, n_old)
    fit = cluster_spectral(*step, SEARCH, 0, refine=refine)
    assert fit.labels.tolist() == np.repeat(np.arange(5), 12).tolist()
    assert fit.n_eigenvectors == 5


def test_without_an_eigenvalue_above_the_birth_cost_there_is_one_cluster():
    step = blobs(0, 40, 0, birth_share=10.0)
    fit = cluster_spectral(*step, SEARCH, 0)
    assert fit.n_eigenvectors == 1
    assert fit.labels.tolist() == [0] * 40


@given(steps(max_rows=25, max_old=3), st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_seed_and_step_number_fix_the_result(step, n_steps):
    one, other = (cluster_spectral(*step, SEARCH, n_steps) for _ in range(2))
    assert one.labels.tolist() == other.labels.tolist()
    assert one.restart_costs.tolist() == other.restart_costs.tolist()


@given(steps(max_rows=25, max_old=3))
@settings(max_examples=40, deadline=None)
def test_more_restarts_never_cost_more(step):
    few = cluster_spectral(*step, SEARCH._replace(n_restarts=1), 0)
    many = cluster_spectral(*step, SEARCH._replace(n_restarts=8), 0)
    assert many.cost <= few.cost
    assert many.restart_costs[0] == few.restart_costs[0]


def vague_step():
    """Points on an arc, which can be divided in several ways."""
    angles = np.sort(np.random.default_rng(0).uniform(0.0, 2.2, size=30))
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    weights = np.random.default_rng(0).choice([0.3, 1.0, 3.5], size=30)
    similarity = twin.linear(rows, weights, np.empty((0, 2)), "matrix")
    return twin.Step(similarity, twin.prior_of(np.empty(0), np.empty(0)), twin.costs_of(2.0))


def slow_trial(step, embedding, first, refine):
    """Round from one row, link and refine, part by part."""
    labels, n_iter, _, fewest = round_slowly(embedding, first, SEARCH.max_iter)
    slots = link_slowly(labels, *step)
    cost = kernel_cost(step.similarity, slots, step.prior, step.costs)
    if refine:
        fit = descend_kernel(*step, SEARCH, 0, start=slots)
        slots, cost, n_iter = fit.labels, fit.cost, n_iter + fit.n_iter
    return slots, cost, n_iter, fewest


@given(
    seeds, st.sampled_from(["matrix", "features", "sparse"]), st.integers(0, 3), st.booleans(), st.booleans()
)
@settings(max_examples=60, deadline=None)
def test_the_compiled_rounding_equals_its_parts_from_the_largest_row(seed, form, n_old, weighted, refine):
    step = twin.make_step(seed, 25, n_old, form=form, weighted=weighted, birth=1.0)
    embedding = embed_slowly(relaxed(*step).vectors, step.similarity.weights, step.prior.gammas)
    slots, cost, n_iter, fewest = slow_trial(step, embedding, largest_row(embedding), refine)
    assume(fewest == embedding.rows.shape[1])  # an axis without members leaves the rotation undetermined
    fit = cluster_spectral(*step, SEARCH._replace(n_restarts=1), 0, refine=refine)
    assert fit.cost == pytest.approx(cost, abs=1e-9)
    assert twin.same_partition(fit.labels, slots)
    assert set(fit.labels[slots < n_old]) == set(slots[slots < n_old])
    assert fit.n_iter == n_iter


def test_other_restarts_begin_with_rows_drawn_by_weight():
    step = vague_step()
    embedding = embed_slowly(relaxed(*step).vectors, step.similarity.weights, step.prior.gammas)
    n, weights = len(embedding.rows), step.similarity.weights
    every = [slow_trial(step, embedding, first, refine=False)[1] for first in range(n)]
    drawn = cluster_spectral(*step, SEARCH._replace(n_restarts=2001), 0, refine=False).restart_costs[1:]
    assert len(np.unique(np.round(every, 9))) > 3
    for cost in np.unique(np.round(every, 9)):
        share = weights[np.isclose(every, cost)].sum() / weights.sum()
        assert np.isclose(drawn, cost).mean() == pytest.approx(share, abs=0.05)
