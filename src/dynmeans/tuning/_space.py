"""Search space: ranges are estimated from the data, so they need no units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from dynmeans._algorithms.estimation.candidates import LIFETIME
from dynmeans._model.costs import drift_from_reach, reach_from_drift
from dynmeans._model.types import FloatArray
from dynmeans._sampling import evenly_spaced
from dynmeans.kernels import Kernel

SAMPLE = 400  # rows sampled per batch
BATCHES = 7  # batches sampled
NEIGHBOR = 3  # rank of the neighbor that gives the smallest scale
DIAMETER_QUANTILE = 0.99  # of squared distances: excludes a few outliers
DIAMETER_FACTOR = 2.0  # a birth cost above the squared diameter gives one cluster
LIFETIMES = (1.2, 20.0)  # in median intervals
REACHES = (1.01, 10.0)  # in birth costs: from hardly any motion; 1 would be minus infinity on a log scale
DRIFTS = (0.03, 15.0)  # per median interval: objects that hardly move, and steps of several birth costs


class Axis(NamedTuple):
    """Parameter searched on a logarithmic scale of its excess over `origin`."""

    name: str
    low: float
    high: float
    origin: float = 0.0
    is_whole: bool = False  # values are whole numbers

    def value(self, share: float) -> float:
        """Return the value at a share of the range."""
        low, high = self.low - self.origin, self.high - self.origin
        value = float(self.origin + low * (high / low) ** share)
        return round(value) if self.is_whole else value

    def share(self, value: float) -> float:
        """Return the share of the range at a value: the inverse of `value`."""
        low, high = self.low - self.origin, self.high - self.origin
        return float(np.log((value - self.origin) / low) / np.log(high / low))


class Space(NamedTuple):
    """Search space: the unit cube times a few discrete choices."""

    axes: tuple[Axis, ...]
    choices: tuple[Mapping[str, Any], ...] = ({},)  # of motion and kernel, as parameters of the estimator
    interval: float = 1.0  # median time between two steps
    defaults: FloatArray | None = None  # position of the defaults, if any: tried first, preferred in ties
    widen: Callable[[float], Kernel] | None = None  # the kernel for a value of the axis "width"
    links_groups: bool = False  # the estimator links whole clusters, as PersistentIds does
    has_interval: bool = False  # the estimator takes the interval, to which lifetime and reach refer
    estimate: tuple[FloatArray, int] | None = None  # of the estimator; kept unless another leads clearly
    default_lifetime: float = LIFETIME  # of the estimator, in median intervals; a shorter one must be better
    merges: bool = False  # whether the estimate merges clusters that are not worth a birth
    known: tuple[tuple[FloatArray, int], ...] = ()  # further positions and choices that are always tried

    def params(self, position: FloatArray, choice: int) -> dict[str, Any]:
        """Return the parameters of the estimator.

        If the interval is not 1, the lifetime is in units of time, and the interval is returned too. For an
        estimator without an interval, the equivalent `aging_cost` and `drift` are returned instead.
        """
        named = zip(self.axes, position, strict=True)
        found: dict[str, Any] = {axis.name: axis.value(float(x)) for axis, x in named}
        if "drift" in found:
            found["reach"] = reach_from_drift(found["lifetime"], found.pop("drift"))
        if self.interval != 1.0 and self.has_interval:
            found |= {"lifetime": found["lifetime"] * self.interval, "interval": self.interval}
        elif self.interval != 1.0:
            lifetime, reach = found.pop("lifetime"), found.pop("reach", None)
            found["aging_cost"] = found["birth_cost"] / (lifetime * self.interval)
            drift = 0.0 if reach is None else drift_from_reach(lifetime, reach)
            found["drift"] = (drift + (1.0 if self.links_groups else 0.0)) / self.interval
        if self.widen is not None:
            found["kernel"] = self.widen(found.pop("width"))
        return {**found, **self.choices[choice]}


def birth_costs(batches: Sequence[FloatArray]) -> tuple[float, float]:
    """Estimate the range of birth costs: squared distance of neighbors to squared diameter of a batch."""
    some = [batches[i] for i in evenly_spaced(len(batches), BATCHES)]
    scales = [scale for scale in map(_scales, some) if scale is not None]
    if not scales and max(map(len, batches)) < 2:
        raise ValueError("no batch has two rows, which a birth cost needs; put several rows into a batch")
    if not scales:
        raise ValueError("all rows of each batch are equal; a birth cost needs at least two distinct rows")
    low, high = np.median(scales, axis=0)
    if low < np.finfo(np.float64).tiny:
        raise ValueError(f"squared distances such as {low:g} are too small for floats; use larger units")
    return float(min(low, high / 4.0)), float(high)


def lifetimes(n_steps: int) -> tuple[float, float]:
    """Return the range of lifetimes: at most half of the stream, which cannot test more, or the default."""
    low, high = LIFETIMES
    return low, float(min(high, max(n_steps / 2.0, LIFETIME)))


def make_space(
    births: tuple[float, float], n_steps: int, choices: Sequence[Mapping[str, Any]], interval: float
) -> Space:
    """Build the space of birth cost, lifetime and reach."""
    axes = (
        Axis("birth_cost", *births),
        Axis("lifetime", *lifetimes(n_steps), origin=1.0),
        Axis("reach", *REACHES, origin=1.0),
    )
    return Space(axes, tuple(choices), interval)


def with_drift_axis(space: Space) -> Space:
    """Replace the axis of reach by one of drift, which also covers clusters that hardly move.

    The lowest reach, 1 - 1 / lifetime, depends on the lifetime; the lowest drift is 0.
    """
    axes = (Axis("drift", *DRIFTS) if axis.name == "reach" else axis for axis in space.axes)
    return space._replace(axes=tuple(axes))


def _scales(batch: FloatArray) -> tuple[float, float] | None:
    """Compute the median squared distance to the third neighbor, and the squared diameter."""
    rows = np.unique(batch[evenly_spaced(len(batch), SAMPLE)], axis=0)
    if len(rows) < 2:
        return None
    rows = rows - rows.mean(axis=0)
    unit = float(np.abs(rows).max())
    apart = cdist(rows / unit, rows / unit, "sqeuclidean")
    high = DIAMETER_FACTOR * float(np.quantile(apart, DIAMETER_QUANTILE))
    rank = min(NEIGHBOR, len(rows) - 1)  # the row itself has rank 0
    low = float(np.median(np.partition(apart, rank, axis=1)[:, rank]))
    return (max(low, 1e-12 * high) * unit**2, high * unit**2) if high > 0 else None
