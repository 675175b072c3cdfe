"""Time steps that the parameters of a run describe."""

from __future__ import annotations

import warnings
from datetime import datetime
from typing import Any, NamedTuple

from dynmeans._files.errors import InputError, InputWarning
from dynmeans._tables.columns import Columns
from dynmeans._tables.time_steps.window_length import WindowLength, parse_window_length
from dynmeans._tables.time_steps.windowing import (
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

DIGITS = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}  # of dates written as numbers
FIRST_YEAR, LAST_YEAR = 1900, 2100


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
    """Raise if windows are in seconds, and the time is not in seconds since 1970.

    Larger numbers read as seconds would make steps thousands of windows apart or more, all of them empty.
    Dates written as numbers would be seconds apart. If steps are not windows, they give a warning.
    """
    length = window_length(parameters)
    if is_dated or time is None or parameters.time is None:
        return
    date = _as_date(time)
    if length is None and date is not None:
        warnings.warn(
            f"{date.number} in --time {parameters.time} may be a date, but is used as a number; write it as "
            f"{date.text}",
            InputWarning,
            stacklevel=2,
        )
    if length is None or length.unit not in ("seconds", "days", "weeks"):
        return
    as_seconds = f"--every {parameters.every} counts the numbers of --time {parameters.time} as seconds, but"
    if date is not None:
        raise InputError(
            f"{as_seconds} {date.number} may be a date; write it as {date.text}, or give --every as a plain "
            f"number, in the unit of the column: --every {length.duration:.15g}"
        )
    if abs(time) > LAST_SECOND:
        unit = next(
            (name for name, scale in FRACTIONS.items() if abs(time) <= LAST_SECOND * scale), "nanoseconds"
        )
        raise InputError(
            f"{as_seconds} {time:.15g} may be {unit}; give --every as a plain number, in the unit of the "
            f"column: --every {length.duration * FRACTIONS[unit]:.15g}"
        )


class _Date(NamedTuple):
    """A number that may be a date, and the date in ISO 8601 format."""

    number: str
    text: str


def _as_date(time: float) -> _Date | None:
    """Return the date that the digits of a number are, such as 20240331, or None."""
    number = f"{time:.0f}"
    layout = DIGITS.get(len(number))
    if layout is None or time != float(number):
        return None
    try:
        date = datetime.strptime(number, layout)
    except ValueError:
        return None
    text = date.date().isoformat() if layout == DIGITS[8] else date.isoformat()
    return _Date(number, text) if FIRST_YEAR <= date.year <= LAST_YEAR else None
