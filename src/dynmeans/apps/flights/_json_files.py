"""Read state vectors from JSON: arrays of objects, or responses of the OpenSky API."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from dynmeans._files.errors import InputError, error_context
from dynmeans._files.limits import FileLimits
from dynmeans._tables.readers.json_lines import check_unicode

# State vectors of the OpenSky API are arrays; these are their first entries.
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
# Memory of a Python list or dict, and of one entry, in bytes.
_CONTAINER, _ENTRY = 100, 50


def read_json(path: Path, name: str, limits: FileLimits) -> list[dict[str, Any]]:
    """Read an array of objects, with optional keys, or a response of the OpenSky API.

    Parameters
    ----------
    path : Path
        Gzipped if its name ends in ``.gz``.
    name : str
        Name of the file in errors.
    limits : FileLimits

    Raises
    ------
    InputError
        If it is neither, or needs far more memory than the size of the file.
    """
    with error_context(name):
        text = _text(path, name, limits)
        value = json.loads(text)
        check_unicode(text, value)
    if isinstance(value, list) and all(isinstance(row, dict) for row in value):
        return value
    states = value.get("states", 0) if isinstance(value, dict) else 0
    if states is None:  # no aircraft
        return []
    if isinstance(states, list) and all(isinstance(row, list) for row in states):
        return [dict(zip(_OPENSKY, row, strict=False)) for row in states]
    raise InputError(f"{name}: JSON must be an array of objects or a response of the OpenSky API ('states')")


def _text(path: Path, name: str, limits: FileLimits) -> str:
    """Read the text of a file, unless it or the parsed data would be too large."""
    size = path.stat().st_size
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        data = file.read(limits.allowance(size) + 1)
    limits.check_bytes(len(data), size, name, "the text once decompressed")
    parts = _CONTAINER * (data.count(b"{") + data.count(b"[")) + _ENTRY * data.count(b",")
    limits.check_bytes(parts, size, name, "the JSON once parsed")
    return data.decode(json.detect_encoding(data))
