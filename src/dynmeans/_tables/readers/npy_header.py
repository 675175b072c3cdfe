"""Validated header of an NPY file."""

from __future__ import annotations

import ast
import struct
import warnings
from math import prod
from typing import IO, Any, NamedTuple

import numpy as np

_MAGIC = b"\x93NUMPY"
_LENGTHS = {1: "<H", 2: "<I", 3: "<I"}  # of the header, by the version of the format
_LONGEST = 65_536  # characters of a header
_KEYS = {"descr", "fortran_order", "shape"}


class Header(NamedTuple):
    """Header of an NPY file."""

    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype[Any]

    @property
    def n_bytes(self) -> int:
        """Length of the array in the file, in bytes; exact for any size."""
        return prod(self.shape) * self.dtype.itemsize


def read_header(file: IO[bytes]) -> Header:
    """Read the header of an NPY file and leave the file at the first byte of its array.

    Raises
    ------
    ValueError
        If it is not a header, or one of an array that does not hold plain values.
    """
    begin = file.read(len(_MAGIC) + 2)
    if begin[: len(_MAGIC)] != _MAGIC or len(begin) < len(_MAGIC) + 2:
        raise ValueError("not an NPY file: the magic string is missing")
    version = begin[-2]
    if version not in _LENGTHS:
        raise ValueError(f"version {version} of the NPY format; supported are 1, 2 and 3")
    width = struct.calcsize(_LENGTHS[version])
    (length,) = struct.unpack(_LENGTHS[version], file.read(width).ljust(width, b"\0"))
    if length > _LONGEST:
        raise ValueError(f"the NPY header has {length:,} characters; at most {_LONGEST:,} are read")
    text = file.read(length).decode("utf-8" if version == 3 else "latin-1")
    return _parse(text)


def _parse(text: str) -> Header:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the parser of Python may give warnings
            fields = ast.literal_eval(text.strip())
            dtype = np.lib.format.descr_to_dtype(fields["descr"])
        header = Header(fields["shape"], bool(fields["fortran_order"]), dtype)
    except Exception:  # arbitrary text may cause any error in the parser or the constructor
        fields = header = None
    if header is None or set(fields) != _KEYS:
        raise ValueError(f"not an NPY header ({text.strip()[:60]!r})")
    _check_shape(header.shape)
    _check_values(header.dtype)
    return header


def _check_shape(shape: object) -> None:
    lengths = shape if isinstance(shape, tuple) else (None,)
    if not all(type(length) is int and 0 <= length < 2**63 for length in lengths) or len(lengths) > 32:
        raise ValueError(f"shape {str(shape)[:60]}; it must be whole numbers of at least 0")


def _check_values(dtype: np.dtype[Any]) -> None:
    if dtype.hasobject:
        raise ValueError("holds Python objects (text, perhaps); it must hold numbers")
    if dtype.subdtype is not None:
        raise ValueError(f"its values are arrays of shape {dtype.shape}; they must be single values")


def check_body(header: Header, found: int) -> None:
    """Refuse a body that is shorter or longer than the header declares."""
    if found < header.n_bytes:
        raise ValueError(f"cut short, {found:,} of {header.n_bytes:,} bytes (shape {header.shape})")
    if found > header.n_bytes:
        raise ValueError(f"has {found - header.n_bytes:,} bytes after its array; it must hold one array")
