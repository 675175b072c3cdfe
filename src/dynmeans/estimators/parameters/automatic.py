"""Parameters of D-Means that are estimated from the first batches."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.defaults import FirstBatches, update_first_batches
from dynmeans._algorithms.descent_candidates import DescentParameters, Given
from dynmeans._model.costs import AgingDefaults, AgingParameters, Costs, make_costs
from dynmeans._model.events import StepParameters
from dynmeans.estimators.parameters.cost_parameters import CostParameters
from dynmeans.estimators.validation import valid_birth_cost, valid_number

LIFETIME, REACH = 5.0, 2.0  # estimated lifetime in median intervals, and reach
PAPER = DescentParameters(1.0)  # motion and mode of the paper, which a given birth cost implies


def is_free(value: Any) -> bool:
    """Return whether a parameter is not set, so that it may be estimated."""
    return value is None or value == "auto"


ONE_OBJECT = 1e100  # birth cost at which no step of one object is too long


class AutomaticParameters(CostParameters):
    """Mixin: motion, mode and scale of D-Means, estimated jointly from the first batches.

    A parameter that is None is estimated if ``birth_cost`` is ``"auto"``; with a given birth cost it has the
    value of the paper. A parameter that is ``"auto"`` is estimated in both cases.
    """

    motion: str | None
    refine: bool | str | None
    exclusive: bool | str | None

    _first_batches: FirstBatches | None  # None if no parameter is estimated together with others

    @abstractmethod
    def _is_cosine(self) -> bool:
        """Return whether rows are compared by their directions."""

    def _is_automatic(self) -> bool:
        """Return whether a parameter is to be estimated together with others."""
        return not self._is_cosine() and any(
            isinstance(value, str) and value == "auto"
            for value in (
                self.birth_cost,
                self.lifetime,
                self.reach,
                self.motion,
                self.refine,
                self.exclusive,
            )
        )

    def _estimated(self) -> FirstBatches | None:
        """Return the first batches, if they determine parameters."""
        first: FirstBatches | None = self.__dict__.get("_first_batches")
        return first if first is not None and self._is_automatic() else None

    def _descent_parameters(self) -> DescentParameters:
        """Return birth cost, motion and mode: given, estimated, or those of the paper."""
        first = self._estimated()
        parameters = PAPER if first is None else first.parameters
        return DescentParameters(
            parameters.birth,
            parameters.motion if self.motion is None or self.motion == "auto" else self.motion,
            bool(parameters.refine if is_free(self.refine) else self.refine),
            bool(parameters.exclusive if is_free(self.exclusive) else self.exclusive),
        )

    def _given(self) -> Given:
        birth = None if self.birth_cost == "auto" else valid_number("birth_cost", self.birth_cost)
        free = self.birth_cost == "auto"

        def known(value: Any, paper: Any) -> Any:
            if value == "auto" or (value is None and free):
                return None
            return paper if value is None else value

        return Given(
            birth,
            known(self.motion, PAPER.motion),
            known(self.refine, PAPER.refine),
            known(self.exclusive, PAPER.exclusive),
        )

    def _updated_first_batches(self, old: FirstBatches | None, batch: Batch, seed: int) -> FirstBatches:
        """Return the sample of the first batches with this one, and the parameters of the step."""
        return update_first_batches(old, batch, self._given(), self._costs_of, seed)

    def _costs_of(self, birth: float, interval: float) -> Costs:
        """Return the costs for a birth cost; an estimated lifetime is in median intervals."""
        lifetime, reach = self._number("lifetime"), self._number("reach")
        aging_cost, drift = valid_number("aging_cost", self.aging_cost), valid_number("drift", self.drift)
        if aging_cost is not None or drift is not None or lifetime is not None:
            reach = REACH if lifetime is not None and reach is None else reach
            return make_costs(birth, AgingParameters(lifetime, reach, aging_cost, drift))
        costs = make_costs(birth, AgingParameters(LIFETIME, REACH if reach is None else reach))
        return costs._replace(lifetime=LIFETIME * interval, drift=costs.drift / interval)

    def _number(self, name: str) -> float | None:
        value = getattr(self, name)
        return None if is_free(value) else valid_number(name, value)

    def _used(self, costs: Costs, mode: DescentParameters) -> StepParameters:
        """Return all parameters of a step, as they are reported."""
        is_cosine, reach = self._is_cosine(), None
        if not (is_cosine or self.aging_cost is not None or self.drift is not None):
            reach = self._number("reach")
            if reach is None:
                reach = REACH if self._estimated() is not None else AgingDefaults().reach
        metric = "cosine" if is_cosine else "euclidean"
        return StepParameters(costs.birth, costs.lifetime, reach, *mode[1:], metric)

    def _costs(self, estimate: float | None) -> Costs:
        """Return the costs of a step, with parameters that are given, estimated, or those of the paper."""
        first = self._estimated()
        if first is not None or ("_state" not in vars(self) and self._is_automatic()):
            birth = estimate or 1.0 if first is None else first.parameters.birth
            if self.birth_cost != "auto":
                birth = valid_birth_cost(self.birth_cost)
            return self._costs_of(birth, 1.0 if first is None else first.interval)
        # Until there are two different rows in a batch, all rows belong to one object.
        return super()._costs(
            ONE_OBJECT if estimate is None and self._descent_parameters().exclusive else estimate
        )

    def _learn_costs(self, batch: Batch, seed: int, *, first: bool) -> dict[str, Any]:
        old = None if first else self.__dict__.get("_first_batches")
        if (not first and old is None) or not self._is_automatic():
            # Nothing to estimate, or a model of an earlier version, which estimates the birth cost alone.
            return {**super()._learn(batch, seed, first=first), "_first_batches": None}
        return {
            "_birth_cost_estimates": (),
            "_first_batches": self._updated_first_batches(old, batch, seed),
        }

    def _is_final(self) -> bool:
        first = self._estimated()
        return super()._is_final() if first is None else first.is_final
