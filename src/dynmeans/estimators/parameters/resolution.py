"""The parameters of D-Means, resolved once and not in every step."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dynmeans.estimators.parameters.step_rules import StepRules

_NAMES = (
    "birth_cost",
    "lifetime",
    "reach",
    "aging_cost",
    "drift",
    "motion",
    "metric",
    "exclusive",
    "duplicates",
    "refine",
    "n_restarts",
    "max_iter",
    "n_jobs",
    "metric_",
    "_birth_cost_estimates",
    "_first_batches",
)


def resolved_rules(model: Any, seed: int) -> StepRules:
    """Return the parameters of a step: a function of the parameters and estimates of the model.

    For a batch of 75 rows, to validate and convert them takes a quarter of the time of a step.
    """
    attributes: dict[str, Any] = vars(model)
    values = map(attributes.get, _NAMES)
    try:
        return _resolved(type(model), seed, "_state" in attributes, *values)  # type: ignore[arg-type]
    except TypeError:  # no hash: estimates that are not final hold rows; some invalid parameters have none
        rules: StepRules = model._resolve(seed)
        return rules


@lru_cache(maxsize=1024, typed=True)  # typed: True is not a valid number
def _resolved(kind: Any, seed: int, is_fitted: bool, *values: Any) -> StepRules:
    model = object.__new__(kind)
    vars(model).update(zip(_NAMES, values, strict=True))
    if is_fitted:
        model._state = None
    rules: StepRules = model._resolve(seed)
    return rules
