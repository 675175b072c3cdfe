"""The Markov chain Gaussian mixture of the paper: its parameters, and what is remembered of its clusters."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.baselines.base import Baseline
from dynmeans.estimators.validation import valid_number

# Share of the weight of a birth below which a sleeping cluster is forgotten. By then its place is so
# uncertain that a birth explains its points as well.
FORGOTTEN = 1e-3


class ModelParams(NamedTuple):
    """The generative model; all variances are of one coordinate."""

    noise: float  # sigma         points around their centre
    drift: float  # xi            motion of a centre in one unit of time
    prior_variance: float  # rho  newborn centres
    prior_mean: FloatArray  # phi (d,)
    concentration: float  # alpha weight of a birth
    survival: float  # q          probability to live on for one unit of time


class Tracks(NamedTuple):
    """What is known of every remembered cluster, one row each, sorted by id."""

    centers: FloatArray  # phi_k   (K, d)  mean of the centre
    variances: FloatArray  # rho_k (K,)    variance of the centre
    counts: FloatArray  # c_k      (K,)    points it ever had
    weights: FloatArray  #         (K,)    q^dt c_k, how much it counts as long as it sleeps
    ids: IntArray  #               (K,)    for life, never reused


class Memory(NamedTuple):
    """What is carried from one batch to the next."""

    prior_mean: FloatArray  # (d,)
    tracks: Tracks
    next_id: int  # smallest id never handed out
    pairs: dict[Any, int]  # found id of each true label, where the truth is told


def no_tracks(n_features: int) -> Tracks:
    """Return what is known before the first batch."""
    none = np.empty(0)
    return Tracks(np.empty((0, n_features)), none, none, none, np.empty(0, dtype=np.int64))


def forecast(tracks: Tracks, elapsed: float, law: ModelParams) -> Tracks:
    """Eq. (mcmmparamprior): centres walk on, clusters may have died, and faint ones are forgotten."""
    weights = tracks.weights * law.survival**elapsed
    kept = weights >= FORGOTTEN * law.concentration
    aged = tracks._replace(variances=tracks.variances + law.drift * elapsed, weights=weights)
    return Tracks(*(column[kept] for column in aged))


def with_newborn(prior: Tracks, n_new: int, next_id: int, law: ModelParams) -> Tracks:
    """Append clusters of which nothing is known yet."""
    return Tracks(
        np.concatenate([prior.centers, np.tile(law.prior_mean, (n_new, 1))]),
        np.append(prior.variances, np.full(n_new, law.prior_variance)),
        np.append(prior.counts, np.zeros(n_new)),
        np.append(prior.weights, np.zeros(n_new)),
        np.append(prior.ids, np.arange(next_id, next_id + n_new)),
    )


def absorb(prior: Tracks, taken: FloatArray, sums: FloatArray, law: ModelParams) -> Tracks:
    """Correct the centres by the number (K,) and the sum (K, d) of the points that each cluster took."""
    variances = 1.0 / (1.0 / prior.variances + taken / law.noise)
    pull = prior.centers / prior.variances[:, None] + sums / law.noise
    counts = prior.counts + taken
    weights = np.where(taken > 0, counts, prior.weights)
    return Tracks(variances[:, None] * pull, variances, counts, weights, prior.ids)


class ChainBaseline(Baseline):
    """A baseline that has the parameters of the generative model."""

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

    def _model_params(self, prior_mean: FloatArray) -> ModelParams:
        return ModelParams(
            _valid("observation_variance", self.observation_variance, above=0.0),
            _valid("transition_variance", self.transition_variance, least=0.0),
            _valid("prior_variance", self.prior_variance, above=0.0),
            prior_mean,
            _valid("concentration", self.concentration, above=0.0),
            _valid("survival", self.survival, above=0.0, most=1.0),
        )

    def _prior_mean(self, rows: Rows) -> FloatArray:
        """Return where newborn centres are, from the parameter or from the first batch."""
        n_features = rows.shape[1]
        if self.prior_mean is None:
            return np.asarray(rows.mean(axis=0, dtype=np.float64))
        mean = np.asarray(self.prior_mean, dtype=np.float64)
        if mean.shape not in ((), (n_features,)) or not np.isfinite(mean).all():
            raise ValueError(
                f"prior_mean must be a finite number or {n_features} of them, got {self.prior_mean!r}"
            )
        return np.ascontiguousarray(np.broadcast_to(mean, n_features))


def _valid(
    name: str, value: Any, *, above: float = -math.inf, least: float = -math.inf, most: float = math.inf
) -> float:
    number = valid_number(name, value)
    if number is None or not (math.isfinite(number) and above < number and least <= number <= most):
        bounds = {"> ": above, ">= ": least, "<= ": most}
        rule = " and ".join(f"{sign}{bound:g}" for sign, bound in bounds.items() if math.isfinite(bound))
        raise ValueError(f"{name} must be a finite number {rule}, got {value!r}")
    return number
