"""Parameters of a run, their validation, and the model and windows that they describe."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from dynmeans._files.errors import InputError
from dynmeans._model.costs import AgingParameters, make_costs
from dynmeans._model.sphere_costs import make_sphere_costs
from dynmeans._tables.columns import Columns
from dynmeans._tables.sources import FORMATS
from dynmeans._tables.windowing import (
    ByPart,
    ByRows,
    ByTime,
    ByWindow,
    Windowing,
    WindowLength,
    by_calendar,
    parse_window_length,
)
from dynmeans.estimators import DMeans, KDMeans, SDMeans
from dynmeans.estimators.base import BatchClusterer
from dynmeans.estimators.metric_choice import METRICS
from dynmeans.estimators.validation import LARGEST_SEED
from dynmeans.kernels import Kernel, Precomputed, kernel_from_params
from dynmeans.streams import KeyedDMeans

ALGORITHMS = ("dmeans", "kdmeans", "sdmeans")
MOTIONS = ("walk", "velocity", "align")


class RunParameters(NamedTuple):
    """Parameters that determine the output of a run.

    Equal parameters and equal inputs give equal files. Each field is an option of ``dynmeans cluster``.

    Attributes
    ----------
    time : str or None
        Column with the time of each row: numbers or ISO dates. Each distinct time is a step.
    every : str or None
        Length of a window: ``"30min"``, ``"500rows"``, or a plain number in units of the time column. Days,
        weeks and months (``"1d"``, ``"1w"``, ``"1mo"``) of dates follow the calendar.
    features : list of str or None
        Columns to cluster by, or patterns such as ``"e*"``; None takes all numeric columns except time and
        weight.
    weight : str or None
        Column with the weight of each row.
    standardize : bool
        Scale each feature by its mean and standard deviation in the first step.
    birth_cost : float or "auto"
    lifetime, reach, aging_cost, drift : float or None
        As in `dynmeans.DMeans`.
    motion : {"walk", "velocity", "align"} or None
    exclusive, refine : bool or None
        None means estimated by `dynmeans.DMeans` if the birth cost is "auto", else as in the paper.
    duplicates : bool
    min_hits : int
        As in `dynmeans.DMeans`.
    algorithm : {"dmeans", "kdmeans", "sdmeans"}
    kernel : str or None
        Kernel of KD-Means and SD-Means, for example ``"mst:scale=0.07"``; None means ``"rbf"``.
    relative : bool or None
        As in `dynmeans.KDMeans`.
    budget : int or None
        As in `dynmeans.KDMeans`.
    restarts : int or None
        Number of random orders tried per step; None for 3, or 1 with the cosine metric.
    seed : int
        Seed of these orders.
    format : str or None
        Format of the inputs; None infers it from their names.
    embedding : str or None
        Instead of `features`: a column whose cells are lists of numbers, or an NPY file with a row for each
        row of the input.
    text : str or None
        Column with the text of each row, for the words and examples of clusters.
    by : str or None
        Column with the key of each row; each key has a model of its own. None is one model for all rows.
    report_keys : list of str or None
        With `by`: keys that get a report.
    report_largest : int or None
        With `by` and without `report_keys`: number of keys with the most rows that get a report; None is 3.

    Examples
    --------
    >>> RunParameters(time="when", every="1min", lifetime=5).every
    '1min'
    """

    time: str | None = None
    every: str | None = None
    features: Sequence[str] | None = None
    weight: str | None = None
    standardize: bool = False
    birth_cost: float | str = "auto"
    lifetime: float | None = None
    reach: float | None = None
    aging_cost: float | None = None
    drift: float | None = None
    motion: str | None = None
    exclusive: bool | None = None
    duplicates: bool = False
    min_hits: int = 1
    algorithm: str = "dmeans"
    kernel: str | None = None
    relative: bool | None = None
    budget: int | None = None
    metric: str = "auto"
    restarts: int | None = None
    seed: int = 0
    format: str | None = None
    refine: bool | None = None
    embedding: str | None = None
    text: str | None = None
    by: str | None = None
    report_keys: Sequence[str] | None = None
    report_largest: int | None = None


def normalize_parameters(parameters: RunParameters) -> RunParameters:
    """Return equal parameters of the types that the command line gives and state files store."""
    cost = parameters.birth_cost
    numbers: dict[str, Any] = {
        name: getattr(parameters, name) for name in ("lifetime", "reach", "aging_cost", "drift")
    }
    numbers = {name: None if value is None else float(value) for name, value in numbers.items()}
    return parameters._replace(
        features=None if parameters.features is None else list(parameters.features),
        report_keys=None if parameters.report_keys is None else list(parameters.report_keys),
        report_largest=None if parameters.report_largest is None else int(parameters.report_largest),
        birth_cost=parse_birth_cost(cost) if isinstance(cost, str) else float(cost),
        restarts=_restarts(parameters),
        seed=int(parameters.seed),
        min_hits=int(parameters.min_hits),
        budget=None if parameters.budget is None else int(parameters.budget),
        **numbers,
    )


def _restarts(parameters: RunParameters) -> int | None:
    """Return the number of restarts, or None if it depends on the metric that is chosen."""
    if parameters.restarts is None:
        return None if parameters.algorithm == "dmeans" else 3
    return int(parameters.restarts)


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
    length = _window_length(parameters)
    if length is not None and length.unit != "rows" and parameters.time is None:
        raise InputError(f"--every {parameters.every} needs --time; without it, count rows: --every 500rows")


def _check_costs(parameters: RunParameters) -> None:
    birth_cost = 1.0 if parameters.birth_cost == "auto" else float(parameters.birth_cost)
    lifespan = AgingParameters(parameters.lifetime, parameters.reach, parameters.aging_cost, parameters.drift)
    make = make_sphere_costs if parameters.metric == "cosine" else make_costs
    try:
        make(birth_cost, lifespan)
    except ValueError as error:
        raise InputError(str(error)) from None


def _check_choices(parameters: RunParameters) -> None:
    choices = {
        "algorithm": ALGORITHMS,
        "motion": (None, *MOTIONS),
        "metric": METRICS,
        "format": (None, *FORMATS),
    }
    for name, allowed in choices.items():
        if getattr(parameters, name) not in allowed:
            words = ", ".join(str(choice) for choice in allowed if choice is not None)
            raise InputError(f"--{name} is {getattr(parameters, name)!r}; it must be one of {words}")
    for name, value in _counts(parameters).items():
        if value is not None and value < 1:
            raise InputError(f"--{name.replace('_', '-')} is {value}; it must be at least 1")
    if not 0 <= parameters.seed <= LARGEST_SEED:
        raise InputError(f"--seed is {parameters.seed}; it must be from 0 to {LARGEST_SEED}")


def _check_keys(parameters: RunParameters) -> None:
    """Check the options that concern keys."""
    by = parameters.by
    if by is not None and parameters.text is not None:
        raise InputError("--text and --by exclude each other: words are weighed within one model")
    if by is None:
        for name in ("report_keys", "report_largest"):
            if getattr(parameters, name) is not None:
                raise InputError(f"--{name.replace('_', '-')} needs --by")
        return
    if parameters.algorithm != "dmeans":
        raise InputError(f"--by is not supported by --algorithm {parameters.algorithm}")
    if by in (parameters.time, parameters.weight, *(parameters.features or ())):
        raise InputError(f"--by is {by!r}; the key must be a column of its own")
    try:
        make_keyed_model(parameters)
    except ValueError as error:
        raise InputError(f"--by: {error}") from None
    if parameters.report_largest is not None and parameters.report_largest < 0:
        raise InputError(f"--report-largest is {parameters.report_largest}; it must not be negative")


def _counts(parameters: RunParameters) -> dict[str, int | None]:
    return {name: getattr(parameters, name) for name in ("restarts", "budget", "min_hits")}


def parse_birth_cost(text: str) -> float | str:
    """Parse a number or the word auto."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--birth-cost is {text!r}; it must be a number or auto") from None


