"""The part of an estimator that knows what a birth, a return and motion cost."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.birth_cost import N_ESTIMATION_BATCHES
from dynmeans._model.costs import AgingParameters, Costs, Default, make_costs
from dynmeans.estimators.validation import valid_number


class Priced:
    """Costs from parameters, and a birth cost from the first few batches where it is ours to find."""

    birth_cost: float | str
    lifetime: float | None
    reach: float | None
    aging_cost: float | None
    drift: float | None

    _default: ClassVar[Default] = Default()

    @abstractmethod
    def _guess_birth_cost(self, batch: Batch, seed: int) -> float | None:
        """Return a birth cost from one batch, or None while there is nothing to learn it from."""

    def _n_looks(self) -> int:
        """How many batches are asked for a birth cost before it is settled."""
        return N_ESTIMATION_BATCHES

    def _refined(self, guesses: tuple[float, ...], batch: Batch, seed: int) -> tuple[float, ...]:
        """Add what this batch says of the birth cost, if it is ours to find and not settled."""
        if self._is_settled(guesses):
            return guesses
        guess = self._guess_birth_cost(batch, seed)
        return guesses if guess is None else (*guesses, guess)

    def _is_settled(self, guesses: tuple[float, ...]) -> bool:
        return self.birth_cost != "auto" or len(guesses) >= self._n_looks()

    def _costs(self, estimate: float | None) -> Costs:
        """Return the costs of a step.

        While all rows are equal there is nothing to estimate from, and any birth cost gives one cluster.
        """
        span = AgingParameters(
            valid_number("lifetime", self.lifetime),
            valid_number("reach", self.reach),
            valid_number("aging_cost", self.aging_cost),
            valid_number("drift", self.drift),
        )
        if self.birth_cost == "auto":
            return make_costs(1.0 if estimate is None else estimate, span, self._default)
        return make_costs(valid_number("birth_cost", self.birth_cost) or 0.0, span, self._default)
