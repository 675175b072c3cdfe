"""Motion of unobserved clusters: noises of the Kalman filter in `src/core/lifecycle/kalman_motion.hpp`.

All variances are in units of the variance sigma of the clusters, as the weights are.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal, NamedTuple

MotionName = Literal["walk", "velocity"]


class Motion(NamedTuple):
    """Variances of the motion, as multiples of the drift tau.

    Time is in units of the interval between steps, so that the motion does not depend on the unit of time.
    """

    position: float  # added to the variance of the position per unit of time
    velocity: float  # added to the variance of the velocity per unit of time
    newborn: float  # variance of the velocity of a newborn cluster, whose expected velocity is 0
    limit: float = math.inf  # largest variance added to a position per unit of time in the cost of a revival

    def has_velocity(self) -> bool:
        """Return whether clusters have velocities."""
        return self.velocity > 0 or self.newborn > 0

    def scaled_by(self, drift: float, interval: float = 1.0) -> Motion:
        """Return the variances for a drift per unit of time, and for the interval in the same unit."""
        return _scaled(self, drift, interval)


@lru_cache(maxsize=64)  # two calls per step, mostly with the same drift: 5% of a step with ten rows
def _scaled(motion: Motion, drift: float, interval: float) -> Motion:
    limit = math.inf if math.isinf(motion.limit) else motion.limit * drift  # 0 times infinity is not a limit
    return Motion(
        motion.position * drift,
        motion.velocity * drift / interval**2,
        motion.newborn * drift / interval,
        limit,
    )


def steady_variance(motion: Motion) -> float:
    """Return the variance of a prediction one unit ahead, for a cluster of large weight seen in each unit.

    Every update then gives the exact position. With position noise p and velocity noise q, the variance V of
    the velocity is the fixed point of V = V + q - (V + q/2)^2 / (V + p + q/3): V^2 = p q + q^2 / 12.
    """
    p, q = motion.position, motion.velocity
    return math.sqrt(p * q + q * q / 12.0) + p + q / 3.0


# The random walk of the paper: the predicted position is the old one, with variance 1/w + tau dt.
WALK = Motion(1.0, 0.0, 0.0)
# A position that drifts around a line, and a velocity that changes slowly. The velocity of a newborn cluster
# has about the stationary variance of the filter, with a gain of about one half. The noises are scaled so
# that the variance of a prediction one unit ahead is tau, as for the random walk, and `reach` means the same.
_SHARES = Motion(0.5, 0.25, 0.5)
VELOCITY = _SHARES.scaled_by(1.0 / steady_variance(_SHARES))._replace(limit=1.0)

MOTIONS: dict[str, Motion] = {"walk": WALK, "velocity": VELOCITY}


def get_motion(name: str) -> Motion:
    """Return the motion with a public name."""
    if name not in MOTIONS:
        raise ValueError(f"motion must be one of {sorted(MOTIONS)}, got {name!r}")
    return MOTIONS[name]
