"""State files: arrays and JSON in one file, written atomically, read without executing code.

The file is an uncompressed ZIP archive, an ``.npz`` that NumPy can open, with one extra member,
``header.json``. ZIP stores a checksum of every member, so damage is detected. A record (`record.py`) is read
too, so the bytes of a model are a valid file.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from dynmeans._files.atomic_write import atomic_write, remove_leftovers
from dynmeans._files.lock import real_path
from dynmeans._files.record import DECODER, MARK, decode_record, shared_entries

FORMAT = 1
KIND = "dynmeans snapshot"
HEADER = "header.json"

_LARGEST_MEMBER = 2**30  # bytes; larger members need the ZIP64 extension
_LONGEST_HEADER = 4096  # maximum length of the header of an array; NumPy writes 128 bytes


class SnapshotError(ValueError):
    """Invalid state file; the message is one line with the reason."""


class Snapshot(NamedTuple):
    """Content of a state file."""

    header: dict[str, Any]  # JSON
    arrays: dict[str, np.ndarray[Any, Any]]


def write_snapshot(path: str | os.PathLike[str], snapshot: Snapshot) -> None:
    """Write a state file atomically: a reader gets the old file or the new one, also after a power cut."""
    target = real_path(path)
    remove_leftovers(target.parent, target.name)
    with atomic_write(Path(path)) as location, location.open("wb") as file:
        _write_archive(file, snapshot)


def read_snapshot(path: str | os.PathLike[str]) -> Snapshot:
    """Read a state file, or raise an error with the reason in one line."""
    name = repr(os.fspath(path))
    try:
        with Path(path).open("rb") as file:
            return _read(file, name)
    except OSError as error:
        raise SnapshotError(f"cannot read state file {name}: {error.strerror or error}") from error


def decode_snapshot(data: bytes, name: str = "the data") -> Snapshot:
    """Read the bytes of a state file, or raise an error with the reason; `name` appears in errors."""
    return _read(io.BytesIO(data), name)


def _read(file: BinaryIO, name: str) -> Snapshot:
    try:
        is_record = file.read(len(MARK)) == MARK
        file.seek(0)
        if is_record:
            shared, own, arrays = decode_record(file.read())
            return Snapshot({**shared_entries(shared), **own, "arrays": sorted(arrays)}, arrays)
        with zipfile.ZipFile(file) as archive:
            header = _read_header(_read_member(archive, HEADER), name)
            names = header["arrays"]
            return Snapshot(header, {a: _read_array(a, _read_member(archive, f"{a}.npy")) for a in names})
    except (SnapshotError, OSError):
        raise
    except Exception as error:  # an invalid file may raise any kind of error
        raise damaged(name, error) from error


def damaged(name: str, error: Exception) -> SnapshotError:
    """Return the error about bytes that are not a state file."""
    message = " ".join(str(error).split()) or type(error).__name__
    return SnapshotError(f"{name} is not a dynmeans state file, or is damaged: {message}")


def _raw(array: np.ndarray[Any, Any]) -> Any:
    """Return the bytes of an array; Python cannot make a byte view of an empty array."""
    return array.data.cast("B") if array.size else b""


@lru_cache(maxsize=1024)
def _npy_header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """Return the header of an NPY file; NumPy takes 10 microseconds to make it."""
    buffer = io.BytesIO()
    described = np.lib.format.dtype_to_descr(dtype)
    header = {"descr": described, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(buffer, header)
    return buffer.getvalue()


def _write_archive(file: Any, snapshot: Snapshot) -> None:
    header = {"kind": KIND, "format": FORMAT, "arrays": sorted(snapshot.arrays), **snapshot.header}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_member(HEADER), json.dumps(header, allow_nan=False))
        for name in header["arrays"]:
            array = np.ascontiguousarray(snapshot.arrays[name])
            is_large = array.nbytes > _LARGEST_MEMBER
            with archive.open(_member(f"{name}.npy"), "w", force_zip64=is_large) as member:
                member.write(_npy_header(array.dtype, array.shape))
                member.write(_raw(array))


def _member(name: str) -> zipfile.ZipInfo:
    """Return the entry of a member without a date, so that equal states give equal files."""
    return zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))


def _read_header(data: bytes, name: str) -> dict[str, Any]:
    header = DECODER.decode(data.decode())
    if not isinstance(header, dict) or header.get("kind") != KIND:
        raise SnapshotError(f"{name} is not a dynmeans state file")
    version = header.get("format")
    if type(version) is not int or version < 1:
        raise SnapshotError(f"{name} has no valid format version, got {version!r}")
    if version > FORMAT:
        raise SnapshotError(
            f"{name} was written by a newer dynmeans "
            f"(state format {version}, this one reads up to {FORMAT}): please upgrade"
        )
    names = header.get("arrays")
    if not isinstance(names, list) or not all(isinstance(array, str) for array in names):
        raise SnapshotError(f"{name} does not list its arrays")
    return header


def _read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Read an uncompressed, unique member, which is never larger than the file."""
    info = archive.getinfo(name)
    if archive.namelist().count(name) > 1:
        raise ValueError(f"member {name!r} appears more than once")
    if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
        raise ValueError(f"member {name!r} is compressed")
    return archive.read(info)


def _read_array(name: str, data: bytes) -> np.ndarray[Any, Any]:
    begin = 10 + int.from_bytes(data[8:10], "little")  # the length of the header of an NPY file
    shape, fortran, dtype, size = _parse_npy_header(data[: min(begin, _LONGEST_HEADER)])
    if dtype.kind not in "fiu" or fortran:
        raise ValueError(f"array {name!r} has an unexpected type {dtype}")
    if any(axis < 0 for axis in shape) or len(data) - begin != size:
        raise ValueError(f"array {name!r} does not have the size that its header states")
    return np.frombuffer(data, dtype=dtype, offset=begin).reshape(shape).copy()


@lru_cache(maxsize=1024)
def _parse_npy_header(header: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Return shape, order, type and bytes of an array; NumPy takes 30 microseconds to parse them."""
    buffer = io.BytesIO(header)
    version = np.lib.format.read_magic(buffer)
    if version != (1, 0):
        raise ValueError(f"an array has an unknown layout {version}")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(buffer)
    return shape, fortran, dtype, dtype.itemsize * int(np.prod(shape, dtype=object))
