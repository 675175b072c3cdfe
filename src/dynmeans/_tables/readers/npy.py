"""NPY and NPZ files: arrays of numbers, read in place where the file allows it."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from dynmeans._files.errors import InputError, error_context
from dynmeans._files.limits import FileLimits
from dynmeans._tables.chunk import CHUNK_ROWS, Chunk, numbered_names
from dynmeans._tables.readers.npy_header import Header, check_body, read_header


def read_npy(
    source: Path | BinaryIO,
    name: str,
    *,
    skip: int = 0,
    limits: FileLimits = FileLimits(),  # noqa: B008
) -> Iterator[Chunk]:
    """Read the rows of an NPY file in chunks, through a memory map if it is on disk.

    Parameters
    ----------
    source : path or binary file
        A table (n, d), whose columns are called x1, x2, ..., or a structured array (n,) with named fields.
    name : str
        Name of the file in errors.
    skip : int
        Number of rows to skip.
    limits : FileLimits

    Yields
    ------
    Chunk
    """
    array = open_array(source, name)
    yield from _slices(_columns(array, name, limits), name, skip, total=len(array))


def open_array(source: Path | BinaryIO, name: str) -> NDArray[Any]:
    """Map the array of an NPY file on disk, or read that of a stream; `name` appears in errors."""
    with ExitStack() as stack, error_context(name):
        file = stack.enter_context(source.open("rb")) if isinstance(source, Path) else source
        header = read_header(file)
        begin = file.tell()
        check_body(header, file.seek(0, 2) - begin)
        file.seek(begin)
        if isinstance(source, Path) and header.n_bytes:
            order: Any = "F" if header.is_fortran else "C"
            return np.memmap(source, header.dtype, "r", begin, header.shape, order)
        return _decode(file, header)


def _decode(file: Any, header: Header) -> NDArray[Any]:
    """Read the array after a header, from a stream that may be compressed."""
    array: NDArray[Any] = np.empty(header.shape, header.dtype, "F" if header.is_fortran else "C")
    body = array.reshape(-1, order="A").view(np.uint8) if header.n_bytes else np.empty(0, np.uint8)
    begin = 0
    while begin < header.n_bytes:
        count = file.readinto(body[begin : begin + 2**20])
        if not count:
            raise ValueError(f"cut short, {begin:,} of {header.n_bytes:,} bytes")
        begin += count
    return array


def read_npz(
    source: Path | BinaryIO,
    name: str,
    *,
    skip: int = 0,
    limits: FileLimits = FileLimits(),  # noqa: B008
) -> Iterator[Chunk]:
    """Read the rows of an NPZ file in chunks.

    The file holds one table (n, d), several tables, or columns (n,) of equal length. Several tables are read
    in the natural order of their names (arr_2 before arr_10), and each of them is a part; a table without
    rows is a chunk without rows. Other members, or two arrays with the same name, are refused. Parameters as
    for `read_npy`.
    """
    with ExitStack() as stack:
        with error_context(name):
            file = stack.enter_context(source.open("rb")) if isinstance(source, Path) else source
            size = file.seek(0, 2)
            archive = _Archive(stack.enter_context(zipfile.ZipFile(file)), name, size, limits)
        yield from _members(archive, skip)


class _Archive:
    """Arrays in a ZIP file by name, in natural order."""

    def __init__(self, file: zipfile.ZipFile, name: str, size: int, limits: FileLimits) -> None:
        self.name, self._file, self._size, self.limits = name, file, size, limits
        names = [info.filename.removesuffix(".npy") for info in file.infolist()]
        twice = sorted(key for key, count in Counter(names).items() if count > 1)
        if twice:
            raise InputError(f"{name}: two arrays are called {twice[0]!r}; every name may appear once")
        if not names:
            raise InputError(f"{name}: no arrays")
        self._infos = dict(zip(names, file.infolist(), strict=True))
        self.keys = sorted(names, key=_natural)

    def read(self, keys: list[str]) -> list[NDArray[Any]]:
        """Read arrays by name, if their total size is within the limit."""
        total = 0
        for key in keys:
            with error_context(self.location(key)), self._file.open(self._infos[key]) as member:
                total += read_header(member).n_bytes
            self.limits.check_bytes(total, self._size, self.location(key), "the array once decompressed")
        return [self._read(key) for key in keys]

    def _read(self, key: str) -> NDArray[Any]:
        with error_context(self.location(key)), self._file.open(self._infos[key]) as member:
            header = read_header(member)
            check_body(header, self._infos[key].file_size - member.tell())
            array = _decode(member, header)
            member.read(1)  # the checksum is compared at the end
            return array

    def location(self, key: str) -> str:
        """Return file and array, in words."""
        return f"{self.name}, array {key!r}"


def _members(archive: _Archive, skip: int) -> Iterator[Chunk]:
    keys, start = archive.keys, 0
    for part, key in enumerate(keys):
        (array,) = archive.read([key])
        if array.ndim == 1 and array.dtype.names is None and len(keys) > 1:
            table = dict(zip(keys, archive.read(keys), strict=True))
            _check_lengths(table, archive.name)
            archive.limits.check_columns(len(keys), archive.name)
            yield from _slices(table, archive.name, skip, total=len(array))
            return
        columns = _columns(array, archive.location(key), archive.limits)
        done = part / len(keys)
        if not len(array) and start >= skip:
            yield Chunk(tuple(columns), columns, start + 1, 0, part=part, done=done, array=key)
        for chunk in _slices(columns, archive.name, max(skip - start, 0), total=len(array)):
            yield chunk._replace(first=start + chunk.first, part=part, done=done, array=key)
        start += len(array)


def _natural(key: str) -> list[tuple[int, str]]:
    """Return a sort key that puts arr_2 before arr_10."""
    words = re.findall(r"([0-9]{1,18})|([^0-9]+)", key)
    return [(int(digits or -1), word) for digits, word in words]


def _check_lengths(table: Mapping[str, NDArray[Any]], name: str) -> None:
    """Check that the columns of a table have equal lengths."""
    shapes = {key: array.shape for key, array in table.items()}
    first = next(iter(shapes))
    for key, shape in shapes.items():
        if shape != shapes[first]:
            raise InputError(
                f"{name}: arrays must all be tables or columns of one length, "
                f"but {first!r} has shape {shapes[first]} and {key!r} has shape {shape}"
            )


def _columns(array: NDArray[Any], name: str, limits: FileLimits) -> Mapping[str, NDArray[Any]]:
    """Return the columns of a table by name."""
    if array.ndim == 1 and array.dtype.names is not None:
        limits.check_columns(len(array.dtype.names), name)
        return {key: array[key] for key in array.dtype.names}
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise InputError(f"{name}: shape {array.shape}; it must be a table with rows and columns")
    limits.check_columns(array.shape[1], name)
    return dict(zip(numbered_names(array.shape[1]), array.T, strict=True))


def _slices(columns: Mapping[str, NDArray[Any]], name: str, skip: int, total: int) -> Iterator[Chunk]:
    for start in range(skip, total, CHUNK_ROWS):
        stop = min(start + CHUNK_ROWS, total)
        with error_context(name):
            chunk = {key: column[start:stop] for key, column in columns.items()}
        yield Chunk(tuple(columns), chunk, start + 1, stop - start, done=stop / total)
