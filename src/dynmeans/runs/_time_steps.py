"""Time steps that the parameters of a run describe."""

from __future__ import annotations

from typing import Any

from dynmeans._files.errors import InputError
from dynmeans._tables.columns import Columns
from dynmeans._tables.window_length import WindowLength, parse_window_length
from dynmeans._tables.windowing import (
    ByPart,
    ByRows,
    ByTime,
    ByWindow,
    Windowing,
    by_calendar,
)
from dynmeans.estimators._shell.base import BatchClusterer
from dynmeans.runs.parameters import RunParameters
from dynmeans.streams import KeyedDMeans

MAX_EMPTY_STEPS = 1000  # consecutive ones; a longer gap is a single long step, with the same clusters
LAST_SECOND = 3.3e10  # in the year 3015; times since 1970 in milliseconds are larger
FRACTIONS = {"milliseconds": 1e3, "microseconds": 1e6, "nanoseconds": 1e9}  # of a second


def make_windowing(
    parameters: RunParameters, carried: dict[str, Any], *, is_dated: bool = False
) -> Windowing:
    """Build the windowing.

    `carried` is its saved state, which may have `anchor` and `origin`. Only dates follow the calendar:
    a time column of numbers has no beginning of a day.
    """
    length = window_length(parameters)
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


def wants_empty(model: BatchClusterer | KeyedDMeans) -> bool:
    """Return whether a window without rows is a step: while clusters are remembered, within a limit.

    With keys it is not: time passes for a key when it has rows. The result depends only on the model, so
    a run that resumes in a gap is not changed by the interruption.
    """
    if isinstance(model, KeyedDMeans):
        return False
    ages = model.cluster_ages_
    return len(ages) > 0 and float(ages.min()) < MAX_EMPTY_STEPS


def time_unit(parameters: RunParameters) -> float:
    """Return the length of the model's time unit, in units of the time column."""
    length = window_length(parameters)
    return 1.0 if length is None or length.unit == "rows" else length.duration


def time_info(parameters: RunParameters, columns: Columns) -> dict[str, str]:
    """Return the name and kind of time for run.json."""
    length = window_length(parameters)
    if columns.time is None or (length is not None and length.unit == "rows"):
        return {"name": "step", "kind": "step"}
    return {"name": columns.time, "kind": "datetime" if columns.dated else "number"}


def window_length(parameters: RunParameters) -> WindowLength | None:
    """Return the length of a window, or None without windows."""
    return None if parameters.every is None else parse_window_length(parameters.every)


def check_time_unit(parameters: RunParameters, time: float | None, *, is_dated: bool) -> None:
    """Raise if windows are in seconds, and the time is too large to be in seconds since 1970.

    Read as seconds, the steps would be thousands of windows apart or more, all of them empty.
    """
    length = window_length(parameters)
    if length is None or length.unit not in ("seconds", "days", "weeks") or is_dated or time is None:
        return
    if abs(time) > LAST_SECOND:
        unit = next(
            (name for name, scale in FRACTIONS.items() if abs(time) <= LAST_SECOND * scale), "nanoseconds"
        )
        raise InputError(
            f"--every {parameters.every} counts the numbers of --time {parameters.time} as seconds, but "
            f"{time:.15g} may be {unit}; give --every as a plain number, in the unit of the column: "
            f"--every {length.duration * FRACTIONS[unit]:.15g}"
        )
