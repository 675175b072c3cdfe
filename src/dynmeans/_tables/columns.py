"""From columns of cells to numbers: which columns are features, and what each cell must be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynmeans._files.errors import InputError
from dynmeans._model.types import FloatArray
from dynmeans._tables.cells import PARSERS, complaint, is_dated, is_numeric
from dynmeans._tables.chunk import Chunk

_LISTED = 50  # names of columns that an error lists


class Columns(NamedTuple):
    """What the columns of a table are for."""

    features: tuple[str, ...]
    time: str | None = None
    weight: str | None = None
    dated: bool = False  # the time column holds dates, not numbers
    names: tuple[str, ...] = ()  # all columns of the first file, which every other file must have too

    def needed(self) -> tuple[str, ...]:
        """Names of all columns that are read."""
        return (*self.features, *(name for name in (self.time, self.weight) if name is not None))


class Rows(NamedTuple):
    """Consecutive rows of one file, as numbers."""

    X: FloatArray  # (n, d)
    times: FloatArray | None  # (n,)  seconds since 1970 UTC if the column holds dates
    weights: FloatArray | None  # (n,)
    piece: Chunk  # where they come from; it may have more rows than were good

    def __len__(self) -> int:
        """Rows, not fields."""
        return len(self.X)


def choose_columns(
    piece: Chunk, name: str, *, features: Sequence[str] | None, time: str | None, weight: str | None
) -> Columns:
    """Decide what the columns of a table are for.

    Parameters
    ----------
    piece : Piece
        First rows of the table.
    name : str
        What errors call the file.
    features : sequence of str or None
        Names of the features; None takes every numeric column but time, weight and the index of a data frame.
    time, weight : str or None
        Names of the columns with the time and the weight of a row.

    Returns
    -------
    Columns

    Raises
    ------
    InputError
        If a column does not exist or no column is numeric.
    """
    present = set(piece.names)
    for wanted in (*(features or ()), time, weight):
        if wanted is not None and wanted not in present:
            raise InputError(f"{name}: no column {wanted!r}; {_listed(piece.names)}")
    if features is None:
        others = (key for key in piece.columns if key not in (time, weight) and not _is_index(key))
        features = [key for key in others if is_numeric(piece.columns[key])]
    if not features:
        raise InputError(f"{name}: no numeric column to cluster; {_listed(piece.names)}")
    dated = time is not None and is_dated(piece.columns[time])
    return Columns(tuple(features), time, weight, dated, piece.names)


def to_rows(piece: Chunk, columns: Columns, name: str) -> tuple[Rows, InputError | None]:
    """Turn a piece into numbers, up to its first bad cell.

    Returns
    -------
    rows : Rows
        Everything before the first bad cell.
    error : InputError or None
        What is wrong there, with file, row and column.
    """
    odd = sorted(set(piece.names) ^ set(columns.names))
    if odd:
        whose = "this file" if odd[0] in piece.names else "the first file"
        raise InputError(f"{name}: all files must have the same columns, but only {whose} has {odd[0]!r}")
    X = np.empty((piece.size, len(columns.features)))
    good, error = piece.size, None
    read: dict[str, FloatArray] = {}
    for i, (kind, key) in enumerate(_duties(columns)):
        values = PARSERS[kind](piece.columns[key])
        if len(values) < good:
            good = len(values)
            cell = piece.columns[key][good]
            error = InputError(f"{name}, {piece.place(good)}, column {key!r}: {complaint(cell, kind)}")
        if kind == "feature":
            X[: len(values), i] = values
        else:
            read[kind] = values
    times, weights = read.get("number", read.get("date")), read.get("weight")
    rows = Rows(X[:good], _head(times, good), _head(weights, good), piece)
    return rows, error


def _duties(columns: Columns) -> list[tuple[str, str]]:
    """Kind and name of every column that is read, the features first and in their order."""
    duties = [("feature", key) for key in columns.features]
    if columns.time is not None:
        duties.append(("date" if columns.dated else "number", columns.time))
    if columns.weight is not None:
        duties.append(("weight", columns.weight))
    return duties


def _head(values: FloatArray | None, count: int) -> FloatArray | None:
    return None if values is None else values[:count]


def _listed(names: Sequence[str]) -> str:
    """The columns of a table in words, if there are many the first of them."""
    more = f", ... ({len(names):,} in all)" if len(names) > _LISTED else ""
    return f"the columns are {', '.join(names[:_LISTED])}{more}"


def _is_index(name: str) -> bool:
    """Whether pandas wrote this column for the index of a frame: nameless in CSV, so called in Parquet."""
    return not name or name.startswith("__index_level_")
