"""Sentences about SD-Means on one batch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import kernel_reference as twin
from algorithms.kernel_reference import blobs, ideal_blocks, steps
from dynmeans.algorithms.batch import Search
from dynmeans.algorithms.kernel_objective import kernel_cost
from dynmeans.algorithms.sdmeans import cluster_spectral
from strategies import seeds

SEARCH = Search(seed=7, n_restarts=3, max_iter=100, n_threads=1)


@given(steps(max_rows=25, max_old=3), st.booleans())
@settings(max_examples=100, deadline=None)
def test_the_cost_is_that_of_the_labels_and_the_lowest_of_all_restarts(step, refine):
    fit = cluster_spectral(*step, SEARCH, 0, refine=refine)
    assert fit.cost == pytest.approx(
        kernel_cost(step.similarity, fit.labels, step.prior, step.costs), abs=1e-9
    )
    assert len(fit.restart_costs) == SEARCH.n_restarts
    assert fit.cost == fit.restart_costs.min()


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
