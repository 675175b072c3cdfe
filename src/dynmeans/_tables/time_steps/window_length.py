"""Length of a time step as text, such as 30min, 1mo or 500rows."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from dynmeans._files.errors import InputError

DAY, WEEK = 86400.0, 604800.0
MONTH = 365.2425 / 12 * DAY  # mean length
_SECONDS = {"ms": 0.001, "s": 1, "sec": 1, "min": 60, "m": 60, "h": 3600, "d": DAY, "w": WEEK}
_MONTHS = {"mo": 1, "y": 12}
_LENGTH = re.compile(r"\s*([0-9.]+(?:e[+-]?[0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE)


class WindowLength(NamedTuple):
    """Length of a window or number of rows, as in --every."""

    size: float
    unit: str  # "rows", "seconds", "days", "weeks", "months" or "" for the units of the time column

    @property
    def duration(self) -> float:
        """Return the length in units of the time column; the mean for months."""
        return self.size * {"days": DAY, "weeks": WEEK, "months": MONTH}.get(self.unit, 1.0)


def parse_window_length(text: str, option: str = "--every") -> WindowLength:
    """Read a window length such as ``30min``, ``10s``, ``500rows`` or ``0.25``.

    Parameters
    ----------
    text : str
        A positive number, alone or with ``ms``, ``s``, ``min``, ``h``, ``d``, ``w``, ``mo``, ``y`` or
        ``rows``. Whole days, weeks, months and years follow the calendar.
    option : str
        Name of the option in errors.

    Returns
    -------
    WindowLength

    Raises
    ------
    InputError
        If the text is not a length.

    Examples
    --------
    >>> parse_window_length("30min")
    WindowLength(size=1800.0, unit='seconds')
    """
    match = _LENGTH.fullmatch(text)
    try:
        size = float(match[1]) if match else 0.0
    except ValueError:
        size = 0.0
    unit = match[2].lower() if match else ""
    if size > 0 and math.isfinite(size):
        if unit in ("row", "rows") and size == int(size):
            return WindowLength(size, "rows")
        if unit in ("d", "w") and size == int(size):
            return WindowLength(size, {"d": "days", "w": "weeks"}[unit])
        if unit in _MONTHS and size == int(size) and size < 1e6:
            return WindowLength(size * _MONTHS[unit], "months")
        if unit in _SECONDS:
            return WindowLength(size * _SECONDS[unit], "seconds")
        if not unit:
            return WindowLength(size, "")
    raise InputError(
        f"{option} is {text!r}; "
        "it must be a positive length such as 30min, 10s, 2h, 1d, 1w, 1mo, 500rows or 0.25"
    )
