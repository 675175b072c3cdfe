"""The progress of a run in a state file: impossible entries are refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynmeans._files.atomic_write import remove_leftovers
from dynmeans._files.snapshot import Snapshot, SnapshotError, read_snapshot, write_snapshot
from dynmeans.estimators._state_files.run_models import RUN
from dynmeans.runs import InputError, RunParameters, cluster_files
from dynmeans.runs._report import draw_report
from dynmeans.runs._resume.progress import from_json
from point_files import write_points

PARAMETERS = RunParameters(time="when", every="1min", birth_cost=0.06, standardize=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("run")
    cluster_files(write_points(base / "points.csv"), PARAMETERS, out=base / "out", state=base / "state")
    return base


def _set(*path: Any) -> Callable[[dict[str, Any]], None]:
    """Return a change that sets an entry, given by its keys, to the last argument."""
    *keys, last, value = path

    def change(progress: Any) -> None:
        for key in keys:
            progress = progress[key]
        progress[last] = value

    return change


FALSE = {
    "out is a number": _set("out", 3),
    "complete is a word": _set("complete", "yes"),
    "no parameters": _set("parameters", []),
    "an input without a name": _set("inputs", [{"size": 3}]),
    "a negative size": _set("inputs", 0, "size", -1),
    "a negative position": _set("position", [0, -1]),
    "a position with four numbers": _set("position", [0, 1, 2, 3]),
    "a foreign window": _set("windows", {"width": 3}),
    "a window at infinity": _set("windows", "anchor", float("inf")),
    "a clock that is text": _set("clock", "noon"),
    "a negative count": _set("rows", -1),
    "a huge count": _set("steps", 2**62),
    "a length that is true": _set("lengths", "steps.csv", True),
    "a length outside the folder": _set("lengths", "../points.csv", 0),
    "an output outside the folder": _set("outputs", "/etc/passwd", {"size": 0, "hash": ""}),
    "an output without a checksum": _set("outputs", "steps.csv", {"size": 0}),
    "an unknown entry of columns": _set("columns", "color", "red"),
    "a feature that is a number": _set("columns", "features", [1, 2]),
    "a time column that is a list": _set("columns", "time", ["when"]),
    "a time column that the file does not have": _set("columns", "time", "velocity"),
    "a feature that the file does not have": _set("columns", "features", ["x", "z"]),
    "dates that are a word": _set("columns", "dated", "yes"),
    "a scale of another width": _set("scale", "mean", [0.0]),
    "a deviation of zero": _set("scale", "deviation", [0.0, 1.0]),
    "an unknown entry": _set("surprise", 1),
    "an unknown entry of two lines": _set("two\nlines", 1),
    "a file of two lines": _set("lengths", "two\nlines", -1),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_false_entry_is_refused_in_one_line(folder: Path, name: str) -> None:
    header = read_snapshot(folder / "state").header
    FALSE[name](header[RUN])
    with pytest.raises(SnapshotError) as caught:
        from_json(header, "the state")
    assert str(caught.value).startswith("the state: ")
    assert "\n" not in str(caught.value)


def _unfinished(folder: Path, target: Path, **changes: Any) -> Path:
    """Write the state file of a run that is not complete."""
    header, arrays = read_snapshot(folder / "state")
    header[RUN] |= {"complete": False, "outputs": {}, **changes}
    write_snapshot(target, Snapshot(header, arrays))
    return target


def test_a_position_after_the_last_input_is_refused(folder: Path, tmp_path: Path) -> None:
    state = _unfinished(folder, tmp_path / "state", position=[1, 0])
    with pytest.raises(InputError, match="stopped in input 2, but there are 1"):
        cluster_files(folder / "points.csv", PARAMETERS, out=folder / "out", state=state)


def test_a_state_file_without_all_lengths_is_refused(folder: Path, tmp_path: Path) -> None:
    state = _unfinished(folder, tmp_path / "state", lengths={"steps.csv": 10})
    with pytest.raises(InputError, match="no file of this run, or its length is unknown"):
        cluster_files(folder / "points.csv", PARAMETERS, out=folder / "out", state=state)


def test_a_report_removes_what_a_killed_process_left(folder: Path) -> None:
    remove_leftovers(folder / "out")
    leftover = folder / "out" / ".report.0123456789abcdef.tmp.html"
    leftover.write_text("half")
    draw_report(folder / "out")
    assert not leftover.exists()


def test_a_parameter_that_is_a_list_of_lists_is_named(folder: Path) -> None:
    snapshot = read_snapshot(folder / "state")
    snapshot.header[RUN]["parameters"]["features"] = [[]]
    false = folder / "false"
    write_snapshot(false, snapshot)
    with pytest.raises(InputError, match=r"belongs to a run with --features \[\], but here it is not given"):
        cluster_files([str(folder / "points.csv")], PARAMETERS, out=folder / "out", state=false)
