"""How strongly the past pulls at the start of a step."""

from __future__ import annotations

from typing import NamedTuple

from dynmeans.model.costs import Costs
from dynmeans.model.motion import Forecast, Motion
from dynmeans.model.state import ClusterState
from dynmeans.model.types import FloatArray


class Prior(NamedTuple):
    """Every remembered cluster as the new batch meets it, in the order of the state."""

    centers: FloatArray  # phi   (K, d)  forecast of the centre
    gammas: FloatArray  # gamma  (K,)    weight of that forecast
    revival: FloatArray  # Q dt  (K,)    price of taking a point again
    elapsed: FloatArray  # dt    (K,)    time since last seen
    forecast: Forecast


def carry_forward(state: ClusterState, now: float, costs: Costs, motion: Motion) -> Prior:
    """Eq. (gammaupdate): gamma = 1 / (1/w + tau dt), the inverse variance of the forecast."""
    elapsed = now - state.last_seen
    forecast = motion.predict(state, elapsed, costs.drift)
    return Prior(forecast.centers, 1.0 / forecast.variances, costs.aging * elapsed, elapsed, forecast)
