"""How strongly the past pulls at the start of a step."""

from __future__ import annotations

from typing import NamedTuple

from dynmeans.core import carry_lives
from dynmeans.model.costs import Costs
from dynmeans.model.motion import Motion
from dynmeans.model.state import ClusterState
from dynmeans.model.types import FloatArray


class Prior(NamedTuple):
    """Every remembered cluster as the new batch meets it, in the order of the state."""

    centers: FloatArray  # phi   (K, d)  forecast of the centre
    gammas: FloatArray  # gamma  (K,)    weight of that forecast
    revival: FloatArray  # Q dt  (K,)    price of taking a point again
    elapsed: FloatArray  # dt    (K,)    time since last seen


def carry_forward(state: ClusterState, now: float, costs: Costs, motion: Motion) -> Prior:
    """Let time pass: Eq. gammaupdate, and the price of a return."""
    return Prior(
        *carry_lives(
            state.centers,
            state.weights,
            state.velocities,
            state.velocity_cov,
            state.last_seen,
            now,
            costs.aging,
            *motion.of(costs.drift),
        )
    )
