"""Inputs of `dynmeans points`: validate parameters, list files, build the background."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dynmeans._files.errors import InputError, InputWarning, error_context
from dynmeans._files.limits import FileLimits
from dynmeans._files.patterns import expand_pattern
from dynmeans._model.costs import AgingParameters, make_costs
from dynmeans._model.types import FloatArray
from dynmeans._tables.chunk import Cells
from dynmeans._tables.feature_warnings import TIME_WORDS
from dynmeans._tables.features import name_words
from dynmeans._tables.sources import Source, read_source
from dynmeans.apps.points import (
    Background,
    EmptyScene,
    Frame,
    Ground,
    TrackerParameters,
    find_table,
    in_order,
    read_frames,
)
from dynmeans.runs._option_names import as_options

_UPPER = 1_000_000  # frames per second, meters per cell, or points
_DEFAULT_RATE = 30.0  # frames per second, of files without a time
_NUMBERED = 5  # first times that are compared with frame numbers
_WIDEST = 1000.0  # meters; a LiDAR reaches half as far to each side
_TIMES, _FRAME = TIME_WORDS | {"t", "seconds"}, "frame"  # last words of names of columns with times


class InputOptions(NamedTuple):
    """Options about the input, as given on the command line."""

    frames: Sequence[Path]
    time: str | None
    rate: float | None
    columns: str | None
    empty: Sequence[Path]
    ground: bool
    limit: Sequence[str]


class Frames(NamedTuple):
    """Input files and the meaning of their times and columns."""

    paths: list[Path]
    time: str | None  # column with seconds, or with frame numbers if a rate is given
    rate: float | None  # frames per second
    columns: list[str] | None  # with the coordinates
    limits: FileLimits = FileLimits()

    def read(self) -> Iterator[Frame]:
        """Read all frames in order."""
        return read_frames(self.paths, self.time, self.limits, self.columns)

    def seconds(self, frame: Frame, number: int) -> float:
        """Return the time of a frame in seconds; `number` counts the frames before it."""
        if frame.time is None:
            return number / (self.rate or _DEFAULT_RATE)
        return frame.time if self.rate is None else frame.time / self.rate


class FrameNumberCheck:
    """Warn once if the first times may be frame numbers and no rate is given."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        self._first: list[float] = []

    def __call__(self, frame: Frame) -> None:
        """Check the time of the next frame."""
        if frame.time is None or self._frames.rate is not None or len(self._first) == _NUMBERED:
            return
        self._first.append(frame.time)
        if len(self._first) == _NUMBERED and _are_frame_numbers(self._first):
            warnings.warn(
                f"the times in {self._frames.time!r} are whole numbers in steps of 1, taken as seconds; "
                "if they are frame numbers, give the frames per second with --rate",
                InputWarning,
                stacklevel=2,
            )


class UnitCheck:
    """Warn once if the first frame with points is too large for a sensor and coordinates in meters."""

    def __init__(self) -> None:
        self._is_done = False

    def __call__(self, frame: Frame) -> None:
        """Check the next frame."""
        if self._is_done or len(frame.points) == 0:
            return
        self._is_done = True
        low, high = np.quantile(frame.points, (0.1, 0.9), axis=0)  # single points may be far away
        span = float((high - low).max())
        if span > _WIDEST:
            warnings.warn(
                f"{frame.name}: most points spread over {span:,.0f} m; coordinates must be meters, so divide "
                "millimeters by 1000",
                InputWarning,
                stacklevel=2,
            )


def _are_frame_numbers(times: Sequence[float]) -> bool:
    steps = {after - before for before, after in pairwise(times)}
    return steps == {1.0} and all(time.is_integer() for time in times)


