"""Motion, mode and scale of D-Means, estimated jointly from the first batches.

A parameter that is None is estimated if ``birth_cost`` is ``"auto"``; with a given birth cost it has the
value of the paper. A parameter that is ``"auto"`` is estimated in both cases.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.estimation.birth_cost import (
    estimate_birth_cost,
    estimate_exclusive_birth_cost,
    pooled_birth_cost,
)
from dynmeans._algorithms.estimation.candidates import DescentParameters, FixedParameters
from dynmeans._algorithms.estimation.first_batches import FirstBatches
from dynmeans._algorithms.estimation.joint_estimate import ONE_OBJECT, update_first_batches
from dynmeans._algorithms.estimation.sphere_birth_cost import estimate_sphere_birth_cost
from dynmeans._codes.gaussian_code import median_interval
from dynmeans._model.costs import (
    LARGEST_SPAN,
    AgingDefaults,
    AgingParameters,
    Costs,
    costs_with_drift,
    make_costs,
)
from dynmeans._model.events import StepParameters
from dynmeans._model.sphere_costs import make_sphere_costs
from dynmeans.estimators._parameters.cost_parameters import (
    aging_parameters,
    chosen_birth_cost,
    is_birth_cost_final,
    step_costs,
)
from dynmeans.estimators._parameters.dmeans_parameters import DMeansParameters, is_free
from dynmeans.estimators._parameters.estimates import Estimates, updated_birth_costs
from dynmeans.estimators._parameters.feature_scales import scales_as_tuple
from dynmeans.estimators._parameters.metric_choice import metric_for, uses_cosine
from dynmeans.estimators._validation import valid_birth_cost, valid_number

PAPER = DescentParameters(1.0)  # motion and mode of the paper, which a given birth cost implies


def is_automatic(given: DMeansParameters, estimates: Estimates | None) -> bool:
    """Return whether a parameter is to be estimated together with others."""
    return not uses_cosine(given, estimates) and any(
        isinstance(value, str) and value == "auto"
        for value in (
            given.birth_cost,
            given.lifetime,
            given.reach,
            given.motion,
            given.refine,
            given.merge,
            given.exclusive,
        )
    )


def joint_estimates(given: DMeansParameters, estimates: Estimates | None) -> FirstBatches | None:
    """Return the first batches, if they determine parameters."""
    if estimates is None or estimates.first_batches is None or not is_automatic(given, estimates):
        return None
    return estimates.first_batches


def is_final(given: DMeansParameters, estimates: Estimates) -> bool:
    """Return whether later batches change no estimated parameter."""
    first = joint_estimates(given, estimates)
    return is_birth_cost_final(given, estimates.birth_costs) if first is None else first.is_final


def descent_parameters(given: DMeansParameters, estimates: Estimates | None) -> DescentParameters:
    """Return birth cost, motion and mode: given, estimated, or those of the paper."""
    first = joint_estimates(given, estimates)
    estimated = PAPER if first is None else first.parameters
    return DescentParameters(
        estimated.birth,
        estimated.motion if is_free(given.motion) else given.motion,
        bool(estimated.refine if is_free(given.refine) else given.refine),
        bool(estimated.exclusive if is_free(given.exclusive) else given.exclusive),
        estimated.drift,
        bool(estimated.merge if is_free(given.merge) else given.merge),
        estimated.lifetime,
    )


def fixed_parameters(given: DMeansParameters) -> FixedParameters:
    """Return the parameters that are not estimated; the others are None."""
    free = given.birth_cost == "auto"

    def known(value: Any, paper: Any) -> Any:
        if value == "auto" or (value is None and free):
            return None
        return paper if value is None else value

    return FixedParameters(
        None if free else valid_number("birth_cost", given.birth_cost),
        known(given.motion, PAPER.motion),
        _as_bool(known(given.refine, PAPER.refine)),
        _as_bool(known(given.exclusive, PAPER.exclusive)),
        has_drift=any(each is not None for each in (given.drift, given.aging_cost, known(given.reach, True))),
        merge=_as_bool(known(given.merge, PAPER.merge)),
        has_lifetime=any(
            each is not None for each in (given.drift, given.aging_cost, known(given.lifetime, True))
        ),
        has_scales=given.feature_scales is not None,
    )


def _as_bool(value: Any) -> bool | None:
    """Return a flag as a Python bool; the core does not accept those of NumPy."""
    return None if value is None else bool(value)


def dmeans_costs(given: DMeansParameters, estimates: Estimates | None) -> Costs:
    """Return the costs of a step, with parameters that are given, estimated, or those of the paper."""
    first = joint_estimates(given, estimates)
    if first is not None:
        birth = first.parameters.birth if given.birth_cost == "auto" else valid_birth_cost(given.birth_cost)
        return _automatic_costs(given, first.parameters._replace(birth=birth), first.interval)
    if estimates is None and is_automatic(given, estimates):
        return _automatic_costs(given, DescentParameters(chosen_birth_cost(given, 1.0)), 1.0)
    estimate = 1.0 if estimates is None else pooled_birth_cost(estimates.birth_costs)
    if estimate is None and descent_parameters(given, estimates).exclusive:
        estimate = ONE_OBJECT  # until a batch has two different rows, all rows belong to one object
    if uses_cosine(given, estimates):
        aging = aging_parameters(given)
        if estimates is not None and estimates.times and aging.interval is None and aging.lifetime is None:
            aging = aging._replace(interval=median_interval(np.array(estimates.times)))
        return make_sphere_costs(chosen_birth_cost(given, estimate), aging)
    return step_costs(given, estimate, AgingDefaults())


def _automatic_costs(given: DMeansParameters, estimated: DescentParameters, interval: float) -> Costs:
    """Return the costs for estimated parameters, whose drift is per median interval."""
    lifetime, reach = _number("lifetime", given.lifetime), _number("reach", given.reach)
    aging_cost, drift = valid_number("aging_cost", given.aging_cost), valid_number("drift", given.drift)
    known = AgingParameters(lifetime, reach, aging_cost, drift, valid_number("interval", given.interval))
    is_raw = aging_cost is not None or drift is not None
    if is_raw or (lifetime is not None and reach is not None):
        return make_costs(estimated.birth, known)
    interval = interval if known.interval is None else known.interval
    if reach is None:
        drift = estimated.drift
    else:
        drift = make_costs(estimated.birth, AgingParameters(estimated.lifetime, reach)).drift
    if lifetime is not None:
        return costs_with_drift(estimated.birth, lifetime, drift, interval)
    if interval * estimated.lifetime > LARGEST_SPAN:
        raise ValueError(f"batches are {interval:g} units of t apart: use larger units, such as seconds")
    costs = costs_with_drift(estimated.birth, estimated.lifetime * interval, drift, interval)
    return costs._replace(longest=interval)


def _number(name: str, value: Any) -> float | None:
    return None if is_free(value) else valid_number(name, value)


def used_parameters(given: DMeansParameters, estimates: Estimates | None, costs: Costs) -> StepParameters:
    """Return all parameters of a step, as they are reported."""
    is_cosine = uses_cosine(given, estimates)
    is_raw = given.aging_cost is not None or given.drift is not None
    reach = _number("reach", given.reach)
    if reach is None and not (is_cosine or is_raw):
        is_estimated = joint_estimates(given, estimates) is not None
        reach = costs.reach if is_estimated else AgingDefaults().reach
    mode = descent_parameters(given, estimates)
    return StepParameters(
        costs.birth,
        costs.lifetime,
        reach,
        mode.motion,
        mode.refine,
        mode.exclusive,
        "cosine" if is_cosine else "euclidean",
        mode.merge,
        costs.interval,
    )


def learn(given: DMeansParameters, old: Estimates | None, batch: Batch, seed: int) -> Estimates:
    """Return the estimates after a batch; ``old`` is None before the first batch."""
    metric = metric_for(given, old, batch.rows)
    scales = scales_as_tuple(given.feature_scales)
    now = (old or Estimates())._replace(metric=metric, feature_scales=scales)
    if is_automatic(given, now) and (old is None or now.first_batches is not None):
        costs_of = partial(_automatic_costs, given)
        first = update_first_batches(now.first_batches, batch, fixed_parameters(given), costs_of, seed)
        return Estimates((), metric, first, scales)
    # Nothing is estimated jointly, or a model of an earlier version estimates the birth cost alone.
    births, times = _birth_costs(given, now, batch, seed), now.times
    is_dated = len(times) == len(now.birth_costs)  # not in a model of an earlier version
    if uses_cosine(given, now) and is_dated and len(births) > len(times):
        times = (*times, batch.time)
    return Estimates(births, metric, feature_scales=scales, times=times)


def _birth_costs(given: DMeansParameters, now: Estimates, batch: Batch, seed: int) -> tuple[float, ...]:
    is_cosine, exclusive = uses_cosine(given, now), descent_parameters(given, now).exclusive
    return updated_birth_costs(
        now.birth_costs,
        batch,
        lambda rows: birth_cost_of(rows, seed, is_cosine=is_cosine, exclusive=exclusive),
        is_final=is_birth_cost_final(given, now.birth_costs),
    )


def birth_cost_of(batch: Batch, seed: int, *, is_cosine: bool, exclusive: bool) -> float | None:
    """Return a birth cost from one batch, or None if it cannot be estimated."""
    if is_cosine:
        return estimate_sphere_birth_cost(batch.rows, seed)
    if exclusive:
        return estimate_exclusive_birth_cost(batch.rows)
    return estimate_birth_cost(batch.rows, batch.weights, seed)
