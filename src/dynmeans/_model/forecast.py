"""The forecast: where the remembered clusters are expected to be at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._model.costs import Costs
from dynmeans._model.motion import Motion
from dynmeans._model.prior import Prior, predict_prior, predict_with_variances
from dynmeans._model.state import ClusterState
from dynmeans._model.types import FloatArray, IntArray


class Forecast(NamedTuple):
    """Remembered clusters, predicted to a time, in the order of their ids.

    Clusters whose lifetime ends before that time are left out. For kernels, positions are the means of rows
    when the cluster was last seen, and the velocities are 0.
    """

    time: float  # event time of the forecast
    ids: IntArray  # (K,)
    positions: FloatArray  # (K, d)  predicted
    velocities: FloatArray  # (K, d)  per unit of time; 0 for motions without velocity
    variances: (
        FloatArray  # (K,)  of a coordinate of the position, in units of the variance of a cluster's rows
    )
    ages: FloatArray  # (K,)  time since each was last seen
    support: tuple[FloatArray, ...] | None = None  # kernels: support points (m, d) of each cluster


def forecast_clusters(state: ClusterState, now: float, costs: Costs, motion: Motion) -> Forecast:
    """Predict the clusters that are still remembered at time ``now``."""
    prior, variances = predict_with_variances(state, now, costs, motion)
    moves = motion.has_velocity() and state.velocities.shape == state.centers.shape
    velocities = state.velocities if moves else np.zeros_like(state.centers)
    is_alive = prior.elapsed <= costs.lifetime
    return Forecast(
        time=now,
        ids=state.ids[is_alive],
        positions=prior.centers[is_alive],
        velocities=velocities[is_alive],
        variances=variances[is_alive],
        ages=prior.elapsed[is_alive],
    )


def prior_of_living(state: ClusterState, now: float, costs: Costs, motion: Motion) -> Prior:
    """Predict all clusters to time ``now``; a revival after the end of the lifetime costs infinitely much."""
    prior = predict_prior(state, now, costs, motion)
    return prior._replace(revival=np.where(prior.elapsed <= costs.lifetime, prior.revival, np.inf))
