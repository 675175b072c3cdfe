"""PLY files: ASCII, and binary of either byte order."""

from __future__ import annotations

from typing import BinaryIO, NamedTuple

import numpy as np

from dynmeans._files.errors import InputError
from dynmeans._model.types import FloatArray
from dynmeans.apps.points._file_body import check_count, read_records, read_rows

_TYPES = {
    **{"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4"},
    **{"float": "f4", "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2"},
    **{"int32": "i4", "uint32": "u4", "float32": "f4", "float64": "f8"},
}
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_MAX_LINES = 1000  # maximum number of lines of a header


class _PlyHeader(NamedTuple):
    """Header of a PLY file."""

    format: str
    n_vertices: int
    fields: list[tuple[str, str]]  # name and NumPy type


def read_ply(file: BinaryIO, name: str) -> FloatArray:
    """Read the points (n, 3) of an open PLY file; `name` appears in errors."""
    header = _read_header(file, name)
    names = [field for field, _ in header.fields]
    missing = [axis for axis in "xyz" if axis not in names]
    if missing:
        raise InputError(f"{name}: the vertices have no {missing[0]!r}, only {', '.join(names) or 'nothing'}")
    if header.format == "ascii":
        return _read_text(file, name, header)[:, [names.index(axis) for axis in "xyz"]]
    order = _ORDERS[header.format]
    kind = np.dtype([(field, order + type) for field, type in header.fields])
    table = read_records(file, kind, header.n_vertices, name, "vertices")
    return np.stack([table[axis].astype(np.float64) for axis in "xyz"], axis=1)


def _read_text(file: BinaryIO, name: str, header: _PlyHeader) -> FloatArray:
    lines = [line for _, line in zip(range(header.n_vertices), file, strict=False)]
    check_count(len(lines), header.n_vertices, name, "vertices")
    return read_rows(lines, len(header.fields), name, "vertex")


def _read_header(file: BinaryIO, name: str) -> _PlyHeader:
    """Read lines up to end_header; vertices must be the first element, as in all point clouds."""
    if file.readline().strip() != b"ply":
        raise InputError(f"{name}: not a PLY file, its first line is not 'ply'")
    format, count, element = "", -1, ""
    fields: list[tuple[str, str]] = []
    for _ in range(_MAX_LINES):
        words = file.readline().decode("ascii", "replace").split()
        match words:
            case ["format", kind, _]:
                format = kind
            case ["element", element, number]:
                if element != "vertex" and count < 0:
                    raise InputError(f"{name}: the first element is {element!r}; it must be 'vertex'")
                count = _whole(number, name) if element == "vertex" else count
            case ["property", kind, field] if element == "vertex" and kind in _TYPES:
                fields.append((field, _TYPES[kind]))
            case ["property", kind, *_] if element == "vertex":
                raise InputError(f"{name}: a vertex has a property of type {kind!r}, which cannot be read")
            case ["end_header"]:
                break
    else:
        raise InputError(f"{name}: the header has no end")
    if format not in _ORDERS or count < 0:
        raise InputError(f"{name}: the header has no vertices or no known format (format {format!r})")
    return _PlyHeader(format, count, fields)


def _whole(text: str, name: str) -> int:
    if not text.isdigit():
        raise InputError(f"{name}: {text!r} vertices; it must be a whole number")
    return int(text)
