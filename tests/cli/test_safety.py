"""Guarantees of a complete run about its outputs, inputs, folder and state file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynmeans._files import atomic_write as atomic
from dynmeans._files.snapshot import Snapshot, read_snapshot, write_snapshot
from dynmeans.estimators._state_files.run_models import RUN
from dynmeans.runs import _session as session
from dynmeans.runs._folder import locked_folder
from point_files import contents, write_points

LINE = ("--time", "when", "--every", "1min", "--birth-cost", "0.06")
STATE = ("--state", "state")
OUT = Path("dynmeans-run")
FILES = ("run.json", "steps.csv", "clusters.csv", "events.jsonl", "sample.csv", "labels.csv", "report.html")
Run = Callable[..., Any]


@pytest.mark.parametrize("harm", ["remove", "empty", "change"])
@pytest.mark.parametrize("name", FILES)
def test_an_output_that_is_not_whole_is_written_again(
    dynmeans: Run, points: Path, name: str, harm: str
) -> None:
    line = ("cluster", points, *LINE, *STATE)
    assert dynmeans(*line).code == 0
    before, path = contents(OUT), OUT / name
    data = {"remove": None, "empty": b"", "change": b"?" + path.read_bytes()[1:]}[harm]
    path.unlink() if data is None else path.write_bytes(data)
    outcome = dynmeans(*line)
    assert outcome.code == 0
    repeated = f"{name}: missing or damaged; the run is computed again" in outcome.err
    assert repeated == (name != "report.html")
    assert outcome.out.startswith("already complete") == (not repeated)
    assert contents(OUT) == before
    assert dynmeans(*line).out.startswith("already complete")


def test_a_folder_that_is_gone_is_written_again(dynmeans: Run, points: Path) -> None:
    line = ("cluster", points, *LINE, *STATE)
    dynmeans(*line)
    before = contents(OUT)
    OUT.rename("elsewhere")
    assert dynmeans(*line).code == 0
    assert contents(OUT) == before


def test_another_run_in_the_folder_is_not_overwritten(dynmeans: Run, points: Path) -> None:
    line = ("cluster", points, *LINE, *STATE)
    dynmeans(*line)
    whole = contents(OUT)
    other = write_points(points.with_name("other.csv"), seed=9)
    assert dynmeans("cluster", other, *LINE, "--force").code == 0
    before = contents(OUT)
    outcome = dynmeans(*line)
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "holds another run now; --force overwrites it" in outcome.err
    assert contents(OUT) == before
    assert dynmeans(*line, "--force").code == 0
    assert contents(OUT) == whole


def test_a_run_that_continued_another_cannot_be_computed_again(dynmeans: Run, points: Path) -> None:
    dynmeans("cluster", points, *LINE, *STATE, "--out", "one")
    later = write_points(points.with_name("later.csv"), first=12)
    line = ("cluster", later, *LINE, *STATE, "--out", "two")
    assert dynmeans(*line).code == 0
    before = contents(Path("two"))
    Path("two/report.html").unlink()
    assert dynmeans(*line).out.startswith("already complete")
    assert contents(Path("two")) == before
    Path("two/labels.csv").write_bytes(b"")
    outcome = dynmeans(*line)
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "labels.csv: missing or damaged, and cannot be computed again" in outcome.err


def test_a_complete_run_is_not_written_into_another_folder(dynmeans: Run, points: Path) -> None:
    dynmeans("cluster", points, *LINE, *STATE)
    outcome = dynmeans("cluster", points, *LINE, *STATE, "--out", "elsewhere")
    assert (outcome.code, outcome.out) == (2, "")
    assert f"complete, in {OUT.resolve()}; to cluster them into elsewhere, use another --state" in outcome.err
    assert not Path("elsewhere").exists()


def test_an_edit_of_the_last_row_is_noticed(dynmeans: Run, points: Path) -> None:
    points.write_text(points.read_text() + "".join(f"2024-03-01T00:12:00,{i % 7},1,w\n" for i in range(5000)))
    line = ("cluster", points, *LINE, *STATE)
    assert dynmeans(*line).code == 0
    before = contents(OUT)
    points.write_text(points.read_text()[:-4] + "2,w\n")
    outcome = dynmeans(*line)
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "points.csv: has changed since it was clustered" in outcome.err
    assert contents(OUT) == before


def test_a_touched_input_is_the_same(dynmeans: Run, points: Path) -> None:
    line = ("cluster", points, *LINE, *STATE)
    dynmeans(*line)
    os.utime(points, (1, 1))
    assert dynmeans(*line).out.startswith("already complete")


def test_an_input_that_changes_while_it_is_read_is_an_error(
    dynmeans: Run, points: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    act = session.Session.take

    def take(self: session.Session, batch: Any) -> Any:
        os.utime(points, (1, 1))
        return act(self, batch)

    monkeypatch.setattr(session.Session, "take", take)
    outcome = dynmeans("cluster", points, *LINE, *STATE)
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "points.csv: has changed while it was read" in outcome.err
    assert not json.loads((OUT / "run.json").read_text())["complete"]


@pytest.mark.parametrize(
    "line",
    [("cluster", "points.csv", *LINE), ("demo",), ("tune", "points.csv", *LINE[:4], "--trials", "2")],
    ids=lambda line: line[0],
)
def test_a_folder_belongs_to_one_run_at_a_time(dynmeans: Run, points: Path, line: tuple[str, ...]) -> None:
    with locked_folder(Path("out")):
        outcome = dynmeans(*line, "--out", "out")
        assert (outcome.code, outcome.err.count("\n")) == (2, 1)
        assert "out: in use by another run; wait for it, or use another --out" in outcome.err
    assert not Path("out").exists()


def test_a_refused_run_leaves_no_folder(dynmeans: Run, points: Path) -> None:
    points.write_text("when,x\nnever,1\n")
    assert dynmeans("cluster", points, *LINE, "--out", "a/b/c").code == 2
    assert not Path("a").exists()


@pytest.mark.parametrize("exists", [True, False])
def test_a_linked_state_file_stays_a_link(dynmeans: Run, points: Path, exists: bool) -> None:
    Path("real").mkdir()
    Path("state").symlink_to("real/state")
    if exists:
        assert dynmeans("cluster", points, *LINE, "--state", "real/state").code == 0
    line = ("cluster", points, *LINE, *STATE)
    assert dynmeans(*line).code == 0
    assert Path("state").is_symlink()
    assert [path.name for path in Path("real").iterdir()] == ["state"]
    assert dynmeans("cluster", points, *LINE, "--state", "real/state").out.startswith("already complete")


def test_leftovers_of_killed_runs_are_removed(dynmeans: Run, points: Path) -> None:
    OUT.mkdir()
    token = "0123456789abcdef"
    leftovers = [
        Path(f".state.{token}.tmp"),
        OUT / f".labels.{token}.tmp.csv",
        OUT / f".run.{token}.tmp.json",
    ]
    for path in leftovers:
        path.write_text("half")
    assert dynmeans("cluster", points, *LINE, *STATE).code == 0
    assert [path for path in leftovers if path.exists()] == []


def test_a_planted_link_in_the_folder_is_not_followed(dynmeans: Run, points: Path) -> None:
    OUT.mkdir()
    (OUT / "steps.csv").symlink_to(Path("victim").resolve())
    outcome = dynmeans("cluster", points, *LINE)
    assert outcome.code == 2
    assert "steps.csv already; --force overwrites it" in outcome.err
    assert dynmeans("cluster", points, *LINE, "--force").code == 0
    assert not Path("victim").exists()


def _as_version_0_1(state: Path, points: Path) -> None:
    """Rewrite a state file as version 0.1 wrote it."""
    import hashlib

    header, arrays = read_snapshot(state)
    run = dict(header[RUN])
    del run["outputs"]
    head = hashlib.sha256(points.read_bytes()[:65536]).hexdigest()
    run["inputs"] = [{"name": points.name, "size": points.stat().st_size, "head": head}]
    write_snapshot(state, Snapshot({**header, RUN: run}, arrays))


@pytest.mark.parametrize("name", [None, "labels.csv", "report.html", "steps.csv"])
def test_a_complete_run_of_version_0_1_is_understood_and_verified(
    dynmeans: Run, points: Path, name: str | None
) -> None:
    line = ("cluster", points, *LINE, *STATE)
    dynmeans(*line)
    before = contents(OUT)
    _as_version_0_1(Path("state"), points)
    if name is not None:
        (OUT / name).write_bytes(b"")
    outcome = dynmeans(*line)
    assert outcome.code == 0
    assert ("computed again" in outcome.err) == (name in ("labels.csv", "steps.csv"))
    assert contents(OUT) == before


def test_an_unfinished_run_of_version_0_1_goes_on(
    dynmeans: Run, points: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ("cluster", points, *LINE)
    assert dynmeans(*line, "--out", "whole").code == 0
    monkeypatch.setattr(session, "CHECKPOINT_SECONDS", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(session.Session, "finish", lambda *_, **__: sys.exit(1))
        dynmeans(*line, *STATE)
    _as_version_0_1(Path("state"), points)
    assert dynmeans(*line, *STATE).code == 0
    assert contents(OUT) == contents(Path("whole"))
    assert dynmeans(*line, *STATE).out.startswith("already complete")


FULL = """
import resource, sys
from dynmeans.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.argv = ["dynmeans", *sys.argv[2:]]
main()
"""


@pytest.mark.parametrize(("most", "names"), [(1500, ("dynmeans-run/",)), (20_000, ("report.html",))])
def test_a_full_disk_names_the_file(points: Path, most: int, names: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", FULL, str(most), "cluster", points.name, *LINE, *STATE]
    done = subprocess.run(command, capture_output=True, text=True, cwd=points.parent)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert all(name in done.stderr for name in names)
    assert ".tmp" not in done.stderr
    assert not list(points.parent.rglob(".*"))


def test_a_crash_before_the_first_save_needs_no_force(
    dynmeans: Run, points: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """run.json is complete only after a state file exists, so the same command resumes."""
    monkeypatch.setattr(session, "CHECKPOINT_SECONDS", 1e9)
    with monkeypatch.context() as patch:
        patch.setattr(session.Session, "stop", lambda self: None)
        patch.setattr(session.Session, "_write_labels", lambda self: sys.exit(1))
        dynmeans("cluster", points, *LINE, *STATE)
    assert json.loads((OUT / "run.json").read_text())["complete"]
    assert dynmeans("cluster", points, *LINE, *STATE).code == 0


def test_a_run_is_synced_before_the_state_is_complete(
    dynmeans: Run, points: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file of the run, and its folder, is synced after its last change and before the last state."""
    order: list[str] = []
    act = os.fsync

    def note(descriptor: int) -> None:
        order.append(os.path.realpath(f"/proc/self/fd/{descriptor}"))
        act(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    monkeypatch.setattr(atomic.secrets, "token_hex", lambda n: "0" * 16)
    assert dynmeans("cluster", points, *LINE, *STATE).code == 0
    names = [Path(entry).name for entry in order]
    final = len(names) - 1 - names[::-1].index(f".state.{'0' * 16}.tmp")
    for name in ("steps.csv", "clusters.csv", "events.jsonl", "sample.csv", OUT.name):
        assert name in names[:final]
    for stem, suffix in (("run", ".json"), ("labels", ".csv"), ("report", ".html")):
        assert f".{stem}.{'0' * 16}.tmp{suffix}" in names[:final]
