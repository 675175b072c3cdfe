"""Choosing settings on a grid: seeds for choosing are never those that are reported.

``python -m benchmarks.choosing`` prints what it chooses; the constants of `tracking`, `lasting` and
`pedestrians` come from there.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeVar

import numpy as np

Setting = TypeVar("Setting")


def mean_over(seeds: Sequence[int], score: Callable[[int], float]) -> float:
    """Mean score over seeds."""
    return float(np.mean([score(seed) for seed in seeds]))


def product_of(make: Callable[..., Setting], grid: Mapping[str, Sequence[object]]) -> Iterator[Setting]:
    """Every combination of a grid."""
    for values in product(*grid.values()):
        yield make(**dict(zip(grid, values, strict=True)))


def main() -> None:
    """Choose anew, which takes a good while, and print the settings."""
    tracking = importlib.import_module("benchmarks.tracking")
    pedestrians = importlib.import_module("benchmarks.pedestrians")
    for name in tracking.GRIDS:
        print("tracking", name, tracking.choose(name), flush=True)
    lasting = importlib.import_module("benchmarks.lasting")
    for name in lasting.CLUSTERERS:
        print("lasting", name, lasting.choose_gate(name), flush=True)
    for motion in pedestrians.EACH:
        for stream, setting in pedestrians.choose(motion, seeds=range(2)).items():
            print("pedestrians", motion, stream, tuple(setting), flush=True)


if __name__ == "__main__":
    main()
