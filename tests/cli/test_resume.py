"""A run that is killed and started again gives the result of an uninterrupted run."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dynmeans._files.lock import locked
from dynmeans._files.snapshot import Snapshot, read_snapshot, write_snapshot
from dynmeans.runs import _session as session
from dynmeans.runs import clustering
from killed_runs import WRITES, Killed, kill_at, run_killed, vanish
from point_files import contents, write_points

LINE = ("--time", "when", "--every", "1min", "--birth-cost", "0.06", "--standardize")
STATE = ("--state", "state")
KILLS = 20
STEPS = 250

# The command as it is, in a process of its own for every line, but it saves its state after every step. To
# save time it is loaded once and forked, and does not wait for the disk, which outlives a killed process.
SERVER = """
import os, sys
import dynmeans.runs._session as session
from dynmeans.cli import main
os.fsync, session.CHECKPOINT_SECONDS = lambda file: None, 0.0
for line in sys.stdin:
    process = os.fork()
    if not process:
        log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1), os.dup2(log, 2)
        sys.argv = ["dynmeans", *line.split()]
        main()
    print(process, flush=True)
    print(os.waitpid(process, 0)[1], flush=True)
"""


def test_kill_at_random_moments(folder: Path) -> None:
    write_points(folder / "points.csv", steps=STEPS)
    line = f"cluster points.csv {' '.join(LINE)}"
    moments = random.Random(4)
    kills = lives = 0
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", SERVER], text=True, **pipes) as server:
        assert not _killed(server, f"{line} --out whole", Path("points.csv"), delay=60)
        while kills < KILLS:
            lives += 1
            life = f"{line} --out killed{lives} --state state{lives}"
            while _killed(server, life, Path(f"state{lives}"), moments.expovariate(8.0)):
                kills += 1
            assert contents(Path(f"killed{lives}")) == contents(Path("whole"))
        server.communicate()


def _killed(server: Any, line: str, state: Path, delay: float) -> bool:
    """Start a command and kill it after some time; False if it had finished before."""
    before = _written(state)
    server.stdin.write(f"{line}\n")
    server.stdin.flush()
    process = int(server.stdout.readline())
    with suppress(ProcessLookupError):
        while _written(state) == before:
            os.kill(process, 0)  # raises if it has ended
            time.sleep(0.002)
        time.sleep(delay)
        os.kill(process, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(int(server.stdout.readline()))
    assert code in (0, -signal.SIGKILL), Path("log").read_text()
    return code != 0


def _written(state: Path) -> int:
    return state.stat().st_mtime_ns if state.exists() else 0


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The output for points.csv of a run that was never killed."""
    folder = tmp_path_factory.mktemp("whole")
    write_points(folder / "points.csv")
    command = [sys.executable, "-m", "dynmeans", "cluster", "points.csv", *LINE, "--out", "whole"]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return contents(folder / "whole")


STAGES = [*WRITES, (session, "step_lines"), (clustering, "draw_report")]


@pytest.mark.parametrize("count", [1, 2, 13])
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("owner", "name"), STAGES, ids=[name for _, name in STAGES])
def test_a_run_killed_before_or_after_any_write_resumes(
    dynmeans: Callable[..., Any],
    points: Path,
    whole: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    name: str,
    done: bool,
    count: int,
) -> None:
    monkeypatch.setattr(session, "CHECKPOINT_SECONDS", 0.0)
    run = partial(dynmeans, "cluster", points, *LINE, *STATE, "--out", "killed")
    run_killed(monkeypatch, run, owner, name, count, done)
    outcome = run()
    assert outcome.code == 0, outcome.err
    assert contents(Path("killed")) == whole


@pytest.mark.parametrize("name", ["clear_folder", "step_lines", "write_snapshot", "write_labels"])
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
def test_a_later_day_may_be_killed_as_well(
    dynmeans: Callable[..., Any],
    points: Path,
    whole: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    done: bool,
) -> None:
    lines = points.read_text().splitlines(keepends=True)
    Path("day1.csv").write_text("".join(lines[:141]))
    Path("day2.csv").write_text("".join([lines[0], *lines[141:]]))
    monkeypatch.setattr(session, "CHECKPOINT_SECONDS", 0.0)
    assert dynmeans("cluster", "day1.csv", *LINE, *STATE, "--out", "one").code == 0
    with monkeypatch.context() as patch:
        patch.setattr(session.Session, "stop", vanish)
        kill_at(patch, session, name, 1, done)
        with pytest.raises(Killed):
            dynmeans("cluster", "day2.csv", *LINE, *STATE, "--out", "two")
    outcome = dynmeans("cluster", "day2.csv", *LINE, *STATE, "--out", "two")
    assert outcome.code == 0, outcome.err
    one, two = contents(Path("one")), contents(Path("two"))
    for file in ("labels.csv", "steps.csv", "clusters.csv", "sample.csv"):
        assert one[file] + two[file].split(b"\n", 1)[1] == whole[file]
    assert one["events.jsonl"] + two["events.jsonl"] == whole["events.jsonl"]


