"""The parameters of D-Means, resolved once and not in every step."""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import Any

from dynmeans._model.motion import get_motion
from dynmeans.estimators._parameters.automatic import (
    descent_parameters,
    dmeans_costs,
    is_final,
    joint_estimates,
    used_parameters,
)
from dynmeans.estimators._parameters.cost_parameters import N_RESTARTS, search_options
from dynmeans.estimators._parameters.dmeans_parameters import DMeansParameters, check_dmeans, parameters_of
from dynmeans.estimators._parameters.estimates import Estimates
from dynmeans.estimators._parameters.feature_scales import scales_as_tuple
from dynmeans.estimators._parameters.metric_choice import uses_cosine
from dynmeans.estimators._parameters.resolved_parameters import ResolvedParameters
from dynmeans.estimators._validation import valid_count

_values = itemgetter(*DMeansParameters._fields)


def resolve_dmeans(model: Any, estimates: Estimates | None, seed: int) -> ResolvedParameters:
    """Return the parameters of a step, validated; there are no estimates before the first batch.

    For a batch of 75 rows, validating and converting them takes a quarter of the time of a step.
    """
    try:
        return _resolved(estimates, seed, *_values(vars(model)))
    except (KeyError, TypeError):
        # A parameter is missing in an old pickle, or a value has no hash: estimates that are not final hold
        # rows, and some invalid parameters have none.
        return resolve(parameters_of(model), estimates, seed)


@lru_cache(maxsize=1024, typed=True)  # typed: True is not a valid number
def _resolved(estimates: Estimates | None, seed: int, *values: Any) -> ResolvedParameters:
    return resolve(DMeansParameters._make(values), estimates, seed)


def resolve(given: DMeansParameters, estimates: Estimates | None, seed: int) -> ResolvedParameters:
    """Validate and convert the parameters."""
    history_size = valid_count("history_size", given.history_size, 0)
    check_dmeans(given)
    if estimates is not None and scales_as_tuple(given.feature_scales) != estimates.feature_scales:
        raise ValueError("feature_scales must stay as they were in the first batch; use fit to start again")
    costs, mode = dmeans_costs(given, estimates), descent_parameters(given, estimates)
    search = search_options(
        given,
        seed,
        1 if uses_cosine(given, estimates) else N_RESTARTS,
        refine=mode.refine,
        merge=mode.merge,
        exclusive=mode.exclusive,
        duplicates=bool(given.duplicates),
    )
    first = joint_estimates(given, estimates)
    final = estimates is not None and is_final(given, estimates)
    return ResolvedParameters(
        costs=costs,
        search=search,
        history_size=history_size,
        is_final=final,
        learns=not final or _has_new_estimates(given, estimates),
        used=used_parameters(given, estimates, costs),
        motion=get_motion(mode.motion),
        contradiction=first if first is not None and first.contradicts else None,
    )


def _has_new_estimates(given: DMeansParameters, estimates: Estimates | None) -> bool:
    """Return whether the next batch changes the estimates, although the parameters are final.

    The metric is unknown before the first rows, and `set_params` may have replaced estimated parameters.
    """
    return (
        estimates is None
        or estimates.metric is None
        or estimates.first_batches is not joint_estimates(given, estimates)
    )
