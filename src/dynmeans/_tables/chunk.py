"""Consecutive rows of a file as columns of cells, before their conversion to numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from numpy.typing import NDArray

from dynmeans._files.errors import InputError

CHUNK_ROWS = 4096  # rows read at a time: enough to make calls cheap, little enough for 1,000 columns

Cells: TypeAlias = "NDArray[Any] | Sequence[object]"  # an array from binary files, cells as read from text


class Chunk(NamedTuple):
    """Consecutive rows of one file; an array of a file may have none."""

    names: tuple[str, ...]  # all columns of the file
    columns: Mapping[str, Cells]  # name -> one cell per row; may lack columns that were not requested
    first: int  # number of the first row, the first of the file is 1
    size: int  # rows
    lines: Sequence[int] | None = None  # text files: the line of each row
    part: int = 0  # which of several arrays in the file
    done: float = 0.0  # share of the file read so far, 0 if unknown
    numbers: Sequence[int] | None = None  # number of each row, if other rows are left out
    array: str | None = None  # name of the array in an NPZ file

    def number(self, row: int) -> int:
        """Return the number of a row in its file, from 1."""
        return self.first + row if self.numbers is None else self.numbers[row]

    def location(self, row: int) -> str:
        """Return the location of a row in its file, in words."""
        number = f"row {self.number(row)}"
        return number if self.lines is None else f"{number} (line {self.lines[row]})"


def numbered_names(count: int) -> tuple[str, ...]:
    """Return names for columns without a heading: x1, x2, ..."""
    return tuple(f"x{i + 1}" for i in range(count))


def expand_patterns(wanted: Sequence[str], names: Sequence[str]) -> list[str]:
    """Replace patterns with ``*`` and ``?`` by the names that match, in their order; other names stay.

    Examples
    --------
    >>> expand_patterns(["x", "e*"], ["x", "e1", "y", "e2"])
    ['x', 'e1', 'e2']
    """
    found: dict[str, None] = {}
    for entry in wanted:
        is_pattern = entry not in names and ("*" in entry or "?" in entry)
        found |= dict.fromkeys(matching_names(entry, names) if is_pattern else [entry])
    return list(found)


def matching_names(pattern: str, names: Sequence[str]) -> list[str]:
    """Return the names that match a pattern, in which only ``*`` and ``?`` are special."""
    rule = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
    return [name for name in names if rule.fullmatch(name)]


def name_list(names: Sequence[str], limit: int = 8) -> str:
    """Return names in words, only the first and the last if there are many.

    Examples
    --------
    >>> name_list([f"e{i}" for i in range(300)], limit=4)
    'e0, e1, e2, ..., e299 (300 in all)'
    """
    if len(names) <= limit:
        return ", ".join(names)
    return f"{', '.join(names[: limit - 1])}, ..., {names[-1]} ({len(names):,} in all)"


def repeated_names(names: Sequence[str]) -> set[str]:
    """Return the names of more than one column; columns without a name do not count."""
    return {name for name, count in Counter(names).items() if name and count > 1}


def check_distinct(used: Sequence[str], names: Sequence[str], file: str) -> None:
    """Check that every column that is used has a unique name; other columns may share names."""
    repeated = repeated_names(names).intersection(used)
    if repeated:
        first = min(repeated)
        rule = "each column that is used must have a unique name"
        raise InputError(f"{file}: two columns are called {first!r}; {rule}")
