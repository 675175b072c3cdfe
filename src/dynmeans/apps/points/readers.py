"""Point clouds from files: one frame a file, or many frames in a table with a time column."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dynmeans._files.errors import InputError, error_context
from dynmeans._files.limits import Limits
from dynmeans._model.types import FloatArray
from dynmeans._tables.inputs import open_inputs
from dynmeans._tables.npy import open_array
from dynmeans._tables.sources import Source, find_source
from dynmeans._tables.windowing import ByPart, ByTime
from dynmeans._tables.windows import cut
from dynmeans.apps.points.las import read_las
from dynmeans.apps.points.pcd import read_pcd
from dynmeans.apps.points.ply import read_ply

_FARTHEST = 1e150  # as for the coordinates of an estimator
AXES = ("x", "y", "z")


class Frame(NamedTuple):
    """What the sensor saw at one moment."""

    points: FloatArray  # (n, 3) metres, height last
    time: float | None  # seconds; None where the file does not say
    name: str  # file, and row where it matters, in words
    source: Path  # the file


def read_frames(
    paths: Sequence[Path],
    time: str | None = None,
    limits: Limits = Limits(),  # noqa: B008
) -> Iterator[Frame]:
    """Read the frames of files, one after another.

    Parameters
    ----------
    paths : sequence of Path
        PCD, PLY, LAS, LAZ, NPY and BIN (KITTI) files, one frame each (an NPY array of three dimensions holds
        many), or CSV and other tables. Their order is that of time.
    time : str or None
        Column of the tables with the time in seconds; rows of equal time are a frame. None makes every table
        one frame.
    limits : Limits
        On what is read from a file.

    Yields
    ------
    Frame

    Raises
    ------
    InputError
        At the first file, or row, that cannot be read; the frames before it have been given.
    """
    for path in paths:
        check_files([path])
        read = _READERS.get(path.suffix.lower())
        frames = _table(path, time, limits) if read is None else _checked(read(path, limits), path)
        yield from map(_within_range, frames)


def check_files(paths: Sequence[Path]) -> None:
    """Refuse files that are not there, or of a kind that cannot be read, by their names alone."""
    for path in paths:
        if not path.is_file():
            raise InputError(f"{path}: there is no such file")
        if path.suffix.lower() not in _READERS:
            _source(path)


def in_order(paths: Sequence[Path]) -> list[Path]:
    """Files as they follow each other in time: numbers in their names count as numbers.

    Folders stand for the files in them, without hidden ones.

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
    """Frames of one file, whose damage names the file."""
    with error_context(str(path)):
        for i, points in enumerate(clouds, 1):
            yield Frame(np.asarray(points, dtype=np.float64), None, f"{path}, frame {i}", path)


def _within_range(frame: Frame) -> Frame:
    """Refuse coordinates that cannot be subtracted and squared; a missing point, not finite, is none."""
    far = np.isfinite(frame.points) & (np.abs(frame.points) > _FARTHEST)
    if far.any():
        value = float(frame.points[far][0])
        raise InputError(f"{frame.name}: a coordinate is {value!r}; it must lie within ±{_FARTHEST:g}")
    return frame


def _table(path: Path, time: str | None, limits: Limits) -> Iterator[Frame]:
    """Frames of a table, told apart by its time column."""
    source = _source(path)._replace(limits=limits)
    _, stretches = open_inputs([source], features=AXES, time=time)
    for batch in cut(stretches, ByPart() if time is None else ByTime()):
        yield Frame(batch.X, batch.time, batch.place, path)


def _source(path: Path) -> Source:
    try:
        return find_source(str(path))
    except InputError as error:
        if "unknown kind" not in str(error):
            raise
        kinds = ", ".join(kind[1:] for kind in _READERS)
        raise InputError(f"{path}: unknown kind of file; it must be {kinds}, or a table (csv, ...)") from None


def _read_pcd(path: Path, limits: Limits) -> Iterator[FloatArray]:
    yield read_pcd(path, limits)


def _read_ply(path: Path, limits: Limits) -> Iterator[FloatArray]:
    with path.open("rb") as file:
        yield read_ply(file, str(path))


def _read_las(path: Path, limits: Limits) -> Iterator[FloatArray]:
    yield read_las(path, limits)


def _read_npy(path: Path, limits: Limits) -> Iterator[FloatArray]:
    array = open_array(path, str(path))
    named = set(AXES) <= set(array.dtype.names or ())
    for dtype in [array.dtype[axis] for axis in AXES] if named else [array.dtype]:
        if dtype.kind not in "fiu":
            kind = _KINDS.get(dtype.kind, f"values of type {dtype}")
            raise InputError(f"{path}: holds {kind}, it must hold numbers")
    if named:  # of any shape: rows and columns of an image are one frame
        array = np.stack([array[axis].ravel() for axis in AXES], axis=1)
    if array.ndim not in (2, 3) or array.shape[-1] < 3:
        raise InputError(f"{path}: shape {array.shape}, it must be (n, 3) or (frames, n, 3)")
    yield from (frame[:, :3] for frame in (array if array.ndim == 3 else array[None]))


def _read_bin(path: Path, limits: Limits) -> Iterator[FloatArray]:
    """KITTI: x, y, z and the strength of the echo as 4-byte numbers."""
    size = path.stat().st_size
    if size % 16:
        raise InputError(f"{path}: {size} bytes, a KITTI file has 16 for each point")
    yield np.fromfile(path, dtype="<f4").reshape(-1, 4)[:, :3]


# What arrays may hold that no place is made of.
_KINDS = {
    "U": "text",
    "S": "text",
    "b": "truth values",
    "c": "complex numbers",
}
_READERS: dict[str, Callable[[Path, Limits], Iterator[FloatArray]]] = {
    ".pcd": _read_pcd,
    ".ply": _read_ply,
    ".las": _read_las,
    ".laz": _read_las,
    ".npy": _read_npy,
    ".bin": _read_bin,
}
