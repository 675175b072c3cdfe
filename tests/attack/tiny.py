"""Long streams of tiny batches: every step is valid, and the resident memory stays constant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from resource import getpagesize
from typing import Any

import numpy as np

from attack.models import ESTIMATORS, check_step
from attack.outcome import FAILED, OK, Outcome

PERIOD = 1000  # batches between two measurements of the memory
WARM_UP = 0.2  # share of the batches after which memory must not grow
MEGABYTES = 8.0  # growth that counts as none: pools of the allocator and of NumPy
OTHERS = 20  # one of this many batches goes to a slower estimator


def attack_tiny_batches(count: int, seed: int) -> Iterator[Outcome]:
    """Yield one outcome per batch."""
    rng = np.random.default_rng(seed)
    models = {name: make(random_state=0, history_size=100) for name, make in ESTIMATORS.items()}
    for model in models.values():
        model.partial_fit(rng.normal(size=(75, 2)))
    slower = [name for name in models if name != "DMeans"]
    base = _resident()
    for number in range(count):
        name = slower[number // OTHERS % len(slower)] if number % OTHERS == 0 else "DMeans"
        yield _step(models[name], f"tiny batches seed {seed} number {number}: {name}", rng)
        if number < WARM_UP * count:
            base = max(base, _resident()) if number % PERIOD == 0 else base
        elif number % PERIOD == PERIOD - 1 and (growth := _resident() - base) > MEGABYTES:
            yield Outcome(FAILED, f"tiny batches seed {seed} number {number}: memory grew by {growth:.1f} MB")


def _step(model: Any, what: str, rng: np.random.Generator) -> Outcome:
    n = int(rng.integers(1, 8))
    X = rng.integers(-3, 4, size=(n, 2)) + 0.05 * rng.normal(size=(n, 2))
    weights = None if n > 3 else rng.uniform(0.1, 3.0, size=n)
    try:
        check_step(model.partial_fit(X, sample_weight=weights), n)
    except Exception as error:
        return Outcome(FAILED, f"{what}: {type(error).__name__}: {error}")
    return Outcome(OK, what)


def _resident() -> float:
    """Megabytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize() / 2**20
