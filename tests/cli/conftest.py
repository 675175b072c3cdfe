from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from dynmeans.cli import app
from point_files import write_points


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def dynmeans(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs a command line in this process."""

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["dynmeans", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            app.main()
        return Outcome(int(exit_.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def points(folder: Path) -> Path:
    """points.csv: a minute apart, 12 steps of 20 rows, with a column of words."""
    return write_points(folder / "points.csv")
