"""The Markov chain Gaussian mixture of the paper: parameters, memory and updates."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.baselines._base import Baseline
from dynmeans.estimators._validation import valid_number

# Share of the weight of a birth below which a sleeping cluster is deleted. Its position is then so
# uncertain that a birth explains its points equally well.
MIN_WEIGHT = 1e-3


class ModelParams(NamedTuple):
    """Parameters of the generative model; variances are per coordinate."""

    noise: float  # sigma         points around their center
    drift: float  # xi            motion of a center in one unit of time
    prior_variance: float  # rho  newborn centers
    prior_mean: FloatArray  # phi (d,)
    concentration: float  # alpha weight of a birth
    survival: float  # q          probability of surviving one unit of time


class McgmmState(NamedTuple):
    """Posterior of every remembered cluster, one row each, sorted by id."""

    centers: FloatArray  # phi_k   (K, d)  mean of the center
    variances: FloatArray  # rho_k (K,)    variance of the center
    counts: FloatArray  # c_k      (K,)    number of points so far
    weights: FloatArray  #         (K,)    q^dt c_k, weight while asleep
    ids: IntArray  #               (K,)    permanent, never reused


class Memory(NamedTuple):
    """State between two batches."""

    prior_mean: FloatArray  # (d,)
    clusters: McgmmState
    next_id: int  # smallest unused id
    pairs: dict[Any, int]  # found id of each true label, with oracle selection


def no_clusters(n_features: int) -> McgmmState:
    """Return the empty table before the first batch."""
    none = np.empty(0)
    return McgmmState(np.empty((0, n_features)), none, none, none, np.empty(0, dtype=np.int64))


def forecast(clusters: McgmmState, elapsed: float, params: ModelParams) -> McgmmState:
    """Predict centers and weights to the current time, Eq. (mcmmparamprior); delete faint clusters."""
    weights = clusters.weights * params.survival**elapsed
    kept = weights >= MIN_WEIGHT * params.concentration
    aged = clusters._replace(variances=clusters.variances + params.drift * elapsed, weights=weights)
    return McgmmState(*(column[kept] for column in aged))


def with_newborn(prior: McgmmState, n_new: int, next_id: int, params: ModelParams) -> McgmmState:
    """Append new clusters at their prior."""
    return McgmmState(
        np.concatenate([prior.centers, np.tile(params.prior_mean, (n_new, 1))]),
        np.append(prior.variances, np.full(n_new, params.prior_variance)),
        np.append(prior.counts, np.zeros(n_new)),
        np.append(prior.weights, np.zeros(n_new)),
        np.append(prior.ids, np.arange(next_id, next_id + n_new)),
    )


def absorb(prior: McgmmState, taken: FloatArray, sums: FloatArray, params: ModelParams) -> McgmmState:
    """Update the centers with the number (K,) and the sum (K, d) of the points of each cluster."""
    variances = 1.0 / (1.0 / prior.variances + taken / params.noise)
    pull = prior.centers / prior.variances[:, None] + sums / params.noise
    counts = prior.counts + taken
    weights = np.where(taken > 0, counts, prior.weights)
    return McgmmState(variances[:, None] * pull, variances, counts, weights, prior.ids)


class MCGMMBaseline(Baseline):
    """Baseline with the parameters of the generative model."""

    def __init__(
        self,
        *,
        observation_variance: float,
        transition_variance: float,
        prior_variance: float,
        prior_mean: Any,
        concentration: float,
        survival: float,
        random_state: Any,
    ) -> None:
        self.observation_variance = observation_variance
        self.transition_variance = transition_variance
        self.prior_variance = prior_variance
        self.prior_mean = prior_mean
        self.concentration = concentration
        self.survival = survival
        self.random_state = random_state

    def _begin(self, rows: Rows) -> Any:
        return Memory(self._prior_mean(rows), no_clusters(rows.shape[1]), 0, {})

    def _model_params(self, prior_mean: FloatArray) -> ModelParams:
        return ModelParams(
            noise=_valid("observation_variance", self.observation_variance, above=0.0),
            drift=_valid("transition_variance", self.transition_variance, minimum=0.0),
            prior_variance=_valid("prior_variance", self.prior_variance, above=0.0),
            prior_mean=prior_mean,
            concentration=_valid("concentration", self.concentration, above=0.0),
            survival=_valid("survival", self.survival, above=0.0, maximum=1.0),
        )

    def _prior_mean(self, rows: Rows) -> FloatArray:
        """Return the mean of new centers, from the parameter or from the first batch."""
        n_features = rows.shape[1]
        if self.prior_mean is None:
            return np.asarray(rows.mean(axis=0, dtype=np.float64))
        mean = np.asarray(self.prior_mean, dtype=np.float64)
        if mean.shape not in ((), (n_features,)) or not np.isfinite(mean).all():
            raise ValueError(
                f"prior_mean must be a finite number or {n_features} finite numbers, got {self.prior_mean!r}"
            )
        return np.ascontiguousarray(np.broadcast_to(mean, n_features))


def _valid(
    name: str, value: Any, *, above: float = -math.inf, minimum: float = -math.inf, maximum: float = math.inf
) -> float:
    number = valid_number(name, value)
    if number is None or not (math.isfinite(number) and above < number and minimum <= number <= maximum):
        bounds = {"> ": above, ">= ": minimum, "<= ": maximum}
        rule = " and ".join(f"{sign}{bound:g}" for sign, bound in bounds.items() if math.isfinite(bound))
        raise ValueError(f"{name} must be a finite number {rule}, got {value!r}")
    return number
