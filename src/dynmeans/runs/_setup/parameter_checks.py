"""Validation of the parameters of a run, before any input is read."""

from __future__ import annotations

from collections.abc import Sequence

from dynmeans._files.errors import InputError
from dynmeans._model.costs import AgingParameters, costs_with_drift, make_costs
from dynmeans._model.sphere_costs import make_sphere_costs
from dynmeans._tables.chunk import name_list
from dynmeans._tables.sources import FORMATS
from dynmeans.estimators._parameters.dmeans_parameters import METRICS
from dynmeans.estimators._validation import LARGEST_SEED
from dynmeans.runs._option_names import as_options, option_name
from dynmeans.runs._setup.models import make_keyed_model, parse_kernel
from dynmeans.runs._setup.time_steps import window_length
from dynmeans.runs.parameters import RunParameters

ALGORITHMS = ("dmeans", "kdmeans", "sdmeans")
MOTIONS = ("walk", "velocity", "align")


def check_parameters(parameters: RunParameters) -> None:
    """Validate parameters before any input is read.

    Raises
    ------
    InputError
        If a parameter has an invalid value, or two parameters exclude each other.
    """
    _check_choices(parameters)
    _check_costs(parameters)
    _check_algorithm(parameters)
    if parameters.embedding is not None and parameters.features is not None:
        raise InputError("--features and --embedding exclude each other: an embedding has its own features")
    _check_keys(parameters)
    length = window_length(parameters)
    if length is not None and length.unit != "rows" and parameters.time is None:
        raise InputError(f"--every {parameters.every} needs --time; without it, count rows: --every 500rows")


def check_feature_scales(parameters: RunParameters, features: Sequence[str]) -> None:
    """Raise unless there is one scale for each feature; they are known when the first rows are read."""
    scales = parameters.feature_scales
    if scales is not None and len(scales) != len(features):
        raise InputError(
            f"--feature-scales has {len(scales):,} numbers; it must have one for each of {len(features):,} "
            f"features ({name_list(features)})"
        )


def _check_costs(parameters: RunParameters) -> None:
    birth_cost = 1.0 if parameters.birth_cost == "auto" else float(parameters.birth_cost)
    names = ("lifetime", "reach", "aging_cost", "drift", "interval")
    lifespan = AgingParameters(*(getattr(parameters, name) for name in names))
    make = make_sphere_costs if parameters.metric == "cosine" else make_costs
    try:
        if parameters.lifetime is not None and _estimates_reach(parameters):
            costs_with_drift(birth_cost, parameters.lifetime, drift=0.0, interval=1.0)
            lifespan = AgingParameters(interval=parameters.interval)
        make(birth_cost, lifespan)
    except ValueError as error:
        raise InputError(as_options(str(error))) from None
    for name, other in (("aging_cost", "drift"), ("drift", "aging_cost")):
        if getattr(parameters, name) is not None and getattr(parameters, other) is None:
            needed = f"{option_name(name)} needs {option_name(other)}"
            raise InputError(f"{needed}; use both, or --lifetime and --reach instead")


def _estimates_reach(parameters: RunParameters) -> bool:
    """Return whether the reach is estimated from the first batches."""
    is_given = any(each is not None for each in (parameters.reach, parameters.aging_cost, parameters.drift))
    is_estimated = parameters.algorithm == "dmeans" and parameters.birth_cost == "auto"
    return is_estimated and not is_given and parameters.metric != "cosine"


def _check_choices(parameters: RunParameters) -> None:
    choices = {
        "algorithm": ALGORITHMS,
        "motion": (None, *MOTIONS),
        "metric": METRICS,
        "format": (None, *FORMATS),
        "missing": (None, "error", "drop"),
    }
    for name, allowed in choices.items():
        if getattr(parameters, name) not in allowed:
            words = ", ".join(str(choice) for choice in allowed if choice is not None)
            raise InputError(f"--{name} is {getattr(parameters, name)!r}; it must be one of {words}")
    for name in ("restarts", "budget", "min_hits"):
        count = getattr(parameters, name)
        if count is not None and count < 1:
            raise InputError(f"{option_name(name)} is {count}; it must be at least 1")
    if not 0 <= parameters.seed <= LARGEST_SEED:
        raise InputError(f"--seed is {parameters.seed}; it must be from 0 to {LARGEST_SEED}")


def _check_keys(parameters: RunParameters) -> None:
    """Check the options that concern keys."""
    by = parameters.by
    if by is not None and parameters.text is not None:
        raise InputError("--text and --by exclude each other: words are weighted within one model")
    if by is None:
        for name in ("report_keys", "report_largest"):
            if getattr(parameters, name) is not None:
                raise InputError(f"{option_name(name)} needs --by")
        return
    if parameters.algorithm != "dmeans":
        raise InputError(f"--by is not supported by --algorithm {parameters.algorithm}")
    if by in (parameters.time, parameters.weight, *(parameters.features or ())):
        raise InputError(f"--by is {by!r}; the key must be a separate column")
    try:
        make_keyed_model(parameters)
    except ValueError as error:
        raise InputError(f"--by: {as_options(str(error))}") from None
    if parameters.report_largest is not None and parameters.report_largest < 0:
        raise InputError(f"--report-largest is {parameters.report_largest}; it must not be negative")


def _check_algorithm(parameters: RunParameters) -> None:
    """Check that the algorithm supports the options that only some algorithms have."""
    name = parameters.algorithm
    for option in ("kernel", "relative", "budget"):
        if name == "dmeans" and getattr(parameters, option) is not None:
            raise InputError(f"--{option} needs --algorithm kdmeans or sdmeans")
    used = {
        "interval": parameters.interval is not None,
        "exclusive": parameters.exclusive,
        "refine": parameters.refine,
        "merge": parameters.merge,
        "min_hits": parameters.min_hits > 1,
    }
    for option, is_used in used.items():
        if name != "dmeans" and is_used:
            raise InputError(f"{option_name(option)} is not supported by --algorithm {name}")
    if parameters.feature_scales is not None and (name != "dmeans" or parameters.metric == "cosine"):
        raise InputError("--feature-scales needs --algorithm dmeans, and a metric other than cosine")
    if parameters.duplicates and not parameters.exclusive:
        raise InputError("--duplicates needs --exclusive")
    if parameters.motion == ("align" if name == "dmeans" else "velocity"):
        raise InputError(f"--motion {parameters.motion} is not supported by --algorithm {name}")
    if parameters.metric == "cosine" and (name != "dmeans" or parameters.motion not in (None, "walk")):
        raise InputError("--metric cosine needs --algorithm dmeans and --motion walk")
    if parameters.metric == "cosine" and parameters.exclusive:
        raise InputError("--metric cosine is not supported with --exclusive")
    if parameters.metric == "cosine" and parameters.standardize:
        raise InputError("--metric cosine clusters directions, which --standardize would change")
    if parameters.kernel is not None and parse_kernel(parameters.kernel).is_pairwise():
        raise InputError("--kernel precomputed needs similarities, not rows: use it from Python")
