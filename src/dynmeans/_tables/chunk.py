"""Some consecutive rows of a file, as every reader gives them: columns of cells, not yet numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from numpy.typing import NDArray

from dynmeans._files.errors import InputError

CHUNK_ROWS = 4096  # rows read at a time: enough to make calls cheap, little enough for 1,000 columns

Cells: TypeAlias = "NDArray[Any] | Sequence[object]"  # an array from binary files, cells as read from text


class Chunk(NamedTuple):
    """Consecutive rows of one file."""

    names: tuple[str, ...]  # all columns of the file
    columns: Mapping[str, Cells]  # name -> one cell a row; columns that nobody asked for may be left out
    first: int  # number of the first row, the first of the file is 1
    size: int  # rows
    lines: Sequence[int] | None = None  # text files: the line of each row
    part: int = 0  # which of several arrays in the file
    done: float = 0.0  # share of the file read so far, 0 where that is unknown

    def place(self, row: int) -> str:
        """Where a row of this piece stands in its file, in words."""
        number = f"row {self.first + row}"
        return number if self.lines is None else f"{number} (line {self.lines[row]})"


def numbered_names(count: int) -> tuple[str, ...]:
    """Names for columns that have none: x1, x2, ..."""
    return tuple(f"x{i + 1}" for i in range(count))


def distinct_names(names: Sequence[str], file: str) -> tuple[str, ...]:
    """Names of columns, none of them twice; columns without a name may be many."""
    twice = sorted(name for name, count in Counter(names).items() if name and count > 1)
    if twice:
        raise InputError(f"{file}: two columns are called {twice[0]!r}; every name may appear once")
    return tuple(names)
