"""What the options of `dynmeans cluster` mean together."""

from __future__ import annotations

from typing import Any, NamedTuple

from dynmeans.estimators import DMeans
from dynmeans.io.columns import Columns
from dynmeans.io.errors import InputError
from dynmeans.io.rules import ByPart, ByRows, ByTime, ByWindow, Every, Rule, parse_every
from dynmeans.model.costs import Lifespan, costs_from


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
    restarts: int = 3
    seed: int = 0
    format: str | None = None


def check_settings(settings: Settings) -> None:
    """Find what cannot be, before anything is read."""
    birth_cost = 1.0 if settings.birth_cost == "auto" else float(settings.birth_cost)
    lifespan = Lifespan(settings.lifetime, settings.reach, settings.aging_cost, settings.drift)
    try:
        costs_from(birth_cost, lifespan)
    except ValueError as error:
        raise InputError(str(error)) from None
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


def make_model(settings: Settings, jobs: int | None) -> DMeans:
    """Build the model that the settings describe."""
    return DMeans(
        settings.birth_cost,
        settings.lifetime,
        settings.reach,
        aging_cost=settings.aging_cost,
        drift=settings.drift,
        motion=settings.motion,
        n_restarts=settings.restarts,
        n_jobs=jobs,
        random_state=settings.seed,
    )


def make_rule(settings: Settings, carried: dict[str, Any]) -> Rule:
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
