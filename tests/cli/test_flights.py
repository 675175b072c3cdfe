from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from air_traffic import as_rows, small_week, write_csv


@pytest.fixture
def week(tmp_path: Path) -> Path:
    return write_csv(as_rows(small_week()), tmp_path / "week.csv")


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def test_a_file_of_messages_becomes_tables_and_a_map(
    dynmeans: Callable[..., Any], week: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "flows"
    outcome = dynmeans("flights", week, "--out", out)
    assert outcome.code == 0
    assert "trajectories  120" in outcome.out
    flights, counts = rows(out / "flights.csv"), rows(out / "counts.csv")
    assert len(flights) == sum(int(row["flights"]) for row in counts) == 120
    ways = json.loads((out / "flows.geojson").read_text())["features"]
    assert sum(way["properties"]["flights"] for way in ways) == 120
    events = [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines()]
    born = {event["id"] for event in events if event["kind"] == "birth"}
    assert born == {int(row["flow"]) for row in flights}
    assert (out / "map.png").read_bytes()[:4] == b"\x89PNG"
    assert (out / "map.svg").exists()


def test_results_that_lie_there_are_not_lost(
    dynmeans: Callable[..., Any], week: Path, tmp_path: Path
) -> None:
    out = tmp_path / "flows"
    out.mkdir()
    (out / "flights.csv").write_text("mine")
    outcome = dynmeans("flights", week, "--out", out)
    assert outcome.code == 2
    assert "--force" in outcome.err
    assert (out / "flights.csv").read_text() == "mine"
    assert dynmeans("flights", week, "--out", out, "--force").code == 0


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (("--area", "1,2,3"), "--area is '1,2,3'"),
        (("--area", "50,40,0,10"), "south < north"),
        (("--area", "10,20,0,10"), "no trajectory"),
        (("--lattice", "10"), "--lattice is '10'"),
        (("--gap", "5rows"), "--gap is '5rows'"),
        (("--every", "soon"), "--every is 'soon'"),
        (("--birth-cost", "-1"), "birth_cost"),
        (("--reach", "0.5"), "reach"),
    ],
)
def test_options_that_cannot_be_are_named_in_one_line(
    dynmeans: Callable[..., Any], week: Path, tmp_path: Path, options: tuple[str, str], rule: str
) -> None:
    outcome = dynmeans("flights", week, "--out", tmp_path / "flows", *options)
    assert outcome.code == 2
    assert rule in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_file_without_a_column_is_named_in_one_line(dynmeans: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time,lat,lon\n1,2,3\n")
    outcome = dynmeans("flights", path)
    assert outcome.code == 2
    assert "no column 'icao24'" in outcome.err
