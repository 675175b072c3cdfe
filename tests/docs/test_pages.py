"""The examples of the pages print what they show."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pages import Block, read_blocks, run_python

from dynmeans.datasets import moving_gaussians

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/tutorial").glob("*.md")),
]
SECONDS = 120  # maximum for one command
COMMANDS = ("dynmeans", "head", "ls", "cat")  # others (make, pip) are for the reader alone


def assert_shown(block: Block, page: Path, printed: str) -> None:
    """``...`` on the page stands for anything."""
    example = doctest.Example(block.code, block.output)
    checker, flags = doctest.OutputChecker(), doctest.ELLIPSIS | doctest.REPORT_NDIFF
    if not checker.check_output(example.want, printed, flags):
        difference = checker.output_difference(example, printed, flags)
        pytest.fail(f"{page.relative_to(ROOT)}, line {block.line}: {block.code}\n{difference}", pytrace=False)


def lay_out_files(folder: Path) -> None:
    """Write the files that the examples of a page read."""
    parquet = pytest.importorskip("pyarrow.parquet")
    stream = moving_gaussians(n_steps=10, random_state=0)
    X = np.concatenate(stream.batches)
    times = (
        np.datetime64("2024-03-01T00:00", "ms") + np.repeat(np.arange(10), len(stream.batches[0])) * 1_800_000
    )
    table = {"timestamp": times, "x": X[:, 0], "y": X[:, 1]}
    parquet.write_table(pytest.importorskip("pyarrow").table(table), folder / "flights.parquet")


def run_command(command: str) -> str:
    """Output of a command, with the programs of this environment first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "100"}
    limited = f"ulimit -t {SECONDS}; {command}"  # of computation: a busy machine may take longer
    done = subprocess.run(limited, shell=True, capture_output=True, text=True, env=environment)
    printed = done.stdout + done.stderr
    assert done.returncode == (2 if "dynmeans: error:" in printed else 0), printed
    return printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_of_a_page_runs_and_prints_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if page.name == "README.md":
        lay_out_files(tmp_path)
    names: dict[str, object] = {}
    for block in read_blocks(page):
        if block.language == "python":
            assert_shown(block, page, run_python(block, page, names))
        elif block.code.startswith(COMMANDS):
            printed = run_command(block.code)
            assert_shown(block, page, printed if block.output else "")


def test_every_tutorial_page_has_blocks_that_run() -> None:
    assert all(read_blocks(page) for page in PAGES if page.parent.name == "tutorial")


def test_output_that_is_not_what_the_page_shows_is_found(tmp_path: Path) -> None:
    page = ROOT / "docs" / "made-up.md"
    (tmp_path / "page.md").write_text("```python\nprint(1)\n```\n\n```text\n2\n```\n")
    (block,) = read_blocks(tmp_path / "page.md")
    assert block.output == "2\n"
    with pytest.raises(pytest.fail.Exception, match="line 1"):
        assert_shown(block, page, run_python(block, page, {}))


def test_text_that_is_not_right_below_a_block_is_not_its_output(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nx = 1\n```\n\nWords.\n\n```text\n2\n```\n\n```console\n$ ls a\nb\n$ ls c\n```\n"
    )
    assert [(b.code, b.output, b.line) for b in read_blocks(page)] == [
        ("x = 1\n", "", 1),
        ("ls a", "b\n", 11),
        ("ls c", "", 11),
    ]


def test_a_command_may_go_on_in_the_next_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ ls \\\n  a\nb\n```\n")
    assert [(b.code.split(), b.output) for b in read_blocks(page)] == [(["ls", "a"], "b\n")]


def test_pages_contain_no_absolute_path() -> None:
    for page in PAGES:
        assert not re.search(r"/(work|home|tmp|root)/", page.read_text(encoding="utf-8")), page


def test_the_numbers_of_the_readme_are_those_of_the_page_on_benchmarks() -> None:
    rows = re.findall(r"^\| .*\|$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    page = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8").splitlines()
    assert rows
    assert not set(rows) - set(page)
