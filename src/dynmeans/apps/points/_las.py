"""LAS and LAZ files through laspy, with headers validated first."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from dynmeans._files.errors import InputError, error_context
from dynmeans._files.extras import require
from dynmeans._files.limits import FileLimits
from dynmeans._model.types import FloatArray
from dynmeans.apps.points._file_body import check_count

_START = struct.Struct("<4s20xBB68xHIIBHI")  # up to the number of points; LAS 1.4, section 2.4
_EXTENDED = struct.Struct("<QI")  # version 1.4: offset and number of extended records
_EXTENDED_OFFSET, _EXTENDED_HEADER = 235, 375  # bytes: offset of these two, and length of a header of 1.4
_RECORD, _EXTENDED_RECORD = 54, 60  # shortest variable-length records, in bytes
_COMPRESSED = 128  # bit of the point format
_ITEMS_OFFSET = 32  # offset of the number of parts of a point, in the record of LASzip


class _Start(NamedTuple):
    """First fields of a LAS header."""

    magic: bytes
    major: int
    minor: int
    header_size: int
    points_at: int  # first byte of the points
    n_records: int  # variable-length records between header and points
    point_format: int
    point_size: int
    n_points: int


def read_las(path: Path, limits: FileLimits) -> FloatArray:
    """Read the points (n, 3) of a LAS or LAZ file."""
    module = require("laspy", "points")
    _check_records(path)
    try:
        # One thread: the parallel reader allocates memory for chunks before validating them.
        backend = module.LazBackend.Lazrs
        with error_context("laspy"), module.open(path, read_evlrs=False, laz_backend=backend) as reader:
            header = reader.header
            _check_items(header)
            promised, size = int(header.point_count), path.stat().st_size
            limits.check_bytes(promised * header.point_format.size, size, str(path), f"{promised:,} points")
            if not header.are_points_compressed:
                found = max(size - header.offset_to_point_data, 0) // header.point_format.size
                check_count(min(found, promised), promised, str(path), "points")
            points = np.array(reader.read().xyz)
    except InputError as error:
        if str(error).startswith(str(path)):
            raise
        cause = str(error).removeprefix("laspy: ")
        raise InputError(f"{path}: not a readable LAS file ({cause})") from None
    check_count(len(points), promised, str(path), "points")
    return points


def _check_records(path: Path) -> None:
    """Reject more records than fit into the file; laspy would read past its end."""
    with path.open("rb") as file:
        data = file.read(_EXTENDED_HEADER)
    if len(data) < _START.size:
        raise InputError(f"{path}: not a readable LAS file (only {len(data)} bytes)")
    start, size = _Start(*_START.unpack_from(data)), path.stat().st_size
    room = max(min(start.points_at, size) - start.header_size, 0) // _RECORD
    if start.magic == b"LASF" and start.n_records > room:
        raise InputError(f"{path}: {start.n_records:,} records of variable length, but room for {room:,}")
    if start.minor >= 4 and len(data) == _EXTENDED_HEADER:
        begin, count = _EXTENDED.unpack_from(data, _EXTENDED_OFFSET)
        room = max(size - begin, 0) // _EXTENDED_RECORD
        if count > room:
            raise InputError(f"{path}: {count:,} extended records, but room for {room:,}")
    if start.point_format & _COMPRESSED:
        _check_chunks(path, start, size)


def _check_chunks(path: Path, start: _Start, size: int) -> None:
    """Reject more chunks than fit into the file; the decompressor would abort the process."""
    room = size // max(start.point_size, 1)  # the first point of each chunk is stored uncompressed
    with path.open("rb") as file:
        (offset,) = _read(file, "<q", start.points_at)
        if offset == -1:  # written as a stream: the offset is at the end of the file
            (offset,) = _read(file, "<q", size - 8)
        _, count = _read(file, "<II", offset)
    if count > room:
        raise InputError(f"{path}: {count:,} chunks of points, but room for {room:,}")


def _check_items(header: Any) -> None:
    """Reject a compressed file that describes no part of a point; the decompressor would panic."""
    for record in header.vlrs.get("LasZipVlr"):
        described = bytes(record.record_data)[_ITEMS_OFFSET:]
        if header.are_points_compressed and not (len(described) > 1 and any(described[:2])):
            raise InputError("the points are compressed, but their parts are not described")


def _read(file: BinaryIO, layout: str, offset: int) -> tuple[int, ...]:
    """Read integers at an offset, zeros past the end of the file."""
    file.seek(min(max(offset, 0), 2**62))
    width = struct.calcsize(layout)
    return struct.unpack(layout, file.read(width).ljust(width, b"\0"))
