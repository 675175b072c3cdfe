"""The parameters of one step, resolved once: validated, converted, given or estimated."""

from __future__ import annotations

from typing import NamedTuple

from dynmeans._algorithms.batch import SearchOptions
from dynmeans._algorithms.estimation.first_batches import FirstBatches
from dynmeans._model.costs import Costs
from dynmeans._model.events import StepParameters
from dynmeans._model.motion import WALK, Motion
from dynmeans._model.state import ClusterState


class ResolvedParameters(NamedTuple):
    """The parameters of an estimator in the form that a step uses."""

    costs: Costs  # for a single row
    search: SearchOptions
    history_size: int
    is_final: bool = True  # later batches change no estimated parameter
    learns: bool = True  # the next batch may change an estimate
    used: StepParameters | None = None  # that D-Means reports
    motion: Motion = WALK  # of D-Means
    contradiction: FirstBatches | None = None  # the first batches, if they contradict the clusters of D-Means

    def at(self, now: float, state: ClusterState) -> ResolvedParameters:
        """Return the parameters of a step at a time; ``state`` is that before it."""
        costs = self.costs.at(now, state)
        return self if costs is self.costs else self._replace(costs=costs)

    @property
    def is_cosine(self) -> bool:
        """Return whether D-Means compares the directions of rows."""
        return self.used is not None and self.used.metric == "cosine"
