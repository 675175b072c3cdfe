"""Conversion of the parameters that all estimators have: costs, and options of the search."""

from __future__ import annotations

from typing import Any

from dynmeans._algorithms.batch import SearchOptions
from dynmeans._algorithms.estimation.birth_cost import N_ESTIMATION_BATCHES
from dynmeans._model.costs import AgingDefaults, AgingParameters, Costs, make_costs
from dynmeans.estimators._validation import (
    MAX_RESTARTS,
    valid_birth_cost,
    valid_count,
    valid_number,
    valid_threads,
)

N_RESTARTS = 3  # default


def aging_parameters(parameters: Any) -> AgingParameters:
    """Return lifetime and reach, or aging cost and drift; None for those that are not given.

    Only `DMeans` has an interval.
    """
    return AgingParameters(
        valid_number("lifetime", parameters.lifetime),
        valid_number("reach", parameters.reach),
        valid_number("aging_cost", parameters.aging_cost),
        valid_number("drift", parameters.drift),
        valid_number("interval", getattr(parameters, "interval", None)),
    )


def chosen_birth_cost(parameters: Any, estimate: float | None) -> float:
    """Return the birth cost, given or estimated.

    While all rows are equal there is no estimate, and any birth cost gives one cluster.
    """
    if parameters.birth_cost == "auto":
        return 1.0 if estimate is None else estimate
    return valid_birth_cost(parameters.birth_cost)


def step_costs(parameters: Any, estimate: float | None, defaults: AgingDefaults) -> Costs:
    """Return the costs of a step, validated; ``estimate`` counts if the birth cost is not given."""
    aging = aging_parameters(parameters)
    return make_costs(chosen_birth_cost(parameters, estimate), aging, defaults)


def is_birth_cost_final(
    parameters: Any, birth_costs: tuple[float, ...], n_batches: int = N_ESTIMATION_BATCHES
) -> bool:
    """Return whether later batches do not change the birth cost, of which there are these estimates."""
    return parameters.birth_cost != "auto" or len(birth_costs) >= n_batches


def search_options(
    parameters: Any, seed: int, default_restarts: int = N_RESTARTS, **modes: bool
) -> SearchOptions:
    """Return the options of the search; ``modes`` are those of D-Means."""
    given = parameters.n_restarts
    return SearchOptions(
        seed,
        default_restarts if given is None else valid_count("n_restarts", given, 1, MAX_RESTARTS),
        valid_count("max_iter", parameters.max_iter, 1),
        valid_threads(parameters.n_jobs),
        **modes,
    )
