"""What makes a time step: a window of time, a distinct time, a number of rows, or a file."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dynmeans._files.errors import InputError
from dynmeans._model.types import FloatArray
from dynmeans._tables.inputs import RowBlock

_SECONDS = {"ms": 0.001, "s": 1, "sec": 1, "min": 60, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_EVERY = re.compile(r"\s*([0-9.]+(?:e[+-]?[0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE)


class Windowing(Protocol):
    """How rows are cut into steps: rows with equal keys belong together, and keys must not fall."""

    def keys(self, stretch: RowBlock) -> NDArray[Any]:
        """Key of every row, shape (n,)."""

    def stamp(self, key: float) -> tuple[float | None, float | None]:
        """Event time of a step, for the model and for people."""

    def carry(self) -> dict[str, Any]:
        """What has to be known to go on in the middle of the inputs, as JSON can hold it."""


class ByPart:
    """Every file, or every array of a file, is a step."""

    def keys(self, stretch: RowBlock) -> NDArray[Any]:
        """Number of the part, for every row."""
        return np.full(len(stretch.rows), stretch.part)

    def stamp(self, key: float) -> tuple[None, None]:
        """Steps are counted."""
        return None, None

    def carry(self) -> dict[str, Any]:
        """Nothing: a step ends where a part ends."""
        return {}


class ByRows:
    """Every `count` rows are a step."""

    def __init__(self, count: int) -> None:
        self.count, self._seen = count, 0

    def keys(self, stretch: RowBlock) -> NDArray[Any]:
        """Number of the bundle of rows; counting begins anew where reading does, at the start of a step."""
        keys = (self._seen + np.arange(len(stretch.rows))) // self.count
        self._seen += len(keys)
        return keys

    def stamp(self, key: float) -> tuple[None, None]:
        """Steps are counted."""
        return None, None

    def carry(self) -> dict[str, Any]:
        """Nothing: a step ends after `count` rows."""
        return {}


class ByTime:
    """Every distinct time is a step."""

    def keys(self, stretch: RowBlock) -> NDArray[Any]:
        """The times themselves."""
        return times_of(stretch)

    def stamp(self, key: float) -> tuple[float, float]:
        """The model lives in the units of the time column."""
        return key, key

    def carry(self) -> dict[str, Any]:
        """Nothing: a time is its own key."""
        return {}


class ByWindow:
    """Every window of time is a step; the model counts windows, so that lifetimes do too.

    Windows begin at the first row. A run that takes up the model of another begins new ones there, and counts
    on from the beginning of that other run, `origin`.
    """

    def __init__(self, width: float, anchor: float | None = None, origin: float | None = None) -> None:
        self.width, self._anchor, self._origin = width, anchor, origin

    def keys(self, stretch: RowBlock) -> NDArray[Any]:
        """Number of the window of every row."""
        times = times_of(stretch)
        if self._anchor is None:
            self._anchor = float(times[0])
        if self._origin is None:
            self._origin = self._anchor
        with np.errstate(over="ignore", invalid="ignore"):
            windows = _window_of(times, self._anchor, self.width)
        far = ~np.isfinite(windows)
        if far.any():
            row = int(np.argmax(far))
            place, time = stretch.place(row), float(times[row])
            raise InputError(
                f"{place}: time {time!r} is too many windows of {self.width:g} after {self._anchor!r}"
            )
        return windows

    def stamp(self, key: float) -> tuple[float, float]:
        """One plus the windows since the origin, and the time at which the window begins."""
        anchor, origin = self._known()
        return (anchor - origin) / self.width + key + 1.0, anchor + key * self.width

    def carry(self) -> dict[str, Any]:
        """Where windows begin."""
        anchor, origin = self._known()
        return {"anchor": anchor, "origin": origin}

    def _known(self) -> tuple[float, float]:
        if self._anchor is None or self._origin is None:
            raise RuntimeError("windows have no beginning before the first row is read")
        return self._anchor, self._origin


def times_of(stretch: RowBlock) -> FloatArray:
    """Times of the rows, for rules that need them."""
    if stretch.rows.times is None:
        raise RuntimeError("steps by time need a time column")
    return stretch.rows.times


def _window_of(times: FloatArray, anchor: float, width: float) -> NDArray[Any]:
    """Floor of (time - anchor) / width, but 0.3 is in the fourth window of 0.1 although 0.3 / 0.1 < 3."""
    exact = (times - anchor) / width
    nearest = np.rint(exact)
    slack = 4 * np.spacing(np.maximum(np.abs(times), abs(anchor))) / width
    return np.where(np.abs(exact - nearest) <= slack, nearest, np.floor(exact))


class Every(NamedTuple):
    """What --every says."""

    size: float
    unit: str  # "rows", "seconds" or "" for the units of the time column


def parse_every(text: str, option: str = "--every") -> Every:
    """Read a window length such as ``30min``, ``10s``, ``500rows`` or ``0.25``.

    Parameters
    ----------
    text : str
        A positive number with ``ms``, ``s``, ``min``, ``h``, ``d``, ``w`` or ``rows``, or alone.
    option : str
        What errors call it.

    Returns
    -------
    Every

    Raises
    ------
    InputError
        If it is none of these.

    Examples
    --------
    >>> parse_every("30min")
    Every(size=1800.0, unit='seconds')
    """
    match = _EVERY.fullmatch(text)
    try:
        size = float(match[1]) if match else 0.0
    except ValueError:
        size = 0.0
    unit = match[2].lower() if match else ""
    if size > 0 and np.isfinite(size):
        if unit in ("row", "rows") and size == int(size):
            return Every(size, "rows")
        if unit in _SECONDS:
            return Every(size * _SECONDS[unit], "seconds")
        if not unit:
            return Every(size, "")
    raise InputError(
        f"{option} is {text!r}; it must be a positive length such as 30min, 10s, 2h, 1d, 500rows or 0.25"
    )
