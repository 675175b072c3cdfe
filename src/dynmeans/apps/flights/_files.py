"""Write flights, counts, events and mean paths of flows."""

from __future__ import annotations

import csv
import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from dynmeans._files.atomic_write import atomic_write, make_folder
from dynmeans.apps.flights.flows import Flow, Flows, largest_flows

FLIGHTS_FILE = "flights.csv"
COUNTS_FILE = "counts.csv"
EVENTS_FILE = "events.jsonl"
PATHS_FILE = "flows.geojson"
MAP_FILES = ("map.png", "map.svg")
FILES = (FLIGHTS_FILE, COUNTS_FILE, EVENTS_FILE, PATHS_FILE, *MAP_FILES)


def write_flows(flows: Flows, folder: Path) -> None:
    """Write all tables of the flows into a folder, each atomically.

    Parameters
    ----------
    flows : Flows
    folder : Path
        Created if missing.
    """
    make_folder(folder)
    for name in MAP_FILES:
        (folder / name).unlink(missing_ok=True)  # a map of an earlier run would not match these tables
    _write_rows(folder / FLIGHTS_FILE, _flight_rows(flows))
    _write_rows(folder / COUNTS_FILE, _count_rows(flows))
    lines = [json.dumps({**event._asdict(), "time": iso(event.time)}) for event in flows.events]
    _write_text(folder / EVENTS_FILE, "".join(f"{line}\n" for line in lines))
    paths = [_feature(flow) for flow in largest_flows(flows, len(np.unique(flows.labels)))]
    _write_text(folder / PATHS_FILE, json.dumps({"type": "FeatureCollection", "features": paths}))


def iso(seconds: float) -> str:
    """Format a time in UTC as ISO 8601."""
    return datetime.fromtimestamp(seconds, tz=timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _flight_rows(flows: Flows) -> list[dict[str, Any]]:
    flights, messages = flows.flights, flows.flights.messages
    return [
        {
            "flow": int(flows.labels[f]),
            "aircraft": messages.aircraft[first],
            "callsign": next(filter(None, messages.callsigns[first : last + 1].tolist()), ""),
            "start": iso(messages.times[first]),
            "end": iso(messages.times[last]),
            "window": iso(flows.windows[f]),
            "messages": int(last - first + 1),
            "start_latitude": round(float(messages.latitudes[first]), 4),
            "start_longitude": _longitude(messages.longitudes[first]),
            "end_latitude": round(float(messages.latitudes[last]), 4),
            "end_longitude": _longitude(messages.longitudes[last]),
        }
        for f, (first, last) in enumerate(zip(flights.first, flights.last, strict=True))
    ]


def _longitude(degrees: float) -> float:
    """Wrap a longitude to -180 .. 180."""
    return round(float(degrees - 360.0 * np.rint(degrees / 360.0)), 4)


def _count_rows(flows: Flows) -> list[dict[str, Any]]:
    pairs = np.stack([flows.windows, flows.labels], axis=1)
    found, counts = np.unique(pairs, axis=0, return_counts=True)
    return [
        {"window": iso(window), "flow": int(flow), "flights": int(count)}
        for (window, flow), count in zip(found, counts, strict=True)
    ]


def _feature(flow: Flow) -> dict[str, Any]:
    """Convert a mean path to GeoJSON, split at the antimeridian as the format requires."""
    turns = np.rint(flow.path[:, 0] / 360.0)
    parts = np.split(np.round(flow.path, 4), np.flatnonzero(np.diff(turns)) + 1)
    paths = [[[_longitude(x), y] for x, y in part.tolist()] for part in parts]
    geometry = (
        {"type": "LineString", "coordinates": paths[0]}
        if len(paths) == 1
        else {"type": "MultiLineString", "coordinates": paths}
    )
    return {
        "type": "Feature",
        "properties": {"flow": flow.id, "flights": len(flow.members)},
        "geometry": geometry,
    }


def _write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    with atomic_write(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _write_text(path: Path, text: str) -> None:
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
