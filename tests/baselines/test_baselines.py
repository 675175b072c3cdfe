"""Properties of all baselines, and their results on simple streams."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.utils.estimator_checks import parametrize_with_checks

from dynmeans import DMeans
from dynmeans.baselines import DPMeans, MCGMMGibbs, ParticleLearning, ReclusterAndMatch, VariationalDP
from dynmeans.baselines._mcgmm import McgmmState, ModelParams, absorb, forecast, no_clusters, with_newborn
from dynmeans.datasets import moving_gaussians
from dynmeans.metrics import tracking_accuracy
from mcgmm_twins import KernelInput, labelings, log_points, log_sequential_prior

CHAINS = [MCGMMGibbs(200, random_state=0), VariationalDP(random_state=0), ParticleLearning(random_state=0)]
ALL = [*CHAINS, DPMeans(0.1, random_state=0), ReclusterAndMatch(KMeans(2, n_init=1, random_state=0))]

every = pytest.mark.parametrize("baseline", ALL, ids=lambda model: type(model).__name__)
chains = pytest.mark.parametrize("baseline", CHAINS, ids=lambda model: type(model).__name__)


# The blobs of one of the checks are wider than the default.
WIDE = VariationalDP(observation_variance=0.05, prior_variance=1.0)


@parametrize_with_checks([MCGMMGibbs(20), WIDE, ParticleLearning(10), DPMeans(), ALL[-1]])
def test_passes_the_estimator_checks_of_scikit_learn(estimator, check):
    check(estimator)


def follow(model, batches, truth=None) -> list[list[int]]:
    truth = [None] * len(batches) if truth is None else truth
    return [model.partial_fit(X, y).labels_.tolist() for X, y in zip(batches, truth, strict=True)]


def near(*positions: float) -> np.ndarray:
    """Six points around each position."""
    return np.concatenate(
        [[position + np.array([x, 0.0]) for x in np.linspace(-0.05, 0.05, 6)] for position in positions]
    )


@every
def test_same_seed_same_labels_and_fit_forgets(baseline):
    batches = moving_gaussians(3, 4, random_state=1).batches
    model = clone(baseline)
    found = follow(model, batches)
    assert follow(clone(baseline), batches) == found
    assert model.n_steps_ == 4
    assert model.fit(batches[0]).labels_.tolist() == found[0]
    assert model.n_steps_ == 1


@every
def test_an_error_leaves_the_model_as_it_was(baseline):
    batches = moving_gaussians(2, 3, random_state=1).batches
    model, spared = clone(baseline), clone(baseline)
    follow(model, batches[:2])
    follow(spared, batches[:2])
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit([[np.nan, 0.0]])
    with pytest.raises(ValueError, match="time must not go backwards"):
        model.partial_fit(batches[2], t=-1.0)
    assert follow(model, batches[2:]) == follow(spared, batches[2:])


@chains
def test_clusters_move_leave_return_and_are_born(baseline):
    model = clone(baseline).set_params(prior_variance=4.0, survival=0.9)
    walk = [near(0.0, 3.0), near(0.1, 2.9), near(0.2), near(0.3, 2.8), near(0.4, -4.0)]
    found = follow(model, walk)
    names = [[labels[i] for i in range(0, len(labels), 6)] for labels in found]
    assert found == [np.repeat(short, 6).tolist() for short in names]
    a, b = names[0]
    assert names[:4] == [[a, b], [a, b], [a], [a, b]]
    assert names[4] == [a, max(a, b) + 1]


@chains
def test_a_longer_absence_makes_another_cluster_more_likely(baseline):
    model = clone(baseline).set_params(prior_variance=4.0, survival=0.5)
    first = model.partial_fit(near(0.0), t=0.0).labels_[0]
    soon, late = (clone(model) for _ in range(2))
    for copy in (soon, late):
        copy.partial_fit(near(0.0), t=0.0)
    assert soon.partial_fit(near(0.0), t=1.0).labels_[0] == first
    assert late.partial_fit(near(0.0), t=40.0).labels_[0] == first + 1
    assert late.cluster_ids_.tolist() == [first + 1]


@chains
def test_units_do_not_matter(baseline):
    batches = moving_gaussians(3, 3, random_state=2).batches
    model, scaled = clone(baseline), clone(baseline)
    for name in ("observation_variance", "transition_variance", "prior_variance"):
        scaled.set_params(**{name: 4.0 * getattr(model, name)})
    assert follow(model, batches) == follow(scaled, [2.0 * X for X in batches])


@pytest.mark.parametrize("baseline", [CHAINS[0], CHAINS[2]], ids=lambda model: type(model).__name__)
def test_oracle_selection_improves_samplers(baseline):
    stream = moving_gaussians(5, 15, random_state=3)
    alone = follow(clone(baseline), stream.batches)
    guided = follow(clone(baseline), stream.batches, stream.labels)
    assert tracking_accuracy(stream.labels, guided) > tracking_accuracy(stream.labels, alone) + 0.02


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("observation_variance", 0.0, "> 0"),
        ("transition_variance", -1.0, ">= 0"),
        ("prior_variance", np.nan, "> 0"),
        ("concentration", "much", "a number"),
        ("survival", 1.5, "> 0 and <= 1"),
        ("prior_mean", [0.0, 1.0, 2.0], "finite number or 2 finite numbers"),
    ],
)
@chains
def test_invalid_parameters_are_named_with_their_rule(baseline, name, value, rule):
    with pytest.raises(ValueError, match=f"{name} must be .*{rule}, got "):
        clone(baseline).set_params(**{name: value}).fit(near(0.0))


def test_dp_means_is_dynamic_means_that_never_revives():
    batches = moving_gaussians(4, 5, random_state=0).batches
    plain = DPMeans(0.05, n_restarts=3, random_state=7)
    dynamic = DMeans(0.05, aging_cost=0.1, drift=0.0, n_restarts=3, random_state=7)
    for X in batches:
        plain.partial_fit(X)
        np.testing.assert_array_equal(plain.labels_, dynamic.partial_fit(X).labels_)
        assert plain.cost_ == dynamic.step_.cost


def test_evidence_of_two_batches_is_that_of_all_their_labels():
    """Motion, death and return between the batches are in it."""
    law = ModelParams(0.3, 0.2, 1.5, np.zeros(1), 0.8, 0.6)
    one, two = np.array([[0.1], [-0.4], [1.0]]), np.array([[0.3], [2.0], [0.2]])
    logs = []
    for z in labelings(3, 0):
        first = KernelInput(one, no_clusters(1), law)
        second = KernelInput(two, forecast(after(first, z), 2.0, law), law)
        logs += [log_joint(first, z) + log_joint(second, w) for w in labelings(3, len(second.old.ids))]
    model = ParticleLearning(
        20_000,
        observation_variance=0.3,
        transition_variance=0.2,
        prior_variance=1.5,
        prior_mean=0.0,
        concentration=0.8,
        survival=0.6,
        random_state=0,
    )
    found = model.partial_fit(one, t=0.0).log_evidence_ + model.partial_fit(two, t=2.0).log_evidence_
    assert found == pytest.approx(logsumexp(logs), abs=0.03)


def log_joint(scene: KernelInput, z: tuple[int, ...]) -> float:
    return log_sequential_prior(scene, z) + log_points(scene, z)


def after(scene: KernelInput, z: tuple[int, ...]) -> McgmmState:
    """State of the clusters after the labels of a first batch."""
    taken = np.bincount(z).astype(float)
    sums = np.array([scene.X[np.array(z) == k].sum(axis=0) for k in range(len(taken))])
    return absorb(with_newborn(scene.old, len(taken), 0, scene.law), taken, sums, scene.law)


def test_bound_of_the_variational_baseline_is_public_and_never_falls():
    model = VariationalDP(tol=1e-16, random_state=0)
    for X in moving_gaussians(5, 5, random_state=0).batches:
        model.partial_fit(X)
        assert model.n_iter_ == len(model.elbo_) > 2
        assert (np.diff(model.elbo_) >= -1e-10 * np.abs(model.elbo_).max()).all()
        ids = model.cluster_ids_[model.responsibilities_.argmax(axis=1)]
        np.testing.assert_array_equal(ids, model.labels_)
        assert model.responsibilities_.shape == (len(X), len(model.cluster_centers_))
