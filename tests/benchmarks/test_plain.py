from __future__ import annotations

import shutil

import numpy as np
import pytest

from benchmarks import plain
from dynmeans._algorithms.batch import Batch
from dynmeans._model.costs import AgingParameters, Costs, make_costs
from dynmeans._model.motion import WALK
from dynmeans._model.objective import objective
from dynmeans._model.prior import predict_prior
from dynmeans._model.state import empty_state
from dynmeans.datasets import moving_gaussians

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, plain.COMPILERS)), reason="the plain peer needs a C++ compiler"
)


def costs() -> Costs:
    return make_costs(0.05, AgingParameters(3.0, 1.5))


@pytest.mark.parametrize("n_features", [2, 3])
def test_cost_of_the_plain_peer_is_the_objective_of_the_model(n_features: int) -> None:
    state = empty_state(n_features)
    stream = moving_gaussians(n_steps=6, n_features=n_features, random_state=0)
    for t, X in enumerate(stream.batches):
        prior = predict_prior(state, float(t), costs(), WALK)
        labels, cost, _ = plain.descend(X, prior, costs().birth, seed=t, members="sums")
        fit = plain._as_fit(X, prior, labels, cost, 1)
        assert cost == pytest.approx(objective(X, np.ones(len(X)), fit, prior, costs()))
        state = plain.step(state, Batch(X, None, float(t)), costs(), WALK, seed=t, members="sums").state


def test_maps_and_sums_of_points_find_the_same_clusters() -> None:
    states = {"maps": empty_state(2), "sums": empty_state(2)}
    for t, X in enumerate(moving_gaussians(n_steps=8, random_state=1).batches):
        batch = Batch(X, None, float(t))
        results = {m: plain.step(states[m], batch, costs(), WALK, t, m) for m in states}
        np.testing.assert_array_equal(results["maps"].report.labels, results["sums"].report.labels)
        states = {m: r.state for m, r in results.items()}


def test_plain_descent_ends_where_each_point_is_at_its_cheapest_cluster() -> None:
    X = moving_gaussians(n_steps=1, random_state=2).batches[0]
    prior = predict_prior(empty_state(2), 1.0, costs(), WALK)
    labels, cost, passes = plain.descend(X, prior, costs().birth, seed=0, members="maps")
    centers = plain._as_fit(X, prior, labels, cost, passes).centers
    distance = np.sum((X[:, None] - centers) ** 2, axis=2)
    own = distance[np.arange(len(X)), np.unique(labels, return_inverse=True)[1]]
    assert passes >= 2
    np.testing.assert_allclose(own, distance.min(axis=1))
    assert own.max() <= costs().birth
