"""State that survives: one file of arrays and JSON, written atomically, read without running anything.

The file is an uncompressed ZIP archive, an ``.npz`` that NumPy can open, with one extra member,
``header.json``. ZIP keeps a checksum of every member, so damage is found.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynmeans._files.atomic_write import atomic_write, remove_leftovers

FORMAT = 1
KIND = "dynmeans snapshot"
HEADER = "header.json"


class SnapshotError(ValueError):
    """A state file that cannot be used; the message says why in one line."""


class Snapshot(NamedTuple):
    """What a state file holds."""

    header: dict[str, Any]  # JSON
    arrays: dict[str, np.ndarray[Any, Any]]


def write_snapshot(path: str | os.PathLike[str], snapshot: Snapshot) -> None:
    """Write all or nothing: a reader sees the old file or the new one, also after a power cut."""
    target = Path(os.path.realpath(path))
    remove_leftovers(target.parent, target.name)
    with atomic_write(Path(path)) as place, place.open("wb") as file:
        _write_archive(file, snapshot)


def read_snapshot(path: str | os.PathLike[str]) -> Snapshot:
    """Read a state file, or say in one line why it is not one."""
    try:
        with zipfile.ZipFile(path) as archive:
            header = _read_header(archive, path)
            arrays = {name: _read_array(archive, name) for name in header["arrays"]}
    except SnapshotError:
        raise
    except OSError as error:
        raise SnapshotError(
            f"cannot read state file {os.fspath(path)!r}: {error.strerror or error}"
        ) from error
    except Exception as error:  # parsers of ZIP, JSON and NPY raise of many kinds: the file is to blame
        message = " ".join(str(error).split()) or type(error).__name__
        raise SnapshotError(
            f"{os.fspath(path)!r} is not a dynmeans state file, or is damaged: {message}"
        ) from error
    return Snapshot(header, arrays)


def _write_archive(file: Any, snapshot: Snapshot) -> None:
    header = {"kind": KIND, "format": FORMAT, "arrays": sorted(snapshot.arrays), **snapshot.header}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_member(HEADER), json.dumps(header, allow_nan=False))
        for name in header["arrays"]:
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(snapshot.arrays[name]), allow_pickle=False)
            archive.writestr(_member(f"{name}.npy"), buffer.getvalue())


def _member(name: str) -> zipfile.ZipInfo:
    """Equal states give equal files: no time of day in the archive."""
    return zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))


def _read_header(archive: zipfile.ZipFile, path: str | os.PathLike[str]) -> dict[str, Any]:
    header = json.loads(_read_member(archive, HEADER), parse_constant=_refuse_constant)
    if not isinstance(header, dict) or header.get("kind") != KIND:
        raise SnapshotError(f"{os.fspath(path)!r} is not a dynmeans state file")
    version = header.get("format")
    if type(version) is not int or version < 1:
        raise SnapshotError(f"{os.fspath(path)!r} has no valid format version, got {version!r}")
    if version > FORMAT:
        raise SnapshotError(
            f"{os.fspath(path)!r} was written by a newer dynmeans "
            f"(state format {version}, this one reads up to {FORMAT}): please upgrade"
        )
    names = header.get("arrays")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise SnapshotError(f"{os.fspath(path)!r} does not list its arrays")
    return header


def _refuse_constant(name: str) -> None:
    raise ValueError(f"the header holds {name}, which is no number")


def _read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Stored members only, each once: what a member unpacks to is never larger than the file."""
    info = archive.getinfo(name)
    if archive.namelist().count(name) > 1:
        raise ValueError(f"member {name!r} is there more than once")
    if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
        raise ValueError(f"member {name!r} is compressed")
    return archive.read(info)


def _read_array(archive: zipfile.ZipFile, name: str) -> np.ndarray[Any, Any]:
    data = _read_member(archive, f"{name}.npy")
    buffer = io.BytesIO(data)
    version = np.lib.format.read_magic(buffer)
    if version != (1, 0):
        raise ValueError(f"array {name!r} has an unknown layout {version}")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(buffer)
    if dtype.kind not in "fiu" or fortran:
        raise ValueError(f"array {name!r} has an unexpected type {dtype}")
    body = data[buffer.tell() :]
    if any(size < 0 for size in shape) or len(body) != dtype.itemsize * int(np.prod(shape, dtype=object)):
        raise ValueError(f"array {name!r} does not have the size that it claims")
    return np.frombuffer(body, dtype=dtype).reshape(shape).copy()
