"""Inputs by name: their format, and their rows from any position."""

from __future__ import annotations

import io
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from dynmeans._files.errors import InputError, error_context
from dynmeans._files.limits import FileLimits
from dynmeans._tables.chunk import Chunk
from dynmeans._tables.readers.arrow import read_arrow, read_parquet
from dynmeans._tables.readers.json_lines import read_json_lines
from dynmeans._tables.readers.npy import read_npy, read_npz
from dynmeans._tables.readers.text import read_delimited

FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow", "npy", "npz")
STDIN = "-"
_SUFFIXES = {
    **{f".{name}": name for name in FORMATS},
    ".tab": "tsv",
    ".ndjson": "jsonl",
    ".pq": "parquet",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arrows": "arrow",
}
_TEXT_FORMATS: dict[str, Any] = {
    "csv": partial(read_delimited, delimiter=","),
    "tsv": partial(read_delimited, delimiter="\t"),
    "jsonl": read_json_lines,
}
_ARRAY_FORMATS: dict[str, Any] = {"npy": read_npy, "npz": read_npz}
_FRAME_FORMATS: dict[str, Any] = {"parquet": read_parquet, "arrow": read_arrow}


class UnknownFileTypeError(InputError):
    """The suffix of a file is that of no format."""


class Source(NamedTuple):
    """One input."""

    name: str  # as given
    format: str  # one of FORMATS
    path: Path | None  # None is standard input
    size: int = 0  # bytes; 0 for standard input and pipes, which can be read only once
    zipped: bool = False
    limits: FileLimits = FileLimits()  # limits on the contents of the input


def find_source(
    name: str,
    format: str | None = None,
    limits: FileLimits = FileLimits(),  # noqa: B008
) -> Source:
    """Find an input by name.

    Parameters
    ----------
    name : str
        A path, or ``-`` for standard input.
    format : str or None
        One of `FORMATS`; None infers it from the suffix, and uses CSV for standard input and pipes.
    limits : FileLimits
        On what will be read from it.

    Returns
    -------
    Source

    Raises
    ------
    InputError
        If there is no such file, or it is a folder, empty, or of no known kind.

    Examples
    --------
    >>> find_source("-").format
    'csv'
    """
    if name == STDIN:
        return Source("standard input", format or "csv", None, limits=limits)
    path = Path(name)
    with error_context(ascii(name)):
        name.encode()  # results name their inputs, and are UTF-8
    with error_context(name):
        status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{name}: a folder; it must be a file")
    if not stat.S_ISREG(status.st_mode):
        return Source(name, format or "csv", path, limits=limits)
    zipped = path.suffix.lower() == ".gz"
    found = format or _SUFFIXES.get(Path(path.stem if zipped else path.name).suffix.lower())
    if found is None or (zipped and found not in _TEXT_FORMATS):
        known = ", ".join(FORMATS)
        raise UnknownFileTypeError(
            f"{name}: unknown file type; supported are {known} "
            "(for another name, cluster and tune take --format, such as --format csv)"
        )
    if status.st_size == 0:
        raise InputError(f"{name}: the file is empty")
    return Source(name=name, format=found, path=path, size=status.st_size, zipped=zipped, limits=limits)


def read_source(
    source: Source,
    *,
    skip: int = 0,
    wanted: Sequence[str] | None = None,
    known: Sequence[str] | None = None,
    warns_of_keys: bool = False,
) -> Iterator[Chunk]:
    """Read the rows of an input in chunks.

    Parameters
    ----------
    source : Source
    skip : int
        Number of rows to skip.
    wanted : sequence of str or None
        Columns that are needed; None for all. A reader may return more.
    known, warns_of_keys
        Of JSON Lines, see `read_json_lines`.

    Yields
    ------
    Chunk

    Raises
    ------
    InputError
        If the file is damaged; the rows before the damage are yielded first.
    """
    if source.format in _TEXT_FORMATS:
        with _open(source) as file:
            read = _TEXT_FORMATS[source.format]
            size, zipped = source.size, source.zipped
            keys = {"known": known, "warns_of_keys": warns_of_keys} if source.format == "jsonl" else {}
            yield from read(
                file, source.name, skip=skip, size=size, zipped=zipped, limits=source.limits, **keys
            )
        return
    with _whole(source) as location:
        if source.format in _FRAME_FORMATS:
            read = _FRAME_FORMATS[source.format]
            yield from read(location, source.name, skip=skip, wanted=wanted, limits=source.limits)
        else:
            yield from _ARRAY_FORMATS[source.format](location, source.name, skip=skip, limits=source.limits)


@contextmanager
def _open(source: Source) -> Iterator[BinaryIO]:
    if source.path is None:
        if sys.stdin is None or sys.stdin.closed:
            raise InputError("standard input is closed")
        yield sys.stdin.buffer
        return
    with error_context(source.name):
        file = source.path.open("rb")
    with file:
        yield file


@contextmanager
def _whole(source: Source) -> Iterator[Path | BinaryIO]:
    """Open a seekable file: the file itself, or all bytes of a stream in memory."""
    if source.path is not None and source.size:
        yield source.path
        return
    with _open(source) as file, error_context(source.name):
        data = io.BytesIO(file.read())
    yield data
