"""Read point clouds: one frame per file, or many frames in a table with a time column."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dynmeans._files.errors import InputError, error_context
from dynmeans._files.limits import FileLimits
from dynmeans._model.types import FloatArray
from dynmeans._tables.chunk import name_list
from dynmeans._tables.columns import LISTED
from dynmeans._tables.inputs import open_inputs
from dynmeans._tables.readers.npy import open_array
from dynmeans._tables.sources import Source, UnknownFileTypeError, find_source, read_source
from dynmeans._tables.time_steps.batches import cut
from dynmeans._tables.time_steps.windowing import ByPart, ByTime
from dynmeans.apps.points._las import read_las
from dynmeans.apps.points._pcd import read_pcd
from dynmeans.apps.points._ply import read_ply

_MAX_COORDINATE = 1e150  # the limit of the estimators
AXES = ("x", "y", "z")


class Frame(NamedTuple):
    """Points of one frame."""

    points: FloatArray  # (n, 3) meters, height last
    time: float | None  # seconds; None if the file has no time
    name: str  # file and row in words, for errors
    source: Path  # the file


def read_frames(
    paths: Sequence[Path],
    time: str | None = None,
    limits: FileLimits = FileLimits(),  # noqa: B008
    columns: Sequence[str] | None = None,
) -> Iterator[Frame]:
    """Read the frames of files, one after another.

    Parameters
    ----------
    paths : sequence of Path
        PCD, PLY, LAS, LAZ, NPY and BIN (KITTI) files, one frame each (an NPY array of three dimensions holds
        many), or CSV and other tables, in order of time.
    time : str or None
        Column of the tables with the time in seconds; rows with equal times form a frame. None: each table
        is one frame.
    limits : FileLimits
        Limits on memory and sizes.
    columns : sequence of str or None
        Three columns of the tables with the coordinates, height last. By default x, y and z in upper or
        lower case; other columns are ignored.

    Yields
    ------
    Frame

    Raises
    ------
    InputError
        At the first file or row that cannot be read, after all frames before it.
    """
    for path in paths:
        check_files([path])
        read = _READERS.get(path.suffix.lower())
        frames = _table(path, time, limits, columns) if read is None else _checked(read(path, limits), path)
        yield from map(_within_range, frames)


def check_files(paths: Sequence[Path]) -> None:
    """Reject missing files and unknown formats by name, before reading."""
    for path in paths:
        if not path.is_file():
            raise InputError(f"{path}: no such file")
        if path.suffix.lower() not in _READERS:
            _source(path)


def in_order(paths: Sequence[Path]) -> list[Path]:
    """Sort files naturally: numbers in names compare as numbers.

    A folder stands for the files in it, except hidden ones.

    Examples
    --------
    >>> [path.name for path in in_order([Path("f10.pcd"), Path("f9.pcd")])]
    ['f9.pcd', 'f10.pcd']
    """
    files = [file for path in paths for file in (_inside(path) if path.is_dir() else [path])]
    return sorted(files, key=_natural)


def _inside(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]


def _natural(path: Path) -> list[tuple[int, str]]:
    return [(int(digits or -1), word) for digits, word in re.findall(r"(\d+)|(\D+)", str(path))]


def _checked(clouds: Iterator[FloatArray], path: Path) -> Iterator[Frame]:
    """Yield the frames of one file; errors name the file."""
    with error_context(str(path)):
        for i, points in enumerate(clouds, 1):
            yield Frame(np.asarray(points, dtype=np.float64), None, f"{path}, frame {i}", path)


def _within_range(frame: Frame) -> Frame:
    """Reject coordinates whose squares overflow; points that are not finite are missing values."""
    far = np.isfinite(frame.points) & (np.abs(frame.points) > _MAX_COORDINATE)
    if far.any():
        value = float(frame.points[far][0])
        raise InputError(f"{frame.name}: a coordinate is {value!r}; it must lie within ±{_MAX_COORDINATE:g}")
    return frame


def _table(
    path: Path, time: str | None, limits: FileLimits, columns: Sequence[str] | None
) -> Iterator[Frame]:
    """Yield the frames of a table, separated by its time column."""
    source = _source(path)._replace(limits=limits)
    _, blocks = open_inputs([source], features=columns or _coordinate_columns(source), time=time)
    for batch in cut(blocks, ByPart() if time is None else ByTime()):
        yield Frame(batch.X, batch.time, batch.location, path)


def _coordinate_columns(source: Source) -> list[str]:
    """Return the columns of a table that are called x, y and z, in upper or lower case."""
    first = next(read_source(source, wanted=()), None)
    if first is None:
        return list(AXES)
    found = {axis: next((name for name in first.names if name.lower() == axis), None) for axis in AXES}
    for axis, name in found.items():
        if name is None:
            listed = name_list(first.names, LISTED)
            raise InputError(
                f"{source.name}: no column {axis!r}; the columns are {listed}; name those with the three "
                "coordinates with --columns, height last"
            )
    return [name for name in found.values() if name is not None]


def find_table(path: Path) -> Source | None:
    """Return the table in a file, or None if the file has another format."""
    return None if path.suffix.lower() in _READERS else _source(path)


def _source(path: Path) -> Source:
    try:
        return find_source(str(path))
    except UnknownFileTypeError:
        kinds = ", ".join(kind[1:] for kind in _READERS)
        raise InputError(f"{path}: unknown file type; it must be {kinds}, or a table (csv, ...)") from None


def _read_pcd(path: Path, limits: FileLimits) -> Iterator[FloatArray]:
    yield read_pcd(path, limits)


def _read_ply(path: Path, limits: FileLimits) -> Iterator[FloatArray]:
    with path.open("rb") as file:
        yield read_ply(file, str(path))


def _read_las(path: Path, limits: FileLimits) -> Iterator[FloatArray]:
    yield read_las(path, limits)


def _read_npy(path: Path, limits: FileLimits) -> Iterator[FloatArray]:
    array = open_array(path, str(path))
    named = set(AXES) <= set(array.dtype.names or ())
    for dtype in [array.dtype[axis] for axis in AXES] if named else [array.dtype]:
        if dtype.kind not in "fiu":
            kind = _KINDS.get(dtype.kind, f"values of type {dtype}")
            raise InputError(f"{path}: contains {kind}; it must contain numbers")
    if named:  # any shape: an organized cloud is one frame
        array = np.stack([array[axis].ravel() for axis in AXES], axis=1)
    if array.ndim not in (2, 3) or array.shape[-1] < 3:
        raise InputError(f"{path}: shape {array.shape}; it must be (n, 3) or (frames, n, 3)")
    yield from (frame[:, :3] for frame in (array if array.ndim == 3 else array[None]))


def _read_bin(path: Path, limits: FileLimits) -> Iterator[FloatArray]:
    """Read KITTI: x, y, z and intensity as 4-byte floats."""
    size = path.stat().st_size
    if size % 16:
        raise InputError(f"{path}: {size} bytes, a KITTI file has 16 for each point")
    yield np.fromfile(path, dtype="<f4").reshape(-1, 4)[:, :3]


# Names of types that are not coordinates.
_KINDS = {
    "U": "text",
    "S": "text",
    "b": "truth values",
    "c": "complex numbers",
}
_READERS: dict[str, Callable[[Path, FileLimits], Iterator[FloatArray]]] = {
    ".pcd": _read_pcd,
    ".ply": _read_ply,
    ".las": _read_las,
    ".laz": _read_las,
    ".npy": _read_npy,
    ".bin": _read_bin,
}
