from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dynmeans._files.errors import InputError
from dynmeans._files.run_folder.format import CLUSTERS_TABLE, SAMPLE_TABLE, STEPS_TABLE
from dynmeans._files.run_folder.reader import read_run
from run_folder import write_run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", n_steps=8)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def cut_last_line(path: Path, keep: int) -> None:
    """Leave `keep` characters of the last line, as a writer that is killed does."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-1]) + lines[-1][:keep], "utf-8")


def test_all_numbers_of_a_folder_come_back(folder: Path) -> None:
    run = read_run(folder)
    raw = np.genfromtxt(folder / "clusters.csv", delimiter=",", skip_header=1)
    assert set(run.steps) == set(STEPS_TABLE.columns)
    assert set(run.clusters) == {*CLUSTERS_TABLE.columns, "features"}
    assert set(run.sample) == {*SAMPLE_TABLE.columns, "features"}
    np.testing.assert_array_equal(run.clusters["features"], raw[:, 5:])
    np.testing.assert_array_equal(run.clusters["weight"], raw[:, 3])
    np.testing.assert_array_equal(run.steps["step"], np.arange(1, 9))
    assert run.steps["step"].dtype == np.int64
    lines = (folder / "events.jsonl").read_text().splitlines()
    rest = {"others": (), "tentative": False}
    assert [event._asdict() for event in run.events] == [{**rest, **json.loads(line)} for line in lines]


def test_a_folder_of_version_0_1_0_is_read(folder: Path) -> None:
    expected = read_run(folder).info
    path = folder / "run.json"
    path.write_text(path.read_text().replace('"parameters":', '"settings":'))
    assert read_run(folder).info == expected


def test_features_may_be_named_like_fixed_columns_or_hold_commas_and_line_breaks(tmp_path: Path) -> None:
    names = ["id", "step", 'a,"b"\nc', "time"]
    run = read_run(write_run(tmp_path, n_features=4, features=names))
    assert run.info["features"] == names
    assert run.sample["features"].shape == (len(run.sample["id"]), 4)
    assert run.sample["id"].dtype == np.int64


def test_tables_without_lines_are_empty(folder: Path) -> None:
    for name in ("steps.csv", "clusters.csv", "sample.csv"):
        path = folder / name
        path.write_text(path.read_text().splitlines(keepends=True)[0])
    (folder / "events.jsonl").write_text("")
    run = read_run(folder)
    assert run.clusters["features"].shape == (0, 2)
    assert len(run.steps["step"]) == len(run.sample["id"]) == len(run.events) == 0


def test_a_run_that_was_killed_is_read_up_to_the_last_step_that_is_whole(folder: Path) -> None:
    edit(folder / "run.json", '"complete": true', '"complete": false')
    path = folder / "steps.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-2]))
    for name in ("clusters.csv", "sample.csv", "events.jsonl"):
        cut_last_line(folder / name, keep=7)
    run = read_run(folder)
    for table in (run.steps, run.clusters, run.sample):
        assert table["step"].max() == 5
    assert max(event.step for event in run.events) <= 5


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("run.json", "{", "", "not JSON"),
        ("run.json", '"format": 1', '"format": 2', "format 2, but this version reads format 1"),
        ("run.json", '"format"', '"kind"', "has no 'format'"),
        ("run.json", '"rows"', '"lines"', "'rows' is None; it must be of type int"),
        ("run.json", '["x1", "x2"]', "[]", "at least one name"),
        ("run.json", '"kind": "step"', '"kind": "week"', "'week'"),
        ("run.json", '"rows"', '"scales": [1.0], "rows"', "a scale must be a positive number"),
        ("run.json", '"rows"', '"scales": [1.0, 0], "rows"', "a scale must be a positive number"),
        ("steps.csv", "step,time", "time,step", "the heading is"),
        ("steps.csv", "\n2,", "\nA,", "'A'"),
        ("steps.csv", "\n2,", "\n2.5,", "step of row 2 is 2.5; it must be a whole number"),
        ("steps.csv", "\n3,", "\n2,", "must increase"),
        ("clusters.csv", "\n2,", "\n77,", "step 77 is not in steps.csv"),
        ("sample.csv", "\n1,0,", "\n1,0,0,", "sample.csv"),
        ("events.jsonl", '"birth"', '"wedding"', "events.jsonl, line 1"),
        ("events.jsonl", '"id"', '"who"', "events.jsonl, line 1: not an event"),
        ("events.jsonl", "{", "[", "events.jsonl, line 1: not an event"),
    ],
)
def test_a_damaged_file_gets_one_line_that_names_it(
    folder: Path, file: str, old: str, new: str, message: str
) -> None:
    edit(folder / file, old, new)
    with pytest.raises(InputError) as caught:
        read_run(folder)
    assert message in str(caught.value)
    assert file in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["run.json", "steps.csv", "clusters.csv", "sample.csv", "events.jsonl"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"it has no {name}"):
        read_run(folder)


@pytest.mark.parametrize("name", ["run.json", "steps.csv", "events.jsonl"])
def test_bytes_that_are_no_text_are_an_error_of_the_file(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"\xff\xfe\x00\n")
    with pytest.raises(InputError, match=name):
        read_run(folder)
