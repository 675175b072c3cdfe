"""Dates in cells: ISO 8601 text, or dates of NumPy and Python, as seconds since 1970 UTC."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynmeans._model.types import FloatArray

EXAMPLE_DATES = "2024-03-31 or 2024-03-31T18:30:00Z"
_CLOCK = set("Tt 0123456789:.")  # end of a date without a time zone
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def is_time(cell: object) -> bool:
    """Return whether a cell is an ISO date or timestamp."""
    try:
        seconds_of(cell)
    except Exception:  # cells of other libraries may raise any error
        return False
    return True


def seconds_of(cell: object) -> float:
    """Convert a date to seconds since 1970 UTC; without a time zone it is UTC."""
    if isinstance(cell, str):
        cell = _parse_date(cell.strip())
    if isinstance(cell, np.datetime64):
        return float(epoch_seconds(np.array([cell]))[0])
    if not isinstance(cell, datetime):
        raise TypeError
    zoned = cell if cell.tzinfo is not None else cell.replace(tzinfo=timezone.utc)
    return (zoned - _EPOCH).total_seconds()


def _parse_date(text: str) -> datetime | np.datetime64:
    bare = re.sub(r" ?(Z|UTC|GMT)$", "", text, flags=re.IGNORECASE)  # UTC, as all dates without a time zone
    if not bare[:4].isdigit():  # NumPy would take words like "today"
        raise ValueError
    try:
        return datetime.fromisoformat(bare)
    except ValueError:
        if len(bare) > 10 and set(bare[10:]) <= _CLOCK:
            return np.datetime64(bare)  # fractions of a second that datetime does not take
        raise


def epoch_seconds(dates: NDArray[Any]) -> FloatArray:
    """Convert dates of NumPy to seconds since 1970 UTC; NaN for missing dates."""
    microseconds = dates.astype("datetime64[us]")
    seconds = microseconds.astype(np.int64) / 1e6
    seconds[np.isnat(microseconds)] = np.nan
    return seconds


def format_time(time: float, dated: bool) -> str:
    """Return a time in words: a number, or an ISO date for seconds since 1970.

    Examples
    --------
    >>> format_time(86400.0, dated=True)
    '1970-01-02T00:00:00Z'
    """
    if not dated:
        return f"{time:.15g}"
    try:
        return (_EPOCH + timedelta(seconds=time)).replace(tzinfo=None).isoformat() + "Z"
    except OverflowError:
        return f"{time:.15g}"
