"""The three costs of the paper: of a birth, of a unit of absence, and of motion."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynmeans._model.state import ClusterState

LARGEST_SPAN = 1e12  # largest lifetime, reach and drift: values that grow with them stay far from overflow
SHORTEST_LIFETIME = 1e-12  # the inverse of LARGEST_SPAN
LARGEST_COST, SMALLEST_COST = 1e305, 1e-305  # costs and their inverses are finite, normal doubles


class Costs(NamedTuple):
    """The costs lambda, T_Q and tau, where Q is lambda / T_Q.

    The lifetime is stored instead of Q, so that a cluster dies at exactly that age, without rounding error.
    """

    birth: float  # lambda  squared distance at which a point founds a cluster
    lifetime: float  # T_Q  longest time without points before death; inf for Q = 0
    drift: float  # tau     variance of the motion per unit of time, in units of the variance of the cluster
    interval: float = 1.0  #  time between steps; a velocity changes by a share of the drift in this time
    longest: float = math.inf  # interval between steps; after a longer one the lifetime is longer too

    @property
    def reach(self) -> float:
        """The reach k_tau, one interval after a cluster was last seen; 0 if it is dead by then."""
        return max(reach_from_drift(self.lifetime / self.interval, self.drift * self.interval), 0.0)

    @property
    def aging(self) -> float:
        """Q, the cost per unit of time since a cluster was last seen."""
        return min(self.birth / self.lifetime, LARGEST_COST)

    def at(self, now: float, state: ClusterState) -> Costs:
        """Return the costs of a step at a time; ``state`` is that before the step.

        Nothing is observed between two steps, so no cluster is absent there. After a longer interval than
        usual, a lifetime of some intervals is as many of this one. But it is at most the half-life of the
        clusters, ln 2 times their mean stay.
        """
        elapsed = now - state.clock
        if elapsed <= self.longest or len(state.hits) == 0:
            return self
        half_life = math.log(2.0) * _mean_stay(state) * self.longest
        stretched = min(self.lifetime * (elapsed / self.longest), half_life)
        return self._replace(lifetime=max(self.lifetime, stretched))

    def scaled_to_batch(self, weight: float) -> Costs:
        """Convert costs relative to the batch to absolute ones, for a batch of this weight."""
        return Costs(self.birth * weight, self.lifetime, self.drift / weight)

    def for_groups(self) -> Costs:
        """Adapt the drift to linking whole groups, whose mean has no sampling error, unlike a single point.

        A cluster of large weight is then matched by a large group up to a squared distance of exactly
        ``reach * birth``, since (1 - 1/T_Q) (tau + 1) = k_tau.
        """
        return self._replace(drift=self.drift + 1.0)


def _mean_stay(state: ClusterState) -> float:
    """Return the mean number of steps for which clusters stay: of all steps so far, per cluster that left.

    It is at least the number of steps in which the present clusters were seen, which are still there.
    """
    n_active = int(np.count_nonzero(state.last_seen == state.clock))
    n_left = state.next_id - n_active
    return max(float(state.hits.mean()), state.n_steps * n_active / (n_left + 0.5))


class AgingParameters(NamedTuple):
    """The parameters of aging and motion, in either of two parametrizations; None means not given."""

    lifetime: float | None = None
    reach: float | None = None
    aging_cost: float | None = None
    drift: float | None = None
    interval: float | None = None  # time between steps, to which the reach refers


class AgingDefaults(NamedTuple):
    """Default lifetime, in intervals, and reach."""

    lifetime: float = 3.0
    reach: float = 1.5


def make_costs(birth: float, parameters: AgingParameters, default: AgingDefaults | None = None) -> Costs:
    """Validate the parameters and convert them to the three costs of the model."""
    default = default or AgingDefaults()
    raw = parameters.aging_cost is not None or parameters.drift is not None
    if raw and (parameters.lifetime is not None or parameters.reach is not None):
        given = parameters._asdict()
        raise ValueError(
            "give either lifetime and reach, or aging_cost and drift, not both: got "
            + ", ".join(f"{name}={given[name]}" for name in ("lifetime", "reach", "aging_cost", "drift"))
        )
    _require_birth_cost(birth)
    interval = 1.0 if parameters.interval is None else parameters.interval
    _require("interval", interval, interval > 0, "> 0")
    _require_within("interval", interval, SHORTEST_LIFETIME, LARGEST_SPAN)
    if raw:
        costs = _from_raw(birth, parameters.aging_cost or 0.0, parameters.drift or 0.0)
        return costs._replace(interval=interval)
    lifetime = default.lifetime * interval if parameters.lifetime is None else parameters.lifetime
    reach = default.reach if parameters.reach is None else parameters.reach
    if 0.0 < lifetime <= interval:
        raise ValueError(
            f"lifetime must be a finite number > {interval:g}, got {lifetime!r}: it is in units of t, and "
            f"reach refers to {interval:g} after a cluster was last seen; use a smaller interval, such as "
            "the usual time between batches, or count t in steps"
        )
    _require("lifetime", lifetime, lifetime > interval, f"> {interval:g}")
    _require_within("lifetime", lifetime, interval, LARGEST_SPAN)
    ages = lifetime / interval
    smallest = 1.0 - 1.0 / ages
    rule = "1 - 1/lifetime" if interval == 1.0 else "1 - interval/lifetime"
    _require("reach", reach, reach >= smallest, f">= {rule} = {smallest:g}")
    _require_within("reach", reach, smallest, LARGEST_SPAN)
    return Costs(birth, lifetime, drift_from_reach(ages, reach) / interval, interval)


def costs_with_drift(birth: float, lifetime: float, drift: float, interval: float) -> Costs:
    """Return the costs for a drift per interval, so that the lifetime may be less than one unit of time."""
    _require_birth_cost(birth)
    _require("lifetime", lifetime, lifetime > 0, "> 0")
    _require_within("lifetime", lifetime, SHORTEST_LIFETIME, LARGEST_SPAN)
    return Costs(birth, lifetime, drift / interval, interval)


def drift_from_reach(lifetime: float, reach: float) -> float:
    """Eq. (reparameterization): tau = (T_Q (k_tau - 1) + 1) / (T_Q - 1), where Q = lambda / T_Q.

    A cluster of large weight is then revived one step later up to a squared distance of
    ``reach * birth_cost``. (The paper prints this equation without a label.) The smallest reach is
    1 - 1 / T_Q, where tau = 0.
    """
    return max(lifetime * (reach - 1.0) + 1.0, 0.0) / (lifetime - 1.0)


def reach_from_drift(lifetime: float, drift: float) -> float:
    """Return the reach k_tau = (1 - 1 / T_Q) (1 + tau): the inverse of `drift_from_reach`."""
    return (1.0 - 1.0 / lifetime) * (1.0 + drift)


def _from_raw(birth: float, aging: float, drift: float) -> Costs:
    _require("aging_cost", aging, aging >= 0, ">= 0")
    _require("drift", drift, drift >= 0, ">= 0")
    _require_within("aging_cost", aging, 0.0, LARGEST_COST)
    _require_within("drift", drift, 0.0, LARGEST_SPAN)
    # The shortest lifetime bounds the quotient from below, where the aging cost is very large.
    return Costs(birth, max(birth / aging, SHORTEST_LIFETIME) if aging > 0 else math.inf, drift)


def _require_birth_cost(birth: float) -> None:
    _require("birth_cost", birth, birth > 0, "> 0")
    _require_within("birth_cost", birth, SMALLEST_COST, LARGEST_COST)


def _require(name: str, value: float, holds: bool, rule: str) -> None:
    if not (holds and math.isfinite(value)):
        raise ValueError(f"{name} must be a finite number {rule}, got {value!r}")


def _require_within(name: str, value: float, smallest: float, largest: float) -> None:
    if not smallest <= value <= largest:
        raise ValueError(f"{name} must lie within {smallest:g} .. {largest:g}, got {value!r}")
