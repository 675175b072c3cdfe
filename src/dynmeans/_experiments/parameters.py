"""Parameters of all methods: chosen values and those of the paper.

`experiments/choose.py` chooses the parameters, on seeds that are not reported.
"""

from __future__ import annotations

from typing import Any

PAPER_GAUSSIANS: dict[str, Any] = {"birth_cost": 0.04, "lifetime": 6.8, "reach": 1.01, "n_restarts": 3}
# The best parameters depend on the reading of displacements and on the restarts.
GAUSSIANS: dict[str, dict[str, Any]] = {
    "isotropic": {"birth_cost": 0.065, "lifetime": 2.0, "reach": 1.01, "n_restarts": 10},
    "radial": {"birth_cost": 0.055, "lifetime": 2.0, "reach": 1.01, "n_restarts": 10},
}
GAUSSIANS_THREE: dict[str, dict[str, Any]] = {
    "isotropic": {"birth_cost": 0.055, "lifetime": 3.0, "reach": 1.01, "n_restarts": 3},
    "radial": {"birth_cost": 0.045, "lifetime": 3.0, "reach": 1.01, "n_restarts": 3},
}
# One restart, refined by splits, merges and new links. The best drift corresponds to a reach below 1,
# so `aging_cost` and `drift` are given directly.
GAUSSIANS_REFINED: dict[str, dict[str, Any]] = {
    "isotropic": {"birth_cost": 0.085, "aging_cost": 0.03, "drift": 0.5, "n_restarts": 1, "refine": True},
    "radial": {"birth_cost": 0.085, "aging_cost": 0.035, "drift": 0.4, "n_restarts": 1, "refine": True},
}
# Clusterers of single batches, and the largest squared distance for matching ids.
MATCHED: dict[str, dict[str, dict[str, Any]]] = {
    "isotropic": {
        "k-means": {"n_init": 3, "gate": 0.04},
        "DBSCAN": {"eps": 0.09, "min_samples": 7, "gate": 0.03},
        "HDBSCAN": {"min_cluster_size": 8, "min_samples": 2, "gate": 0.03},
        "Bayesian mixture": {"n_components": 20, "weight_concentration_prior": 0.001, "gate": 0.04},
        "DP-means": {"birth_cost": 0.07, "n_restarts": 10, "gate": 0.04},
        "true clusters": {"gate": 0.04},
    },
    "radial": {
        "k-means": {"n_init": 3, "gate": 0.04},
        "DBSCAN": {"eps": 0.09, "min_samples": 7, "gate": 0.04},
        "HDBSCAN": {"min_cluster_size": 8, "min_samples": 2, "gate": 0.03},
        "Bayesian mixture": {"n_components": 20, "weight_concentration_prior": 0.001, "gate": 0.03},
        "DP-means": {"birth_cost": 0.06, "n_restarts": 10, "gate": 0.03},
        "true clusters": {"gate": 0.03},
    },
}
SAMPLES, PARTICLES, TOLERANCE = 5000, 100, 1e-16  # those of the paper
# Variance of a displacement in each coordinate: a length in a random direction splits between the two.
TRANSITION = {"isotropic": 0.05**2, "radial": 0.05**2 / 2}
TRUE_SURVIVAL = 0.95
# With the true rate, a cluster with hundreds of past points absorbs any newborn cluster that is not far away.
SURVIVAL: dict[str, dict[str, float]] = {
    "isotropic": {"Gibbs": 0.003, "variational": 0.2, "particles": 0.03},
    "radial": {"Gibbs": 0.03, "variational": 0.5, "particles": 0.03},
}

RINGS: dict[str, Any] = {
    "kernel": "diffusion",
    "birth_cost": 0.12,
    "aging_cost": 0.01,
    "drift": 4.0,
    "relative": True,
    "refine": False,
}
OMEGA = 0.07  # scale of the paper's kernel
PAPER_RINGS: dict[str, Any] = {"birth_cost": 55.0, "lifetime": 13.0, "reach": 4.5}
PAPER_RINGS_DMEANS: dict[str, Any] = {"birth_cost": 0.1, "lifetime": 15.0, "reach": 1.1, "n_restarts": 3}

GPS: dict[str, Any] = {"birth_cost": 0.055, "lifetime": 10.0, "reach": 2.0, "relative": True}
GPS_KERNEL: dict[str, float] = {"length_scale": 1.0, "signal": 1.0, "noise": 0.2}
GPS_DMEANS: dict[str, Any] = {"birth_cost": 20.0, "lifetime": 3.0, "reach": 1.01, "n_restarts": 3}

# Chosen by `experiments/choose_flights.py`; those of a file, on the day over Switzerland of package traffic.
_SAMPLER: dict[str, Any] = {"n_samples": 50, "prior_variance": 1 / 400, "survival": 0.99}
FLIGHTS: dict[str, dict[str, dict[str, Any]]] = {
    "synthetic week": {
        "D-Means": {"birth_cost": 0.09, "lifetime": 96.0, "reach": 1.05, "n_restarts": 3},
        "DP-means": {"birth_cost": 0.22, "n_restarts": 3},
        "DP-means, full passes": {"birth_cost": 0.22, "n_restarts": 3},
        "Gibbs": {**_SAMPLER, "observation_variance": 5e-5, "transition_variance": 7e-6},
    },
    "file": {
        "D-Means": {"birth_cost": 0.6, "lifetime": 48.0, "reach": 1.01, "n_restarts": 3},
        "DP-means": {"birth_cost": 1.3, "n_restarts": 3},
        "DP-means, full passes": {"birth_cost": 1.3, "n_restarts": 3},
        "Gibbs": {**_SAMPLER, "observation_variance": 1e-3, "transition_variance": 7e-6},
    },
}
