"""How a cluster moves while nobody looks: two functions, predict and correct.

All variances are in units of the clusters' own variance sigma, as the weights are.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

import numpy as np

from dynmeans.model.state import ClusterState
from dynmeans.model.types import FloatArray

MotionName = Literal["walk", "velocity"]


class Forecast(NamedTuple):
    """Where the remembered clusters should be now."""

    centers: FloatArray  # (K, d)
    variances: FloatArray  # p (K,)  of the place
    velocity_cov: FloatArray  # (K, 2)


class Motion(Protocol):
    """An exchangeable model of motion."""

    def predict(self, state: ClusterState, elapsed: FloatArray, drift: float) -> Forecast:
        """Forecast every remembered cluster after its ``elapsed`` time (K,)."""

    def correct(
        self, state: ClusterState, forecast: Forecast, centers: FloatArray, taken: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Velocities and their covariances after clusters took points of weight ``taken`` (K,), maybe 0."""

    def newborn_variance(self, drift: float) -> float:
        """Variance of the velocity of a cluster seen for the first time, which is taken to be at rest."""


class Walk:
    """The paper's random walk: the forecast is the old place, its variance 1/w + tau dt."""

    def predict(self, state: ClusterState, elapsed: FloatArray, drift: float) -> Forecast:
        """Stay, and grow unsure."""
        return Forecast(state.centers, 1.0 / state.weights + drift * elapsed, state.velocity_cov)

    def correct(
        self, state: ClusterState, forecast: Forecast, centers: FloatArray, taken: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """There is no velocity to learn."""
        return state.velocities, state.velocity_cov

    def newborn_variance(self, drift: float) -> float:
        """At rest, and known to be."""
        return 0.0


class Velocity:
    """A place that drifts around a line, and a velocity that changes slowly: a Kalman filter.

    Both noises come from the one drift tau. Half of it moves the place, as in the walk; a quarter moves
    the velocity. The velocity of a newborn has variance tau / 2, near which the filter settles, with a
    gain of about one half. So the forecast one step ahead is about as unsure as the walk's, and ``reach``
    keeps its meaning around the forecast.
    """

    place_noise = 0.5
    velocity_noise = 0.25
    velocity_start = 0.5

    def predict(self, state: ClusterState, elapsed: FloatArray, drift: float) -> Forecast:
        """Go on as before, and grow unsure of the place and of the velocity.

        Noise that enters continuously, so that many short steps equal one long one.
        """
        dt, q = elapsed, self.velocity_noise * drift
        cov, var = state.velocity_cov.T
        place = 1.0 / state.weights + dt * (2.0 * cov + dt * var)
        place = place + dt * (self.place_noise * drift + q * dt * dt / 3.0)
        cov_now = cov + dt * var + q * dt * dt / 2.0
        centers = state.centers + state.velocities * dt[:, None]
        return Forecast(centers, place, np.stack([cov_now, var + q * dt], axis=1))

    def correct(
        self, state: ClusterState, forecast: Forecast, centers: FloatArray, taken: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Kalman update by the mean of the points taken, whose variance is 1 / taken.

        The new centre is p / (p + 1/n) of the way from the forecast to that mean, so the gain on the
        velocity, cov / (p + 1/n), is cov / p on the way the centre went.
        """
        cov, var = forecast.velocity_cov.T
        p, seen = forecast.variances, taken[:, None] > 0
        velocity = state.velocities + (cov / p)[:, None] * (centers - forecast.centers)
        share = taken * p / (taken * p + 1.0)
        known = np.stack([cov * (1.0 - share), var - cov * cov / p * share], axis=1)
        return np.where(seen, velocity, state.velocities), np.where(seen, known, state.velocity_cov)

    def newborn_variance(self, drift: float) -> float:
        """At rest as far as anyone knows."""
        return self.velocity_start * drift


MOTIONS: dict[str, Motion] = {"walk": Walk(), "velocity": Velocity()}


def motion_named(name: str) -> Motion:
    """Look up a motion by its public name."""
    if name not in MOTIONS:
        raise ValueError(f"motion must be one of {sorted(MOTIONS)}, got {name!r}")
    return MOTIONS[name]
