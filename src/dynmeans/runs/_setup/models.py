"""Models that the parameters of a run describe."""

from __future__ import annotations

import json
from typing import Any

from dynmeans._files.errors import InputError
from dynmeans.estimators import DMeans, KDMeans, SDMeans
from dynmeans.estimators._shell.base import BatchClusterer
from dynmeans.kernels import Kernel, kernel_from_params
from dynmeans.runs.parameters import RunParameters, n_restarts
from dynmeans.streams import KeyedDMeans

DEFAULT_KERNEL = "rbf"  # of kdmeans and sdmeans
_AGING = ("lifetime", "reach", "aging_cost", "drift")
_DMEANS_ONLY = (
    "interval",
    "metric",
    "refine",
    "merge",
    "exclusive",
    "duplicates",
    "min_hits",
    "feature_scales",
)


def make_model(parameters: RunParameters, jobs: int | None) -> BatchClusterer:
    """Build the estimator that the parameters describe."""
    shared: dict[str, Any] = {
        **_options(parameters, "birth_cost", *_AGING),
        "n_restarts": n_restarts(parameters),
        "n_jobs": jobs,
        "random_state": parameters.seed,
    }
    if parameters.algorithm == "dmeans":
        return DMeans(**shared, **_options(parameters, "motion", *_DMEANS_ONLY))
    shared["motion"] = parameters.motion or "walk"
    if parameters.budget is not None:
        shared["budget"] = parameters.budget
    kind = KDMeans if parameters.algorithm == "kdmeans" else SDMeans
    return kind(parse_kernel(parameters.kernel or DEFAULT_KERNEL), relative=parameters.relative, **shared)


def make_keyed_model(parameters: RunParameters) -> KeyedDMeans:
    """Build the model of all keys that the parameters describe."""
    return KeyedDMeans(
        **_options(parameters, "birth_cost", *_AGING, "motion", *_DMEANS_ONLY),
        n_restarts=parameters.restarts,
        random_state=parameters.seed,
    )


def _options(parameters: RunParameters, *names: str) -> dict[str, Any]:
    """Return parameters that have the same name in a model."""
    return {name: getattr(parameters, name) for name in names}


def parse_kernel(text: str) -> Kernel:
    """Parse a kernel name and optional parameters: ``mst:scale=0.07``, ``rbf:bandwidth=2``."""
    name, _, rest = text.partition(":")
    params: dict[str, Any] = {"kernel": name}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        try:
            params[key.strip()] = json.loads(value) if equals else None
        except (ValueError, RecursionError):  # also of very many digits or brackets
            raise InputError(f"--kernel {text[:60]!r}: {value[:60]!r} is not a number") from None
    try:
        return kernel_from_params(params)
    except (TypeError, ValueError) as error:
        raise InputError(f"--kernel {text!r}: {error}") from None
