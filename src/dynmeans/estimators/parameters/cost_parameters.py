"""Cost parameters of an estimator, and the estimation of the birth cost."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.birth_cost import N_ESTIMATION_BATCHES
from dynmeans._model.costs import AgingDefaults, AgingParameters, Costs, make_costs
from dynmeans.estimators.validation import valid_birth_cost, valid_number


class CostParameters:
    """Mixin that converts parameters to costs and estimates ``birth_cost="auto"`` from the first batches."""

    birth_cost: float | str
    lifetime: float | str | None
    reach: float | str | None
    aging_cost: float | None
    drift: float | None

    _birth_cost_estimates: tuple[float, ...]  # one per batch, if birth_cost is "auto"

    _aging_defaults: ClassVar[AgingDefaults] = AgingDefaults()

    @abstractmethod
    def _estimate_birth_cost(self, batch: Batch, seed: int) -> float | None:
        """Return a birth cost from one batch, or None if it cannot be estimated."""

    def _n_estimation_batches(self) -> int:
        """Return the number of batches from which the birth cost is estimated."""
        return N_ESTIMATION_BATCHES

    def _learn(self, batch: Batch, seed: int, *, first: bool) -> dict[str, Any]:
        """Return the attributes that hold estimated parameters, updated by a batch."""
        estimates = () if first else self._birth_cost_estimates
        return {"_birth_cost_estimates": self._updated_estimates(estimates, batch, seed)}

    def _is_final(self) -> bool:
        """Return whether later batches change no estimated parameter."""
        return self._is_birth_cost_final(self._birth_cost_estimates)

    def _updated_estimates(self, estimates: tuple[float, ...], batch: Batch, seed: int) -> tuple[float, ...]:
        """Add the estimate of this batch, unless the birth cost is given or final."""
        if len(batch.rows) == 0 or self._is_birth_cost_final(estimates):
            return estimates
        estimate = self._estimate_birth_cost(batch, seed)
        return estimates if estimate is None else (*estimates, estimate)

    def _is_birth_cost_final(self, estimates: tuple[float, ...]) -> bool:
        return self.birth_cost != "auto" or len(estimates) >= self._n_estimation_batches()

    def _costs(self, estimate: float | None) -> Costs:
        """Return the costs of a step.

        While all rows are equal there is no estimate, and any birth cost gives one cluster.
        """
        aging = AgingParameters(
            valid_number("lifetime", self.lifetime),
            valid_number("reach", self.reach),
            valid_number("aging_cost", self.aging_cost),
            valid_number("drift", self.drift),
        )
        if self.birth_cost == "auto":
            return self._make_costs(1.0 if estimate is None else estimate, aging)
        return self._make_costs(valid_birth_cost(self.birth_cost), aging)

    def _make_costs(self, birth: float, aging: AgingParameters) -> Costs:
        return make_costs(birth, aging, self._aging_defaults)