def warn_of_unused_time(frames: Frames) -> None:
    """Warn if the first file is a table whose rows are one frame, although a column has several times."""
    source = None if frames.time is not None else find_table(frames.paths[0])
    column = None if source is None else _unused_time(frames, source)
    if source is None or column is None:
        return
    is_frame = name_words(column)[-1] == _FRAME
    meaning = "the frame number" if is_frame else "the time in seconds"
    option = f"--time {column}" + (" --rate 10, with your frames per second" if is_frame else "")
    warnings.warn(
        f"{source.name}: column {column!r} is not used, so the whole file is one frame; "
        f"if it is {meaning}, use {option}",
        InputWarning,
        stacklevel=2,
    )


def _unused_time(frames: Frames, source: Source) -> str | None:
    """Return the column with several times or frame numbers, or None.

    If every file is a frame, its points may have different times, but not different frame numbers.
    """
    source, allowed = source._replace(limits=frames.limits), _TIMES if len(frames.paths) == 1 else {_FRAME}
    with warnings.catch_warnings(), suppress(InputError):  # reported when the frames are read
        warnings.simplefilter("ignore", InputWarning)
        first = next(read_source(source, wanted=()), None)
        names = () if first is None else first.names
        column = next((name for name in names if allowed & set(name_words(name)[-1:])), None)
        chunks = () if column is None else read_source(source, wanted=(column,))
        return column if _has_different(chunk.columns[column] for chunk in chunks if column) else None
    return None


def _has_different(parts: Iterable[Cells]) -> bool:
    cells = chain.from_iterable(parts)
    first = next(cells, None)
    return any(cell != first for cell in cells)


def parse_columns(text: str | None) -> list[str] | None:
    """Parse --columns."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if len(names) != 3 or len(set(names)) != 3 or not all(names):
        raise InputError(f"--columns is {text!r}; it must be three different names, such as X,Y,Z")
    return names


def check_ranges(parameters: TrackerParameters, rate: float | None) -> None:
    """Validate parameters before any file is read."""
    values = {"--voxel": parameters.voxel, "--bandwidth": parameters.bandwidth, "--few": parameters.few}
    for name, value in {**values, **({} if rate is None else {"--rate": rate})}.items():
        if not 0 < value < _UPPER:
            raise InputError(f"{name} is {value}; it must be more than 0 and less than {_UPPER:,}")
    if parameters.min_points > 1 and parameters.algorithm == "dmeans":
        raise InputError("--min-points needs --algorithm sdmeans: the cells of dmeans are parts of people")
    try:
        make_costs(parameters.birth_cost, AgingParameters(parameters.lifetime, parameters.reach, None, None))
    except ValueError as error:
        raise InputError(as_options(str(error))) from None


def list_frames(frames: Sequence[Path]) -> list[Path]:
    """List all files in order. Their names must differ, because each names a file of labels."""
    paths = list_files(frames)
    seen: dict[str, Path] = {}
    for path in paths:
        if path.name in seen:
            raise InputError(f"{path}: has the same name as another input, {seen[path.name]}")
        seen[path.name] = path
    return paths


def list_files(paths: Sequence[Path]) -> list[Path]:
    """List files and the files of folders, in order."""
    files = in_order([Path(name) for path in paths for name in expand_pattern(str(path))])
    if not files:
        raise InputError(f"{paths[0]}: no files in it")
    return files


def make_background(empty: Sequence[Path], ground: bool, limits: FileLimits) -> Background | None:
    """Build the background from frames of the empty scene or the ground plane."""
    if empty and ground:
        raise InputError("--empty and --ground: give one of them; an empty scene includes the ground")
    if empty:
        return _empty_scene(empty, limits)
    return Ground() if ground else None


def _empty_scene(paths: Sequence[Path], limits: FileLimits) -> EmptyScene:
    """Read the scene without people; errors name the file."""
    name = "--empty"

    def frames() -> Iterator[FloatArray]:
        nonlocal name
        for frame in read_frames(paths, limits=limits):
            name = frame.name
            yield frame.points

    with error_context(lambda: name):
        return EmptyScene(frames())
