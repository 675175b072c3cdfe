"""`dynmeans cluster` and `dynmeans tune` with --metric cosine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans import DMeans
from sphere_twin import unit

Command = Callable[..., Any]


@pytest.fixture
def rows(folder: Path) -> tuple[Path, list[Any]]:
    """rows.csv: six steps of 60 rows around five directions."""
    rng = np.random.default_rng(0)
    means = unit(rng.normal(size=(5, 12)))
    batches = [means[rng.integers(5, size=60)] + 0.2 * rng.normal(size=(60, 12)) for _ in range(6)]
    lines = [",".join(map(repr, [t, *row])) for t, X in enumerate(batches) for row in X.tolist()]
    path = folder / "rows.csv"
    path.write_text("\n".join([",".join(["t", *(f"e{j}" for j in range(12))]), *lines]) + "\n")
    return path, batches


def labels(folder: str) -> list[int]:
    return [int(line) for line in Path(folder, "labels.csv").read_text().splitlines()[1:]]


def test_the_command_gives_the_labels_of_the_estimator(
    dynmeans: Command, rows: tuple[Path, list[Any]]
) -> None:
    path, batches = rows
    done = dynmeans("cluster", path, "--time", "t", "--metric", "cosine", "--no-report")
    assert done.code == 0, done.err
    model = DMeans(metric="cosine", random_state=0)
    expected = [k for t, X in enumerate(batches) for k in model.partial_fit(X, t=t).labels_.tolist()]
    assert labels("dynmeans-run") == expected
    assert "metric cosine" not in done.out  # it was given


def test_a_run_resumes(dynmeans: Command, rows: tuple[Path, list[Any]]) -> None:
    path, _ = rows
    options = ("--time", "t", "--metric", "cosine", "--no-report", "--state", "s.dynmeans")
    assert dynmeans("cluster", path, *options).code == 0
    before = labels("dynmeans-run")
    assert dynmeans("cluster", path, *options).code == 0
    assert labels("dynmeans-run") == before
    other = dynmeans("cluster", path, "--time", "t", "--no-report", "--state", "s.dynmeans")
    assert other.code == 2
    assert "--metric cosine, but here it is auto" in " ".join(other.err.split())


def test_tune_prints_the_command(dynmeans: Command, rows: tuple[Path, list[Any]]) -> None:
    path, _ = rows
    done = dynmeans("tune", path, "--time", "t", "--metric", "cosine", "--trials", 4, "--jobs", 1)
    assert done.code == 0, done.err
    assert "--metric cosine --birth-cost" in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--motion", "velocity"), "--metric cosine needs --algorithm dmeans and --motion walk"),
        (("--algorithm", "sdmeans"), "--metric cosine needs --algorithm dmeans and --motion walk"),
        (("--birth-cost", "3"), "it must lie in (0, 2], got 3.0"),
        (("--standardize",), "--metric cosine clusters directions"),
    ],
)
def test_invalid_options_are_refused_in_one_line(
    dynmeans: Command, rows: tuple[Path, list[Any]], options: tuple[str, ...], message: str
) -> None:
    done = dynmeans("cluster", rows[0], "--time", "t", "--metric", "cosine", *options)
    assert done.code == 2
    assert message in " ".join(done.err.split())


def test_a_row_of_zeros_is_named(dynmeans: Command, folder: Path) -> None:
    (folder / "zeros.csv").write_text("t,a,b\n0,1,2\n0,0,0\n")
    done = dynmeans("cluster", "zeros.csv", "--time", "t", "--metric", "cosine", "--no-report")
    assert done.code == 2
    assert "zeros.csv, row 2 (line 3): the row is all zeros" in done.err
