"""The two motions: what they forecast and what they learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans.model.motion import MOTIONS, motion_named
from dynmeans.model.state import empty_state


def remembered(seed, k=3, d=2):
    """Clusters with a velocity that is somewhat known."""
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
    )


def kalman(state, k, elapsed, drift, mean, n):
    """The textbook filter for one cluster and one coordinate, in matrices."""
    F = np.array([[1.0, elapsed], [0.0, 1.0]])
    q, r = 0.25 * drift, 0.5 * drift
    noise = np.array(
        [[q * elapsed**3 / 3 + r * elapsed, q * elapsed**2 / 2], [q * elapsed**2 / 2, q * elapsed]]
    )
    cov, var = state.velocity_cov[k]
    P = F @ np.array([[1 / state.weights[k], cov], [cov, var]]) @ F.T + noise
    x = F @ np.array([state.centers[k, 0], state.velocities[k, 0]])
    gain = P[:, 0] / (P[0, 0] + 1 / n)
    return x, P, x + gain * (mean - x[0]), P - np.outer(gain, P[0])


@given(st.integers(0, 10_000), st.floats(0.01, 20.0), st.floats(0.0, 10.0), st.floats(0.1, 50.0))
@settings(deadline=None)
def test_velocity_is_a_kalman_filter(seed, elapsed, drift, n):
    state, motion = remembered(seed), motion_named("velocity")
    forecast = motion.predict(state, np.full(3, elapsed), drift)
    x, P, x_new, P_new = kalman(state, 1, elapsed, drift, 0.7, n)
    assert forecast.centers[1, 0] == pytest.approx(x[0])
    assert [forecast.variances[1], *forecast.velocity_cov[1]] == pytest.approx([P[0, 0], P[0, 1], P[1, 1]])
    centers = forecast.centers.copy()
    centers[1, 0] = x_new[0]
    speed, cov = motion.correct(state, forecast, centers, np.array([n, n, 0.0]))
    np.testing.assert_array_equal(speed[2], state.velocities[2])
    np.testing.assert_array_equal(cov[2], state.velocity_cov[2])
    assert speed[1, 0] == pytest.approx(x_new[1])
    assert cov[1] == pytest.approx([P_new[0, 1], P_new[1, 1]], abs=1e-9)


@given(st.integers(0, 10_000), st.floats(0.0, 5.0), st.integers(1, 6))
@settings(deadline=None)
def test_many_short_waits_equal_one_long_one(seed, drift, k):
    for motion in MOTIONS.values():
        state = remembered(seed)
        for _ in range(k):
            step = motion.predict(state, np.ones(3), drift)
            state = state._replace(
                centers=step.centers, weights=1 / step.variances, velocity_cov=step.velocity_cov
            )
        once = motion.predict(remembered(seed), np.full(3, float(k)), drift)
        np.testing.assert_allclose(state.centers, once.centers, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(1 / state.weights, once.variances, rtol=1e-9)
        np.testing.assert_allclose(state.velocity_cov, once.velocity_cov, rtol=1e-9, atol=1e-12)


def test_velocity_settles_at_a_gain_of_one_half_and_the_variance_of_the_walk():
    motion, drift = motion_named("velocity"), 4.0
    speed, cov = np.zeros((1, 1)), np.array([[0.0, motion.newborn_variance(drift)]])
    state = remembered(0, k=1, d=1)._replace(velocities=speed, velocity_cov=cov, weights=np.array([1e9]))
    for _ in range(50):
        forecast = motion.predict(state, np.ones(1), drift)
        target = forecast.centers + 1.0
        speed, cov = motion.correct(state, forecast, target, np.array([1e9]))
        gain = float((speed - state.velocities)[0, 0])
        state = state._replace(centers=target, velocities=speed, velocity_cov=cov, weights=np.array([1e9]))
    assert gain == pytest.approx(0.5, abs=0.1)
    assert forecast.variances[0] == pytest.approx(drift, rel=0.25)


def test_walk_stays_where_it_was():
    state = remembered(5)
    forecast = motion_named("walk").predict(state, np.array([1.0, 2.0, 3.0]), 0.5)
    np.testing.assert_array_equal(forecast.centers, state.centers)
    np.testing.assert_allclose(forecast.variances, 1 / state.weights + 0.5 * np.array([1.0, 2.0, 3.0]))


def test_an_unknown_motion_is_named():
    with pytest.raises(ValueError, match=r"motion must be one of \['velocity', 'walk'\], got 'fly'"):
        motion_named("fly")
