"""What the options of `dynmeans cluster` mean together."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from dynmeans._files.errors import InputError
from dynmeans._model.costs import AgingParameters, make_costs
from dynmeans._tables.columns import Columns
from dynmeans._tables.windowing import ByPart, ByRows, ByTime, ByWindow, Every, Windowing, parse_every
from dynmeans.estimators import DMeans, KDMeans, SDMeans
from dynmeans.estimators.base import BatchClusterer
from dynmeans.kernels import Kernel, Precomputed, kernel_from_params


class Settings(NamedTuple):
    """The options that decide what a run computes: with equal settings and inputs, the output is equal."""

    time: str | None = None
    every: str | None = None
    features: list[str] | None = None
    weight: str | None = None
    standardize: bool = False
    birth_cost: float | str = "auto"
    lifetime: float | None = None
    reach: float | None = None
    aging_cost: float | None = None
    drift: float | None = None
    motion: str = "walk"
    algorithm: str = "dmeans"
    kernel: str | None = None
    relative: bool | None = None
    budget: int | None = None
    restarts: int = 3
    seed: int = 0
    format: str | None = None


def check_settings(settings: Settings) -> None:
    """Find what cannot be, before anything is read."""
    birth_cost = 1.0 if settings.birth_cost == "auto" else float(settings.birth_cost)
    lifespan = AgingParameters(settings.lifetime, settings.reach, settings.aging_cost, settings.drift)
    try:
        make_costs(birth_cost, lifespan)
    except ValueError as error:
        raise InputError(str(error)) from None
    _check_algorithm(settings)
    every = _every(settings)
    if every is not None and every.unit != "rows" and settings.time is None:
        raise InputError(f"--every {settings.every} needs --time; without it, count rows: --every 500rows")


def parse_birth_cost(text: str) -> float | str:
    """Read a number or the word auto."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--birth-cost is {text!r}; it must be a number or auto") from None


def parse_features(text: str | None) -> list[str] | None:
    """Read names between commas."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names) or len(set(names)) < len(names):
        raise InputError(f"--features is {text!r}; it must be different names between commas, such as x,y")
    return names


def make_model(settings: Settings, jobs: int | None) -> BatchClusterer:
    """Build the model that the settings describe."""
    shared: dict[str, Any] = {
        "birth_cost": settings.birth_cost,
        "lifetime": settings.lifetime,
        "reach": settings.reach,
        "aging_cost": settings.aging_cost,
        "drift": settings.drift,
        "motion": settings.motion,
        "n_restarts": settings.restarts,
        "n_jobs": jobs,
        "random_state": settings.seed,
    }
    if settings.algorithm == "dmeans":
        return DMeans(**shared)
    if settings.budget is not None:
        shared["budget"] = settings.budget
    kind = KDMeans if settings.algorithm == "kdmeans" else SDMeans
    return kind(parse_kernel(settings.kernel or "rbf"), relative=settings.relative, **shared)


def parse_kernel(text: str) -> Kernel:
    """Read a name, with parameters after a colon if need be: ``mst:scale=0.07``, ``rbf:bandwidth=2``."""
    name, _, rest = text.partition(":")
    params: dict[str, Any] = {"kernel": name}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        try:
            params[key.strip()] = json.loads(value) if equals else None
        except json.JSONDecodeError:
            raise InputError(f"--kernel {text!r}: {value!r} is not a number") from None
    try:
        return kernel_from_params(params)
    except (TypeError, ValueError) as error:
        raise InputError(f"--kernel {text!r}: {error}") from None


def _check_algorithm(settings: Settings) -> None:
    """Kernels belong to KD-Means and SD-Means, and each motion to some of the algorithms."""
    name = settings.algorithm
    for option in ("kernel", "relative", "budget"):
        if name == "dmeans" and getattr(settings, option) is not None:
            raise InputError(f"--{option} needs --algorithm kdmeans or sdmeans")
    if settings.motion == ("align" if name == "dmeans" else "velocity"):
        raise InputError(f"--motion {settings.motion} does not go with --algorithm {name}")
    if settings.kernel is not None and isinstance(parse_kernel(settings.kernel), Precomputed):
        raise InputError("--kernel precomputed needs similarities, not rows: use it from Python")


def make_windowing(settings: Settings, carried: dict[str, Any]) -> Windowing:
    """Build the rule of windows, with what it carries from before: `anchor` and `origin`, if it has them."""
    every = _every(settings)
    if every is None:
        return ByPart() if settings.time is None else ByTime()
    if every.unit == "rows":
        return ByRows(int(every.size))
    return ByWindow(every.size, carried.get("anchor"), carried.get("origin"))


def time_unit(settings: Settings) -> float:
    """Length of the model's unit of time in the units of the time column."""
    every = _every(settings)
    return 1.0 if every is None or every.unit == "rows" else every.size


def time_info(settings: Settings, columns: Columns) -> dict[str, str]:
    """Name and kind of time, as run.json has them."""
    every = _every(settings)
    if columns.time is None or (every is not None and every.unit == "rows"):
        return {"name": "step", "kind": "step"}
    return {"name": columns.time, "kind": "datetime" if columns.dated else "number"}


def _every(settings: Settings) -> Every | None:
    return None if settings.every is None else parse_every(settings.every)
