"""Compare parameters for people in LiDAR, one change at a time, on scenes that are not reported.

``python experiments/choose_people.py`` prints a line for each; the choice is
`dynmeans.apps.points.TRACKER_PARAMETERS`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from dynmeans._experiments.drawing.draw_people import GROUND, SPECTRAL
from dynmeans._experiments.people import PARAMETERS, SCENE_STEPS, run
from dynmeans._experiments.trials import CHOOSING_SEED, ExperimentTrial

SEEDS = 4
CHANGES: dict[str, tuple[dict[str, Any], ...]] = {
    SPECTRAL: (
        {},
        {"birth_cost": 0.3, "reach": 12.0},
        {"birth_cost": 0.8, "reach": 4.5},
        {"lifetime": 4.0},
        {"lifetime": 8.0},
        {"reach": 6.0},
        {"weight": 3.0},
        {"few": 10.0},
        {"few": 60.0},
        {"piece_cost": 0.5},
        {"motion": "walk"},
    ),
    GROUND: (
        {},
        {"motion": "walk", "lifetime": 4.0, "reach": 3.0},
        {"birth_cost": 0.4},
        {"lifetime": 4.0, "reach": 3.0},
        {"weight": 40.0},
    ),
}


def main() -> None:
    """Run the comparison; it takes about ten minutes."""
    for method, changes in CHANGES.items():
        for change in changes:
            sys.stdout.write(f"{method}, {change or 'unchanged'}: {_scores(method, change)}\n")
            sys.stdout.flush()


def _scores(method: str, change: dict[str, Any]) -> str:
    case = {"method": method, "n_steps": SCENE_STEPS, "parameters": {**PARAMETERS[method], **change}}
    seeds = range(CHOOSING_SEED, CHOOSING_SEED + SEEDS)
    outcomes = [run(ExperimentTrial("scenes", case, seed)) for seed in seeds]
    names = ("tracked", "per_step", "identity_f1", "switches")
    return ", ".join(f"{name} {np.mean([outcome[name] for outcome in outcomes]):.3f}" for name in names)


if __name__ == "__main__":
    main()
