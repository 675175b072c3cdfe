"""`dynmeans tune`: the command that it prints runs, and its table and figure are written."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans._files.run_folder.reader import read_run
from dynmeans.cli.tune.output import _row, command
from dynmeans.datasets import moving_gaussians
from dynmeans.kernels import MST, RBF, Diffusion
from dynmeans.runs._setup.models import parse_kernel
from dynmeans.runs.parameters import RunParameters
from dynmeans.tuning.result import RESULT_COLUMNS

Command = Callable[..., Any]


@pytest.fixture
def blobs(folder: Path) -> Path:
    """Ten steps of three round clusters."""
    stream = moving_gaussians(3, 10, noise=0.02, motion=0.02, death=0.0, random_state=1)
    lines = ["t,x,y"] + [f"{t},{x!r},{y!r}" for t, X in enumerate(stream.batches) for x, y in X.tolist()]
    (folder / "blobs.csv").write_text("\n".join(lines) + "\n")
    return folder / "blobs.csv"


def test_the_printed_line_clusters_with_what_was_found(dynmeans: Command, blobs: Path, folder: Path) -> None:
    outcome = dynmeans("tune", "blobs.csv", "--time", "t", "--trials", 20, "--jobs", 1)
    assert outcome.code == 0, outcome.err
    line = shlex.split(outcome.out.strip().splitlines()[-1])
    assert line[:3] == ["dynmeans", "cluster", "blobs.csv"]
    assert dynmeans(*line[1:], "--no-report").code == 0
    assert len(set(read_run(folder / "dynmeans-run").clusters["id"].tolist())) == 3
    assert "tried      20 candidates on 10 steps" in outcome.out
    assert "nats per row, by Gaussian clusters; lower is better" in outcome.out


def test_the_printed_line_has_the_scales_of_features(dynmeans: Command, folder: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        (t, k + rng.normal(0, 0.1), rng.normal(0, 3)) for t in range(8) for k in (0, 1) for _ in range(25)
    ]
    (folder / "long.csv").write_text("\n".join(["t,x,y", *(f"{t},{x!r},{y!r}" for t, x, y in rows)]) + "\n")
    outcome = dynmeans("tune", "long.csv", "--time", "t", "--trials", 40, "--jobs", 1)
    line = shlex.split(outcome.out.strip().splitlines()[-1])
    scales = line[line.index("--feature-scales") + 1]
    assert f"feature scales {scales}" in outcome.out
    assert dynmeans(*line[1:], "--no-report").code == 0
    run = read_run(folder / "dynmeans-run")
    assert run.info["parameters"]["feature_scales"] == [float(scale) for scale in scales.split(",")]
    assert len(set(run.clusters["id"].tolist())) == 2
    with (folder / "dynmeans-tune" / "trials.csv").open() as file:
        assert next(csv.DictReader(file))["feature_scales"] == scales


@pytest.mark.parametrize("scales", ["1,-1", "1,x", "", "1,inf"])
def test_invalid_scales_are_refused(dynmeans: Command, blobs: Path, scales: str) -> None:
    outcome = dynmeans("cluster", blobs, "--time", "t", "--feature-scales", scales)
    assert outcome.code == 2
    assert "--feature-scales is" in outcome.err


def test_scales_of_other_features_are_refused(dynmeans: Command, blobs: Path) -> None:
    outcome = dynmeans("cluster", blobs, "--time", "t", "--feature-scales", "1,2,3")
    assert outcome.code == 2
    message = "--feature-scales has 3 numbers; it must have one for each of 2 features (x, y)"
    assert outcome.err == f"dynmeans: error: {message}\n"
    assert dynmeans("cluster", blobs, "--feature-scales", "1,2", "--algorithm", "kdmeans").code == 2


def test_table_and_figure_are_written(dynmeans: Command, blobs: Path, folder: Path) -> None:
    pytest.importorskip("matplotlib", reason='pip install "dynmeans[plot]"')
    dynmeans("tune", blobs, "--time", "t", "--trials", 9, "--choose-motion", "--steps", 6, "--out", "found")
    with (folder / "found" / "trials.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 9
    assert {row["motion"] for row in rows} == {"walk", "velocity"}
    assert (folder / "found" / "tuning.png").read_bytes().startswith(b"\x89PNG")


def test_a_warning_is_one_line(dynmeans: Command, folder: Path) -> None:
    rng = np.random.default_rng(0)
    lines = [f"{t},{x!r},{y!r}" for t in range(6) for x, y in rng.normal(size=(60, 2)).tolist()]
    (folder / "one.csv").write_text("\n".join(["t,x,y", *lines]) + "\n")
    outcome = dynmeans("tune", "one.csv", "--time", "t", "--trials", 24)
    assert "one cluster" in outcome.err.splitlines()[0]


def test_kernels_are_written_as_cluster_reads_them() -> None:
    parameters = RunParameters(algorithm="sdmeans", features=["x", "y"], standardize=True, motion="align")
    line = command(["a b.csv"], parameters, {"birth_cost": 0.1, "kernel": RBF(0.5), "relative": True})
    assert line == (
        "dynmeans cluster 'a b.csv' --features x,y --standardize --algorithm sdmeans --motion align "
        "--kernel rbf:bandwidth=0.5 --birth-cost 0.1 --relative"
    )


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (RBF(), []),
        (RBF(max_dense=10), ["--kernel", "rbf:max_dense=10"]),
        (MST(), ["--kernel", "mst"]),
        (Diffusion(), ["--kernel", "diffusion"]),
        (Diffusion(n_neighbors=5, rank=3, time=2.0, memory=0.1, bandwidth=1.0), None),
    ],
)
def test_parameters_of_a_kernel_that_have_their_defaults_are_left_out(
    kernel: Any, words: list[str] | None
) -> None:
    line = command(["a.csv"], RunParameters(algorithm="sdmeans"), {"kernel": kernel}).split()
    found = line[line.index("sdmeans") + 1 :]
    assert words is None or found == words
    assert parse_kernel(found[1] if found else "rbf") == kernel


def test_the_command_has_every_option_of_the_search() -> None:
    parameters = RunParameters(time="t", missing="drop", seed=3, min_hits=1)
    params = {"birth_cost": 2.0, "motion": "velocity", "exclusive": True, "refine": False}
    line = command(["a.csv"], parameters, params, ["line=64MB"])
    assert line == (
        "dynmeans cluster a.csv --time t --missing drop --motion velocity --exclusive --birth-cost 2 "
        "--seed 3 --limit line=64MB"
    )


def test_candidates_that_differ_in_the_motion_only_are_printed_differently() -> None:
    table = {"birth_cost": [2.0, 2.0], "motion": ["velocity", "walk"], "exclusive": [True, False]}
    table |= {name: [1.0, 1.0] for name in RESULT_COLUMNS}
    assert _row(table, 0).startswith("birth cost 2, motion velocity, exclusive: 1 clusters per step, 1 id, ")
    assert _row(table, 1).startswith("birth cost 2, motion walk: ")


def test_invalid_options_give_a_one_line_error(dynmeans: Command, folder: Path) -> None:
    (folder / "same.csv").write_text("t,x\n0,1\n0,1\n1,1\n")
    outcome = dynmeans("tune", "same.csv", "--time", "t")
    assert outcome.code == 2
    assert "same.csv: all rows of each batch are equal" in outcome.err
    assert outcome.err.count("\n") == 1
    assert not (folder / "dynmeans-tune").exists()
    (folder / "far.csv").write_text("t,x\n0,1\n0,1e300\n1,1\n")
    outcome = dynmeans("tune", "far.csv", "--time", "t")
    assert outcome.err == (
        "dynmeans: error: far.csv, row 2 (line 3), column 'x': 1e+300 is not within ±1e+150\n"
    )


def test_a_folder_with_results_is_overwritten_only_by_force(
    dynmeans: Command, blobs: Path, folder: Path
) -> None:
    (folder / "found").mkdir()
    (folder / "found" / "trials.csv").write_text("mine")
    line = ("tune", blobs, "--time", "t", "--trials", 3, "--out", "found")
    outcome = dynmeans(*line)
    assert outcome.code == 2
    assert outcome.err.endswith("found: holds results already (trials.csv); --force overwrites them\n")
    assert (folder / "found" / "trials.csv").read_text() == "mine"
    assert dynmeans(*line, "--force").code == 0


def test_an_input_is_never_overwritten(dynmeans: Command, blobs: Path, folder: Path) -> None:
    mine = folder / "trials.csv"
    mine.write_bytes((folder / blobs).read_bytes())
    outcome = dynmeans("tune", mine, "--time", "t", "--trials", 3, "--out", folder, "--force")
    assert outcome.code == 2
    assert "an input that the run would overwrite" in outcome.err
    assert mine.read_bytes() == (folder / blobs).read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--out", "blobs.csv"), "blobs.csv: cannot be written, blobs.csv is not a folder"),
        (("--study", "study.log"), "--study needs --strategy optuna, got --strategy refine"),
    ],
)
def test_unwritable_outputs_are_reported_before_the_search(
    dynmeans: Command, blobs: Path, options: tuple[str, ...], message: str
) -> None:
    outcome = dynmeans("tune", blobs, "--time", "t", "--trials", 10**6, *options)
    assert (outcome.code, outcome.err) == (2, f"dynmeans: error: {message}\n")


def test_warnings_and_counts_are_those_of_cluster(dynmeans: Command, folder: Path) -> None:
    """Features of different scales, an empty cell, and an hour without rows."""
    rng = np.random.default_rng(0)
    lines = ["when,x,y"]
    for minute in (0, 1, 2, 3, 4, 64, 65, 66):
        for x, y in rng.normal([[0.0, 0.0], [9.0, 9.0]] * 15, 0.3).tolist():
            lines.append(f"2024-03-01T{9 + minute // 60:02}:{minute % 60:02}:00,{1000 * x},{y / 1000}")
    (folder / "a.csv").write_text("\n".join([*lines[:9], "2024-03-01T09:00:00,,1", *lines[9:]]) + "\n")
    line = ("a.csv", "--time", "when", "--every", "1min", "--missing", "drop")
    options = ("--algorithm", "kdmeans", "--kernel", "linear", "--trials", 4)  # it has no scales
    tuned, run = dynmeans("tune", *line, *options), dynmeans("cluster", *line, "--no-report")
    warning = next(each for each in run.err.splitlines() if "so 'y' has no effect on the clusters" in each)
    assert warning in tuned.err.splitlines()
    assert "left out    1 row with empty cells; no id in labels.csv" in run.out
    assert "left out   1 row with empty cells\n" in tuned.out
    assert "on 8 steps with rows\n" in tuned.out
