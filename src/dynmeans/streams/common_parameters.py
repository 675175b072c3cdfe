"""The parameters that all keys share: those of one D-Means, and one birth cost, given or estimated."""

from __future__ import annotations

from copy import copy
from typing import Any, TypeAlias

import numpy as np

from dynmeans._algorithms.birth_cost import N_ESTIMATION_BATCHES, pooled_birth_cost
from dynmeans.estimators import DMeans
from dynmeans.estimators.parameters.automatic import is_automatic
from dynmeans.estimators.parameters.dmeans_parameters import parameters_of
from dynmeans.estimators.validation import draw_seed
from dynmeans.streams.key_steps import KeyedBatch, Rules, estimate_common_birth_cost

Births: TypeAlias = tuple[float, ...]  # estimates of the birth cost, one per step


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
        self.rules(())
        if is_automatic(parameters_of(self.template), None):
            raise ValueError("of the parameters of KeyedDMeans, only birth_cost may be 'auto'")

    def rules(self, births: Births) -> Rules:
        """Return the parameters of a step, validated."""
        model = self.model(births)
        return Rules(model, model._rules(None, None, model._seed))

    def model(self, births: Births) -> DMeans:
        """Return the template with the birth cost of a step; without an estimate, any gives one cluster."""
        model, estimate = copy(self.template), pooled_birth_cost(births)
        if estimate is not None:
            model.birth_cost = estimate
        return model

    def is_final(self, births: Births) -> bool:
        """Return whether later steps do not change the birth cost."""
        return not self._is_estimated or len(births) >= N_ESTIMATION_BATCHES

    def updated(self, births: Births, batch: KeyedBatch) -> Births:
        """Add the estimate of a step, unless the birth cost is given or final."""
        if self.is_final(births):
            return births
        estimate = estimate_common_birth_cost(self.rules(()).step, batch)
        return births if estimate is None else (*births, estimate)
