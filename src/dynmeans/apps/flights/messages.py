"""ADS-B state vectors from files: columns by any of their usual names, in any of the usual units."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynmeans.io.cells import lenient
from dynmeans.io.errors import InputError, blame
from dynmeans.io.pieces import Cells
from dynmeans.io.sources import find_source, read_source
from dynmeans.model.types import FloatArray

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
_NEEDED = ("aircraft", "time", "latitude", "longitude")
# The state vectors of OpenSky's interface are arrays; these are their first entries.
_OPENSKY = (
    "icao24",
    "callsign",
    "origin_country",
    "time_position",
    "last_contact",
    "longitude",
    "latitude",
    "baro_altitude",
    "on_ground",
    "velocity",
    "true_track",
)
_KNOT = 0.514444  # m/s
# Times above these are in parts of a second, of which there are so many.
_ABOVE, _PARTS = (1e17, 1e14, 1e11), (1e9, 1e6, 1e3)
_YEARS = (-62_135_596_800.0, 253_402_300_799.0)  # from year 1 to 9999, which is what calendars know
_NOTHING = frozenset(("", "null", "none", "nan", "na", "n/a"))  # words for a value that is missing

Text = NDArray[np.str_]


class Messages(NamedTuple):
    """State vectors as they were sent, one row each; NaN and "" where a value is missing."""

    aircraft: Text  # (n,)
    callsigns: Text  # (n,)
    times: FloatArray  # (n,)  seconds since 1970 UTC
    latitudes: FloatArray  # (n,)  degrees
    longitudes: FloatArray  # (n,)  degrees
    velocities: FloatArray  # (n, 2)  to the east and to the north, m/s

    def take(self, which: Any) -> Messages:
        """Return some of the messages."""
        return Messages(*(column[which] for column in self))


def read_messages(names: Sequence[str]) -> Messages:
    """Read state vectors from files.

    Parameters
    ----------
    names : sequence of str
        CSV, TSV, JSON Lines, Parquet or Arrow files, JSON arrays of objects, or answers of OpenSky's
        interface. Columns are known by their usual names: ``icao24``, ``timestamp`` or ``time``,
        ``latitude`` or ``lat``, ``longitude`` or ``lon``; ``groundspeed`` (knots) or ``velocity`` (m/s)
        and ``track`` or ``heading`` (degrees) where they are there; ``callsign``.

    Returns
    -------
    Messages
        Of all files, in their order.

    Raises
    ------
    InputError
        If a file cannot be read or lacks a column that is needed.
    """
    parts = [_messages(columns, name) for name in names for columns in _tables(name)]
    if not parts:
        raise InputError(f"{', '.join(names)}: no messages")
    return Messages(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _tables(name: str) -> Iterator[Mapping[str, Cells]]:
    """Tables of cells that a file holds, one after another."""
    path = Path(name)
    if path.name.lower().endswith((".json", ".json.gz")):
        rows = _read_json(path, name)
        keys = dict.fromkeys(key for row in rows for key in row)
        if rows:
            yield {key: [row.get(key) for row in rows] for key in keys}
        return
    for piece in read_source(find_source(name)):
        yield piece.columns


def _read_json(path: Path, name: str) -> list[dict[str, Any]]:
    """An array of objects, some of which may lack a key, or the answer of OpenSky's interface."""
    with blame(name):
        data = path.read_bytes()
        value = json.loads(gzip.decompress(data) if path.suffix.lower() == ".gz" else data)
    if isinstance(value, list) and all(isinstance(row, dict) for row in value):
        return value
    states = value.get("states", 0) if isinstance(value, dict) else 0
    if states is None:  # nothing flies
        return []
    if isinstance(states, list) and all(isinstance(row, list) for row in states):
        return [dict(zip(_OPENSKY, row, strict=False)) for row in states]
    raise InputError(f"{name}: JSON must be an array of objects or an answer of OpenSky ('states')")


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
    return Messages(
        np.char.lower(_words(found["aircraft"], n)),
        _words(found["callsign"], n),
        times,
        numbers["latitude"],
        numbers["longitude"],
        velocity_of(speed, numbers["track"]),
    )


def velocity_of(speeds: FloatArray, tracks: FloatArray) -> FloatArray:
    """Velocity to the east and to the north of a speed along a track in degrees from north, shape (n, 2)."""
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
    """Seconds since 1970 UTC, from dates, or from seconds or parts of them."""
    cells = [] if cells is None else cells
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "M":
        return lenient(cells, "date")
    times = lenient(cells, "number")
    untold = np.flatnonzero(np.isnan(times))
    times[untold] = lenient([cells[i] for i in untold.tolist()], "date")
    times = times / np.select([times > above for above in _ABOVE], _PARTS, 1.0)
    return np.where((times >= _YEARS[0]) & (times <= _YEARS[1]), times, np.nan)


def _words(cells: Cells | None, n: int) -> Text:
    if cells is None:
        return np.full(n, "")
    words = (str(cell).strip() for cell in cells)
    return np.array(["" if word.lower() in _NOTHING else word for word in words], dtype=np.str_)
