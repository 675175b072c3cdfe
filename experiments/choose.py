"""Looks for the settings of the moving Gaussians: those that track best on seeds that are never reported.

``python experiments/choose.py`` prints them; `dynmeans.experiments.settings` holds what it printed. The
settings of rings and Gaussian processes come from `benchmarks/rings.py` and `benchmarks/processes.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from dynmeans.experiments.gaussians import READINGS, run
from dynmeans.experiments.rivals import CEILING, KMEANS, MANY, OURS
from dynmeans.experiments.trials import CHOOSING_SEED, Trial

GATES = (0.02, 0.03, 0.04, 0.05)
GRIDS: dict[str, tuple[int, dict[str, Sequence[Any]]]] = {  # seeds, and values
    OURS: (
        50,
        {
            "birth_cost": (0.05, 0.055, 0.06, 0.065, 0.07, 0.08),
            "lifetime": (1.5, 2.0, 2.5, 3.0, 4.0),
            "reach": (1.01,),
            "n_restarts": (3,),
        },
    ),
    MANY: (
        50,
        {
            "birth_cost": (0.06, 0.065, 0.07),
            "lifetime": (2.0, 2.5, 3.0),
            "reach": (1.01,),
            "n_restarts": (100,),
        },
    ),
    CEILING: (50, {"gate": GATES}),
    "DP-means, matched": (
        20,
        {"birth_cost": (0.04, 0.05, 0.06, 0.07, 0.08), "n_restarts": (10,), "gate": GATES[1:3]},
    ),
    "DBSCAN, matched": (
        10,
        {"eps": (0.07, 0.08, 0.09, 0.1), "min_samples": (5, 7, 9), "gate": GATES[1:3]},
    ),
    "HDBSCAN, matched": (
        10,
        {"min_cluster_size": (4, 6, 8, 10), "min_samples": (2, 4), "gate": GATES[1:3]},
    ),
    KMEANS: (10, {"n_init": (3,), "gate": GATES[1:3], "n_clusters": (5,)}),
    "Bayesian mixture, matched": (
        5,
        {"n_components": (10, 20), "weight_concentration_prior": (0.001, 0.1), "gate": GATES[1:3]},
    ),
}


def choose(method: str, reading: str) -> tuple[float, dict[str, Any]]:
    """Best mean tracking accuracy of a method's grid, and where it is."""
    n_seeds, grid = GRIDS[method]
    seeds = range(CHOOSING_SEED, CHOOSING_SEED + n_seeds)
    places = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    scores = [np.mean([_tracked(method, reading, place, seed) for seed in seeds]) for place in places]
    best = int(np.argmax(scores))
    return float(scores[best]), places[best]


def _tracked(method: str, reading: str, parameters: dict[str, Any], seed: int) -> float:
    setting = {"method": method, "n_clusters": 5, "displacement": reading, "n_steps": 100}
    return float(run(Trial("choice", {**setting, "parameters": parameters}, seed))["tracked"])


def main() -> None:
    """Choose anew, which takes some minutes."""
    for method, reading in product(GRIDS, READINGS):
        score, place = choose(method, reading)
        sys.stdout.write(f"{method} ({reading}): {score:.3f} {place}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
