"""Every setting of every method, in one place: what was chosen, and what the paper says.

`experiments/choose.py` looks for settings, on seeds that are not reported.
"""

from __future__ import annotations

from typing import Any

PAPER_GAUSSIANS: dict[str, Any] = {"birth_cost": 0.04, "lifetime": 6.8, "reach": 1.01, "n_restarts": 3}
# Which setting is best depends on how the displacements are read.
GAUSSIANS: dict[str, dict[str, Any]] = {
    "isotropic": {"birth_cost": 0.065, "lifetime": 2.0, "reach": 1.01, "n_restarts": 3},
    "radial": {"birth_cost": 0.065, "lifetime": 2.0, "reach": 1.01, "n_restarts": 3},
}
N_RESTARTS = 30  # beside the paper's three

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

GPS: dict[str, Any] = {"birth_cost": 0.055, "lifetime": 10.0, "reach": 1.01, "relative": True}
GPS_KERNEL: dict[str, float] = {"length_scale": 1.0, "signal": 1.0, "noise": 0.2}
GPS_DMEANS: dict[str, Any] = {"birth_cost": 20.0, "lifetime": 3.0, "reach": 1.01, "n_restarts": 3}
