"""Definition of a time step: a window of time, a distinct time, a number of rows, or a file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dynmeans._files.errors import InputError
from dynmeans._model.types import FloatArray
from dynmeans._tables.inputs import RowBlock
from dynmeans._tables.time_steps.window_length import DAY, WEEK, WindowLength

MAX_WINDOWS = 2.0**53  # beyond, the numbers of two consecutive windows are the same double
_FIRST_MONDAY = 4 * DAY  # 1970-01-05, in seconds since 1970


class Windowing(Protocol):
    """How rows are cut into steps: rows with equal keys belong together, and keys must not decrease."""

    def keys(self, block: RowBlock) -> NDArray[Any]:
        """Key of every row, shape (n,)."""

    def key_without_rows(self, block: RowBlock) -> float | None:
        """Return the key of an array without rows, or None if it is not a step."""

    def stamp(self, key: float) -> tuple[float | None, float | None]:
        """Return the event time of a step, for the model and for the output."""

    def carry(self) -> dict[str, Any]:
        """Return the state that is needed to resume within the inputs, as JSON values."""

    def empty_keys(self, last: float | None, key: float) -> Iterable[float]:
        """Return the keys of the steps without rows, after event time `last` and before the step `key`."""


class _WithRows:
    """Steps that are defined by rows, so that an array without rows is not a step."""

    def key_without_rows(self, block: RowBlock) -> float | None:
        """Return None."""
        return None


class _WithoutGaps(_WithRows):
    """Steps without windows between them."""

    def empty_keys(self, last: float | None, key: float) -> Iterable[float]:
        """Return no keys."""
        return ()


class ByPart(_WithoutGaps):
    """Every file, or every array of a file, is a step."""

    def keys(self, block: RowBlock) -> NDArray[Any]:
        """Return the number of the part for each row."""
        return np.full(len(block.rows.X), block.part)

    def key_without_rows(self, block: RowBlock) -> float | None:
        """Return the number of the part."""
        return block.part

    def stamp(self, key: float) -> tuple[None, None]:
        """Return no times: steps are counted."""
        return None, None

    def carry(self) -> dict[str, Any]:
        """Return nothing: a step ends with its part."""
        return {}


class ByRows(_WithoutGaps):
    """Every `count` rows are a step."""

    def __init__(self, count: int) -> None:
        self.count, self._seen = count, 0

    def keys(self, block: RowBlock) -> NDArray[Any]:
        """Return the number of the step of each row, counted from the start of reading."""
        keys = (self._seen + np.arange(len(block.rows.X))) // self.count
        self._seen += len(keys)
        return keys

    def stamp(self, key: float) -> tuple[None, None]:
        """Return no times: steps are counted."""
        return None, None

    def carry(self) -> dict[str, Any]:
        """Return nothing: a step ends after `count` rows."""
        return {}


class ByTime(_WithoutGaps):
    """Every distinct time is a step."""

    def keys(self, block: RowBlock) -> NDArray[Any]:
        """Return the times."""
        return times_of(block)

    def stamp(self, key: float) -> tuple[float, float]:
        """Return the time, in units of the time column."""
        return key, key

    def carry(self) -> dict[str, Any]:
        """Return nothing: a time is its own key."""
        return {}


class _Windows(_WithRows):
    """Windows that are numbered from `anchor` on; the model counts them from `origin` on."""

    _anchor: float | None
    _origin: float | None

    def stamp(self, key: float) -> tuple[float, float]:
        """Return the event time of a window, for the model and for the output."""
        raise NotImplementedError

    def empty_keys(self, last: float | None, key: float) -> Iterable[float]:
        """Return the numbers of the windows without rows."""
        if last is None:
            return ()
        before = last - self.stamp(0.0)[0]  # number of the window of the last step
        return range(round(before) + 1, round(key))

    def carry(self) -> dict[str, Any]:
        """Return where windows begin."""
        anchor, origin = self._known()
        return {"anchor": anchor, "origin": origin}

    def _known(self) -> tuple[float, float]:
        if self._anchor is None or self._origin is None:
            raise RuntimeError("windows have no beginning before the first row is read")
        return self._anchor, self._origin


class ByWindow(_Windows):
    """Every window of time is a step; the model counts windows, so that lifetimes do too.

    Windows begin at the first row, or with ``align=(unit, start)`` at the last multiple of ``unit`` after
    ``start`` before it. A run that continues the model of another run has its windows. In earlier versions it
    started new ones, which the model counts from the beginning of the first run, `origin`.
    """

    def __init__(
        self,
        width: float,
        anchor: float | None = None,
        origin: float | None = None,
        *,
        align: tuple[float, float] | None = None,
    ) -> None:
        self.width, self._anchor, self._origin, self._align = width, anchor, origin, align

    def keys(self, block: RowBlock) -> NDArray[Any]:
        """Return the number of the window of each row."""
        times = times_of(block)
        if self._anchor is None:
            self._anchor = self._beginning(float(times[0]))
        if self._origin is None:
            self._origin = self._anchor
        with np.errstate(over="ignore", invalid="ignore"):
            windows = _window_of(times, self._anchor, self.width)
            counted = windows + (self._anchor - self._origin) / self.width
        far = ~(np.abs(counted) < MAX_WINDOWS)
        if far.any():
            row = int(np.argmax(far))
            raise InputError(
                f"{block.location(row)}: time {block.time_text(row)} is too many windows of {self.width:g} "
                f"after {block.format_time(self._origin)}"
            )
        return windows

    def stamp(self, key: float) -> tuple[float, float]:
        """Return one plus the number of windows since the origin, and the time at which the window begins."""
        anchor, origin = self._known()
        return (anchor - origin) / self.width + key + 1.0, anchor + key * self.width

    def _beginning(self, first: float) -> float:
        """Return where the windows begin: at the first row, or at the start of its day or week."""
        if self._align is None:
            return first
        unit, start = self._align
        return start + unit * math.floor((first - start) / unit)


def by_calendar(length: WindowLength, anchor: float | None, origin: float | None) -> Windowing:
    """Return windows of whole days, weeks (from Monday) or months of dates, in UTC."""
    if length.unit == "months":
        return ByMonth(int(length.size), anchor, origin)
    unit, start = (DAY, 0.0) if length.unit == "days" else (WEEK, _FIRST_MONDAY)
    return ByWindow(length.duration, anchor, origin, align=(unit, start))


def equal_keys(keys: NDArray[Any]) -> Iterator[tuple[float, int, int]]:
    """Yield (key, start, stop) for every run of rows with equal keys."""
    edges = [0, *(np.flatnonzero(np.diff(keys)) + 1).tolist(), len(keys)]
    for start, stop in pairwise(edges):
        yield keys[start].item(), start, stop


def times_of(block: RowBlock) -> FloatArray:
    """Return the times of the rows, or fail without a time column."""
    if block.rows.times is None:
        raise RuntimeError("steps by time need a time column")
    return block.rows.times


def _window_of(times: FloatArray, anchor: float, width: float) -> NDArray[Any]:
    """Return (time - anchor) / width, rounded down without rounding errors: 0.3 / 0.1 < 3 gives 3."""
    exact = (times - anchor) / width
    nearest = np.rint(exact)
    slack = 4 * np.spacing(np.maximum(np.abs(times), abs(anchor))) / width
    return np.where(np.abs(exact - nearest) <= slack, nearest, np.floor(exact))


class ByMonth(_Windows):
    """Every `count` calendar months (UTC) are a step, counted from the month of the first row.

    The model counts steps, as in `ByWindow`; anchor and origin are months since January 1970.
    """

    def __init__(self, count: int, anchor: float | None = None, origin: float | None = None) -> None:
        self.count, self._anchor, self._origin = count, anchor, origin

    def keys(self, block: RowBlock) -> NDArray[Any]:
        """Return the number of the window of each row."""
        months = times_of(block).astype("datetime64[s]").astype("datetime64[M]").astype(np.int64)
        if self._anchor is None:
            self._anchor = float(months[0])
        if self._origin is None:
            self._origin = self._anchor
        return (months - int(self._anchor)) // self.count

    def stamp(self, key: float) -> tuple[float, float]:
        """Return one plus the number of windows since the origin, and the time at which the window begins."""
        anchor, origin = self._known()
        month = np.datetime64(int(anchor + key * self.count), "M")
        return (anchor - origin) / self.count + key + 1.0, float(
            month.astype("datetime64[s]").astype(np.int64)
        )
