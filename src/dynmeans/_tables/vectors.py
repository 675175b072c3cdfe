"""Columns of embeddings: each cell is a list of numbers, all of one length."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynmeans._files.errors import InputError
from dynmeans._model.types import FloatArray
from dynmeans._tables.cells import EXAMINED_ROWS, cell_error, is_missing, is_number
from dynmeans._tables.chunk import Cells
from dynmeans._tables.readers.npy import open_array

ARRAY_SUFFIX = ".npy"


def parse_vectors(cells: Cells, length: int) -> tuple[FloatArray, str | None]:
    """Convert cells to rows, up to the first invalid one.

    Returns
    -------
    rows : ndarray of shape (m, length)
        All rows before the first invalid cell.
    error : str or None
        Description of the error in that cell.
    """
    table = _as_table(cells, length)
    if table is None:
        table, error = _one_by_one(cells, length)
    else:
        error = None
    bad = ~np.isfinite(table).all(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        entry = int(np.argmin(np.isfinite(table[row])))
        return table[:row], f"entry {entry + 1} of the list is {table[row, entry]}, which is not finite"
    return table, error


def vector_length(cells: Cells) -> int:
    """Return the number of entries of the first cell that is not missing, 0 if it is not a list."""
    first = _first_list(cells)
    return 0 if first is None else len(first)


def is_list_column(cells: Cells) -> bool:
    """Return whether the first cell that is not missing is a list of numbers."""
    first = _first_list(cells)
    return first is not None and len(first) > 0 and is_number(first[0])


def _first_list(cells: Cells) -> Sequence[Any] | NDArray[Any] | None:
    """Return the first cell that is not missing as a list, or None."""
    if isinstance(cells, np.ndarray) and cells.ndim > 1:
        return cells[0] if len(cells) else None
    return _as_list(next((cell for cell in cells[:EXAMINED_ROWS] if not is_missing(cell)), None))


def _as_table(cells: Cells, length: int) -> FloatArray | None:
    """Return all cells at once, or None if they are not lists of numbers of this length."""
    if isinstance(cells, np.ndarray) and cells.ndim == 2 and cells.dtype.kind in "iuf":
        with np.errstate(invalid="ignore"):  # signaling NaNs; the caller refuses all NaNs
            return cells.astype(np.float64) if cells.shape[1] == length else None
    if not all(isinstance(cell, list | tuple) and len(cell) == length for cell in cells):
        return None
    with suppress(TypeError, ValueError, OverflowError):
        table = np.array(cells)
        if table.dtype.kind in "iuf":
            return table.astype(np.float64)
    return None


def _one_by_one(cells: Cells, length: int) -> tuple[FloatArray, str | None]:
    rows: list[NDArray[np.float64]] = []
    for cell in cells:
        entries = _as_list(cell)
        error = _cell_error(cell, entries, length)
        if entries is None or error is not None:
            return np.array(rows).reshape(-1, length), error
        rows.append(np.array([float(entry) for entry in entries]))
    return np.array(rows).reshape(-1, length), None


def _as_list(cell: object) -> Sequence[Any] | NDArray[Any] | None:
    """Return a cell as a list; text must be a JSON list."""
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            cell = json.loads(cell)
    return cell if isinstance(cell, list | tuple | np.ndarray) else None


def _cell_error(cell: object, entries: Sequence[Any] | NDArray[Any] | None, length: int) -> str | None:
    if entries is None:
        return cell_error(cell, "list")
    if len(entries) != length:
        return f"the list has {len(entries):,} numbers, that of the first row has {length:,}"
    for i, entry in enumerate(entries):
        if not is_number(entry):
            return f"entry {i + 1} of the list is {str(entry)[:40]!r}, which is not a number"
    return None


def open_vectors(path: str) -> NDArray[Any]:
    """Map an NPY file of embeddings, a table (n, d) of numbers."""
    if not Path(path).is_file():
        raise InputError(f"{path}: no such file")
    array = open_array(Path(path), path)
    if array.ndim != 2 or array.dtype.kind not in "iuf" or 0 in array.shape:
        raise InputError(
            f"{path}: {array.dtype} of shape {array.shape}; it must be a table of numbers (n, d)"
        )
    return array
