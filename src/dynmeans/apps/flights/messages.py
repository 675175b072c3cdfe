"""Read ADS-B state vectors: columns by their usual names, in their usual units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynmeans._files.errors import InputError
from dynmeans._files.limits import FileLimits
from dynmeans._model.types import FloatArray
from dynmeans._tables.cells import lenient
from dynmeans._tables.chunk import Cells, check_distinct
from dynmeans._tables.sources import find_source, read_source
from dynmeans.apps.flights._json_files import read_json

_NAMES = {
    "aircraft": ("icao24", "icao", "hex", "aircraft"),
    "time": ("timestamp", "time", "ts", "time_position"),
    "latitude": ("latitude", "lat"),
    "longitude": ("longitude", "lon", "lng", "long"),
    "knots": ("groundspeed", "gs"),
    "speed": ("velocity", "speed"),
    "track": ("track", "heading", "true_track"),
    "callsign": ("callsign", "flight"),
}
_KNOWN = frozenset(name for names in _NAMES.values() for name in names)
_NEEDED = ("aircraft", "time", "latitude", "longitude")
_KNOT = 0.514444  # m/s
# Times above these thresholds are in ns, us or ms.
_ABOVE, _PARTS = (1e17, 1e14, 1e11), (1e9, 1e6, 1e3)
_YEARS = (-62_135_596_800.0, 253_402_300_799.0)  # years 1 to 9999, the range of datetime
_MESSAGE_BYTES = 56  # in memory, without names
_NOTHING = frozenset(("", "null", "none", "nan", "na", "n/a"))  # words for a missing value

Text = NDArray[Any]  # objects of type str, because a fixed-width array would be as wide as its longest entry


class Messages(NamedTuple):
    """State vectors, one row each; missing values are NaN and ""."""

    aircraft: Text  # (n,)
    callsigns: Text  # (n,)
    times: FloatArray  # (n,)  seconds since 1970 UTC
    latitudes: FloatArray  # (n,)  degrees
    longitudes: FloatArray  # (n,)  degrees
    velocities: FloatArray  # (n, 2)  to the east and to the north, m/s

    def take(self, which: Any) -> Messages:
        """Select messages."""
        return Messages(*(column[which] for column in self))


def read_messages(
    names: Sequence[str],
    limits: FileLimits = FileLimits(),  # noqa: B008
) -> Messages:
    """Read state vectors from files.

    Parameters
    ----------
    names : sequence of str
        CSV, TSV, JSON Lines, Parquet or Arrow files, JSON arrays of objects, or responses of the
        OpenSky API. Columns are recognized by their usual names: ``icao24``, ``timestamp`` or ``time``,
        ``latitude`` or ``lat``, ``longitude`` or ``lon``; ``groundspeed`` (knots) or ``velocity`` (m/s)
        and ``track`` or ``heading`` (degrees) if present; ``callsign``.
    limits : FileLimits
        Limits on memory and sizes.

    Returns
    -------
    Messages
        Messages of all files, in order.

    Raises
    ------
    InputError
        If a file cannot be read or lacks a required column.
    """
    parts = [part for name in names for part in _parts(name, limits)]
    if not parts:
        raise InputError(f"{', '.join(names)}: no messages")
    return Messages(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _parts(name: str, limits: FileLimits) -> Iterator[Messages]:
    """Yield the messages of a file, within the memory limit."""
    taken = 0
    for columns in _tables(name, limits):
        part = _messages(columns, name)
        taken += sum(column.nbytes for column in part)
        if Path(name).is_file():  # a stream is not compressed
            size = Path(name).stat().st_size
            limits.check_bytes(taken, size, name, f"its content up to message {taken // _MESSAGE_BYTES:,}")
        yield part


def _tables(name: str, limits: FileLimits) -> Iterator[Mapping[str, Cells]]:
    """Yield the tables of a file."""
    path = Path(name)
    if path.name.lower().endswith((".json", ".json.gz")):
        rows = read_json(path, name, limits)
        keys = dict.fromkeys(key for row in rows for key in row)
        if rows:
            yield {key: [row.get(key) for row in rows] for key in keys}
        return
    for piece in read_source(find_source(name, limits=limits)):
        known = [key for key in piece.names if key.strip().lower() in _KNOWN]
        check_distinct(known, piece.names, name)
        yield piece.columns


def _messages(columns: Mapping[str, Cells], name: str) -> Messages:
    found = {role: _column(columns, names) for role, names in _NAMES.items()}
    for role in _NEEDED:
        if found[role] is None:
            wanted, there = " or ".join(map(repr, _NAMES[role])), ", ".join(columns)
            raise InputError(f"{name}: no column {wanted}; the columns are {there}")
    times = _times(found["time"])
    n = len(times)
    numbers = {role: _numbers(found[role], n) for role in ("latitude", "longitude", "track")}
    speed = _numbers(found["speed"], n) if found["knots"] is None else _KNOT * _numbers(found["knots"], n)
    speed = np.where(np.isfinite(speed) & (speed >= 0), speed, np.nan)
    track = np.where(np.isfinite(numbers["track"]), numbers["track"], np.nan)
    return Messages(
        aircraft=_words(found["aircraft"], n, lower=True),
        callsigns=_words(found["callsign"], n),
        times=times,
        latitudes=numbers["latitude"],
        longitudes=numbers["longitude"],
        velocities=velocity_of(speed, track),
    )


def velocity_of(speeds: FloatArray, tracks: FloatArray) -> FloatArray:
    """Convert speed and track (degrees from north) to velocity (n, 2): east and north."""
    heading = np.radians(tracks)
    velocities: FloatArray = speeds[:, None] * np.stack([np.sin(heading), np.cos(heading)], axis=1)
    return velocities


def _column(columns: Mapping[str, Cells], names: Sequence[str]) -> Cells | None:
    lower = {key.strip().lower(): key for key in columns}
    key = next((lower[name] for name in names if name in lower), None)
    return None if key is None else columns[key]


def _numbers(cells: Cells | None, n: int) -> FloatArray:
    return np.full(n, np.nan) if cells is None else lenient(cells, "number")


def _times(cells: Cells | None) -> FloatArray:
    """Convert dates, or seconds, ms, us or ns, to seconds since 1970 UTC."""
    cells = [] if cells is None else cells
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "M":
        return lenient(cells, "date")
    times = lenient(cells, "number")
    missing = np.flatnonzero(np.isnan(times))
    times[missing] = lenient([cells[i] for i in missing.tolist()], "date")
    times = times / np.select([times > above for above in _ABOVE], _PARTS, 1.0)
    return np.where((times >= _YEARS[0]) & (times <= _YEARS[1]), times, np.nan)


def _words(cells: Cells | None, n: int, lower: bool = False) -> Text:
    words = np.full(n, "", dtype=object)
    if cells is not None:
        known: dict[str, str] = {}  # messages of one aircraft share its name
        words[:] = [known.setdefault(word, word) for word in (_word(cell, lower) for cell in cells)]
    return words


def _word(cell: object, lower: bool) -> str:
    word = str(cell).strip()
    small = word.lower()
    if small in _NOTHING:
        return ""
    return small if lower else word
