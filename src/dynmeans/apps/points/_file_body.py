"""Read the body of a point-cloud file and compare its length with the header."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from dynmeans._files.errors import InputError, InputWarning
from dynmeans._model.types import FloatArray
from dynmeans._tables.readers.text import OPEN_END

_SHOWN = 40  # characters of a line shown in an error


def read_rows(lines: Sequence[bytes], width: int, name: str, what: str) -> FloatArray:
    r"""Parse lines of whitespace-separated numbers (n, width).

    Parameters
    ----------
    lines : sequence of bytes
    width : int
        Numbers in each line.
    name, what : str
        Names of the file and of one line in errors.

    Examples
    --------
    >>> read_rows([b"1 2\n", b"3  4.5\n"], 2, "cloud.ply", "vertex")
    array([[1. , 2. ],
           [3. , 4.5]])
    """
    table = np.empty((len(lines), width))
    if lines and not lines[-1].endswith(b"\n"):
        warnings.warn(f"{name}, {what} {len(lines)}: {OPEN_END}", InputWarning, stacklevel=2)
    for i, line in enumerate(lines):
        try:
            row = [float(word) for word in line.split()]
        except ValueError:
            row = []
        if len(row) != width:
            text = line.decode("ascii", "replace").strip()[:_SHOWN]
            raise InputError(f"{name}: {what} {i + 1} is {text!r}; it must be {width} numbers")
        table[i] = row
    return table


def read_records(file: BinaryIO, kind: np.dtype[Any], count: int, name: str, what: str) -> NDArray[Any]:
    """Read binary records from the current position; `name` and `what` as for `read_rows`."""
    check_count(min(bytes_left(file) // kind.itemsize, count), count, name, what)
    return np.frombuffer(file.read(count * kind.itemsize), kind)


def bytes_left(file: BinaryIO) -> int:
    """Return the number of bytes from the current position to the end of a file."""
    here = file.tell()
    left = file.seek(0, os.SEEK_END) - here
    file.seek(here)
    return left


def check_count(found: int, promised: int, name: str, what: str) -> None:
    """Reject a body that is shorter or longer than the header states."""
    if found < promised:
        raise InputError(f"{name}: cut short, {found} of {promised} {what}")
    if found > promised:
        raise InputError(f"{name}: holds {found} {what}, but its header states {promised}")
