"""Parameters of a run."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from dynmeans._files.errors import InputError


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
    lifetime, reach, aging_cost, drift, interval : float or None
        As in `dynmeans.DMeans`.
    motion : {"walk", "velocity", "align"} or None
    exclusive, refine, merge : bool or None
        None means estimated by `dynmeans.DMeans` if the birth cost is "auto", else as in the paper.
    duplicates : bool
    min_hits : int
        As in `dynmeans.DMeans`.
    feature_scales : sequence of float or None
        As in `dynmeans.DMeans`, in the order of the features.
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
        Column with the key of each row; each key has a separate model. None is one model for all rows.
    report_keys : list of str or None
        With `by`: keys that get a report.
    report_largest : int or None
        With `by` and without `report_keys`: number of keys with the most rows that get a report; None is 3.
    missing : {"error", "drop"} or None
        What happens to rows with empty cells: an error, which is the default, or they are left out, and their
        ids are empty.

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
    merge: bool | None = None
    embedding: str | None = None
    text: str | None = None
    by: str | None = None
    report_keys: Sequence[str] | None = None
    report_largest: int | None = None
    missing: str | None = None
    feature_scales: Sequence[float] | None = None
    interval: float | None = None


def normalize_parameters(parameters: RunParameters) -> RunParameters:
    """Return equal parameters of the types that the command line gives and state files store."""
    cost = parameters.birth_cost
    given = {name: getattr(parameters, name) for name in _TYPES}
    converted: dict[str, Any] = {
        name: _TYPES[name](value) for name, value in given.items() if value is not None
    }
    return parameters._replace(
        birth_cost=parse_birth_cost(cost) if isinstance(cost, str) else float(cost),
        restarts=n_restarts(parameters),
        seed=int(parameters.seed),
        min_hits=int(parameters.min_hits),
        missing=None if parameters.missing == "error" else parameters.missing,
        **converted,
    )


def _floats(values: Iterable[Any]) -> list[float]:
    return [float(value) for value in values]


_TYPES: dict[str, Callable[[Any], object]] = {  # of parameters that may be None
    "lifetime": float,
    "reach": float,
    "aging_cost": float,
    "drift": float,
    "interval": float,
    "budget": int,
    "report_largest": int,
    "features": list,
    "report_keys": list,
    "feature_scales": _floats,
}


def n_restarts(parameters: RunParameters) -> int | None:
    """Return the number of restarts, or None if it depends on the metric that is chosen."""
    if parameters.restarts is None:
        return None if parameters.algorithm == "dmeans" else 3
    return int(parameters.restarts)


def parse_birth_cost(text: str) -> float | str:
    """Parse a number or the word auto."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--birth-cost is {text!r}; it must be a number or auto") from None


def parse_feature_scales(text: str | None) -> list[float] | None:
    """Parse positive numbers separated by commas."""
    if text is None:
        return None
    try:
        scales = [float(number) for number in text.split(",")]
    except ValueError:
        scales = []
    if not scales or not all(0.0 < scale < math.inf for scale in scales):
        raise InputError(
            f"--feature-scales is {text!r}; it must be positive numbers separated by commas, such as 1,1,2.5"
        )
    return scales


def parse_features(text: str | None) -> list[str] | None:
    """Parse names separated by commas."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names) or len(set(names)) < len(names):
        raise InputError(
            f"--features is {text!r}; it must be distinct names separated by commas, such as x,y"
        )
    return names


def parse_keys(text: str | None) -> list[str] | None:
    """Parse keys separated by commas; a key with a comma is quoted as in a CSV file.

    Examples
    --------
    >>> parse_keys('a, "b,c"')
    ['a', 'b,c']
    """
    if text is None:
        return None
    try:
        keys = [key.strip() for key in next(csv.reader([text], skipinitialspace=True, strict=True), [])]
    except csv.Error:
        keys = []
    if not keys or not all(keys) or len(set(keys)) < len(keys):
        raise InputError(
            f"--report-keys is {text!r}; it must be distinct keys separated by commas, such as a,b; "
            'a key with a comma is quoted: a,"b,c"'
        )
    return keys
