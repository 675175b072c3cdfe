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
    flows = json.loads((out / "flows.geojson").read_text())["features"]
    assert sum(flow["properties"]["flights"] for flow in flows) == 120
    events = [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines()]
    born = {event["id"] for event in events if event["kind"] == "birth"}
    assert born == {int(row["flow"]) for row in flights}
    assert (out / "map.png").read_bytes()[:4] == b"\x89PNG"
    assert (out / "map.svg").exists()


def test_existing_results_are_not_overwritten(
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


def test_an_input_is_never_overwritten(dynmeans: Callable[..., Any], week: Path, tmp_path: Path) -> None:
    mine = tmp_path / "flights.csv"
    week.rename(mine)
    before = mine.read_bytes()
    outcome = dynmeans("flights", mine, "--out", tmp_path, "--force")
    assert outcome.code == 2
    assert "an input that the run would overwrite" in outcome.err
    assert mine.read_bytes() == before


def crossing(path: Path, *, step: float = 1800.0) -> Path:
    """Three flights over the antimeridian, whose callsigns come late."""
    messages = [
        {
            "time": step * flight + 60 * i,
            "icao24": f"A{flight}",
            "lat": 10.0,
            "lon": (179.0 + 0.2 * i + 180) % 360 - 180,
            "callsign": f"F{flight}" if i else "",
        }
        for flight in range(3)
        for i in range(12)
    ]
    return write_csv(messages, path)


def test_flights_over_the_antimeridian_are_one_flow_on_both_sides(
    dynmeans: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / "flows"
    assert dynmeans("flights", crossing(tmp_path / "a.csv"), "--out", out).code == 0
    flights = rows(out / "flights.csv")
    assert [row["callsign"] for row in flights] == ["F0", "F1", "F2"]
    assert {row["flow"] for row in flights} == {"0"}
    assert all(-180 <= float(row["end_longitude"]) < -178 for row in flights)
    (flow,) = json.loads((out / "flows.geojson").read_text())["features"]
    assert flow["geometry"]["type"] == "MultiLineString"
    east, west = flow["geometry"]["coordinates"]
    assert all(x > 178 for x, _ in east)
    assert all(x < -178 for x, _ in west)


def test_the_map_has_a_shape_and_a_width_whatever_the_traffic(
    dynmeans: Callable[..., Any], tmp_path: Path
) -> None:
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("matplotlib")
    years = crossing(tmp_path / "a.csv", step=1e9)  # more windows than a picture has columns
    out = tmp_path / "flows"
    assert dynmeans("flights", years, "--out", out).code == 0
    with image.open(out / "map.png") as picture:
        width, height = picture.size
    assert 0.5 < width / height < 2


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (("--area", "1,2,3"), "--area is '1,2,3'"),
        (("--area", "50,40,0,10"), "south < north"),
        (("--area", "10,20,0,10"), "no trajectory"),
        (("--lattice", "10"), "--lattice is '10'"),
        (("--area", "10,20,5,5"), "west before east"),
        (("--gap", "5rows"), "--gap is '5rows'"),
        (("--gap", "0s"), "a time above zero"),
        (("--seed", str(2**64)), "--seed"),
        (("--every", "soon"), "--every is 'soon'"),
        (("--birth-cost", "-1"), "--birth-cost must be"),
        (("--reach", "0.5"), "reach"),
    ],
)
def test_invalid_options_are_named_in_one_line(
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
