"""Choose the columns to cluster by, and report why the others are left out."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import time, timedelta

import numpy as np

from dynmeans._tables.cells import EXAMINED_ROWS, first_finite, is_dated, is_missing, is_number, is_numeric
from dynmeans._tables.chunk import Cells, Chunk, name_list
from dynmeans._tables.vectors import is_list_column

MIN_ROWS = 10  # fewer whole numbers in sequence may be measurements
LARGEST_COUNT = 2.0**53  # above, adding 1 may not change a number
ROW_NUMBERS, IDENTIFIERS = "row numbers", "identifiers"
LISTS, COMMAS = (
    "lists of numbers",
    "numbers with a comma, which must have a decimal point and no other separator",
)
NO_NAME = "no name: give the column a heading to use it"
EMPTY = f"empty in the first {EXAMINED_ROWS} rows: to use it, name it in --features"
FLAGS = "true or false: to use them, replace them by 1 and 0"
_KINDS: dict[str, tuple[type, ...]] = {  # of cells that are neither numbers nor text
    "complex numbers": (complex, np.complexfloating),
    "durations": (timedelta, np.timedelta64),
    "times of day": (time,),
    "structs": (dict,),
    "lists": (list, tuple, np.ndarray),
    "bytes": (bytes,),
}
SHIPS = ("mmsi", "imo")  # numbers of ships
THOUSANDS = r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+"
NUMBER_WITH_COMMA = re.compile(rf"[+-]?[0-9]+,[0-9]+|{THOUSANDS}(\.[0-9]*)?")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def choose_features(chunk: Chunk, taken: Collection[str | None]) -> tuple[list[str], dict[str, str]]:
    """Return the columns to cluster by, and the reason for each other column.

    Numbers are features. Row numbers and identifiers are not, since they differ between the rows of a
    cluster. They are features only if nothing else can be one: no other numbers, no lists of numbers, and no
    numbers with a decimal comma.

    Parameters
    ----------
    chunk : Chunk
        First rows of the table.
    taken : collection of str
        Columns with another role, such as the time.
    """
    others = {name: cells for name, cells in chunk.columns.items() if name not in taken}
    reasons = {name: _reason(name, cells) for name, cells in others.items()}
    features = [name for name, reason in reasons.items() if not reason]
    if not features and not any(reason.startswith((LISTS, COMMAS)) for reason in reasons.values()):
        features = [name for name, reason in reasons.items() if reason in (ROW_NUMBERS, IDENTIFIERS)]
    return features, {name: reason for name, reason in reasons.items() if name not in features}


def describe_left_out(reasons: dict[str, str]) -> list[str]:
    """Return the columns that are left out in words, grouped by reason.

    Examples
    --------
    >>> describe_left_out({"name": "text", "city": "text", "when": "dates"})
    ['name, city (text)', 'when (dates)']
    """
    groups: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        groups.setdefault(reason, []).append(name or "''")
    hint = ["--features chooses other columns"] if {ROW_NUMBERS, IDENTIFIERS} & set(groups) else []
    return [*(f"{name_list(names)} ({reason})" for reason, names in groups.items()), *hint]


def _reason(name: str, cells: Cells) -> str:
    """Return why a column is left out, or an empty text.

    pandas writes an index without a name as the first column of a CSV file. It has whole numbers, unless the
    index has text or dates.
    """
    if name.startswith("__index_level_") or (not name and (_are_whole(cells) or not is_numeric(cells))):
        return "index of a data frame"
    if not name:
        return NO_NAME
    if is_numeric(cells):
        if _are_row_numbers(cells):
            return ROW_NUMBERS
        return IDENTIFIERS if _is_identifier(name) and _are_whole(cells) else ""
    if len(cells) and is_list_column(cells):
        return f"{LISTS}: use --embedding {name}"
    return _kind(cells)


def _kind(cells: Cells) -> str:
    """Return the kind of content of a column without numbers."""
    filled = [cell for cell in cells[:EXAMINED_ROWS] if not is_missing(cell)]
    if not filled:
        return EMPTY if len(cells) > EXAMINED_ROWS else "empty"
    if is_dated(cells):
        return "dates"
    if all(map(is_flag, filled)):
        return FLAGS
    kind = next((kind for kind, types in _KINDS.items() if isinstance(filled[0], types)), None)
    if kind is not None and all(isinstance(cell, _KINDS[kind]) for cell in filled):
        return kind
    if all(isinstance(cell, str) and NUMBER_WITH_COMMA.fullmatch(cell.strip()) for cell in filled):
        return COMMAS
    return "mostly text" if any(map(is_number, filled)) else "text"


def is_flag(cell: object) -> bool:
    """Return whether a cell is true or false; pandas writes them to CSV files as words."""
    is_word = isinstance(cell, str) and cell.strip().lower() in ("true", "false")
    return is_word or isinstance(cell, bool | np.bool_)


def _is_identifier(name: str) -> bool:
    """Return whether the name of a column shows that it identifies rows or objects."""
    return name_words(name)[-1:] == ["id"] or name.lower() in ("index", "idx", "row", *SHIPS)


def name_words(name: str) -> list[str]:
    """Return the words of a name in lower case.

    Examples
    --------
    >>> name_words("customerId"), name_words("header.time_stamp")
    (['customer', 'id'], ['header', 'time', 'stamp'])
    """
    return [word.lower() for word in _WORDS.findall(name)]


def _are_row_numbers(cells: Cells) -> bool:
    """Return whether a column counts the rows by steps of one."""
    values = first_finite(cells)
    if len(values) < MIN_ROWS or len(values) < len(cells[:EXAMINED_ROWS]):
        return False
    if values[0] % 1 != 0 or abs(values[0]) >= LARGEST_COUNT:
        return False
    return np.array_equal(values, values[0] + np.arange(len(values)))


def _are_whole(cells: Cells) -> bool:
    values = first_finite(cells)
    return bool((values == np.rint(values)).all())
