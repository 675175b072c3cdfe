"""Files of a dataset: local paths, or URLs that fsspec reads."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import fsspec

from dynmeans._files.errors import InputError, error_context

_VERSIONS = ("ETag", "etag", "mtime", "LastModified", "last_modified", "updated", "created")  # of fsspec


class DataFile(NamedTuple):
    """One file, as all workers see it."""

    path: str  # or URL
    size: int  # bytes
    version: str  # changes with the content: the time of modification, or the tag of an object store


def is_url(path: str) -> bool:
    """Return whether a path is a URL, such as ``s3://bucket/part.parquet``."""
    return "://" in path


def find_files(patterns: Sequence[str]) -> list[DataFile]:
    """Return the files that patterns such as ``data/*.parquet`` match, those of a pattern sorted by name."""
    found: list[DataFile] = []
    for pattern in patterns:
        files = _find_urls(pattern) if is_url(pattern) else _find_paths(pattern)
        if not files:
            raise InputError(f"{pattern}: no file matches")
        found += files
    return found


def _find_paths(pattern: str) -> list[DataFile]:
    names = sorted(glob.glob(pattern)) if glob.has_magic(pattern) else [pattern]  # noqa: PTH207
    for name in names:
        if not Path(name).is_file():
            raise InputError(f"{name}: no such file")
    return [_local_file(name) for name in names]


def _local_file(name: str) -> DataFile:
    status = Path(name).stat()
    return DataFile(name, status.st_size, str(status.st_mtime_ns))


def _find_urls(pattern: str) -> list[DataFile]:
    if "::" in pattern:
        raise InputError(
            f"{pattern}: chained URLs are not supported; use a URL such as s3://bucket/*.parquet"
        )
    try:
        with error_context(pattern):
            system, path = fsspec.core.url_to_fs(pattern)
            names = sorted(system.glob(path)) if glob.has_magic(path) else [path]
            for name in names:
                if not system.isfile(name):
                    raise InputError(f"{system.unstrip_protocol(name)}: no such file")
            return [_remote_file(system, name) for name in names]
    except ImportError as error:  # such as s3fs for s3://
        raise InputError(f"{pattern}: {str(error).splitlines()[0]}") from None


def _remote_file(system: Any, name: str) -> DataFile:
    info = system.info(name)
    version = next((str(info[key]) for key in _VERSIONS if key in info), "")
    return DataFile(system.unstrip_protocol(name), int(system.size(name)), version)


def check_unchanged(files: Sequence[DataFile]) -> None:
    """Raise an error if a file has changed since it was found."""
    for file in files:
        (now,) = find_files([glob.escape(file.path)])
        if now != file:
            raise InputError(f"{file.path}: changed while it was read; run again with another --state")


@contextmanager
def open_file(path: str) -> Iterator[Any]:
    """Open a file for pyarrow: a local path as it is, a URL as a binary file."""
    with error_context(path):
        if not is_url(path):
            yield path
            return
        with fsspec.open(path, "rb") as file:
            yield file