def parse_features(text: str | None, option: str = "--features") -> list[str] | None:
    """Parse names separated by commas."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names) or len(set(names)) < len(names):
        raise InputError(f"{option} is {text!r}; it must be distinct names separated by commas, such as x,y")
    return names


def make_model(parameters: RunParameters, jobs: int | None) -> BatchClusterer:
    """Build the estimator that the parameters describe."""
    shared: dict[str, Any] = {
        "birth_cost": parameters.birth_cost,
        "lifetime": parameters.lifetime,
        "reach": parameters.reach,
        "aging_cost": parameters.aging_cost,
        "drift": parameters.drift,
        "n_restarts": _restarts(parameters),
        "n_jobs": jobs,
        "random_state": parameters.seed,
    }
    if parameters.algorithm == "dmeans":
        names = ("motion", "metric", "refine", "exclusive", "duplicates", "min_hits")
        return DMeans(**shared, **{name: getattr(parameters, name) for name in names})
    shared["motion"] = parameters.motion or "walk"
    if parameters.budget is not None:
        shared["budget"] = parameters.budget
    kind = KDMeans if parameters.algorithm == "kdmeans" else SDMeans
    return kind(parse_kernel(parameters.kernel or "rbf"), relative=parameters.relative, **shared)


def make_keyed_model(parameters: RunParameters) -> KeyedDMeans:
    """Build the model of all keys that the parameters describe."""
    aging = ("lifetime", "reach", "aging_cost", "drift")
    names = (*aging, "motion", "exclusive", "duplicates", "min_hits", "metric", "refine")
    others = {name: getattr(parameters, name) for name in names}
    return KeyedDMeans(
        parameters.birth_cost, random_state=parameters.seed, n_restarts=parameters.restarts, **others
    )


def parse_kernel(text: str) -> Kernel:
    """Parse a kernel name and optional parameters: ``mst:scale=0.07``, ``rbf:bandwidth=2``."""
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


def _check_algorithm(parameters: RunParameters) -> None:
    """Check that the algorithm supports the kernel options and the motion."""
    name = parameters.algorithm
    for option in ("kernel", "relative", "budget"):
        if name == "dmeans" and getattr(parameters, option) is not None:
            raise InputError(f"--{option} needs --algorithm kdmeans or sdmeans")
    if parameters.exclusive and name != "dmeans":
        raise InputError(f"--exclusive is not supported by --algorithm {name}")
    if parameters.refine and name != "dmeans":
        raise InputError(f"--refine is not supported by --algorithm {name}")
    if parameters.min_hits > 1 and name != "dmeans":
        raise InputError(f"--min-hits is not supported by --algorithm {name}")
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
    if parameters.kernel is not None and isinstance(parse_kernel(parameters.kernel), Precomputed):
        raise InputError("--kernel precomputed needs similarities, not rows: use it from Python")


def make_windowing(
    parameters: RunParameters, carried: dict[str, Any], *, is_dated: bool = False
) -> Windowing:
    """Build the windowing.

    `carried` is its saved state, which may have `anchor` and `origin`. Only dates follow the calendar:
    a time column of numbers has no beginning of a day.
    """
    length = _window_length(parameters)
    if length is None:
        return ByPart() if parameters.time is None else ByTime()
    if length.unit == "rows":
        return ByRows(int(length.size))
    where = carried.get("anchor"), carried.get("origin")
    if is_dated and length.unit in ("days", "weeks", "months"):
        return by_calendar(length, *where)
    if length.unit == "months":
        raise InputError(f"--every {parameters.every} needs dates, but --time {parameters.time} has numbers")
    return ByWindow(length.duration, *where)


def time_unit(parameters: RunParameters) -> float:
    """Return the length of the model's time unit, in units of the time column."""
    length = _window_length(parameters)
    return 1.0 if length is None or length.unit == "rows" else length.duration


def time_info(parameters: RunParameters, columns: Columns) -> dict[str, str]:
    """Return the name and kind of time for run.json."""
    length = _window_length(parameters)
    if columns.time is None or (length is not None and length.unit == "rows"):
        return {"name": "step", "kind": "step"}
    return {"name": columns.time, "kind": "datetime" if columns.dated else "number"}


def _window_length(parameters: RunParameters) -> WindowLength | None:
    return None if parameters.every is None else parse_window_length(parameters.every)