def test_two_runs_never_share_a_state_file(dynmeans: Callable[..., Any], points: Path) -> None:
    with locked(Path("state")):
        refused = dynmeans("cluster", points, *LINE, *STATE)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "state: in use by another run" in refused.err
    assert not Path("dynmeans-run").exists()
    assert dynmeans("cluster", points, *LINE, *STATE).code == 0
    assert not Path(".state.lock").exists()


def test_a_complete_run_is_reported_and_changes_nothing(dynmeans: Callable[..., Any], points: Path) -> None:
    line = ("cluster", points, *LINE, *STATE)
    dynmeans(*line)
    before = contents(Path())
    outcome = dynmeans(*line)
    assert outcome.code == 0
    assert outcome.out.startswith("already complete: 240 rows in 12 steps")
    assert contents(Path()) == before
    Path("dynmeans-run/report.html").unlink()
    assert dynmeans(*line).code == 0
    assert contents(Path()) == before


def test_an_unfinished_run_goes_on_only_as_it_began(
    dynmeans: Callable[..., Any], points: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "CHECKPOINT_SECONDS", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(session.Session, "stop", vanish)
        kill_at(patch, session, "step_lines", 5, done=False)
        with pytest.raises(Killed):
            dynmeans("cluster", points, *LINE, *STATE)
    outcome = dynmeans("cluster", points, *LINE, *STATE, "--out", "elsewhere")
    assert outcome.code == 2
    assert "belongs to an unfinished run in" in outcome.err
    other = write_points(points.with_name("other.csv"), seed=9)
    outcome = dynmeans("cluster", other, *LINE, *STATE)
    assert outcome.code == 2
    assert "unfinished run over other inputs (other.csv differs)" in outcome.err
    steps = Path("dynmeans-run/steps.csv")
    steps.write_bytes(steps.read_bytes()[:-20])
    outcome = dynmeans("cluster", points, *LINE, *STATE)
    assert outcome.code == 2
    assert "had been written; the run cannot be continued" in outcome.err


def test_after_a_bad_row_the_corrected_line_of_another_run_is_needed(
    dynmeans: Callable[..., Any], points: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "CHECKPOINT_SECONDS", 0.0)
    good = points.read_text()
    points.write_text(good + "2024-03-01T00:12:00,oops,0,w\n")
    assert dynmeans("cluster", points, *LINE, *STATE).code == 2
    assert dynmeans("cluster", points, *LINE, *STATE).code == 2
    assert contents(Path("dynmeans-run"))["labels.csv"].count(b"\n") == 221
    points.write_text(good)
    assert "other inputs" in dynmeans("cluster", points, *LINE, *STATE).err
    assert dynmeans("cluster", points, *LINE, "--state", "new", "--force").code == 0


def test_an_interrupted_run_of_an_earlier_version_resumes(
    dynmeans: Callable[..., Any], points: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its steps.csv has no birth cost. The other files are those of a run without interruption."""
    monkeypatch.setattr(session, "CHECKPOINT_SECONDS", 0.0)
    run = partial(dynmeans, "cluster", points, *LINE, *STATE, "--out", "killed")
    run_killed(monkeypatch, run, session, "write_snapshot", 5, True)
    path = Path("killed/steps.csv")
    path.write_bytes(without_last_column(path.read_bytes()))
    header, arrays = read_snapshot("state")
    header["run"]["lengths"]["steps.csv"] = path.stat().st_size
    write_snapshot("state", Snapshot(header, arrays))
    outcome = run()
    assert outcome.code == 0, outcome.err
    found = contents(Path("killed"))
    assert found.pop("steps.csv") == without_last_column(whole["steps.csv"])
    assert {name: found[name] for name in found if name != "report.html"} == {
        name: whole[name] for name in found if name != "report.html"
    }


def without_last_column(table: bytes) -> bytes:
    return b"".join(line.rpartition(b",")[0] + b"\n" for line in table.splitlines())
