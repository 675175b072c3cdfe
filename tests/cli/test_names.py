"""Names of files and columns: outputs never replace each other, and control characters are escaped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clips import pictures, write_clip
from dynmeans.tuning import _optuna_search as optuna_search

LINE = ("--time", "when", "--every", "1min", "--birth-cost", "0.06")
Run = Callable[..., Any]


@pytest.mark.parametrize(
    "name", ["out", "out/labels.csv", "out/run.json", "out/report.html", "out/report-a.html", "link"]
)
def test_a_state_file_never_replaces_a_result(dynmeans: Run, points: Path, name: str) -> None:
    Path("link").symlink_to("out/steps.csv")
    outcome = dynmeans("cluster", points, *LINE, "--out", "out", "--state", name)
    message = f"dynmeans: error: {name}: the run writes a result of this name; choose another --state\n"
    assert (outcome.code, outcome.err) == (2, message)
    assert not Path("out").exists()


def test_a_state_file_may_be_beside_the_results(dynmeans: Run, points: Path) -> None:
    line = ("cluster", points, *LINE, "--out", "out", "--state", "out/state")
    assert dynmeans(*line).code == 0
    assert dynmeans(*line).out.startswith("already complete")


@pytest.mark.parametrize("name", ["trials.csv", "tuning.png"])
def test_a_study_never_replaces_a_result(dynmeans: Run, points: Path, name: str) -> None:
    options = ("--strategy", "optuna", "--trials", "2", "--out", "found", "--study", f"found/{name}")
    outcome = dynmeans("tune", points, *LINE[:4], *options)
    message = f"dynmeans: error: found/{name}: a result has this name; choose another --study\n"
    assert (outcome.code, outcome.err) == (2, message)
    assert not Path("found").exists()


def test_another_file_is_no_study_and_stays(dynmeans: Run, points: Path) -> None:
    pytest.importorskip("optuna")
    Path("notes").write_text("mine\n")
    options = ("--strategy", "optuna", "--trials", "2", "--out", "found", "--study", "notes")
    outcome = dynmeans("tune", points, *LINE[:4], *options)
    assert outcome.code == 2
    assert outcome.err.startswith("dynmeans: error: notes: not a study of dynmeans")
    assert Path("notes").read_text() == "mine\n"


def test_a_full_disk_names_the_study(dynmeans: Run, points: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(optuna_search, "_open_study", fail)
    options = ("--strategy", "optuna", "--trials", "2", "--out", "found", "--study", "study")
    outcome = dynmeans("tune", points, *LINE[:4], *options)
    assert (outcome.code, outcome.err) == (2, "dynmeans: error: study: No space left on device\n")


@pytest.mark.parametrize("name", ["loop", "loop/x"])
def test_a_loop_of_links_is_one_line_and_stays(dynmeans: Run, points: Path, name: str) -> None:
    Path("loop").symlink_to("loop")
    Path("out").mkdir()
    Path("out/steps.csv").symlink_to("steps.csv")
    write_clip(Path("clip.mkv"), pictures(2))
    lines = (
        ("cluster", points, *LINE, "--out", "new", "--state", name),
        ("cluster", points, *LINE, "--out", name),
        ("cluster", points, *LINE, "--out", name, "--state", "state"),
        ("cluster", name, *LINE, "--format", "csv", "--out", "new"),
        ("cluster", points, *LINE, "--out", "out"),
        ("demo", "--out", name),
        ("video", "clip.mkv", "small.mkv", "--palette", name),
        ("tune", points, *LINE[:4], "--strategy", "optuna", "--study", name, "--out", "found"),
        ("report", name),
    )
    for line in lines:
        outcome = dynmeans(*line)
        assert (outcome.code, outcome.err.count("\n")) == (2, 1), (line, outcome)
    assert Path("loop").is_symlink()
    assert not Path("new").exists()
    assert dynmeans("cluster", points, *LINE, "--out", "out", "--force").code == 0


@pytest.mark.parametrize("name", ["link", "link/x"])
def test_a_link_without_a_target_is_one_line_and_stays(dynmeans: Run, points: Path, name: str) -> None:
    Path("link").symlink_to("nowhere")
    outcome = dynmeans("cluster", points, *LINE, "--out", name)
    link = Path("link") if name == "link" else Path("link").absolute()
    rule = f"{name}: cannot be written, {link} is a symbolic link without a target"
    assert (outcome.code, outcome.err) == (2, f"dynmeans: error: {rule}\n")
    assert Path("link").is_symlink()
    assert not Path("nowhere").exists()


def test_results_are_written_through_a_linked_folder(dynmeans: Run, points: Path) -> None:
    Path("real").mkdir()
    Path("link").symlink_to("real")
    assert dynmeans("cluster", points, *LINE, "--out", "link").code == 0
    assert Path("link").is_symlink()
    assert Path("real/labels.csv").exists()


def test_control_characters_of_names_do_not_reach_a_terminal(dynmeans: Run, folder: Path) -> None:
    red = "\x1b[31mred"
    Path(f"{red}.csv").write_text(f't,"a\nb{red}",y\n0,1,2\n0,2,3\n1,1,2\n')
    good = dynmeans("cluster", f"{red}.csv", "--time", "t", "--birth-cost", "9", "--no-report")
    assert good.code == 0
    assert f"{red.replace(chr(27), chr(92) + 'x1b')}.csv" in good.out
    bad = dynmeans("cluster", f"{red}.csv", "--time", f"a\nb{red}c", "--birth-cost", "9", "--out", "o")
    missing = dynmeans("cluster", f"no{red}.csv")
    assert (bad.code, missing.code) == (2, 2)
    texts = (good.out, bad.err, missing.err)
    assert all(c.isprintable() or c == "\n" for text in texts for c in text)
    assert [text.count("\n") for text in texts[1:]] == [1, 1]


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 5000])
def test_an_endless_parameter_of_a_kernel_is_one_line(dynmeans: Run, points: Path, value: str) -> None:
    outcome = dynmeans("cluster", points, "--algorithm", "kdmeans", "--kernel", f"rbf:bandwidth={value}")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "is not a number" in outcome.err
    assert len(outcome.err) < 250


def test_a_demo_beside_a_deeply_nested_file_is_one_line(dynmeans: Run, folder: Path) -> None:
    Path("out").mkdir()
    Path("out/run.json").write_text("[" * 100_000)
    outcome = dynmeans("demo", "--out", "out")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "--force overwrites it" in outcome.err
