"""Result type, random generator and argument checks of all stream generators."""

from __future__ import annotations

from numbers import Real
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
RandomState: TypeAlias = "int | np.random.Generator | None"


class Stream(NamedTuple):
    """Batches of points with true labels, one entry per time step."""

    batches: list[FloatArray]  # (n, d)  the points, in random order
    labels: list[IntArray]  #    (n,)    true id of each point, never reused
    centers: list[FloatArray]  # (K, d)  one row per true id of the step, sorted by id


def make_rng(random_state: RandomState) -> np.random.Generator:
    """Return a generator for a seed; a given generator is returned unchanged."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    if not isinstance(random_state, int | np.integer):
        raise TypeError(f"random_state is {random_state!r}; it must be an int, a numpy Generator or None")
    if random_state < 0:
        raise ValueError(f"random_state is {random_state}; a seed must be at least 0")
    return np.random.default_rng(int(random_state))


def mirror(points: FloatArray) -> FloatArray:
    """Reflect points of any distance into the unit cube at 0 and 1."""
    folded = points % 2.0
    return np.minimum(folded, 2.0 - folded)


def check_count(name: str, value: int) -> None:
    """Reject values other than integers of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} is {value!r}; it must be an integer")
    if value < 1:
        raise ValueError(f"{name} is {value}; it must be at least 1")


def check_between(name: str, value: float, low: float, high: float) -> None:
    """Reject numbers outside [low, high], infinity, NaN, and values that are not numbers."""
    if not isinstance(value, Real):
        raise TypeError(f"{name} is {value!r}; it must be a number")
    if not (low <= value <= high and np.isfinite(value)):
        bound = f"between {low:g} and {high:g}" if np.isfinite(high) else f"finite and at least {low:g}"
        raise ValueError(f"{name} is {value}; it must be {bound}")


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Reject a value that is not one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(map(repr, choices))}")
