"""Fingerprints of inputs: they identify an input that was clustered before."""

from __future__ import annotations

import hashlib
from typing import Any

from dynmeans._files.digest import digest
from dynmeans._files.errors import InputError, error_context
from dynmeans._tables.sources import STDIN, Source

_OLD_HEAD_BYTES = 65536  # state files of version 0.1 identify a file by its size and this many first bytes


def fingerprint(source: Source) -> dict[str, Any]:
    """Return the fingerprint of an input: last part of its name, size, times, and a full checksum.

    Parameters
    ----------
    source : Source

    Returns
    -------
    dict
        For JSON. Standard input and pipes cannot be read twice; for them all but the name is None.
    """
    now = _stat(source)
    if source.path is not None and now["size"] is not None:
        with error_context(source.name):
            now["hash"] = digest(source.path, now["size"])
    return now


def recognize(source: Source, old: dict[str, Any]) -> dict[str, Any] | None:
    """Return the fingerprint of an input if it is the one that `old` describes, and None if it is not.

    A file with the same name, size and times is not read. If only the times differ, its checksum decides.
    """
    now = _stat(source)
    if (old.get("name"), old.get("size")) != (now["name"], now["size"]):
        return None
    if now["size"] is None:
        return now
    if "hash" in old and (old.get("time"), old.get("change")) == (now["time"], now["change"]):
        return old
    return fingerprint(source) if begins_as(source, old) else None


def begins_as(source: Source, old: dict[str, Any]) -> bool:
    """Return whether a file has the name of an earlier one and begins with its content."""
    size, path = old.get("size"), source.path
    if size is None or path is None or path.name != old.get("name") or source.size < size:
        return False
    with error_context(source.name):
        if "hash" in old:
            return bool(digest(path, size) == old["hash"])
        with path.open("rb") as file:
            head = file.read(min(size, _OLD_HEAD_BYTES))
        return bool(hashlib.sha256(head).hexdigest() == old.get("head"))


def check_unchanged(source: Source, old: dict[str, Any]) -> None:
    """Raise an error if a file has changed since `fingerprint` described it, which was before it was read."""
    now = _stat(source)
    if now["size"] is not None and (now["size"], now["time"]) != (old["size"], old["time"]):
        raise InputError(
            f"{source.name}: has changed while it was read; the rows may be mixed. "
            "Cluster it again, with another --state"
        )


def _stat(source: Source) -> dict[str, Any]:
    name = STDIN if source.path is None else source.path.name
    if source.path is None or not source.size:
        return {"name": name, "size": None, "time": None, "change": None, "hash": None}
    with error_context(source.name):
        status = source.path.stat()
    times = {"time": status.st_mtime_ns, "change": status.st_ctime_ns}
    return {"name": name, "size": status.st_size, **times, "hash": None}
