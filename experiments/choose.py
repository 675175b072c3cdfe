"""Choose parameters for the moving Gaussians by tracking accuracy on seeds that are not reported.

``python experiments/choose.py`` prints them; `dynmeans._experiments.parameters` holds the result. The
parameters of rings and Gaussian processes come from `benchmarks/rings.py` and `benchmarks/processes.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from dynmeans._experiments.gaussians import FEW, READINGS, run
from dynmeans._experiments.methods import (
    ALL_METHODS,
    CEILING,
    GIBBS,
    KMEANS,
    OURS,
    PARTICLE,
    REFINED,
    THREE,
    VARIATIONAL,
)
from dynmeans._experiments.trials import CHOOSING_SEED, ExperimentTrial

GATES = (0.03, 0.04)
COSTS = {"birth_cost": (0.045, 0.055, 0.065, 0.075), "lifetime": (1.2, 1.5, 2.0, 3.0)}


class Search(NamedTuple):
    """Values to try and number of seeds; other parameters are kept."""

    seeds: int
    grid: Mapping[str, Sequence[Any]]


SEARCHES = {
    OURS: Search(25, COSTS),
    THREE: Search(25, COSTS),
    REFINED: Search(
        120,
        {"birth_cost": (0.075, 0.085, 0.095), "aging_cost": (0.03, 0.035, 0.04), "drift": (0.4, 0.5, 0.65)},
    ),
    CEILING: Search(25, {"gate": (0.02, 0.03, 0.04, 0.05)}),
    "DP-means, matched": Search(20, {"birth_cost": (0.05, 0.06, 0.07, 0.08), "gate": GATES}),
    KMEANS: Search(5, {"gate": GATES}),
    "DBSCAN, matched": Search(5, {"eps": (0.07, 0.08, 0.09), "min_samples": (4, 7), "gate": GATES}),
    "HDBSCAN, matched": Search(5, {"min_cluster_size": (5, 8), "min_samples": (2, 4), "gate": GATES}),
    "Bayesian mixture, matched": Search(
        3, {"n_components": (10, 20), "weight_concentration_prior": (0.001, 0.1), "gate": GATES[1:]}
    ),
    PARTICLE: Search(5, {"survival": (0.5, 0.2, 0.1, 0.05, 0.03, 0.01)}),
    VARIATIONAL: Search(5, {"survival": (0.7, 0.5, 0.3, 0.2, 0.15, 0.1), "tol": (1e-8,)}),
    GIBBS: Search(5, {"survival": (0.5, 0.1, 0.03, 0.01, 0.003, 0.001), "n_samples": (100,)}),
}


def choose(method: str, reading: str) -> tuple[float, dict[str, Any]]:
    """Return the best mean tracking accuracy of a grid, and its parameters."""
    search = SEARCHES[method]
    seeds = range(CHOOSING_SEED, CHOOSING_SEED + search.seeds)
    grid_points = [dict(zip(search.grid, values, strict=True)) for values in product(*search.grid.values())]
    scores = [np.mean([_tracked(method, reading, values, seed) for seed in seeds]) for values in grid_points]
    best = int(np.argmax(scores))
    return float(scores[best]), grid_points[best]


def _tracked(method: str, reading: str, values: dict[str, Any], seed: int) -> float:
    case = {"method": method, "n_clusters": FEW, "displacement": reading, "n_steps": 100}
    parameters = {**ALL_METHODS[method].parameters(FEW, reading), **values}
    return float(run(ExperimentTrial("choice", {**case, "parameters": parameters}, seed))["tracked"])


def main() -> None:
    """Run the search; it takes about ten minutes on an idle core."""
    for method, reading in product(SEARCHES, READINGS):
        score, values = choose(method, reading)
        sys.stdout.write(f"{method} ({reading}): {score:.3f} {values}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
