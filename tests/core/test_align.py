"""The compiled alignment against its slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import align_twins
from align_twins import scene_between
from dynmeans._core import align_shifts, mixture_responsibilities
from dynmeans.datasets import moving_rings
from strategies import seeds


def make_arguments(seed, n, d, n_old):
    """Rows, weights, and support points with shares that add up to 1 in each cluster, some of them 0."""
    rng = np.random.default_rng(seed)
    owner = rng.permutation(np.r_[np.arange(n_old), rng.integers(n_old, size=3 * n_old)])
    shares = rng.uniform(size=len(owner)) * (rng.uniform(size=len(owner)) < 0.8)
    shares /= np.maximum(np.bincount(owner, shares, n_old), 1e-9)[owner]
    rows, kept = rng.uniform(size=(n, d)), rng.uniform(size=(len(owner), d))
    return rows, rng.uniform(0.2, 3.0, size=n), kept, shares, owner, n_old


arguments = st.builds(make_arguments, seeds, st.integers(1, 70), st.integers(1, 4), st.integers(1, 4))
bandwidths = st.sampled_from([0.01, 0.1, 1.0])
backgrounds = st.sampled_from([1e-300, 1e-3, 0.5])


@given(arguments, bandwidths, backgrounds)
@settings(max_examples=200, deadline=None)
def test_posteriors_are_those_of_the_slow_twin(problem, h, background):
    rows, _, *past = problem
    found = mixture_responsibilities(rows, *past, h, background)
    np.testing.assert_allclose(found, align_twins.explained(rows, *past, h, background), rtol=1e-5, atol=1e-9)
    assert (found >= 0).all()
    assert (found.sum(axis=1) <= 1 + 1e-12).all()


@given(arguments, st.sampled_from([0.1, 1.0]), st.sampled_from([1e-3, 0.5]), st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_shifts_are_those_of_the_slow_twin(problem, h, background, n_rounds):
    found = align_shifts(*problem, h, background, 2.0, n_rounds)
    expected = align_twins.align_shifts(*problem, h, background, 2.0, n_rounds)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("together", [True, False])
def test_shifts_of_rings_are_those_of_the_slow_twin(together):
    stream = moving_rings(8, together=together, random_state=3)
    for step in range(1, 8):
        scene = scene_between(stream, step)
        problem = (*scene[:3], scene.coefficients, scene.owner, scene.n_old, 0.035, 0.002)
        np.testing.assert_allclose(align_shifts(*problem), align_twins.align_shifts(*problem), atol=1e-4)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_a_weight_counts_as_copies(seed):
    rows, _, *past = make_arguments(seed, 20, 2, 3)
    counts = np.random.default_rng(seed).integers(1, 4, size=20)
    one = align_shifts(rows, counts.astype(float), *past, 0.2, 1e-2)
    many = align_shifts(rows.repeat(counts, axis=0), np.ones(counts.sum()), *past, 0.2, 1e-2)
    np.testing.assert_allclose(one, many, atol=1e-8)


def test_the_order_of_support_points_does_not_matter():
    rows, weights, kept, shares, owner, n_old = make_arguments(1, 50, 2, 4)
    order = np.random.default_rng(0).permutation(len(owner))
    one = align_shifts(rows, weights, kept, shares, owner, n_old, 0.1, 1e-2)
    other = align_shifts(rows, weights, kept[order], shares[order], owner[order], n_old, 0.1, 1e-2)
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_rows_far_from_every_density_have_no_influence():
    rows = np.full((3, 2), 1e6)
    past = np.zeros((2, 2)), np.ones(2), np.arange(2), 2
    assert mixture_responsibilities(rows, *past, 1.0, 1e-3).max() < 1e-200
    np.testing.assert_allclose(align_shifts(rows, np.ones(3), *past, 1.0, 1e-3), 0.0, atol=1e-200)
