"""Conversion of a column of cells to numbers, dates, weights or keys, and descriptions of invalid cells."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynmeans._model.types import FloatArray
from dynmeans._tables.chunk import Cells
from dynmeans._tables.dates import EXAMPLE_DATES, epoch_seconds, is_time, seconds_of

EXAMINED_ROWS = 100  # a column is numeric if the majority of this many first cells is
_LARGEST_WEIGHT = 1e150  # the largest that can be summed and multiplied, as for coordinates
_NO_NUMBERS = (bool, np.bool_, np.datetime64, np.timedelta64, np.complexfloating, np.ndarray)
_MISSING = ("", "na", "n/a", "nan", "nat", "null", "none")


def is_number(cell: object) -> bool:
    """Return whether a cell is a number, including NaN and infinity."""
    try:
        _number(cell)
    except Exception:  # cells of other libraries may raise any error
        return False
    return True


def is_missing(cell: object) -> bool:
    """Return whether a cell has no value: empty, NaN, or text such as NA and null."""
    if isinstance(cell, str):
        return cell.strip().lower() in _MISSING
    is_nan = isinstance(cell, float | np.floating) and bool(np.isnan(cell))
    return cell is None or is_nan or str(cell) == "NaT"


def is_numeric(cells: Cells) -> bool:
    """Return whether a column contains numbers, by its first cells."""
    if isinstance(cells, np.ndarray) and cells.dtype != object:
        return cells.dtype.kind in "iuf" and cells.ndim == 1
    examined = [cell for cell in islice(cells, EXAMINED_ROWS) if not is_missing(cell)]
    return 2 * sum(map(is_number, examined)) > len(examined)


def is_dated(cells: Cells) -> bool:
    """Return whether a time column contains dates, by its first cell that is not missing."""
    if isinstance(cells, np.ndarray) and cells.dtype != object:
        return cells.dtype.kind == "M" and cells.ndim == 1
    first = next((cell for cell in cells if not is_missing(cell)), None)
    return not is_number(first) and is_time(first)


def _number(cell: object) -> float:
    """Convert a cell to a number; float() alone also accepts True, '1_000' and dates in nanoseconds."""
    if isinstance(cell, _NO_NUMBERS) or (isinstance(cell, str) and "_" in cell):
        raise ValueError
    return float(cell)  # type: ignore[arg-type]


def _parse(cells: Cells, convert: Callable[[Any], float]) -> FloatArray:
    """Return the numbers of a column, up to the first cell that is not a number."""
    values: list[float] = []
    with suppress(Exception):
        values.extend(map(convert, cells))
    return np.array(values, dtype=np.float64)


def _plain(cells: Cells) -> bool:
    """Return whether float() gives the result of `_number` on all of these cells; it is faster."""
    kinds = set(map(type, cells))
    return kinds <= {int, float} or (kinds == {str} and "_" not in "".join(cells))  # type: ignore[arg-type]


def lenient(cells: Cells, kind: str) -> FloatArray:
    """Return the numbers of a column, NaN for missing or invalid cells.

    Parameters
    ----------
    cells : sequence or ndarray
    kind : {"number", "date"}

    Examples
    --------
    >>> lenient(["1", "", "x"], "number")
    array([ 1., nan, nan])
    """
    convert = seconds_of if kind == "date" else _number
    kinds = "M" if kind == "date" else "iuf"
    if isinstance(cells, np.ndarray) and cells.ndim == 1 and cells.dtype.kind in kinds:
        return epoch_seconds(cells) if kind == "date" else _as_floats(cells)
    values = _parse(cells, convert)  # all of them at once, if all are good
    if len(values) == len(cells):
        return values
    return np.array([_or_nan(cell, convert) for cell in cells], dtype=np.float64)


def first_finite(cells: Cells) -> FloatArray:
    """Return the finite numbers among the first cells of a column."""
    values = lenient(cells[:EXAMINED_ROWS], "number")
    finite: FloatArray = values[np.isfinite(values)]
    return finite


def _or_nan(cell: object, convert: Callable[[Any], float]) -> float:
    try:
        return convert(cell)
    except Exception:  # cells of other libraries may raise any error
        return np.nan


def _as_floats(values: NDArray[Any]) -> FloatArray:
    """Convert numbers to double precision; values out of range become infinite and are found later."""
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(np.float64)


def _finite(values: FloatArray) -> FloatArray:
    """Return the values before the first that is not finite."""
    wrong = ~np.isfinite(values)
    return values[: int(np.argmax(wrong))] if wrong.any() else values


def _numbers(cells: Cells) -> FloatArray:
    if isinstance(cells, np.ndarray) and cells.dtype != object:
        if cells.dtype.kind in "iufb" and cells.ndim == 1:
            return _finite(_as_floats(cells))
        cells = list(cells)
    return _finite(_parse(cells, float if _plain(cells) else _number))


def _dates(cells: Cells) -> FloatArray:
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "M" and cells.ndim == 1:
        return _finite(epoch_seconds(cells))
    return _finite(_parse(cells, seconds_of))


def _weights(cells: Cells) -> FloatArray:
    values = _numbers(cells)
    wrong = (values < 0) | (values > _LARGEST_WEIGHT)
    return values[: int(np.argmax(wrong))] if wrong.any() else values


PARSERS: dict[str, Callable[[Cells], FloatArray]] = {
    "feature": _numbers,
    "number": _numbers,
    "date": _dates,
    "weight": _weights,
}


def read_keys(cells: Cells) -> list[str]:
    """Return the keys of a column as text, up to the first invalid cell.

    A whole number is written without a fraction, so that it is the same key in all formats.

    Examples
    --------
    >>> read_keys(np.array([7.0, 0.5]))
    ['7', '0.5']
    """
    values = cells.tolist() if isinstance(cells, np.ndarray) else cells
    texts = {value: _key(value) for value in dict.fromkeys(values)}
    keys: list[str] = []
    for value in values:
        text = texts[value]
        if text is None:
            break
        keys.append(text)
    return keys


def key_or_empty(cell: object) -> str:
    """Return a cell as a key, or an empty text if it is missing or invalid."""
    plain = cell.item() if isinstance(cell, np.generic) else cell
    return "" if is_missing(plain) else _key(plain) or ""


def _key(cell: object) -> str | None:
    """Return a cell as a key, or None if it is empty or has a control character, such as a line break."""
    if isinstance(cell, float):
        if not math.isfinite(cell):
            return None
        return str(int(cell)) if cell.is_integer() else repr(cell)
    text = "" if cell is None else str(cell)
    is_plain = bool(text.strip()) and text.isprintable() and text != "NaT"
    return sys.intern(text) if is_plain else None


def _mark(cell: object) -> str:
    """Return how a missing cell is written in the file, in parentheses."""
    if isinstance(cell, str):
        return f" ({cell.strip()!r})" if cell.strip() else ""
    return " (null or NaN)" if isinstance(cell, float | np.floating) else ""


def cell_error(cell: object, kind: str) -> str:
    """Describe why a cell is invalid."""
    shown = repr(cell) if isinstance(cell, str) else str(cell)
    if is_missing(cell):
        return f"the cell is empty{_mark(cell)}"
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    if kind == "key":
        return f"{shown} is not a key: it must be text without control characters, or a number"
    if kind == "date":
        return f"{shown} is not a date in ISO 8601 format, such as {EXAMPLE_DATES}"
    if kind == "list":
        return f"{shown} is not a list of numbers"
    if not is_number(cell) and kind == "number":
        return f"{shown} is neither a number nor a date in ISO 8601 format, such as {EXAMPLE_DATES}"
    if not is_number(cell):
        return f"{shown} is not a number"
    number = _number(cell)
    if not np.isfinite(number):
        return f"{shown} is not finite"
    return f"weight {shown} is negative" if number < 0 else f"weight {shown} is above {_LARGEST_WEIGHT:g}"
