"""Checksums of files: they detect changed inputs and damaged outputs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypedDict

_CHUNK = 1 << 20  # bytes that are read at once


class Content(TypedDict):
    """Size and checksum of the content of a file."""

    size: int  # bytes
    hash: str  # BLAKE2b, 256 bits


def digest(path: Path, length: int | None = None) -> str:
    """Return the BLAKE2b checksum of a file, or of its first `length` bytes.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a"
    >>> _ = path.write_bytes(b"one two")
    >>> digest(path) == digest(path, 7), digest(path) == digest(path, 3)
    (True, False)
    """
    state, left = hashlib.blake2b(digest_size=32), length
    with path.open("rb") as file:
        while data := file.read(_CHUNK if left is None else min(left, _CHUNK)):
            state.update(data)
            left = None if left is None else left - len(data)
    return state.hexdigest()


def describe_files(folder: Path, names: Iterable[str]) -> dict[str, Content]:
    """Return size and checksum of each file in a folder, by name."""
    return {name: {"size": (folder / name).stat().st_size, "hash": digest(folder / name)} for name in names}


def find_damaged(folder: Path, known: Mapping[str, Content]) -> list[str]:
    """Return the names of the files that are missing in a folder or have changed."""
    return [name for name, content in known.items() if not _is_whole(folder / name, content)]


def _is_whole(path: Path, content: Content) -> bool:
    same_size = path.is_file() and path.stat().st_size == content["size"]
    return same_size and digest(path) == content["hash"]
