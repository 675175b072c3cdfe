"""Choose parameters for the synthetic week of flights on weeks that are not reported.

``python experiments/choose_flights.py`` prints them; `dynmeans._experiments.parameters` holds the result.
With a file of messages as argument it chooses the parameters of that file, on the same file. The full
passes of DP-means have the parameters of DP-means, since they have the same objective.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from dynmeans._experiments.flights import DAY, PAPER_FLIGHTS, WEEK, run
from dynmeans._experiments.parameters import FLIGHTS
from dynmeans._experiments.trials import CHOOSING_SEED, ExperimentTrial

SEEDS = 8
GRIDS: dict[str, dict[str, dict[str, Sequence[float]]]] = {
    WEEK: {
        "D-Means": {
            "birth_cost": (0.08, 0.09, 0.1, 0.12, 0.15),
            "lifetime": (96.0, 336.0),
            "reach": (1.01, 1.02, 1.05, 1.1),
        },
        "DP-means": {"birth_cost": (0.15, 0.2, 0.22, 0.25, 0.28, 0.3)},
        "Gibbs": {"observation_variance": (3e-5, 5e-5, 7e-5), "transition_variance": (7e-7, 7e-6, 7e-5)},
    },
    DAY: {
        "D-Means": {"birth_cost": (0.3, 0.45, 0.6, 0.8), "lifetime": (12.0, 48.0)},
        "DP-means": {"birth_cost": (0.6, 0.8, 1.0, 1.3, 1.7)},
        "Gibbs": {"observation_variance": (7e-4, 1e-3, 1.5e-3, 2e-3), "transition_variance": (7e-6,)},
    },
}


def main() -> None:
    """Run the search; it takes twenty minutes, mostly for Gibbs."""
    file = sys.argv[1] if len(sys.argv) > 1 else None
    stream: dict[str, Any] = (
        {"data": WEEK, "n_flights": PAPER_FLIGHTS} if file is None else {"data": DAY, "file": file}
    )
    seeds = range(CHOOSING_SEED, CHOOSING_SEED + (SEEDS if file is None else 1))
    candidates = {method: _candidates(grid) for method, grid in GRIDS[stream["data"]].items()}
    scores = {method: np.zeros(len(grid)) for method, grid in candidates.items()}
    for seed in seeds:  # outermost, so that the features of a week are computed once
        for method, grid in candidates.items():
            scores[method] += [_accuracy(stream, method, candidate, seed) / len(seeds) for candidate in grid]
    for method, grid in candidates.items():
        best = int(np.argmax(scores[method]))
        sys.stdout.write(f"{method}: {scores[method][best]:.3f} {grid[best]}\n")


def _candidates(grid: dict[str, Sequence[float]]) -> list[dict[str, float]]:
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def _accuracy(stream: dict[str, Any], method: str, candidate: dict[str, float], seed: int) -> float:
    parameters = {**FLIGHTS[stream["data"]][method], **candidate}
    return float(
        run(ExperimentTrial("choice", {**stream, "method": method, "parameters": parameters}, seed))[
            "accuracy"
        ]
    )


if __name__ == "__main__":
    main()
