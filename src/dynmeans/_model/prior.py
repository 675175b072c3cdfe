"""The prior of a step: remembered clusters, predicted to the time of the batch.

For a cluster with center phi, weight w and age dt, and motion variance tau, the random walk gives

    gamma   = 1 / (1 / w + tau dt)      Eq. gammaupdate: weight of the predicted center
    revival = Q dt                      cost of assigning a point to the cluster again

and the predicted center is phi. Motion with velocity predicts the center by a Kalman filter, whose variance P
replaces the one in gamma, but never exceeds it:

    gamma   = 1 / min(P, 1 / w + tau dt)

In the small-variance limit a larger variance only makes distant points cheaper. Without the limit, a cluster
that sleeps long would take points at any distance (docs/costs.md). The loop over clusters is compiled
(`src/core/lifecycle/lifecycle.hpp`): for batches of a few points, the overhead of a dozen NumPy calls takes
longer than the clustering.
"""

from __future__ import annotations

from typing import NamedTuple

from dynmeans._core import predict_clusters
from dynmeans._model.costs import Costs
from dynmeans._model.motion import Motion
from dynmeans._model.state import ClusterState
from dynmeans._model.types import FloatArray


class Prior(NamedTuple):
    """Remembered clusters, predicted to the time of a batch, in the order of the state."""

    centers: FloatArray  # phi   (K, d)  predicted center
    gammas: FloatArray  # gamma  (K,)    weight of the predicted center
    revival: FloatArray  # Q dt  (K,)    cost of assigning a point to the cluster again
    elapsed: FloatArray  # dt    (K,)    time since the cluster was last seen

    def with_costs(self, costs: Costs) -> Prior:
        """Return the prior with the revival costs Q dt of other costs; the loop computes the same product."""
        return self._replace(revival=costs.aging * self.elapsed)


def predict_prior(state: ClusterState, now: float, costs: Costs, motion: Motion) -> Prior:
    """Predict all clusters to time ``now``: Eq. gammaupdate, and the cost of a revival."""
    return Prior(*_predict(state, now, costs, motion)[:4])


def predict_with_variances(
    state: ClusterState, now: float, costs: Costs, motion: Motion
) -> tuple[Prior, FloatArray]:
    """Return the prior, and the variances (K,) of the predicted positions."""
    *prior, variances = _predict(state, now, costs, motion)
    return Prior(*prior), variances


def _predict(
    state: ClusterState, now: float, costs: Costs, motion: Motion
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    return predict_clusters(state, motion.scaled_by(costs.drift, costs.interval), now, costs.aging)
