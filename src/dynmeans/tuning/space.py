"""Where to look: ranges that come from the data, so that nobody has to know the units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from dynmeans._model.costs import drift_from_reach
from dynmeans._model.types import FloatArray
from dynmeans.kernels import Kernel

SAMPLE = 400  # rows of a batch that are looked at
BATCHES = 7  # batches that are looked at
NEIGHBOUR = 3  # clusters of fewer points are no use
FARTHEST = 0.99  # quantile of squared distances: a few outliers must not stretch the range
BEYOND = 2.0  # times that: only above the diameter is one cluster certain
LIFETIMES = (1.2, 20.0)  # in usual steps
REACHES = (1.01, 10.0)


class Axis(NamedTuple):
    """A number that is searched on a logarithmic scale, as its excess over a lowest value."""

    name: str
    low: float
    high: float
    origin: float = 0.0

    def value(self, share: float) -> float:
        """The value at a share of the way from low to high."""
        low, high = self.low - self.origin, self.high - self.origin
        return float(self.origin + low * (high / low) ** share)

    def share(self, value: float) -> float:
        """Where a value is on the way from low to high: the inverse of `value`."""
        low, high = self.low - self.origin, self.high - self.origin
        return float(np.log((value - self.origin) / low) / np.log(high / low))


class Space(NamedTuple):
    """All settings that may be tried: a point of the unit cube, and one of a few choices."""

    axes: tuple[Axis, ...]
    choices: tuple[Mapping[str, Any], ...] = ({},)  # of motion and kernel, as parameters of the estimator
    interval: float = 1.0  # usual time between two steps
    home: FloatArray | None = None  # place of the defaults, if any: tried first, left only for a reason
    widen: Callable[[float], Kernel] | None = None  # the kernel for a value of the axis "width"

    def params(self, place: FloatArray, choice: int) -> dict[str, Any]:
        """Parameters for the estimator.

        Lifetime and reach count in units of time. If steps are not a unit apart, the raw pair says the same
        for the steps that there are.
        """
        named = zip(self.axes, place, strict=True)
        found: dict[str, Any] = {axis.name: axis.value(float(x)) for axis, x in named}
        if self.interval != 1.0:
            lifetime, reach = found.pop("lifetime"), found.pop("reach")
            found["aging_cost"] = found["birth_cost"] / (lifetime * self.interval)
            found["drift"] = drift_from_reach(lifetime, reach) / self.interval
        if self.widen is not None:
            found["kernel"] = self.widen(found.pop("width"))
        return {**found, **self.choices[choice]}


def birth_costs(batches: Sequence[FloatArray]) -> tuple[float, float]:
    """From the distance between neighbours to that between the farthest points of a batch, both squared."""
    some = [batches[i] for i in np.linspace(0, len(batches) - 1, min(len(batches), BATCHES)).astype(int)]
    scales = [scale for scale in map(_scales, some) if scale is not None]
    if not scales:
        raise ValueError("all rows of a batch are equal: there is nothing to tune a birth cost by")
    low, high = np.median(scales, axis=0)
    if low < np.finfo(np.float64).tiny:
        raise ValueError(f"squared distances such as {low:g} are too small for floats; use larger units")
    return float(min(low, high / 4.0)), float(high)


def lifetimes(n_steps: int) -> tuple[float, float]:
    """A lifetime of more than half of the stream cannot be judged by it."""
    low, high = LIFETIMES
    return low, float(min(high, max(n_steps / 2.0, 2.0)))


def make_space(
    births: tuple[float, float], n_steps: int, choices: Sequence[Mapping[str, Any]], interval: float
) -> Space:
    """The space of birth cost, lifetime and reach."""
    axes = (
        Axis("birth_cost", *births),
        Axis("lifetime", *lifetimes(n_steps), origin=1.0),
        Axis("reach", *REACHES, origin=1.0),
    )
    return Space(axes, tuple(choices), interval)


def _scales(batch: FloatArray) -> tuple[float, float] | None:
    """Squared distance to the third neighbour, in the median, and between the farthest rows."""
    every = np.linspace(0, len(batch) - 1, min(len(batch), SAMPLE)).astype(int)
    rows = np.unique(batch[every], axis=0)
    if len(rows) < 2:
        return None
    rows = rows - rows.mean(axis=0)
    unit = float(np.abs(rows).max())
    apart = cdist(rows / unit, rows / unit, "sqeuclidean")
    high = BEYOND * float(np.quantile(apart, FARTHEST))
    rank = min(NEIGHBOUR, len(rows) - 1)  # the row itself has rank 0
    low = float(np.median(np.partition(apart, rank, axis=1)[:, rank]))
    return (max(low, 1e-12 * high) * unit**2, high * unit**2) if high > 0 else None
