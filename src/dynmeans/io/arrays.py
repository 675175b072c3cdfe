"""NPY and NPZ files: arrays of numbers, read in place where the file allows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from dynmeans.io.errors import InputError, blame
from dynmeans.io.pieces import PIECE_ROWS, Piece, numbered_names


def read_npy(source: Path | BinaryIO, name: str, *, skip: int = 0) -> Iterator[Piece]:
    """Read the rows of an NPY file in pieces, through a memory map where it lies on disk.

    Parameters
    ----------
    source : path or binary file
        A table (n, d), whose columns are called x1, x2, ..., or a structured array (n,) with named fields.
    name : str
        What errors call it.
    skip : int
        Rows to pass over.

    Yields
    ------
    Piece
    """
    with blame(name):
        if isinstance(source, Path):
            array: NDArray[Any] = np.lib.format.open_memmap(source, mode="r")  # it refuses objects, too
        else:
            array = np.lib.format.read_array(source, allow_pickle=False)
    yield from _slices(_columns(array, name), name, skip, total=len(array))


def read_npz(source: Path | BinaryIO, name: str, *, skip: int = 0) -> Iterator[Piece]:
    """Read the rows of an NPZ file in pieces.

    It holds one table (n, d), several tables of which each is a part, taken in the order of their names
    (numbers in them counted as numbers), or columns (n,) of equal length. Parameters as for `read_npy`.
    """
    with ExitStack() as stack:
        with blame(name):
            file = stack.enter_context(source.open("rb")) if isinstance(source, Path) else source
            archive = np.load(file, allow_pickle=False)
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise InputError(f"{name}: not an NPZ file")
        stack.enter_context(archive)
        if not archive.files:
            raise InputError(f"{name}: no arrays")
        yield from _members(archive, name, skip)


def _members(archive: np.lib.npyio.NpzFile, name: str, skip: int) -> Iterator[Piece]:
    keys = sorted(archive.files, key=_natural)
    start = 0
    for part, key in enumerate(keys):
        with blame(f"{name}, array {key!r}"):
            array = archive[key]
            if array.ndim == 1 and array.dtype.names is None and len(keys) > 1:
                table: Mapping[str, NDArray[Any]] = {other: archive[other] for other in keys}
                _check_lengths(table, name)
                yield from _slices(table, name, skip, total=len(array))
                return
        columns = _columns(array, f"{name}, array {key!r}")
        done = part / len(keys)
        for piece in _slices(columns, name, max(skip - start, 0), total=len(array)):
            yield piece._replace(first=start + piece.first, part=part, done=done)
        start += len(array)


def _natural(key: str) -> list[tuple[int, str]]:
    """Sort key that puts arr_2 before arr_10."""
    return [(int(digits or -1), word) for digits, word in re.findall(r"(\d+)|(\D+)", key)]


def _check_lengths(table: Mapping[str, NDArray[Any]], name: str) -> None:
    """Columns of one table are as long as each other."""
    shapes = {key: array.shape for key, array in table.items()}
    first = next(iter(shapes))
    for key, shape in shapes.items():
        if shape != shapes[first]:
            raise InputError(
                f"{name}: arrays must all be tables or columns of one length, "
                f"but {first!r} has shape {shapes[first]} and {key!r} has shape {shape}"
            )


def _columns(array: NDArray[Any], name: str) -> Mapping[str, NDArray[Any]]:
    """Columns of a table by name."""
    if array.ndim == 1 and array.dtype.names is not None:
        return {key: array[key] for key in array.dtype.names}
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise InputError(f"{name}: shape {array.shape}, it must be a table with rows and columns")
    return dict(zip(numbered_names(array.shape[1]), array.T, strict=True))


def _slices(columns: Mapping[str, NDArray[Any]], name: str, skip: int, total: int) -> Iterator[Piece]:
    for start in range(skip, total, PIECE_ROWS):
        stop = min(start + PIECE_ROWS, total)
        with blame(name):
            piece = {key: column[start:stop] for key, column in columns.items()}
        yield Piece(tuple(columns), piece, start + 1, stop - start, done=stop / total)
