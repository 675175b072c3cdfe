"""Parameter search on grids; the seeds for choosing are never the reported ones.

``python -m benchmarks.choosing`` prints the chosen parameters; the constants of `tracking`,
`persistent_ids` and `pedestrians` come from there.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeVar

import numpy as np

Params = TypeVar("Params")


def mean_over(seeds: Sequence[int], score: Callable[[int], float]) -> float:
    """Compute the mean score over seeds."""
    return float(np.mean([score(seed) for seed in seeds]))


def product_of(make: Callable[..., Params], grid: Mapping[str, Sequence[object]]) -> Iterator[Params]:
    """Yield every combination of a grid."""
    for values in product(*grid.values()):
        yield make(**dict(zip(grid, values, strict=True)))


def main() -> None:
    """Run all searches, which takes long, and print the parameters."""
    tracking = importlib.import_module("benchmarks.tracking")
    pedestrians = importlib.import_module("benchmarks.pedestrians")
    for name in tracking.GRIDS:
        print("tracking", name, tracking.choose(name), flush=True)
    persistent_ids = importlib.import_module("benchmarks.persistent_ids")
    for name in persistent_ids.CLUSTERERS:
        print("persistent_ids", name, persistent_ids.choose_gate(name), flush=True)
    for motion in pedestrians.EACH:
        for stream, params in pedestrians.choose(motion, seeds=range(2)).items():
            print("pedestrians", motion, stream, tuple(params), flush=True)


if __name__ == "__main__":
    main()
