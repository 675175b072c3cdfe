"""Conversion of the columns of a table to rows of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynmeans._files.errors import InputError
from dynmeans._model.types import FloatArray
from dynmeans._tables.cells import PARSERS, cell_error, read_keys
from dynmeans._tables.chunk import Chunk
from dynmeans._tables.columns import Columns
from dynmeans._tables.vectors import parse_vectors


class Rows(NamedTuple):
    """Consecutive rows of one file, as numbers."""

    X: FloatArray  # (n, d)
    times: FloatArray | None  # (n,)  seconds since 1970 UTC if the column holds dates
    weights: FloatArray | None  # (n,)
    chunk: Chunk  # where they come from; it may have more rows than were good
    texts: Sequence[str] | None = None  # (n,)
    keys: list[str] | None = None  # (n,)


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
    _check_names(chunk, columns, name)
    X, error = _features(chunk, columns, name, vectors)
    good = len(X)
    read: dict[str, FloatArray] = {}
    for i, (kind, key) in enumerate(_column_kinds(columns)):
        values = PARSERS[kind](chunk.columns[key])
        if len(values) < good:
            good = len(values)
            error = _invalid_cell(chunk, key, good, kind, name)
        if kind == "feature":
            X[: len(values), i] = values[: len(X)]
        else:
            read[kind] = values
    keys = None if columns.key is None else read_keys(chunk.columns[columns.key])
    if keys is not None and len(keys) < good:
        good = len(keys)
        error = _invalid_cell(chunk, str(columns.key), good, "key", name)
    times, weights = read.get("number", read.get("date")), read.get("weight")
    texts, keys = _texts(chunk, columns, good), None if keys is None else keys[:good]
    rows = Rows(
        X=X[:good],
        times=_head(times, good),
        weights=_head(weights, good),
        chunk=chunk,
        texts=texts,
        keys=keys,
    )
    return rows, error


def _check_names(chunk: Chunk, columns: Columns, name: str) -> None:
    """Raise unless a chunk has the columns of the first file."""
    unmatched = sorted(set(chunk.names) ^ set(columns.names))
    if unmatched:
        what = "file" if chunk.array is None else "array"
        whose = f"this {what}" if unmatched[0] in chunk.names else f"the first {what}"
        location = name if chunk.array is None else f"{name}, array {chunk.array!r}"
        raise InputError(
            f"{location}: all {what}s must have the same columns, but only {whose} has {unmatched[0]!r}"
        )


def _invalid_cell(chunk: Chunk, column: str, row: int, kind: str, name: str) -> InputError:
    """Return the error about an invalid cell of a chunk of the file `name`."""
    reason = cell_error(chunk.columns[column][row], kind)
    return InputError(f"{name}, {chunk.location(row)}, column {column!r}: {reason}")


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
    kinds = [("feature", key) for key in columns.features] if are_columns else []
    if columns.time is not None:
        kinds.append(("date" if columns.dated else "number", columns.time))
    if columns.weight is not None:
        kinds.append(("weight", columns.weight))
    return kinds


def _head(values: FloatArray | None, count: int) -> FloatArray | None:
    return None if values is None else values[:count]
