"""The three prices of the paper: of a birth, of a time step of absence, and of motion."""

from __future__ import annotations

import math
from typing import NamedTuple

LARGEST_SPAN = 1e12  # lifetime, reach, drift: what grows with them stays far from overflow
SHORTEST_LIFETIME = 1e-12
LARGEST_COST, SMALLEST_COST = 1e305, 1e-305


class Costs(NamedTuple):
    """lambda, T_Q and tau; Q is lambda / T_Q.

    The lifetime is kept instead of Q, so that a cluster dies at exactly that age, whatever the rounding.
    """

    birth: float  # lambda  squared distance at which a point founds a cluster
    lifetime: float  # T_Q  time that a cluster may go unseen; inf for Q = 0
    drift: float  # tau     variance of the motion in one unit of time, in units of the cluster's own

    @property
    def aging(self) -> float:
        """Q, the price of each unit of time that a cluster went unseen."""
        return min(self.birth / self.lifetime, LARGEST_COST)

    def scaled_to_batch(self, weight: float) -> Costs:
        """Costs that are shares of a batch, for a batch of this weight."""
        return Costs(self.birth * weight, self.lifetime, self.drift / weight)

    def for_groups(self) -> Costs:
        """Costs whose reach is about whole groups: they are seen where they are, single points beside it.

        A well-known cluster is then found again by a large group up to a squared distance of exactly
        ``reach * birth``, since (1 - 1/T_Q) (tau + 1) = k_tau.
        """
        return self._replace(drift=self.drift + 1.0)


class AgingParameters(NamedTuple):
    """A user's choice between the two ways to say how clusters age and move; None means not given."""

    lifetime: float | None = None
    reach: float | None = None
    aging_cost: float | None = None
    drift: float | None = None


class Default(NamedTuple):
    """Lifetime and reach where a user gives none."""

    lifetime: float = 3.0
    reach: float = 1.5


def make_costs(birth: float, span: AgingParameters, default: Default | None = None) -> Costs:
    """Check a user's choice and turn it into the three costs of the model."""
    default = default or Default()
    raw = span.aging_cost is not None or span.drift is not None
    if raw and (span.lifetime is not None or span.reach is not None):
        raise ValueError(
            "give either lifetime and reach, or aging_cost and drift, never both: got "
            + ", ".join(f"{name}={value}" for name, value in span._asdict().items())
        )
    _require("birth_cost", birth, birth > 0, "> 0")
    _require_within("birth_cost", birth, SMALLEST_COST, LARGEST_COST)
    if raw:
        return _from_raw(birth, span.aging_cost or 0.0, span.drift or 0.0)
    lifetime = default.lifetime if span.lifetime is None else span.lifetime
    reach = default.reach if span.reach is None else span.reach
    _require("lifetime", lifetime, lifetime > 1, "> 1")
    _require("reach", reach, reach >= 1, ">= 1")
    _require_within("lifetime", lifetime, 1.0, LARGEST_SPAN)
    _require_within("reach", reach, 1.0, LARGEST_SPAN)
    return Costs(birth, lifetime, drift_from_reach(lifetime, reach))


def drift_from_reach(lifetime: float, reach: float) -> float:
    """Eq. (reparameterization): tau = (T_Q (k_tau - 1) + 1) / (T_Q - 1), where Q = lambda / T_Q.

    With it, a well-known cluster is found again one step later up to a squared distance of
    ``reach * birth_cost``. (The paper prints this equation without a label.)
    """
    return (lifetime * (reach - 1.0) + 1.0) / (lifetime - 1.0)


def _from_raw(birth: float, aging: float, drift: float) -> Costs:
    _require("aging_cost", aging, aging >= 0, ">= 0")
    _require("drift", drift, drift >= 0, ">= 0")
    _require_within("aging_cost", aging, 0.0, LARGEST_COST)
    _require_within("drift", drift, 0.0, LARGEST_SPAN)
    # A cluster that goes unseen for longer than the shortest lifetime dies, whatever each unit costs.
    return Costs(birth, max(birth / aging, SHORTEST_LIFETIME) if aging > 0 else math.inf, drift)


def _require(name: str, value: float, holds: bool, rule: str) -> None:
    if not (holds and math.isfinite(value)):
        raise ValueError(f"{name} must be a finite number {rule}, got {value!r}")


def _require_within(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise ValueError(f"{name} must lie within {least:g} .. {most:g}, got {value!r}")
