"""`dynmeans cluster` and `dynmeans tune` for detections: one row per object."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans import DMeans
from dynmeans._files.run_folder.reader import read_run
from dynmeans._files.snapshot import Snapshot, read_snapshot, write_snapshot

Command = Callable[..., Any]
STEPS = ("--time", "t", "--birth-cost", "1", "--motion", "velocity")


def walkers(n_steps: int = 12) -> list[Any]:
    """Two objects that pass each other, and a third that is seen once."""
    x = np.linspace(-3.0, 3.0, n_steps)
    steps = [np.array([[a, 0.0], [-a, 0.2]]) for a in x]
    steps[4] = np.append(steps[4], [[40.0, 0.0]], axis=0)
    return steps


@pytest.fixture
def detections(folder: Path) -> Path:
    """detections.csv: one row per object and step."""
    lines = [f"{t},{x!r},{y!r}" for t, X in enumerate(walkers()) for x, y in X.tolist()]
    path = folder / "detections.csv"
    path.write_text("\n".join(["t,x,y", *lines]) + "\n")
    return path


def labels(folder: str) -> list[int]:
    return [int(line) for line in Path(folder, "labels.csv").read_text().splitlines()[1:]]


@pytest.mark.parametrize("flags", [("--exclusive",), ("--exclusive", "--duplicates")])
def test_labels_are_those_of_the_estimator(dynmeans: Command, detections: Path, flags: Any) -> None:
    dynmeans("cluster", detections, *STEPS, *flags, "--out", "run")
    model = DMeans(1.0, motion="velocity", exclusive=True, duplicates="--duplicates" in flags, random_state=0)
    expected = [k for t, X in enumerate(walkers()) for k in model.partial_fit(X, t=t).labels_.tolist()]
    assert labels("run") == expected
    assert json.loads(Path("run/run.json").read_text())["parameters"]["exclusive"] is True


def test_a_state_file_from_before_the_option_continues(dynmeans: Command, detections: Path) -> None:
    dynmeans("cluster", detections, *STEPS, "--out", "run", "--state", "s.dynmeans")
    header, arrays = read_snapshot("s.dynmeans")
    header["run"]["settings"] = header["run"].pop("parameters")  # the key of version 0.1.0
    for old in (header["run"]["settings"], header["params"]):
        for name in ("exclusive", "duplicates", "min_hits"):
            del old[name]
    write_snapshot("s.dynmeans", Snapshot(header, arrays))
    again = dynmeans("cluster", detections, *STEPS, "--out", "run", "--state", "s.dynmeans")
    assert "already complete" in again.out
    wrong = dynmeans("cluster", detections, *STEPS, "--exclusive", "--out", "run", "--state", "s.dynmeans")
    assert wrong.code == 2
    assert "belongs to a run with --exclusive not given, but here it is on" in wrong.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--duplicates",), "--duplicates needs --exclusive"),
        (("--min-hits", "2", "--algorithm", "sdmeans"), "--min-hits is not supported by --algorithm sdmeans"),
        (("--exclusive", "--algorithm", "kdmeans"), "--exclusive is not supported by --algorithm kdmeans"),
    ],
)
def test_contradicting_options_are_refused(
    dynmeans: Command, detections: Path, options: Any, message: str
) -> None:
    outcome = dynmeans("cluster", detections, "--time", "t", *options)
    assert outcome.code == 2
    assert message in outcome.err


def test_min_hits_marks_events_and_counts_confirmations(dynmeans: Command, detections: Path) -> None:
    shown = dynmeans("cluster", detections, *STEPS, "--exclusive", "--min-hits", "3", "--out", "run").out
    assert "confirmed   2 ids, with rows in 3 or more steps" in shown
    events = read_run("run").events
    assert [(e.kind, e.id, e.step) for e in events if e.kind == "confirmation"] == [
        ("confirmation", 0, 3),
        ("confirmation", 1, 3),
    ]
    assert [(e.kind, e.step) for e in events if e.tentative and e.id == 2] == [
        ("birth", 5),
        ("sleep", 6),
        ("death", 9),
    ]
    dynmeans("cluster", detections, *STEPS, "--exclusive", "--out", "other")
    assert labels("run") == labels("other")


def test_tune_prints_the_flag(dynmeans: Command, detections: Path) -> None:
    found = dynmeans("tune", detections, "--time", "t", "--exclusive", "--trials", "4")
    assert " --exclusive " in found.out.splitlines()[-1]
