"""Roles of the columns of a table: features, time, weight, text, key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynmeans._files.errors import InputError
from dynmeans._tables.cells import cell_error, is_dated
from dynmeans._tables.chunk import (
    Chunk,
    check_distinct,
    expand_patterns,
    matching_names,
    name_list,
    numbered_names,
)
from dynmeans._tables.feature_warnings import warn_of_degrees, warn_of_time
from dynmeans._tables.features import (
    NUMBER_WITH_COMMA,
    THOUSANDS,
    choose_features,
    describe_left_out,
    is_flag,
)
from dynmeans._tables.vectors import is_list_column, vector_length

LISTED = 20  # names of columns that an error lists
_DELIMITERS = {  # of files that are read with another one
    "\t": "tabs: --format tsv",
    ";": "semicolons: --format csv",
    ",": "commas: --format csv",
    "|": "'|': replace it by commas, such as tr '|' ',' < in.csv > out.csv",
}
_SEPARATED = re.compile(r"[\s,;|]")


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
    feature_scales: Sequence[float] | None = None,
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
    feature_scales : sequence of float or None
        Numbers by which the features are divided, for the warning about degrees.

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
            raise InputError(f"{name}: no column {wanted!r}; {_listed(chunk.names)}{_delimiter_hint(chunk)}")
    if vectors is not None:
        features = numbered_names(vectors.shape[1])
    elif column is not None:
        features = _entries(chunk, name, column)
    elif features is None:
        features, reasons = choose_features(chunk, (time, weight, text, key))
        warn_of_time(chunk, name, features, time)
        if time is None:
            reasons = {k: f"dates: use --time {k}" if why == "dates" else why for k, why in reasons.items()}
    if column is None and vectors is None:
        warn_of_degrees(chunk, name, features, feature_scales)
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
            hint = _delimiter_hint(chunk)
            raise InputError(f"{name}: no column matches {entry!r}; {_listed(chunk.names)}{hint}")
    return found


def _entries(chunk: Chunk, name: str, column: str) -> tuple[str, ...]:
    """Return names for the entries of a column of lists."""
    length = vector_length(chunk.columns[column])
    if not length:
        wrong = cell_error(chunk.columns[column][0], "list")
        raise InputError(f"{name}, {chunk.location(0)}, column {column!r}: {wrong}")
    return tuple(f"{column}{i}" for i in range(1, length + 1))


def _hint(chunk: Chunk) -> str:
    """Return a hint about the columns of a table without numbers."""
    for key, cells in chunk.columns.items():
        if is_list_column(cells):
            return f"; {key!r} holds lists of numbers: --embedding {key}"
        if isinstance(cells[0], str) and NUMBER_WITH_COMMA.fullmatch(cells[0].strip()):
            return f"; {cells[0]!r} has {_comma(cells[0])}"
    for key, cells in chunk.columns.items():
        if is_flag(cells[0]):
            return f"; {key!r} holds true and false: replace them by the numbers 1 and 0"
        if isinstance(cells[0], complex | np.complexfloating):
            return f"; {key!r} holds complex numbers: save the real and the imaginary part as two columns"
    return _delimiter_hint(chunk)


def _comma(cell: str) -> str:
    """Describe the comma of a number; before three digits it may separate thousands."""
    if "." in cell or cell.count(",") > 1:
        kind = "thousands separators"
    elif re.fullmatch(THOUSANDS, cell.strip()):
        kind = "a decimal comma or a thousands separator"
    else:
        kind = "a decimal comma"
    return f"{kind}: numbers must have a decimal point and no other separator"


def _delimiter_hint(chunk: Chunk) -> str:
    """Return a hint if the only column has another delimiter in its name and in its cells."""
    only = chunk.names[0] if len(chunk.names) == 1 else ""
    cell = str(chunk.columns[only][0]) if only in chunk.columns else only
    for delimiter, words in _DELIMITERS.items():
        if delimiter in only and delimiter in cell:
            return f"; the columns are separated by {words}"
    return ""


def _listed(names: Sequence[str]) -> str:
    """List the columns of a table in words, only the first if there are many.

    Names that could be read as several names are quoted.
    """
    if any(_SEPARATED.search(name) or not name for name in names):
        names = [repr(name) for name in names]
    if len(names) == 1:
        return f"the only column is {names[0]}"
    return f"the columns are {name_list(names, LISTED)}"
