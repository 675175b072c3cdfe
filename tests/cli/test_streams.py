"""Standard output and error that are full, closed, or lack characters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LINE = ("--time", "t", "--birth-cost", "9", "--no-report", "--force")
FULL = Path("/dev/full")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text("t,größe,y\n0,1,2\n0,2,3\n1,1,2\n", encoding="utf-8")
    return path


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `dynmeans` in a shell, which redirects its streams."""
    command = f'exec "{sys.executable}" -m dynmeans {line}'
    everything = {**os.environ, **environment}
    return subprocess.run(command, shell=True, capture_output=True, text=True, cwd=folder, env=everything)


def test_names_that_the_encoding_lacks_are_escaped(table: Path) -> None:
    done = shell(f"cluster a.csv {' '.join(LINE)}", table.parent, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert r"features    gr\xf6\xdfe, y" in done.stdout


@pytest.mark.parametrize("redirection", [">&-", "2>&-"])
def test_closed_streams_are_no_error(table: Path, redirection: str) -> None:
    done = shell(f"cluster a.csv {' '.join(LINE)} {redirection}", table.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert (table.parent / "dynmeans-run/labels.csv").exists()


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_full_streams(table: Path) -> None:
    done = shell(f"cluster a.csv {' '.join(LINE)} > {FULL}", table.parent)
    message = "dynmeans: error: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, message)
    done = shell(f"cluster none.csv 2> {FULL}", table.parent)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_reader_that_ends_early_is_no_error_message(table: Path) -> None:
    done = shell(f"cluster a.csv {' '.join(LINE)} | true", table.parent)
    assert (done.returncode, done.stderr) == (0, "")
