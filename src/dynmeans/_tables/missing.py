"""Rows with missing cells: find them, and leave them out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynmeans._model.types import IntArray
from dynmeans._tables.cells import is_missing, key_or_empty
from dynmeans._tables.chunk import Cells, Chunk

HINT = "--missing drop leaves out rows with empty cells, and --features chooses other columns"


class MissingRows:
    """What happens to rows with missing cells: an error, or they are left out and counted.

    Parameters
    ----------
    drop : bool
        Whether rows with missing cells are left out; otherwise they are an error.
    """

    def __init__(self, *, drop: bool) -> None:
        self.drop = drop
        self.pending = 0  # rows left out since the last row that was kept
        self.pending_keys: list[str] = []  # their keys, if the rows have keys

    def take(self, left_out: IntArray) -> IntArray:
        """Return the number of rows left out before each row (n,), given those of a chunk (n + 1,)."""
        counts = left_out.copy()
        counts[0] += self.pending
        self.pending = int(counts[-1])
        return counts[:-1]

    def take_keys(self, left_out: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Return the keys of the rows left out before each row (n,), given those of a chunk (n + 1,)."""
        self.pending_keys += left_out[0]
        if len(left_out) == 1:
            return []
        keys = [tuple(self.pending_keys), *left_out[1:-1]]
        self.pending_keys = list(left_out[-1])
        return keys


def drop_missing(
    chunk: Chunk, required: tuple[str, ...], vectors: NDArray[Any] | None = None
) -> tuple[Chunk, IntArray]:
    """Leave out the rows of a chunk that have a missing cell.

    Parameters
    ----------
    chunk : Chunk
    required : tuple of str
        Columns whose cells must not be missing.
    vectors : ndarray of shape (n, d) or None
        Features of all rows of the file, if another file has them.

    Returns
    -------
    chunk : Chunk
        The other rows, with their numbers.
    left_out : ndarray of shape (n + 1,)
        Number of rows left out before each of them, and after the last.
    """
    is_bad = np.zeros(chunk.size, dtype=bool)
    for name in required:
        is_bad |= missing_cells(chunk.columns[name])
    if vectors is not None:
        part = np.asarray(vectors[chunk.first - 1 : chunk.first - 1 + chunk.size])
        is_bad[: len(part)] |= missing_cells(part)
    kept = np.flatnonzero(~is_bad)
    left_out = np.diff(np.concatenate(([-1], kept, [chunk.size]))) - 1
    return (chunk, left_out) if len(kept) == chunk.size else (_take(chunk, kept), left_out)


def keys_left_out(cells: Cells, left_out: IntArray) -> list[tuple[str, ...]]:
    """Return the keys of the rows that were left out before each row, and after the last.

    Parameters
    ----------
    cells : sequence or ndarray
        Keys of all rows of a chunk. A key that is missing or invalid is an empty text.
    left_out : ndarray of shape (n + 1,)
        As from `drop_missing`.

    Examples
    --------
    >>> keys_left_out(["a", "b", "", "c"], np.array([1, 2]))
    [('a',), ('', 'c')]
    """
    ends = np.cumsum(left_out + 1) - 1  # number of the row after each gap
    gaps = zip(ends.tolist(), left_out.tolist(), strict=True)
    return [tuple(map(key_or_empty, cells[end - count : end])) if count else () for end, count in gaps]


def missing_cells(cells: Cells) -> NDArray[np.bool_]:
    """Return which cells are missing; a list with a missing entry is too."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iub":
        return np.zeros(len(cells), dtype=bool)
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fM":
        wrong = np.isnan(cells) if cells.dtype.kind == "f" else np.isnat(cells)
        return np.asarray(wrong.any(axis=tuple(range(1, wrong.ndim))))
    return np.fromiter((_is_missing_cell(cell) for cell in cells), dtype=bool, count=len(cells))


def _is_missing_cell(cell: object) -> bool:
    if isinstance(cell, list | tuple | np.ndarray):
        return len(cell) == 0 or any(is_missing(entry) for entry in cell)
    return is_missing(cell)


def _take(chunk: Chunk, kept: IntArray) -> Chunk:
    rows = kept.tolist()
    columns = {
        name: cells[kept] if isinstance(cells, np.ndarray) else [cells[row] for row in rows]
        for name, cells in chunk.columns.items()
    }
    lines = None if chunk.lines is None else [chunk.lines[row] for row in rows]
    numbers = [chunk.number(row) for row in rows]
    return chunk._replace(columns=columns, size=len(rows), lines=lines, numbers=numbers)
