"""State vectors in JSON: arrays of objects, and answers of OpenSky's interface."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from dynmeans._files.errors import InputError, error_context
from dynmeans._files.limits import Limits
from dynmeans._tables.text import check_unicode

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
# Bytes that Python takes for a list or an object, and for an entry of one.
_CONTAINER, _ENTRY = 100, 50


def read_json(path: Path, name: str, limits: Limits) -> list[dict[str, Any]]:
    """Read an array of objects, some of which may lack a key, or the answer of OpenSky's interface.

    Parameters
    ----------
    path : Path
        Gzipped if its name ends in ``.gz``.
    name : str
        What errors call it.
    limits : Limits

    Raises
    ------
    InputError
        If it is neither, or takes far more memory than the file has bytes.
    """
    with error_context(name):
        text = _text(path, name, limits)
        value = json.loads(text)
        check_unicode(text, value)
    if isinstance(value, list) and all(isinstance(row, dict) for row in value):
        return value
    states = value.get("states", 0) if isinstance(value, dict) else 0
    if states is None:  # nothing flies
        return []
    if isinstance(states, list) and all(isinstance(row, list) for row in states):
        return [dict(zip(_OPENSKY, row, strict=False)) for row in states]
    raise InputError(f"{name}: JSON must be an array of objects or an answer of OpenSky ('states')")


def _text(path: Path, name: str, limits: Limits) -> str:
    """Text of a file, unless it or what Python would make of it is too large."""
    size = path.stat().st_size
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        data = file.read(limits.allowance(size) + 1)
    limits.check_bytes(len(data), size, name, "the text once decompressed")
    parts = _CONTAINER * (data.count(b"{") + data.count(b"[")) + _ENTRY * data.count(b",")
    limits.check_bytes(parts, size, name, "the JSON once parsed")
    return data.decode(json.detect_encoding(data))
