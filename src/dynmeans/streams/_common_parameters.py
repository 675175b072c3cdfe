"""The parameters that all keys share: those of one D-Means, and one birth cost, given or estimated."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.estimation.birth_cost import N_ESTIMATION_BATCHES, pooled_birth_cost
from dynmeans._algorithms.estimation.joint_estimate import ONE_OBJECT
from dynmeans._model.types import FloatArray
from dynmeans.estimators import DMeans
from dynmeans.estimators._parameters.automatic import birth_cost_of, is_automatic
from dynmeans.estimators._parameters.dmeans_parameters import parameters_of
from dynmeans.estimators._parameters.resolved_parameters import ResolvedParameters
from dynmeans.estimators._validation import draw_seed
from dynmeans.streams._first_rows import FirstRows, add_step
from dynmeans.streams.key_steps import KeyedBatch, KeyParameters, estimate_common_birth_cost


class BirthCosts(NamedTuple):
    """Estimates of the common birth cost."""

    of_steps: tuple[float, ...] = ()  # one for each step in which a key has two different rows
    first_rows: FirstRows = FirstRows()  # used until there is such a step

    @property
    def estimate(self) -> float | None:
        """The birth cost, or None if there is no estimate yet."""
        return pooled_birth_cost(self.of_steps) or self.first_rows.birth


NO_ESTIMATES = BirthCosts()


class CommonParameters:
    """Parameters of all keys, validated; the arguments are those of `KeyedDMeans`."""

    template: DMeans  # it is never fitted, but has the columns of the data

    def __init__(self, birth_cost: float | str, random_state: int, params: dict[str, Any]) -> None:
        refused = sorted({"on_event", "history_size", "n_jobs"} & set(params))
        if refused:
            raise ValueError(f"KeyedDMeans has no parameter {refused[0]!r}")
        if isinstance(random_state, bool) or not isinstance(random_state, (int, np.integer)):
            raise ValueError(f"random_state must be a whole number, got {random_state!r}")
        self._is_estimated = birth_cost == "auto"
        given = 1.0 if self._is_estimated else birth_cost  # with "auto", `DMeans` estimates other parameters
        self.template = DMeans(given, random_state=random_state, n_jobs=1, history_size=0, **params)
        self.template._is_silent = True  # one warning per key would be too many
        self.template._seed = draw_seed(random_state)
        self.resolve(NO_ESTIMATES)
        if is_automatic(parameters_of(self.template), None):
            raise ValueError("of the parameters of KeyedDMeans, only birth_cost may be 'auto'")

    def resolve(self, births: BirthCosts) -> KeyParameters:
        """Return the parameters of a step, validated."""
        model = self.model(births)
        return KeyParameters(model, model._resolve(None, None, model._seed))

    def model(self, births: BirthCosts) -> DMeans:
        """Return the template with the birth cost of a step; without an estimate, all rows are one object."""
        model, estimate = copy(self.template), births.estimate
        if estimate is not None:
            model.birth_cost = estimate
        elif self._is_estimated and model.metric != "cosine":
            model.birth_cost = ONE_OBJECT
        return model

    def is_final(self, births: BirthCosts) -> bool:
        """Return whether later steps do not change the birth cost."""
        if not self._is_estimated or len(births.of_steps) >= N_ESTIMATION_BATCHES:
            return True
        return not births.of_steps and births.first_rows.is_final and births.first_rows.birth is not None

    def updated(self, births: BirthCosts, batch: KeyedBatch) -> BirthCosts:
        """Add the estimate of a step, unless the birth cost is given or final."""
        if self.is_final(births):
            return births
        resolved = self.resolve(NO_ESTIMATES).resolved
        estimate = estimate_common_birth_cost(resolved, batch)
        if estimate is not None:
            return BirthCosts((*births.of_steps, estimate))
        if births.of_steps or resolved.search.exclusive:  # then the rows of a key are one object in all steps
            return births
        first = add_step(births.first_rows, batch.rows, batch.groups, partial(_birth_cost, resolved))
        return births._replace(first_rows=first)


def _birth_cost(resolved: ResolvedParameters, rows: FloatArray) -> float | None:
    return birth_cost_of(
        Batch(rows, None, 0.0), resolved.search.seed, is_cosine=resolved.is_cosine, exclusive=False
    )
