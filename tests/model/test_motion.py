"""The two motions: predictions and updates."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans._model.costs import Costs
from dynmeans._model.lifecycle import update_state
from dynmeans._model.motion import VELOCITY, WALK, get_motion, steady_variance
from dynmeans._model.objective import Fit
from dynmeans._model.prior import predict_prior, predict_with_variances
from dynmeans._model.state import empty_state

FILTER = VELOCITY._replace(limit=math.inf)  # the Kalman filter, without the limit of the costs


def remembered(seed, k=3, d=2):
    """Clusters with an uncertain velocity."""
    rng = np.random.default_rng(seed)
    var = rng.uniform(0.1, 2.0, size=k)
    weights = rng.uniform(1.0, 20.0, size=k)
    cov = rng.uniform(-0.9, 0.9, size=k) * np.sqrt(var / weights)
    return empty_state(d)._replace(
        centers=rng.normal(size=(k, d)),
        weights=weights,
        velocities=rng.normal(size=(k, d)),
        velocity_cov=np.stack([cov, var], axis=1),
        last_seen=np.zeros(k),
        ids=np.arange(k),
        hits=np.ones(k, dtype=np.int64),
    )


def transition(elapsed, drift):
    """Transition and noise of position and velocity, as matrices."""
    q, r = VELOCITY.velocity * drift, VELOCITY.position * drift
    noise = [[q * elapsed**3 / 3 + r * elapsed, q * elapsed**2 / 2], [q * elapsed**2 / 2, q * elapsed]]
    return np.array([[1.0, elapsed], [0.0, 1.0]]), np.array(noise)


def covariance(state, k):
    cov, var = state.velocity_cov[k]
    return np.array([[1 / state.weights[k], cov], [cov, var]])


def kalman(state, k, elapsed, drift, mean, n):
    """The textbook filter for one cluster and coordinate, before and after the mean of n points is seen."""
    F, noise = transition(elapsed, drift)
    P = F @ covariance(state, k) @ F.T + noise
    x = F @ np.array([state.centers[k, 0], state.velocities[k, 0]])
    gain = P[:, 0] / (P[0, 0] + 1 / n)
    return x, P, x + gain * (mean - x[0]), P - np.outer(gain, P[0])


def costs(drift):
    return Costs(1.0, math.inf, drift)


def seen_at(state, prior, centers, slot_weights, now, drift, motion=VELOCITY):
    """State after clusters with known centers had points."""
    slots = np.repeat(np.arange(len(slot_weights), dtype=np.int32), slot_weights > 0)
    fit = Fit(slots, centers, slot_weights, 0.0, 1, np.zeros(1))
    return update_state(state, prior, fit, costs(drift), motion, now).state


@given(st.integers(0, 10_000), st.floats(0.01, 20.0), st.floats(0.01, 10.0), st.floats(0.1, 50.0))
@settings(deadline=None)
def test_velocity_is_a_kalman_filter(seed, elapsed, drift, n):
    state = remembered(seed)
    prior = predict_prior(state, elapsed, costs(drift), FILTER)
    x, P, x_new, P_new = kalman(state, 1, elapsed, drift, 0.7, n)
    assert prior.centers[1, 0] == pytest.approx(x[0])
    assert 1 / prior.gammas[1] == pytest.approx(P[0, 0])
    centers = prior.centers.copy()
    centers[1, 0] = x_new[0]
    after = seen_at(state, prior, centers, np.array([n, n, 0.0]), elapsed, drift, FILTER)
    np.testing.assert_array_equal(after.velocities[2], state.velocities[2])
    np.testing.assert_array_equal(after.velocity_cov[2], state.velocity_cov[2])
    assert after.velocities[1, 0] == pytest.approx(x_new[1])
    assert after.velocity_cov[1] == pytest.approx([P_new[0, 1], P_new[1, 1]], abs=1e-9)


@given(st.integers(0, 10_000), st.floats(0.01, 40.0), st.floats(0.01, 10.0), st.floats(1e-6, 50.0))
@settings(deadline=None)
def test_the_costs_limit_the_variance_of_the_position_and_not_the_gain_of_the_velocity(
    seed, elapsed, drift, n
):
    state = remembered(seed)
    _, P, x_new, P_new = kalman(state, 1, elapsed, drift, 0.7, n)
    prior, variances = predict_with_variances(state, elapsed, costs(drift), VELOCITY)
    assert variances[1] == pytest.approx(P[0, 0])
    assert 1 / prior.gammas[1] == pytest.approx(min(P[0, 0], 1 / state.weights[1] + drift * elapsed))
    gamma, centers = prior.gammas[1], prior.centers.copy()
    centers[1, 0] = (gamma * prior.centers[1, 0] + n * 0.7) / (gamma + n)
    after = seen_at(state, prior, centers, np.array([n, n, 0.0]), elapsed, drift)
    assert after.weights[1] == pytest.approx(gamma + n)
    assert after.velocities[1, 0] == pytest.approx(x_new[1], abs=1e-6)
    assert after.velocity_cov[1, 1] == pytest.approx(P_new[1, 1], abs=1e-9)
    assert np.linalg.eigvalsh(covariance(after, 1)).min() > -1e-9


@given(st.integers(0, 10_000), st.floats(0.01, 5.0), st.integers(1, 6))
@settings(deadline=None)
def test_many_short_waits_equal_one_long_one(seed, drift, k):
    state = remembered(seed)
    x, P = np.array([state.centers[0, 0], state.velocities[0, 0]]), covariance(state, 0)
    F, noise = transition(1.0, drift)
    for _ in range(k):
        x, P = F @ x, F @ P @ F.T + noise
    prior = predict_prior(state, float(k), costs(drift), FILTER)
    assert prior.centers[0, 0] == pytest.approx(x[0])
    assert 1 / prior.gammas[0] == pytest.approx(P[0, 0])


def test_velocity_converges_to_a_gain_of_one_half_and_exactly_the_variance_of_the_walk():
    drift, many = 4.0, np.array([1e9])
    at_rest = {
        "velocities": np.zeros((1, 1)),
        "velocity_cov": np.array([[0.0, VELOCITY.scaled_by(drift).newborn]]),
    }
    state = remembered(0, k=1, d=1)._replace(**at_rest, weights=many)
    for now in range(1, 51):
        prior, variances = predict_with_variances(state, float(now), costs(drift), VELOCITY)
        before = state.velocities[0, 0]
        state = seen_at(state, prior, prior.centers + 1.0, many, float(now), drift)
    assert state.velocities[0, 0] - before == pytest.approx(0.5, abs=0.1)
    assert variances[0] == pytest.approx(drift)
    assert 1 / prior.gammas[0] == pytest.approx(drift)
    assert steady_variance(VELOCITY) == pytest.approx(1.0)


def test_walk_stays_where_it_was():
    state = remembered(5)._replace(last_seen=np.array([2.0, 1.0, 0.0]))
    prior = predict_prior(state, 3.0, costs(0.5), WALK)
    assert prior.centers is state.centers
    np.testing.assert_allclose(1 / prior.gammas, 1 / state.weights + 0.5 * np.array([1.0, 2.0, 3.0]))


def test_walk_has_no_velocities_and_velocity_starts_from_rest():
    state, slot_weights = remembered(5), np.ones(3)
    walked = seen_at(
        state, predict_prior(state, 1.0, costs(0.5), WALK), state.centers, slot_weights, 1.0, 0.5, WALK
    )
    assert walked.velocities.shape == (3, 0)
    assert not walked.velocity_cov.any()
    prior = predict_prior(walked, 2.0, costs(0.5), VELOCITY)
    np.testing.assert_array_equal(prior.centers, walked.centers)
    moved = seen_at(walked, prior, walked.centers + 1.0, slot_weights, 2.0, 0.5)
    assert (moved.velocities > 0).all()


def test_an_unknown_motion_is_named():
    with pytest.raises(ValueError, match=r"motion must be one of \['velocity', 'walk'\], got 'fly'"):
        get_motion("fly")
