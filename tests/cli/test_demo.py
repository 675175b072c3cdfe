from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynmeans._files.run_folder.reader import read_run


def test_the_demo_prints_a_summary_and_writes_a_report_and_a_picture(
    dynmeans: Callable[..., Any], folder: Path
) -> None:
    pytest.importorskip("matplotlib")
    outcome = dynmeans("demo")
    assert outcome.code == 0
    for word in ("active", "born", "revived", "died", "tracked", "points per second", "report.html"):
        assert word in outcome.out
    assert Path("dynmeans-demo/report.html").stat().st_size > 10_000
    assert Path("dynmeans-demo/picture.png").read_bytes().startswith(b"\x89PNG")
    assert read_run("dynmeans-demo").info["rows"] == 7500
    assert dynmeans("demo").code == 0


def test_without_matplotlib_the_demo_shows_the_install_line(
    dynmeans: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise ImportError('matplotlib is not installed; install it with: pip install "dynmeans[plot]"')

    monkeypatch.setattr("dynmeans.plots.picture.draw_run", missing)
    outcome = dynmeans("demo", "--out", "d", "--seed", "3")
    assert outcome.code == 0
    assert 'pip install "dynmeans[plot]"' in outcome.out
    assert Path("d/report.html").exists()


def test_the_demo_replaces_a_run_that_is_not_a_demo_only_by_force(
    dynmeans: Callable[..., Any], points: Path
) -> None:
    assert dynmeans("cluster", points, "--every", "60rows", "--no-report").code == 0
    before = Path("dynmeans-run/labels.csv").read_bytes()
    outcome = dynmeans("demo", "--out", "dynmeans-run")
    assert outcome.code == 2
    assert outcome.err.endswith("dynmeans-run: holds a run already (run.json); --force overwrites it\n")
    assert Path("dynmeans-run/labels.csv").read_bytes() == before
