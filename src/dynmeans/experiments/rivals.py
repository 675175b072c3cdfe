"""Everyone who is compared on moving Gaussians, by the name under which figures and tables know them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sklearn.cluster import DBSCAN, HDBSCAN, KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import BayesianGaussianMixture

from dynmeans import DMeans
from dynmeans.baselines import (
    DPMeans,
    MCGMMGibbs,
    ParticleLearning,
    ReclusterAndMatch,
    TrueLabels,
    VariationalDP,
)
from dynmeans.experiments.settings import (
    GAUSSIANS,
    GAUSSIANS_MANY,
    MATCHED,
    PAPER_GAUSSIANS,
    PARTICLES,
    SAMPLES,
    TOLERANCE,
    TRANSITION,
)
from dynmeans.experiments.trials import Setting, Tracker

OURS, MANY, PAPER = "D-Means", "D-Means, 100 restarts", "D-Means, the paper's costs"
GIBBS, GIBBS_TOLD = "Gibbs", "Gibbs, told"
VARIATIONAL = "variational"
PARTICLE, PARTICLE_TOLD = "particles", "particles, told"
KMEANS, CEILING = "k-means, true k, matched", "true clusters, matched"


class Rival(NamedTuple):
    """A method, its parameters for a number of clusters and a reading of the motion, and what it takes."""

    make: Callable[..., Tracker]
    parameters: Callable[[int, str], Setting]
    told: bool = False  # whether it is shown the true labels
    seconds: float = 0.0002  # a step with five clusters


class Mixture(BayesianGaussianMixture):  # type: ignore[misc]
    """Variational mixture of round Gaussians, with at most a third as many parts as there are points."""

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Fit and label; what has not settled after the last round is taken as it is."""
        self.set_params(n_components=min(self.n_components, len(X) // 3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return super().fit_predict(X)


def _dmeans(**parameters: Any) -> Tracker:
    return DMeans(**parameters, n_jobs=1, random_state=0)


def _hdbscan(**parameters: Any) -> Any:
    return HDBSCAN(**parameters, copy=True)


def _matched(make: Callable[..., Any]) -> Callable[..., Tracker]:
    return lambda gate, **parameters: ReclusterAndMatch(make(**parameters), gate=gate)


def _seeded(make: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
    return lambda **parameters: make(**parameters, **fixed, random_state=0)


def _tuned(chosen: Mapping[str, Setting]) -> Callable[[int, str], Setting]:
    """What was chosen for the reading."""
    return lambda n_clusters, displacement: chosen[displacement]


def _best_matched(name: str) -> Callable[[int, str], Setting]:
    return lambda n_clusters, displacement: MATCHED[displacement][name]


def _generative(**setting: Any) -> Callable[[int, str], Setting]:
    """The true parameters of the stream, as the samplers of the paper had them."""
    return lambda n_clusters, displacement: {**setting, "transition_variance": TRANSITION[displacement]}


RIVALS: dict[str, Rival] = {
    OURS: Rival(_dmeans, _tuned(GAUSSIANS)),
    MANY: Rival(_dmeans, _tuned(GAUSSIANS_MANY), seconds=0.001),
    PAPER: Rival(_dmeans, lambda n_clusters, displacement: PAPER_GAUSSIANS),
    GIBBS: Rival(_seeded(MCGMMGibbs), _generative(n_samples=SAMPLES), seconds=0.045),
    GIBBS_TOLD: Rival(_seeded(MCGMMGibbs), _generative(n_samples=SAMPLES), told=True, seconds=0.16),
    VARIATIONAL: Rival(_seeded(VariationalDP), _generative(tol=TOLERANCE), seconds=0.01),
    PARTICLE: Rival(_seeded(ParticleLearning), _generative(n_particles=PARTICLES), seconds=0.003),
    PARTICLE_TOLD: Rival(
        _seeded(ParticleLearning), _generative(n_particles=PARTICLES), told=True, seconds=0.006
    ),
    KMEANS: Rival(
        _matched(_seeded(KMeans)),
        lambda n_clusters, displacement: {**MATCHED[displacement]["k-means"], "n_clusters": n_clusters},
        seconds=0.005,
    ),
    "DBSCAN, matched": Rival(_matched(DBSCAN), _best_matched("DBSCAN"), seconds=0.003),
    "HDBSCAN, matched": Rival(_matched(_hdbscan), _best_matched("HDBSCAN"), seconds=0.004),
    "Bayesian mixture, matched": Rival(
        _matched(_seeded(Mixture, covariance_type="spherical")),
        _best_matched("Bayesian mixture"),
        seconds=0.015,
    ),
    "DP-means, matched": Rival(_matched(_seeded(DPMeans)), _best_matched("DP-means"), seconds=0.001),
    CEILING: Rival(_matched(TrueLabels), _best_matched("true clusters"), told=True),
}
WITHOUT_K = tuple(name for name in RIVALS if name.endswith("matched") and name not in (KMEANS, CEILING))
