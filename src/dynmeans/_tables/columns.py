"""Roles of columns (features, time, weight, text, key), and their conversion to numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynmeans._files.errors import InputError
from dynmeans._model.types import FloatArray
from dynmeans._tables.cells import PARSERS, cell_error, is_dated, read_keys
from dynmeans._tables.chunk import (
    Chunk,
    check_distinct,
    expand_patterns,
    matching_names,
    name_list,
    numbered_names,
)
from dynmeans._tables.feature_warnings import warn_of_degrees, warn_of_time
from dynmeans._tables.features import DECIMAL_COMMA, choose_features, describe_left_out
from dynmeans._tables.vectors import is_list_column, parse_vectors, vector_length

_LISTED = 20  # names of columns that an error lists


class Columns(NamedTuple):
    """Roles of the columns of a table."""

    features: tuple[str, ...]
    time: str | None = None
    weight: str | None = None
    dated: bool = False  # the time column holds dates, not numbers
    names: tuple[str, ...] = ()  # all columns of the first file, which every other file must have too
    text: str | None = None
    embedding: str | None = None  # column of lists, which are the features
    array: str | None = None  # NPY file beside the table, whose columns are the features
    key: str | None = None
    left_out: tuple[str, ...] = ()  # columns that are not used, with the reasons, in words

    def needed(self) -> tuple[str, ...]:
        """Return the names of all columns that are read."""
        are_columns = self.embedding is None and self.array is None
        others = (self.embedding, self.time, self.weight, self.text, self.key)
        return (*(self.features if are_columns else ()), *(name for name in others if name is not None))


class Rows(NamedTuple):
    """Consecutive rows of one file, as numbers."""

    X: FloatArray  # (n, d)
    times: FloatArray | None  # (n,)  seconds since 1970 UTC if the column holds dates
    weights: FloatArray | None  # (n,)
    chunk: Chunk  # where they come from; it may have more rows than were good
    texts: Sequence[str] | None = None  # (n,)
    keys: list[str] | None = None  # (n,)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.X)


def choose_columns(
    chunk: Chunk,
    name: str,
    *,
    features: Sequence[str] | None = None,
    time: str | None = None,
    weight: str | None = None,
    text: str | None = None,
    embedding: str | None = None,
    vectors: NDArray[Any] | None = None,
    key: str | None = None,
) -> Columns:
    """Choose the roles of the columns of a table.

    Parameters
    ----------
    chunk : Chunk
        First rows of the table.
    name : str
        Name of the file in errors.
    features : sequence of str or None
        Names of the features, or patterns with ``*`` and ``?``; None chooses as in `choose_features`.
    time, weight, text, key : str or None
        Names of the columns with the time, the weight, the text and the key of a row.
    embedding : str or None
        Instead of `features`: name of a column of lists of numbers, or of the file that has `vectors`.
    vectors : ndarray of shape (n, d) or None
        Features that a file beside the table has.

    Returns
    -------
    Columns

    Raises
    ------
    InputError
        If a column does not exist or no column is numeric.
    """
    features = None if features is None else _expand(features, chunk, name)
    reasons: dict[str, str] = {}
    column = embedding if vectors is None else None
    given = [entry for entry in (*(features or ()), time, weight, text, column, key) if entry is not None]
    are_named = features is not None or embedding is not None
    check_distinct(given if are_named else chunk.names, chunk.names, name)
    present = set(chunk.names)
    for wanted in given:
        if wanted not in present:
            raise InputError(f"{name}: no column {wanted!r}; {_listed(chunk.names)}")
    if vectors is not None:
        features = numbered_names(vectors.shape[1])
    elif column is not None:
        features = _entries(chunk, name, column)
    elif features is None:
        features, reasons = choose_features(chunk, (time, weight, text, key))
        if time is None:
            warn_of_time(chunk, name, features)
            reasons = {k: f"dates: use --time {k}" if why == "dates" else why for k, why in reasons.items()}
    if column is None and vectors is None:
        warn_of_degrees(chunk, name, features)
    if not features:
        raise InputError(f"{name}: no numeric column to cluster; {_listed(chunk.names)}{_hint(chunk)}")
    dated = time is not None and is_dated(chunk.columns[time])
    array = None if vectors is None else embedding
    return Columns(
        features=tuple(features),
        time=time,
        weight=weight,
        dated=dated,
        names=chunk.names,
        text=text,
        embedding=column,
        array=array,
        key=key,
        left_out=tuple(describe_left_out(reasons)),
    )


def _expand(features: Sequence[str], chunk: Chunk, name: str) -> list[str]:
    """Return the names of the features; every pattern must match a column."""
    found = expand_patterns(features, chunk.names)
    for entry in features:
        if entry not in found and not matching_names(entry, chunk.names):
            raise InputError(f"{name}: no column matches {entry!r}; {_listed(chunk.names)}")
    return found


def _entries(chunk: Chunk, name: str, column: str) -> tuple[str, ...]:
    """Return names for the entries of a column of lists."""
    length = vector_length(chunk.columns[column])
    if not length:
        wrong = cell_error(chunk.columns[column][0], "list")
        raise InputError(f"{name}, {chunk.location(0)}, column {column!r}: {wrong}")
    return tuple(f"{column}{i}" for i in range(1, length + 1))


def _hint(chunk: Chunk) -> str:
    """Return what the columns of a table without numbers may be."""
    for key, cells in chunk.columns.items():
        if is_list_column(cells):
            return f"; {key!r} holds lists of numbers: --embedding {key}"
        if isinstance(cells[0], str) and DECIMAL_COMMA.fullmatch(cells[0].strip()):
            return f"; {cells[0]!r} has a decimal comma: numbers must have a decimal point"
    has_tabs = len(chunk.names) == 1 and "\t" in chunk.names[0]
    return "; the columns are separated by tabs: --format tsv" if has_tabs else ""


def to_rows(
    chunk: Chunk, columns: Columns, name: str, vectors: NDArray[Any] | None = None
) -> tuple[Rows, InputError | None]:
    """Convert a chunk to numbers, up to its first invalid cell.

    Parameters
    ----------
    chunk : Chunk
    columns : Columns
    name : str
        Name of the file in errors.
    vectors : ndarray of shape (n, d) or None
        Features of all rows of the file, if another file has them.

    Returns
    -------
    rows : Rows
        All rows before the first invalid cell.
    error : InputError or None
        Description of the error, with file, row and column.
    """
    unmatched = sorted(set(chunk.names) ^ set(columns.names))
    if unmatched:
        whose = "this file" if unmatched[0] in chunk.names else "the first file"
        raise InputError(
            f"{name}: all files must have the same columns, but only {whose} has {unmatched[0]!r}"
        )
    X, error = _features(chunk, columns, name, vectors)
    good = len(X)
    read: dict[str, FloatArray] = {}
    for i, (kind, key) in enumerate(_column_kinds(columns)):
        values = PARSERS[kind](chunk.columns[key])
        if len(values) < good:
            good = len(values)
            cell = chunk.columns[key][good]
            error = InputError(f"{name}, {chunk.location(good)}, column {key!r}: {cell_error(cell, kind)}")
        if kind == "feature":
            X[: len(values), i] = values[: len(X)]
        else:
            read[kind] = values
    keys = None if columns.key is None else read_keys(chunk.columns[columns.key])
    if keys is not None and len(keys) < good:
        good = len(keys)
        message = cell_error(chunk.columns[columns.key][good], "key")  # type: ignore[index]
        error = InputError(f"{name}, {chunk.location(good)}, column {columns.key!r}: {message}")
    times, weights = read.get("number", read.get("date")), read.get("weight")
    texts, keys = _texts(chunk, columns, good), None if keys is None else keys[:good]
    rows = Rows(X[:good], _head(times, good), _head(weights, good), chunk, texts, keys)
    return rows, error


def _features(
    chunk: Chunk, columns: Columns, name: str, vectors: NDArray[Any] | None
) -> tuple[FloatArray, InputError | None]:
    """Return the features that are not separate columns, or an empty table (n, d) for those that are."""
    length = len(columns.features)
    if vectors is not None:
        rows, wrong = parse_vectors(_of_chunk(vectors, chunk), length)
        if wrong is None and len(rows) < chunk.size:
            wrong = f"{columns.array} has only {len(vectors):,} rows"
    elif columns.embedding is not None:
        rows, wrong = parse_vectors(chunk.columns[columns.embedding], length)
    else:
        return np.empty((chunk.size, length)), None
    if wrong is None:
        return rows, None
    location = f"{name}, {chunk.location(len(rows))}"
    if columns.embedding is not None:
        return rows, InputError(f"{location}, column {columns.embedding!r}: {wrong}")
    return rows, InputError(f"{location}, whose features are in {columns.array}: {wrong}")


def _of_chunk(vectors: NDArray[Any], chunk: Chunk) -> NDArray[Any]:
    """Return the features of the rows of a chunk; fewer if the other file is too short."""
    if chunk.numbers is None:
        return vectors[chunk.first - 1 : chunk.first - 1 + chunk.size]
    return vectors[[number - 1 for number in chunk.numbers if number <= len(vectors)]]


def _texts(chunk: Chunk, columns: Columns, count: int) -> list[str] | None:
    if columns.text is None:
        return None
    cells = chunk.columns[columns.text][:count]
    return ["" if cell is None else str(cell) for cell in cells]


def _column_kinds(columns: Columns) -> list[tuple[str, str]]:
    """Return kind and name of every column that is read, first the features in their order."""
    are_columns = columns.embedding is None and columns.array is None
    duties = [("feature", key) for key in columns.features] if are_columns else []
    if columns.time is not None:
        duties.append(("date" if columns.dated else "number", columns.time))
    if columns.weight is not None:
        duties.append(("weight", columns.weight))
    return duties


def _head(values: FloatArray | None, count: int) -> FloatArray | None:
    return None if values is None else values[:count]


def _listed(names: Sequence[str]) -> str:
    """List the columns of a table in words, only the first if there are many."""
    return f"the columns are {name_list(names, _LISTED)}"
