"""Runs from Python: the same files as the command, resume after an interruption, checked parameters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans.runs import (
    InputError,
    InputWarning,
    RunInterrupted,
    RunParameters,
    RunStatus,
    cluster_files,
    read_run,
)
from dynmeans.runs import _session as session
from dynmeans.runs._setup import time_steps
from point_files import contents, write_points

PARAMETERS = RunParameters(time="when", every="1min", birth_cost=0.06, lifetime=3, standardize=True)
LINE = ["--time", "when", "--every", "1min", "--birth-cost", "0.06", "--lifetime", "3", "--standardize"]


@pytest.fixture
def points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_points(Path("points.csv"))


def test_a_call_writes_the_same_files_as_the_command(points: Path) -> None:
    cluster_files(points, PARAMETERS, out="python", state="a")
    command = [sys.executable, "-m", "dynmeans", "cluster", str(points), *LINE, "--out", "command"]
    subprocess.run([*command, "--state", "b"], check=True, timeout=120)
    assert contents(Path("python")) == contents(Path("command"))


def test_the_command_accepts_the_state_of_a_call(points: Path) -> None:
    cluster_files([str(points)], PARAMETERS._replace(features=("x", "y")), out="out", state="state")
    command = [sys.executable, "-m", "dynmeans", "cluster", str(points), *LINE, "--features", "x,y"]
    done = subprocess.run(
        [*command, "--out", "out", "--state", "state"], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.startswith("already complete: 240 rows in 12 steps")


def write_gap(path: Path) -> Path:
    """Two clusters, one hour without rows, and a third."""
    rows = ["0,0.0", "0,9.0", "60,0.1", "3660,0.2", "3660,20.0"]
    path.write_text("\n".join(["when,x", *rows, ""]))
    return path


GAP = RunParameters(time="when", every="60", birth_cost=1.0, lifetime=4)


def test_windows_without_rows_are_steps_until_all_clusters_are_dead(tmp_path: Path) -> None:
    cluster_files(write_gap(tmp_path / "gap.csv"), GAP, out=tmp_path / "out")
    run = read_run(tmp_path / "out")
    assert run.steps["time"].tolist() == [0.0, 60.0, 120.0, 180.0, 240.0, 300.0, 360.0, 3660.0]
    assert run.steps["rows"].tolist() == [2, 1, 0, 0, 0, 0, 0, 2]
    times = {(event.kind, event.id): event.time for event in run.events}
    assert sorted((times["sleep", k], times["death", k]) for k in (0, 1)) == [(60.0, 240.0), (120.0, 300.0)]
    assert (tmp_path / "out" / "report.html").exists()


def test_a_long_gap_has_a_limited_number_of_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_steps, "MAX_EMPTY_STEPS", 3)
    result = cluster_files(write_gap(tmp_path / "gap.csv"), GAP._replace(lifetime=100), out=tmp_path / "out")
    assert result.steps == 3 + 3


@pytest.mark.parametrize("step", [2, 3, 5])
def test_a_call_that_was_interrupted_in_a_gap_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    def interrupt(status: RunStatus) -> None:
        if status.steps == step:
            raise KeyboardInterrupt

    monkeypatch.setattr(session, "CHECKPOINT_SECONDS", 0.0)
    gap, state = write_gap(tmp_path / "gap.csv"), tmp_path / "state"
    cluster_files(gap, GAP, out=tmp_path / "whole")
    with pytest.raises(RunInterrupted):
        cluster_files(gap, GAP, out=tmp_path / "out", state=state, on_step=interrupt)
    cluster_files(gap, GAP, out=tmp_path / "out", state=state)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_pattern_stands_for_the_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for day in (2, 1, 3):
        (tmp_path / f"day{day}.csv").write_text(f"day,x\n{day},0\n{day},9\n")
    parameters = RunParameters(time="day", birth_cost=4.0)
    found = cluster_files(tmp_path / "day*.csv", parameters, out=tmp_path / "run", report=False)
    assert (found.title, found.steps, found.rows) == ("day1.csv and 2 more", 3, 6)
    with pytest.raises(InputError, match=r"night\*\.csv: no file matches"):
        cluster_files(tmp_path / "night*.csv", parameters, out=tmp_path / "other")


@pytest.mark.parametrize("step", [1, 5, 12])
def test_an_interrupted_call_resumes(points: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    def interrupt(status: RunStatus) -> None:
        if status.steps == step:
            raise KeyboardInterrupt

    monkeypatch.setattr(session, "CHECKPOINT_SECONDS", 0.0)
    whole = cluster_files(points, PARAMETERS, out="whole")
    with pytest.raises(RunInterrupted) as stop:
        cluster_files(points, PARAMETERS, out="out", state="state", on_step=interrupt)
    assert (stop.value.rows, stop.value.resumable) == (20 * step, True)
    resumed = cluster_files(points, PARAMETERS, out="out", state="state")
    assert (whole.action, resumed.action) == ("begin", "resume")
    assert resumed[6:-3] == whole[6:-3]
    assert contents(Path("out")) == contents(Path("whole"))


def test_the_callback_reports_every_step(points: Path) -> None:
    seen: list[RunStatus] = []
    result = cluster_files(points, PARAMETERS, out="out", on_step=seen.append)
    assert [status.steps for status in seen] == list(range(1, 13))
    assert [status.rows for status in seen] == list(range(20, 260, 20))
    assert seen[-1].fraction == 1.0
    assert seen[-1].n_clusters == result.n_active + result.n_asleep == len(result.model.cluster_ids_)


def test_the_result_agrees_with_the_folder(points: Path) -> None:
    result = cluster_files(points, PARAMETERS, out="out", report=False)
    run = read_run(result.out)
    assert (result.rows, result.steps) == (run.info["rows"], run.info["steps"])
    assert result.born == run.steps["born"].sum()
    assert result.n_active == run.steps["awake"][-1]
    assert result.report is None
    assert result.labels.is_file()


def test_a_complete_run_is_verified_and_repaired(points: Path) -> None:
    first = cluster_files(points, PARAMETERS, out="out", state="state")
    before = contents(Path("out"))
    done = cluster_files(points, PARAMETERS, out="out", state="state")
    assert (done.action, done.labels.resolve()) == ("done", first.labels.resolve())
    assert done[6:-3] == first[6:-3]
    first.labels.unlink()
    with pytest.warns(InputWarning, match=r"labels.csv: missing or damaged; the run is computed again"):
        assert cluster_files(points, PARAMETERS, out="out", state="state").action == "begin"
    assert contents(Path("out")) == before


def test_a_complete_run_continues_with_new_inputs(points: Path) -> None:
    first = cluster_files(points, PARAMETERS, out="one", state="state")
    write_points(Path("more.csv"), first=12)
    second = cluster_files("more.csv", PARAMETERS, out="two", state="state")
    assert (second.action, second.steps) == ("continue", 12)
    assert second.model.n_steps_ == first.steps + second.steps


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"algorithm": "kmeans"}, "--algorithm is 'kmeans'; it must be one of dmeans, kdmeans, sdmeans"),
        ({"motion": "run"}, "--motion is 'run'; it must be one of walk, velocity, align"),
        ({"format": "xls"}, "--format is 'xls'"),
        ({"restarts": 0}, "--restarts is 0; it must be at least 1"),
        ({"seed": -1}, "--seed is -1; it must be from 0"),
        ({"birth_cost": "cheap"}, "--birth-cost is 'cheap'"),
        ({"time": None}, "--every 1min needs --time"),
    ],
)
def test_parameters_are_validated_before_input(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cluster_files("missing.csv", PARAMETERS._replace(**change))


def test_a_call_needs_an_input() -> None:
    with pytest.raises(InputError, match="no inputs"):
        cluster_files([])


@pytest.mark.parametrize("every", ["1h", "2d", "2mo"])
def test_more_data_continue_the_windows(tmp_path: Path, every: str) -> None:
    """The second file begins within a window, whose first part has no rows."""
    hours = {"1h": 1, "2d": 48, "2mo": 1488}[every]
    rows = []
    for window in range(6):
        for part in (0.0, 0.5) if window != 3 else (0.5,):
            seconds = int(3600 * hours * (window + part))
            when = np.datetime64("2023-01-01T00:00:00") + np.timedelta64(seconds, "s")
            rows += [f"{when},{x + 0.01 * window}" for x in (0.0, 5.0, 9.0)]
    cut = next(i for i, row in enumerate(rows) if row.endswith(",0.03"))
    for name, part in {"all": rows, "one": rows[:cut], "two": rows[cut:]}.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(["when,x", *part, ""]))
    parameters = RunParameters(time="when", every=every, birth_cost=1.0)
    cluster_files(tmp_path / "all.csv", parameters, out=tmp_path / "all", report=False)
    for name in ("one", "two"):
        state = tmp_path / "state"
        cluster_files(tmp_path / f"{name}.csv", parameters, out=tmp_path / name, state=state, report=False)
    for file in ("labels.csv", "steps.csv", "clusters.csv"):
        whole, one, two = ((tmp_path / out / file).read_text().splitlines() for out in ("all", "one", "two"))
        assert one + two[1:] == whole


def test_a_window_that_two_files_share_is_two_steps_of_the_same_time(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("when,x\n0,0.0\n10,0.1\n")
    (tmp_path / "two.csv").write_text("when,x\n15,0.2\n20,0.3\n")
    parameters = RunParameters(time="when", every="10", birth_cost=1.0)
    times = []
    for name in ("one", "two"):
        state = tmp_path / "state"
        cluster_files(tmp_path / f"{name}.csv", parameters, out=tmp_path / name, state=state, report=False)
        times += read_run(tmp_path / name).steps["time"].tolist()
    assert times == [0.0, 10.0, 10.0, 20.0]
