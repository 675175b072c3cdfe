"""All methods compared on moving Gaussians, by their names in figures and tables."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sklearn.cluster import DBSCAN, HDBSCAN, KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import BayesianGaussianMixture

from dynmeans import DMeans
from dynmeans._experiments.parameters import (
    GAUSSIANS,
    GAUSSIANS_REFINED,
    GAUSSIANS_THREE,
    MATCHED,
    PAPER_GAUSSIANS,
    PARTICLES,
    SAMPLES,
    SURVIVAL,
    TOLERANCE,
    TRANSITION,
    TRUE_SURVIVAL,
)
from dynmeans._experiments.trials import Case, StreamClusterer
from dynmeans.baselines import (
    DPMeans,
    MCGMMGibbs,
    ParticleLearning,
    ReclusterAndMatch,
    TrueLabels,
    VariationalDP,
)

OURS, REFINED = "D-Means", "D-Means, refined"
THREE, PAPER = "D-Means, 3 restarts", "D-Means, the paper's costs"
GIBBS, GIBBS_ORACLE = "Gibbs", "Gibbs, oracle"
VARIATIONAL = "variational"
PARTICLE, PARTICLE_ORACLE = "particles", "particles, oracle"
KMEANS, CEILING = "k-means, true k, matched", "true clusters, matched"


class MethodSpec(NamedTuple):
    """Method with its parameters by number of clusters and reading of the motion."""

    make: Callable[..., StreamClusterer]
    parameters: Callable[[int, str], Case]
    uses_labels: bool = False  # whether it uses the true labels
    seconds: float = 0.0002  # per step with five clusters


class Mixture(BayesianGaussianMixture):  # type: ignore[misc]
    """Variational mixture of round Gaussians with at most n / 3 components."""

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Fit and label, without a convergence warning."""
        self.set_params(n_components=min(self.n_components, len(X) // 3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return super().fit_predict(X)


def _dmeans(**parameters: Any) -> StreamClusterer:
    return DMeans(**parameters, n_jobs=1, random_state=0)


def _hdbscan(**parameters: Any) -> Any:
    return HDBSCAN(**parameters, copy=True)


def _matched(make: Callable[..., Any]) -> Callable[..., StreamClusterer]:
    return lambda gate, **parameters: ReclusterAndMatch(make(**parameters), gate=gate)


def _seeded(make: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
    return lambda **parameters: make(**parameters, **fixed, random_state=0)


def _tuned(chosen: Mapping[str, Case]) -> Callable[[int, str], Case]:
    """Return the chosen parameters for the reading."""
    return lambda n_clusters, displacement: chosen[displacement]


def _best_matched(name: str) -> Callable[[int, str], Case]:
    return lambda n_clusters, displacement: MATCHED[displacement][name]


def _generative(name: str, **given: Any) -> Callable[[int, str], Case]:
    """Return the true variances, as the samplers of the paper used, and the chosen survival."""
    return lambda n_clusters, displacement: {
        **given,
        "transition_variance": TRANSITION[displacement],
        "survival": SURVIVAL[displacement][name],
    }


def _truly(method: MethodSpec) -> MethodSpec:
    """Return a sampler with the true survival rate."""
    return method._replace(
        parameters=lambda n_clusters, displacement: {
            **method.parameters(n_clusters, displacement),
            "survival": TRUE_SURVIVAL,
        }
    )


_GIBBS = MethodSpec(_seeded(MCGMMGibbs), _generative(GIBBS, n_samples=SAMPLES), seconds=0.045)
_VARIATIONAL = MethodSpec(_seeded(VariationalDP), _generative(VARIATIONAL, tol=TOLERANCE), seconds=0.01)
_PARTICLE = MethodSpec(_seeded(ParticleLearning), _generative(PARTICLE, n_particles=PARTICLES), seconds=0.003)

METHODS: dict[str, MethodSpec] = {
    OURS: MethodSpec(_dmeans, _tuned(GAUSSIANS)),
    REFINED: MethodSpec(_dmeans, _tuned(GAUSSIANS_REFINED)),
    THREE: MethodSpec(_dmeans, _tuned(GAUSSIANS_THREE)),
    PAPER: MethodSpec(_dmeans, lambda n_clusters, displacement: PAPER_GAUSSIANS),
    GIBBS: _GIBBS,
    GIBBS_ORACLE: _GIBBS._replace(uses_labels=True),
    VARIATIONAL: _VARIATIONAL,
    PARTICLE: _PARTICLE,
    PARTICLE_ORACLE: _PARTICLE._replace(uses_labels=True),
    KMEANS: MethodSpec(
        _matched(_seeded(KMeans)),
        lambda n_clusters, displacement: {**MATCHED[displacement]["k-means"], "n_clusters": n_clusters},
        seconds=0.005,
    ),
    "DBSCAN, matched": MethodSpec(_matched(DBSCAN), _best_matched("DBSCAN"), seconds=0.003),
    "HDBSCAN, matched": MethodSpec(_matched(_hdbscan), _best_matched("HDBSCAN"), seconds=0.004),
    "Bayesian mixture, matched": MethodSpec(
        _matched(_seeded(Mixture, covariance_type="spherical")),
        _best_matched("Bayesian mixture"),
        seconds=0.015,
    ),
    "DP-means, matched": MethodSpec(_matched(_seeded(DPMeans)), _best_matched("DP-means"), seconds=0.001),
    CEILING: MethodSpec(_matched(TrueLabels), _best_matched("true clusters"), uses_labels=True),
}
# For other numbers of clusters, samplers use only the oracle selection of the paper.
COUNTED = tuple(name for name in METHODS if name not in (GIBBS, PARTICLE))
SAMPLERS = (GIBBS, VARIATIONAL, PARTICLE)
WITH_TRUTH = {f"{name}, true survival": _truly(METHODS[name]) for name in SAMPLERS}
ALL_METHODS = METHODS | WITH_TRUTH
WITHOUT_K = tuple(name for name in METHODS if name.endswith("matched") and name not in (KMEANS, CEILING))
