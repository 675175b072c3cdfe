"""How strongly the past pulls at the start of a step."""

from __future__ import annotations

from typing import NamedTuple

from dynmeans._core import predict_clusters
from dynmeans._model.costs import Costs
from dynmeans._model.motion import Motion
from dynmeans._model.state import ClusterState
from dynmeans._model.types import FloatArray


class Prior(NamedTuple):
    """Every remembered cluster as the new batch meets it, in the order of the state."""

    centers: FloatArray  # phi   (K, d)  forecast of the centre
    gammas: FloatArray  # gamma  (K,)    weight of that forecast
    revival: FloatArray  # Q dt  (K,)    price of taking a point again
    elapsed: FloatArray  # dt    (K,)    time since last seen


def predict_prior(state: ClusterState, now: float, costs: Costs, motion: Motion) -> Prior:
    """Let time pass: Eq. gammaupdate, and the price of a return."""
    return Prior(
        *predict_clusters(
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
