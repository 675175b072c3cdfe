"""PCD files: ASCII, binary and compressed."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from dynmeans._files.errors import InputError, error_context
from dynmeans._files.extras import require
from dynmeans._files.limits import FileLimits
from dynmeans._model.types import FloatArray
from dynmeans.apps.points._file_body import bytes_left, check_count, read_records, read_rows

_AXES = ("x", "y", "z")
_NEEDED = ("FIELDS", "SIZE", "TYPE", "POINTS", "DATA")
_SIZES = {"F": ("4", "8"), "I": ("1", "2", "4", "8"), "U": ("1", "2", "4", "8")}
_ENCODINGS = ("ascii", "binary", "binary_compressed")
_MAX_LINES, _MAX_LINE_BYTES = 1000, 1 << 16  # limits of a header


class _PcdHeader(NamedTuple):
    """Header of a PCD file."""

    names: list[str]
    kinds: list[np.dtype[np.generic]]  # type of each field
    counts: list[int]  # numbers per field
    n_points: int
    data: str

    def columns(self) -> list[int]:
        """Return the indices of the coordinates among the numbers of a point."""
        return [sum(self.counts[: self.names.index(axis)]) for axis in _AXES]

    def record(self) -> np.dtype[np.void]:
        """Return the dtype that picks the coordinates from a binary record."""
        sizes = [kind.itemsize * count for kind, count in zip(self.kinds, self.counts, strict=True)]
        columns = [self.names.index(axis) for axis in _AXES]
        formats, offsets = [self.kinds[i] for i in columns], [sum(sizes[:i]) for i in columns]
        return np.dtype(
            {"names": list(_AXES), "formats": formats, "offsets": offsets, "itemsize": sum(sizes)}
        )


def read_pcd(
    path: Path,
    limits: FileLimits = FileLimits(),  # noqa: B008
) -> FloatArray:
    """Read the points (n, 3) of a PCD file."""
    name = str(path)
    with path.open("rb") as file:
        header = _read_header(file, name)
        if header.data == "ascii":
            lines = [line for line in file if line.strip()]
            check_count(len(lines), header.n_points, name, "points")
            return read_rows(lines, sum(header.counts), name, "point")[:, header.columns()]
        record = header.record()
        if header.data == "binary":
            table = read_records(file, record, header.n_points, name, "points")
            check_count(len(table) + bytes_left(file) // record.itemsize, len(table), name, "points")
            return np.stack([table[axis].astype(np.float64) for axis in _AXES], axis=1)
        size = header.n_points * record.itemsize
        limits.check_bytes(size, path.stat().st_size, name, f"{header.n_points:,} points")
        _check_compressed(file, size, name)
    return _read_compressed(path)


def _check_compressed(file: BinaryIO, size: int, name: str) -> None:
    """Reject lengths that do not match the file, before memory is allocated."""
    if size:
        lengths = read_records(file, np.dtype("<u4"), 2, name, "lengths of compressed data").tolist()
        check_count(min(bytes_left(file), lengths[0]), lengths[0], name, "bytes of compressed data")
        check_count(lengths[1], size, name, "bytes of points")


def _read_compressed(path: Path) -> FloatArray:
    module = require("pypcd4", "points")
    with error_context(f"{path}: not a readable PCD file"):
        return np.asarray(module.PointCloud.from_path(path).numpy(_AXES), dtype=np.float64)


def _read_header(file: BinaryIO, name: str) -> _PcdHeader:
    """Read lines up to DATA, in any order; COUNT, WIDTH and HEIGHT are optional."""
    entries: dict[str, list[str]] = {}
    for _ in range(_MAX_LINES):
        line = file.readline(_MAX_LINE_BYTES)
        words = line.decode("utf-8-sig", "replace").split()
        if words and not words[0].startswith("#"):
            entries[words[0]] = words[1:]
        if not line or "DATA" in entries:
            break
    missing = [word for word in _NEEDED if not entries.get(word)]
    if missing:
        raise InputError(f"{name}: not a readable PCD file (its header has no {', '.join(missing)})")
    names = entries["FIELDS"]
    entries.setdefault("COUNT", ["1"] * len(names))
    for word in ("SIZE", "TYPE", "COUNT"):
        if len(entries[word]) != len(names):
            raise InputError(f"{name}: {word} has {len(entries[word])} entries for {len(names)} FIELDS")
    kinds = [_kind(*pair, name) for pair in zip(entries["TYPE"], entries["SIZE"], strict=True)]
    counts = [_whole(count, "COUNT", name) for count in entries["COUNT"]]
    _check_axes(dict(zip(names, counts, strict=True)), name)
    return _PcdHeader(names, kinds, counts, _n_points(entries, name), _encoding(entries["DATA"][0], name))


def _check_axes(counts: dict[str, int], name: str) -> None:
    missing = [axis for axis in _AXES if counts.get(axis) != 1]
    if missing:
        fields = ", ".join(counts)
        raise InputError(f"{name}: FIELDS must contain {missing[0]!r} once, with COUNT 1; they are {fields}")


def _kind(type: str, size: str, name: str) -> np.dtype[np.generic]:
    if size not in _SIZES.get(type, ()):
        known = "F of SIZE 4 or 8, I or U of SIZE 1, 2, 4 or 8"
        raise InputError(f"{name}: TYPE {type} of SIZE {size}; it must be {known}")
    return np.dtype(f"<{type.lower()}{size}")


def _n_points(entries: dict[str, list[str]], name: str) -> int:
    points = _whole(entries["POINTS"][0], "POINTS", name)
    if entries.get("WIDTH"):
        width, height = (_whole(entries.get(word, ["1"])[0], word, name) for word in ("WIDTH", "HEIGHT"))
        if width * height != points:
            raise InputError(f"{name}: POINTS is {points}, but WIDTH x HEIGHT is {width} x {height}")
    return points


def _encoding(text: str, name: str) -> str:
    if text not in _ENCODINGS:
        raise InputError(
            f"{name}: DATA is {text!r}; it must be {', '.join(_ENCODINGS[:-1])} or {_ENCODINGS[-1]}"
        )
    return text


def _whole(text: str, word: str, name: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise InputError(f"{name}: {word} is {text!r}; it must be a whole number of at least 0")
    return int(text)
