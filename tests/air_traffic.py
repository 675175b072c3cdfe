"""Files of state vectors for tests: one small week, in every format that the command reads."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from dynmeans.apps.flights.messages import Messages, velocity_of
from dynmeans.datasets import AirTraffic, airline_week


def small_week() -> AirTraffic:
    return airline_week(120, n_routes=6, days=1, interval=300, random_state=3)


def as_messages(week: AirTraffic) -> Messages:
    velocities = velocity_of(week.speeds, week.tracks)
    blank = np.full(len(week.times), "")
    return Messages(week.aircraft, blank, week.times, week.latitudes, week.longitudes, velocities)


def as_rows(week: AirTraffic) -> list[dict[str, Any]]:
    """State vectors under the names of OpenSky's tables."""
    return [
        {"time": t, "icao24": a, "lat": lat, "lon": lon, "velocity": v, "heading": h, "callsign": f"F{a}"}
        for a, t, lat, lon, v, h in zip(
            week.aircraft.tolist(),
            *(
                column.tolist()
                for column in (week.times, week.latitudes, week.longitudes, week.speeds, week.tracks)
            ),
            strict=True,
        )
    ]


def write_csv(rows: list[dict[str, Any]], path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_json(rows: list[dict[str, Any]], path: Path) -> Path:
    data = json.dumps(rows).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path
