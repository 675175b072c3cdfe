"""The evidence bound: it never falls, and never exceeds the evidence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans.baselines._mcgmm import with_newborn
from dynmeans.baselines._mean_field import MeanField, fit_mean_field
from mcgmm_twins import KernelInput, log_urn_prior, make_scene, posterior
from strategies import seeds


def fit(scene: KernelInput, seed: int, n_new: int = 3, tol: float = 1e-12) -> MeanField:
    n_old = len(scene.old.ids)
    start = np.random.default_rng(seed).dirichlet(np.ones(n_old + n_new), size=len(scene.X))
    prior = with_newborn(scene.old, n_new, n_old, scene.law)
    return fit_mean_field(scene.X, prior, start, scene.law, tol, 10_000)


@given(seeds, st.integers(1, 30), st.integers(0, 4), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_bound_never_falls(seed, n, n_old, d):
    found = fit(make_scene(seed, n, n_old, d), seed)
    rounding = 1e-10 * np.abs(found.elbo).max()
    assert (np.diff(found.elbo) >= -rounding).all()
    np.testing.assert_allclose(found.responsibilities.sum(axis=1), 1.0)


@given(seeds, st.integers(1, 4), st.integers(0, 2), st.integers(1, 2))
@settings(max_examples=30, deadline=None)
def test_bound_never_exceeds_the_evidence_of_the_full_process(seed, n, n_old, d):
    scene = make_scene(seed, n, n_old, d)
    _, evidence = posterior(scene, log_urn_prior)
    assert fit(scene, seed).elbo[-1] <= evidence + 1e-9


def test_bound_is_tight_for_certain_labels():
    """One cluster of large weight takes all rows."""
    scene = make_scene(0, 3, 1)
    sure = scene.old._replace(weights=np.array([1e9]), counts=np.array([1e9]))
    scene = scene._replace(old=sure)
    _, evidence = posterior(scene, log_urn_prior)
    assert fit(scene, 0).elbo[-1] == pytest.approx(evidence, abs=1e-4)


def test_ascent_ends_within_the_tolerance_or_the_number_of_rounds():
    scene = make_scene(4, 25, 2)
    loose, strict = fit(scene, 0, tol=1e-3), fit(scene, 0, tol=1e-12)
    assert len(loose.elbo) < len(strict.elbo)
    gained = np.diff(loose.elbo) / np.abs(loose.elbo[1:])
    assert gained[-1] <= 1e-3 < gained[:-1].min()
