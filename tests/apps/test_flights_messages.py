from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from air_traffic import as_messages, as_rows, small_week, write_csv, write_json
from dynmeans._files.errors import InputError
from dynmeans.apps.flights.messages import Messages, read_messages


def same(found: Messages, wanted: Messages) -> None:
    np.testing.assert_array_equal(found.aircraft, wanted.aircraft)
    for name in ("times", "latitudes", "longitudes", "velocities"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["week.csv", "week.json", "week.json.gz", "week.jsonl", "week.parquet"])
def test_every_format_gives_the_same_messages(tmp_path: Path, name: str) -> None:
    week = small_week()
    rows, path = as_rows(week), tmp_path / name
    if name.endswith(".csv"):
        write_csv(rows, path)
    elif ".json" in name and not name.endswith("jsonl"):
        write_json(rows, path)
    elif name.endswith("jsonl"):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    found = read_messages([str(path)])
    same(found, as_messages(week))
    assert found.callsigns[0] == f"F{found.aircraft[0]}"


def test_the_answer_of_openskys_interface_is_read(tmp_path: Path) -> None:
    state = ["3c6444", "DLH9LF  ", "Germany", 1458564120, 1458564120, 6.15, 50.19, 9639, False, 232.8, 98.2]
    path = tmp_path / "states.json"
    path.write_text(json.dumps({"time": 1458564121, "states": [state, [*state[:5], None, None, *state[7:]]]}))
    found = read_messages([str(path)])
    assert (found.aircraft[0], found.callsigns[0], found.times[0]) == ("3c6444", "DLH9LF", 1458564120)
    assert (found.latitudes[0], found.longitudes[0]) == (50.19, 6.15)
    assert np.isnan(found.latitudes[1])
    np.testing.assert_allclose(np.hypot(*found.velocities[0]), 232.8)


@pytest.mark.parametrize(
    ("time", "seconds"),
    [
        (1533101250, 1533101250),
        (1533101250 * 10**3, 1533101250),
        (1533101250 * 10**6, 1533101250),
        (1533101250 * 10**9, 1533101250),
        ("2018-08-01T05:27:30Z", 1533101250),
        ("2018-08-01 05:27:30 UTC", 1533101250),
    ],
)
def test_times_are_seconds_or_parts_of_them_or_dates(tmp_path: Path, time: object, seconds: float) -> None:
    row = {"timestamp": time, "icao24": "a", "latitude": 1, "longitude": 2, "groundspeed": 100, "track": 90}
    found = read_messages([str(write_json([row], tmp_path / "a.json"))])
    assert found.times[0] == seconds
    np.testing.assert_allclose(found.velocities[0], [51.4444, 0.0], atol=1e-9)  # knots


def test_cells_without_a_value_are_missing_and_not_errors(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time,icao24,lat,lon\n1,aa,,2\nx,bb,1,oops\n2,cc,3,4\n")
    found = read_messages([str(path)])
    np.testing.assert_array_equal(np.isnan(found.times), [False, True, False])
    np.testing.assert_array_equal(np.isnan(found.latitudes), [True, False, False])
    np.testing.assert_array_equal(np.isnan(found.longitudes), [False, True, False])
    assert np.isnan(found.velocities).all()


@pytest.mark.parametrize("first", ["", "null", "NaN", "x", "1e300"])
def test_an_invalid_time_does_not_affect_later_ones(tmp_path: Path, first: str) -> None:
    path = tmp_path / "a.csv"
    dates = "".join(f"2020-01-01T00:00:{i:02}Z,aa,1,2\n" for i in range(3))
    path.write_text(f"time,icao24,lat,lon\n{first},aa,1,2\n{dates}")
    np.testing.assert_array_equal(np.isnan(read_messages([str(path)]).times), [True, False, False, False])


def test_words_for_a_missing_value_are_no_aircraft_and_case_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time,icao24,lat,lon,callsign\n1,null,1,2,SWR1\n2,NaN,1,2,None\n3,4B18FE,1,2,SWR2\n")
    found = read_messages([str(path)])
    assert found.aircraft.tolist() == ["", "", "4b18fe"]
    assert found.callsigns.tolist() == ["SWR1", "", "SWR2"]


@pytest.mark.parametrize("speed", ["-9999", "inf", "nan", ""])
def test_an_invalid_speed_is_missing(tmp_path: Path, speed: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"time,icao24,lat,lon,velocity,heading\n1,aa,1,2,{speed},45\n")
    assert np.isnan(read_messages([str(path)]).velocities).all()


def test_json_lines_may_omit_keys(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    known = {"time": 1, "icao24": "aa", "lat": 1, "lon": 2, "velocity": 100, "heading": 90}
    lines = [known, {key: value for key, value in known.items() if key != "velocity"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    np.testing.assert_array_equal(np.isnan(read_messages([str(path)]).velocities[:, 0]), [False, True])


def test_an_answer_without_aircraft_adds_nothing_to_the_others(tmp_path: Path) -> None:
    full = write_json(as_rows(small_week()), tmp_path / "FULL.JSON")
    nothing = tmp_path / "nothing.json"
    nothing.write_text('{"time": 1, "states": null}')
    same(read_messages([str(full), str(nothing)]), as_messages(small_week()))


@pytest.mark.parametrize(
    ("text", "name", "rule"),
    [
        ("time,icao24,lat\n1,a,2\n", "a.csv", "no column 'longitude' or 'lon'"),
        ("[1, 2]", "a.json", "array of objects"),
        ('{"states": 3}', "a.json", "array of objects"),
        ('[{"time": 1', "a.json", "a.json"),
        ("[]", "a.json", "no messages"),
        ('{"states": null}', "a.json", "no messages"),
        ('{"states": [5]}', "a.json", "array of objects"),
        ("[" * 100_000, "a.json", "a.json: nested too deeply"),
        ("", "a.csv", "empty"),
    ],
)
def test_files_without_messages_are_named_in_one_line(
    tmp_path: Path, text: str, name: str, rule: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=rule) as caught:
        read_messages([str(path)])
    assert "\n" not in str(caught.value)


def test_a_track_that_is_not_finite_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("icao24,time,lat,lon,velocity,heading\na,1,50,8,200,1e999\na,2,50,8,200,90\n")
    assert np.isnan(read_messages([str(path)]).velocities).tolist() == [[True, True], [False, False]]
