"""Motion of unobserved clusters: noises of the Kalman filter in `src/core/lifecycle/kalman_motion.hpp`.

All variances are in units of the clusters' own variance sigma, as the weights are.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

MotionName = Literal["walk", "velocity"]


class Motion(NamedTuple):
    """Variances that come from the one drift tau, as shares of it."""

    place: float  # enters the place in one unit of time
    velocity: float  # enters the velocity in one unit of time
    newborn: float  # of the velocity of a cluster seen for the first time, which is taken to be at rest

    def of(self, drift: float) -> tuple[float, float, float]:
        """The three variances."""
        return self.place * drift, self.velocity * drift, self.newborn * drift


# The paper's random walk: the forecast is the old place, its variance 1/w + tau dt.
WALK = Motion(1.0, 0.0, 0.0)
# A place that drifts around a line, and a velocity that changes slowly. The velocity of a newborn has about
# the variance at which the filter settles, with a gain of about one half. So the forecast one step ahead is
# about as unsure as the walk's, and `reach` keeps its meaning around the forecast.
VELOCITY = Motion(0.5, 0.25, 0.5)

MOTIONS: dict[str, Motion] = {"walk": WALK, "velocity": VELOCITY}


def get_motion(name: str) -> Motion:
    """Look up a motion by its public name."""
    if name not in MOTIONS:
        raise ValueError(f"motion must be one of {sorted(MOTIONS)}, got {name!r}")
    return MOTIONS[name]
