from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dynmeans as package
from dynmeans._files.run_folder.reader import read_run
from point_files import contents, write_points

COSTS = ("--birth-cost", "0.06")


def labels(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "labels.csv").read_text().splitlines()[1:]]


def direct_labels(path: Path, **parameters: Any) -> list[int]:
    """Labels of the estimator itself for the rows of each minute."""
    rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
    model = package.DMeans(**{"birth_cost": 0.06, "random_state": 0, **parameters})
    found: list[int] = []
    for minute in sorted({row[0] for row in rows}):
        X = np.array([[float(row[1]), float(row[2])] for row in rows if row[0] == minute])
        found += model.partial_fit(X).labels_.tolist()
    return found


def test_windows_of_a_file_are_the_steps_of_the_model(dynmeans: Callable[..., Any], points: Path) -> None:
    outcome = dynmeans("cluster", points, "--time", "when", "--every", "1min", *COSTS)
    assert outcome.code == 0
    assert "240 rows in 12 steps" in outcome.out
    assert outcome.err == ""
    folder = Path("dynmeans-run")
    assert labels(folder) == direct_labels(points)
    assert sorted(contents(folder)) == [
        "clusters.csv", "events.jsonl", "labels.csv", "report.html", "run.json", "sample.csv", "steps.csv",
    ]  # fmt: skip


def test_the_run_folder_describes_the_run(dynmeans: Callable[..., Any], points: Path) -> None:
    dynmeans("cluster", points, "--time", "when", "--every", "2min", *COSTS, "--lifetime", "4")
    run = read_run("dynmeans-run")
    assert run.info["features"] == ["x", "y"]
    assert run.info["time"] == {"name": "when", "kind": "datetime"}
    parameters = {"time": "when", "every": "2min", "birth_cost": 0.06, "lifetime": 4.0}
    assert parameters.items() <= run.info["parameters"].items()
    assert (run.info["rows"], run.info["steps"], run.info["complete"]) == (240, 6, True)
    first = np.datetime64("2024-03-01").astype("datetime64[s]").astype(float)
    assert run.steps["time"].tolist() == [first + 120 * i for i in range(6)]
    assert set(run.clusters["age"]) <= {0.0, 120.0, 240.0, 360.0, 480.0}
    assert {event.kind for event in run.events} >= {"birth"}
    assert len(run.sample["id"]) == 240


def test_rows_files_and_times_make_the_same_steps(dynmeans: Callable[..., Any], points: Path) -> None:
    table = np.loadtxt(points, delimiter=",", skiprows=1, usecols=(1, 2))
    np.savez("points.npz", *np.split(table, 12))
    np.save("points.npy", table)
    lines = points.read_text().splitlines()
    for minute in range(12):
        part = [lines[0], *lines[1 + 20 * minute : 21 + 20 * minute]]
        Path(f"part{minute:02d}.csv").write_text("\n".join(part) + "\n")
    np.savetxt("times.csv", np.column_stack([np.repeat(np.arange(12) + 7.0, 20), table]), delimiter=",")
    lines_of = {
        "rows": ("points.npy", "--every", "20rows"),
        "arrays": ("points.npz",),
        "files": tuple(f"part{minute:02d}.csv" for minute in range(12)),
        "times": ("times.csv", "--time", "x1"),
    }
    for out, line in lines_of.items():
        assert dynmeans("cluster", *line, *COSTS, "--out", out).code == 0
        assert (Path(out) / "steps.csv").read_text().count("\n") == 13
    assert np.load("rows/labels.npy").tolist() == direct_labels(points)
    assert np.load("arrays/labels.npz")["id"].tolist() == direct_labels(points)
    assert labels(Path("files")) == labels(Path("times")) == direct_labels(points)


def test_one_file_without_time_is_one_step(dynmeans: Callable[..., Any], points: Path) -> None:
    assert "240 rows in 1 step\n" in dynmeans("cluster", points, *COSTS).out


def test_standard_input_gives_what_the_file_gives(
    dynmeans: Callable[..., Any], points: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ("--time", "when", "--every", "1min", *COSTS)
    dynmeans("cluster", points, *line, "--out", "file")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(points.read_bytes())))
    assert dynmeans("cluster", "-", *line, "--out", "stream").code == 0
    assert labels(Path("file")) == labels(Path("stream"))


def test_all_parameters_reach_the_model(dynmeans: Callable[..., Any], points: Path) -> None:
    line = (
        "--aging-cost",
        "0.01",
        "--drift",
        "0.5",
        "--motion",
        "velocity",
        "--restarts",
        "2",
        "--seed",
        "5",
    )
    dynmeans("cluster", points, "--time", "when", "--every", "1min", *COSTS, *line, "--jobs", "1")
    expected = direct_labels(
        points, aging_cost=0.01, drift=0.5, motion="velocity", n_restarts=2, random_state=5
    )
    assert labels(Path("dynmeans-run")) == expected


def test_standardized_features_cluster_alike_in_all_units(dynmeans: Callable[..., Any], points: Path) -> None:
    rows = [line.split(",") for line in points.read_text().splitlines()[1:]]
    scaled = "\n".join(f"{t},{float(x) * 4096},{float(y) / 64 + 2}" for t, x, y, _ in rows)
    Path("scaled.csv").write_text(f"when,x,y\n{scaled}\n")
    line = ("--time", "when", "--every", "1min", "--standardize", "--birth-cost", "0.5")
    for name in ("points.csv", "scaled.csv"):
        assert dynmeans("cluster", name, *line, "--out", name[:-4]).code == 0
    assert labels(Path("points")) == labels(Path("scaled"))
    centers, others = (read_run(name).clusters["features"] for name in ("points", "scaled"))
    assert np.allclose(centers * [4096, 1 / 64] + [0, 2], others)
    assert len(set(labels(Path("points")))) > 1


def test_weight_n_equals_n_rows(dynmeans: Callable[..., Any], folder: Path) -> None:
    Path("w.csv").write_text("x,n\n0,1\n1,3\n9,2\n7,0\n")
    Path("copies.csv").write_text("x\n0\n1\n1\n1\n9\n9\n")
    dynmeans("cluster", "w.csv", "--weight", "n", "--birth-cost", "4", "--out", "w")
    dynmeans("cluster", "copies.csv", "--birth-cost", "4", "--out", "copies")
    weighted, copied = read_run("w"), read_run("copies")
    assert weighted.clusters["features"].tolist() == copied.clusters["features"].tolist()
    assert weighted.clusters["weight"].tolist() == copied.clusters["weight"].tolist()
    assert len(labels(Path("w"))) == 4


def test_the_report_can_be_left_out_and_drawn_again(dynmeans: Callable[..., Any], points: Path) -> None:
    dynmeans("cluster", points, *COSTS, "--out", "full")
    dynmeans("cluster", points, *COSTS, "--out", "bare", "--no-report")
    assert not Path("bare/report.html").exists()
    assert dynmeans("report", "bare").code == 0
    assert contents(Path("bare")) == contents(Path("full"))


def test_a_run_is_not_overwritten_without_force(dynmeans: Callable[..., Any], points: Path) -> None:
    dynmeans("cluster", points, *COSTS)
    before = contents(Path("dynmeans-run"))
    outcome = dynmeans("cluster", points, "--birth-cost", "0.5")
    assert outcome.code == 2
    assert "--force overwrites it" in outcome.err
    assert contents(Path("dynmeans-run")) == before
    assert dynmeans("cluster", points, "--birth-cost", "0.5", "--force").code == 0
    assert contents(Path("dynmeans-run")) != before


def test_a_later_day_goes_on_with_the_clusters_of_the_first(
    dynmeans: Callable[..., Any], folder: Path
) -> None:
    whole = write_points(folder / "whole.csv", steps=12)
    lines = whole.read_text().splitlines(keepends=True)
    Path("day1.csv").write_text("".join(lines[:141]))
    Path("day2.csv").write_text("".join([lines[0], *lines[141:]]))
    line = ("--time", "when", "--every", "1min", *COSTS)
    dynmeans("cluster", whole, *line, "--out", "whole")
    dynmeans("cluster", "day1.csv", *line, "--out", "one", "--state", "state")
    assert dynmeans("cluster", "day2.csv", *line, "--out", "two", "--state", "state").code == 0
    assert labels(Path("one")) + labels(Path("two")) == labels(Path("whole"))
    assert read_run("two").steps["step"].tolist() == list(range(8, 13))
    assert (
        "already complete" in dynmeans("cluster", "day2.csv", *line, "--out", "two", "--state", "state").out
    )


def test_help_and_version_are_there(dynmeans: Callable[..., Any]) -> None:
    assert dynmeans("--version").out == f"dynmeans {package.__version__}\n"
    assert "--every" in dynmeans("cluster", "--help").out
    for command in ("cluster", "report", "demo"):
        assert command in dynmeans("--help").out
        assert command in dynmeans().out


def test_the_command_line_loads_no_extra() -> None:
    program = (
        "import sys; sys.modules['pandas'] = None  # or scikit-learn would load it, and it pyarrow\n"
        "import dynmeans.cli; print([m for m in ('matplotlib', 'pyarrow', 'polars') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_python_m_is_the_command(folder: Path) -> None:
    Path("a.csv").write_text("x\n1\n")
    line = [sys.executable, "-m", "dynmeans", "cluster", "a.csv", "--no-report"]
    result = subprocess.run(line, capture_output=True, text=True, check=True)
    assert "1 row in 1 step" in result.stdout
    assert result.stderr == ""
    assert json.loads(Path("dynmeans-run/run.json").read_text())["rows"] == 1


def test_columns_that_are_not_used_are_named(dynmeans: Callable[..., Any], folder: Path) -> None:
    lines = "".join(f"{i},{9 * (i % 2) + i / 50},a{i}\n" for i in range(12))
    (folder / "a.csv").write_text(f"id,x,name\n{lines}")
    outcome = dynmeans("cluster", "a.csv", "--no-report")
    assert "features    x\n" in outcome.out
    expected = "not used    id (row numbers); name (text); --features chooses other columns\n"
    assert expected in outcome.out
    outcome = dynmeans("cluster", "a.csv", "--no-report", "--force", "--features", "id,x")
    assert "features    id, x\n" in outcome.out
    assert "not used" not in outcome.out


def test_a_single_row_has_no_birth_cost(dynmeans: Callable[..., Any], folder: Path) -> None:
    (folder / "one.csv").write_text("x,y\n1,2\n")
    outcome = dynmeans("cluster", "one.csv")
    assert "birth cost  not estimated: no step has two different rows" in outcome.out
    assert "1e+100" not in outcome.out
    assert '"birthCost":[null]' in (folder / "dynmeans-run/report.html").read_text()


def test_one_row_per_step_gives_a_warning_and_no_costs(dynmeans: Callable[..., Any], folder: Path) -> None:
    (folder / "one.csv").write_text("t,x\n" + "".join(f"{i},{i // 15 % 3 * 10}.{i % 7}\n" for i in range(40)))
    outcome = dynmeans("cluster", "one.csv", "--time", "t")
    assert outcome.err.splitlines() == [
        "dynmeans: warning: the birth cost is not estimated: no step has two different rows; all rows are "
        "one cluster; if there are several objects, set --birth-cost, or cluster several rows per step"
    ]
    for path in (folder / "dynmeans-run").iterdir():
        assert not re.search(r"e\+?(99|100)\b", path.read_text()), path


def test_the_birth_cost_of_each_step_is_in_the_folder_and_the_report(
    dynmeans: Callable[..., Any], points: Path
) -> None:
    outcome = dynmeans("cluster", points, "--time", "when", "--every", "1min")
    run = read_run("dynmeans-run")
    costs = run.steps["birth_cost"]
    assert len(set(costs.tolist())) > 1
    assert run.info["used"]["birth_cost"] == costs[-1]
    assert f"birth cost  {costs[-1]:.6g} (auto)" in outcome.out
    shown = json.loads(re.search(r'"birthCost":(\[.*?\])', Path("dynmeans-run/report.html").read_text())[1])
    assert shown == [float(f"{cost:.6g}") for cost in costs]


def test_warnings_name_options_and_columns(dynmeans: Callable[..., Any], folder: Path) -> None:
    rows = "".join(f"{100 * (i % 2) + i / 100},{i % 2}\n" for i in range(40))
    (folder / "a.csv").write_text(f"distance,share\n{rows}")
    outcome = dynmeans("cluster", "a.csv", "--birth-cost", "50", "--no-report")
    assert "so 'share' has no effect on the clusters" in outcome.err
    assert outcome.err.endswith("standardize them (--standardize)\n")


@pytest.mark.parametrize("options", [(), ("--by", "key")])
def test_features_that_are_not_standardized_are_named(
    dynmeans: Callable[..., Any], folder: Path, options: tuple[str, ...]
) -> None:
    lines = "".join(f"{t},{i % 3 * 10 + i / 50},{t * i},5,a\n" for t in range(4) for i in range(40))
    (folder / "a.csv").write_text(f"t,x,y,z,key\n{lines}")
    line = ("cluster", "a.csv", "--time", "t", "--features", "x,y,z", "--standardize", "--no-report")
    outcome = dynmeans(*line, *options)
    message = "'y', 'z' are constant in the first step, so they are not scaled by --standardize"
    assert f"dynmeans: warning: {message}; use --feature-scales\n" in outcome.err
    assert "(--standardize)" not in outcome.err


@pytest.mark.parametrize("command", ["cluster", "tune"])
@pytest.mark.parametrize("n_rows", [8, 40])
def test_scales_of_few_rows_are_reported(
    dynmeans: Callable[..., Any], folder: Path, command: str, n_rows: int
) -> None:
    """Eight machines that are idle at night have no spread, so the load by day was the only feature."""
    lines = "".join(f"{t},{i + t % 2},{i * i}\n" for t in range(10) for i in range(n_rows))
    (folder / "a.csv").write_text(f"t,x,y\n{lines}")
    extra = ("--no-report",) if command == "cluster" else ("--trials", "4")
    outcome = dynmeans(command, "a.csv", "--time", "t", "--standardize", *extra)
    message = "the first step has only 8 rows, from which --standardize takes the scale of every feature"
    assert outcome.err.count(message) == (n_rows == 8)


def test_a_standardized_run_is_not_advised_to_standardize(dynmeans: Callable[..., Any], folder: Path) -> None:
    outlier = "0,1000000,0\n"
    lines = "".join(f"0,{i / 50},{i % 7}\n" for i in range(60))
    (folder / "a.csv").write_text(f"t,x,y\n{lines}{outlier}")
    outcome = dynmeans("cluster", "a.csv", "--time", "t", "--standardize", "--birth-cost", "1", "--no-report")
    assert "'x' has no effect on the clusters; if that is not intended, use --feature-scales" in outcome.err


def test_a_cluster_that_never_dies_has_no_lifetime_of_inf(dynmeans: Callable[..., Any], points: Path) -> None:
    outcome = dynmeans("cluster", points, "--time", "when", "--aging-cost", "0", "--drift", "1")
    assert outcome.code == 0
    assert "inf" not in outcome.out
    assert "lifetime" not in json.loads(Path("dynmeans-run/run.json").read_text())["used"]


def test_scales_are_checked_over_several_small_steps(dynmeans: Callable[..., Any], folder: Path) -> None:
    lines = "".join(f"{i // 4},{5e-4 * (i % 4)},{7 * (i % 4) + i % 3}\n" for i in range(60))
    (folder / "a.csv").write_text(f"t,lat,speed\n{lines}")
    outcome = dynmeans("cluster", "a.csv", "--time", "t", "--no-report")
    assert outcome.err.count("so 'lat' has no effect on the clusters") == 1
    outcome = dynmeans("cluster", "a.csv", "--time", "t", "--no-report", "--standardize", "--force")
    assert "no effect" not in outcome.err


@pytest.mark.parametrize("options", [("--birth-cost", "4"), ("--by", "k")])
def test_a_lifetime_shorter_than_the_steps_is_reported(
    dynmeans: Callable[..., Any], folder: Path, options: tuple[str, str]
) -> None:
    lines = "".join(f"{10 * (i // 2)},{9 * (i % 2)},k{i % 2}\n" for i in range(20))
    (folder / "a.csv").write_text(f"t,x,k\n{lines}")
    warning = "warning: steps are 10 apart on average, but a cluster lives for 3 without rows"
    outcome = dynmeans("cluster", "a.csv", "--time", "t", "--no-report", *options)
    assert warning in outcome.err
    assert ("birth cost  not estimated: no key has two different rows" in outcome.out) is ("--by" in options)
    longer = ("--lifetime", "50", "--force")
    assert warning not in dynmeans("cluster", "a.csv", "--time", "t", "--no-report", *options, *longer).err


def test_a_lifetime_of_half_a_second_needs_an_estimated_reach(
    dynmeans: Callable[..., Any], folder: Path
) -> None:
    lines = "".join(f"{0.1 * (i // 3):.1f},{5 * (i % 3) + 0.01 * (i % 7)}\n" for i in range(60))
    (folder / "a.csv").write_text(f"t,x\n{lines}")
    line = ("cluster", "a.csv", "--time", "t", "--no-report", "--lifetime", "0.5")
    outcome = dynmeans(*line)
    assert outcome.code == 0
    assert read_run("dynmeans-run").info["used"]["lifetime"] == 0.5
    assert "--lifetime must be a finite number > 1" in dynmeans(*line, "--reach", "2", "--force").err
    assert "--lifetime must be a finite number > 1" in dynmeans(*line, "--birth-cost", "1", "--force").err


def test_lifetimes_of_dates_have_a_unit(dynmeans: Callable[..., Any], folder: Path) -> None:
    lines = "".join(f"2024-03-01T09:{i // 4:02},{9 * (i % 2) + i / 100}\n" for i in range(40))
    (folder / "a.csv").write_text(f"when,x\n{lines}")
    assert "lifetime 5 min" in dynmeans("cluster", "a.csv", "--time", "when", "--no-report").out
    line = ("cluster", "a.csv", "--time", "when", "--every", "1min", "--no-report", "--force")
    assert "lifetime 5, reach" in dynmeans(*line).out


def test_a_short_lifetime_of_dates_has_a_unit(dynmeans: Callable[..., Any], folder: Path) -> None:
    lines = "".join(f"2024-03-{1 + i // 4:02},{9 * (i % 2) + i / 100}\n" for i in range(40))
    (folder / "a.csv").write_text(f"day,x\n{lines}")
    outcome = dynmeans("cluster", "a.csv", "--time", "day", "--birth-cost", "4", "--no-report")
    assert "steps are 1 d apart on average, but a cluster lives for 3 s without rows" in outcome.err


def test_a_time_that_is_not_given_is_suggested(dynmeans: Callable[..., Any], folder: Path) -> None:
    lines = "".join(f"{i // 4},2024-03-{1 + i // 4:02},{i % 4 * 9 + i / 50}\n" for i in range(20))
    (folder / "a.csv").write_text(f"frame,day,x\n{lines}")
    outcome = dynmeans("cluster", "a.csv", "--no-report")
    assert "'frame' is clustered as a feature; if it is the time, use --time frame" in outcome.err
    assert "not used    day (dates: use --time day)" in outcome.out
    for options in (("--time", "frame"), ("--features", "frame,x")):
        outcome = dynmeans("cluster", "a.csv", "--no-report", "--force", *options)
        assert "clustered as a feature" not in outcome.err


@pytest.mark.parametrize("name", ["week", "timestamp_ms", "header.stamp"])
@pytest.mark.parametrize("options", [(), ("--time", "day")])
def test_a_second_time_is_reported(
    dynmeans: Callable[..., Any], folder: Path, name: str, options: tuple[str, ...]
) -> None:
    """It separated the rows of a cluster by time; more than 100 rows may have the first time."""
    lines = "".join(f"{i // 150},2024-03-{1 + i // 150:02},{i % 4 * 9 + i / 900}\n" for i in range(600))
    (folder / "a.csv").write_text(f"{name},day,x\n{lines}")
    outcome = dynmeans("cluster", "a.csv", "--no-report", *options)
    advice = "a time, choose others by --features" if options else f"the time, use --time {name}"
    assert f"{name!r} is clustered as a feature; if it is {advice}\n" in outcome.err


def test_degrees_far_from_the_equator_are_reported(dynmeans: Callable[..., Any], folder: Path) -> None:
    lines = "".join(f"{60 + i % 4},{7 + i % 3}\n" for i in range(20))
    (folder / "north.csv").write_text(f"LAT,lon\n{lines}")
    (folder / "south.csv").write_text(f"lat,long\n{lines.replace('6', '-')}")
    (folder / "meters.csv").write_text(f"lat,lon\n{lines.replace('6', '6000')}")
    outcome = dynmeans("cluster", "north.csv", "--no-report")
    assert "at latitude 62 a degree of longitude is only 0.48 of a degree of latitude" in outcome.err
    assert "multiply 'lon' by 0.4772 (--feature-scales 1,2.096 in dynmeans cluster)" in outcome.err
    line = ("cluster", "north.csv", "--no-report", "--force", "--feature-scales")
    assert "degree" not in dynmeans(*line, "1,2.096").err
    assert "degree" not in dynmeans(*line, "0.1,0.2096").err
    assert "(--feature-scales 10,20.96 in" in dynmeans(*line, "10,10").err
    for name in ("south.csv", "meters.csv"):
        assert "degree" not in dynmeans("cluster", name, "--no-report", "--force").err


def test_a_run_that_ends_in_an_error_says_how_to_repeat_it(
    dynmeans: Callable[..., Any], points: Path
) -> None:
    points.write_text(points.read_text() + "2024-03-02T00:00:00,,1,a\n")
    line = ("cluster", points, "--time", "when", *COSTS, "--no-report")
    outcome = dynmeans(*line)
    assert outcome.code == 2
    hint = "11 complete steps are in dynmeans-run; to repeat the run, use --force or another --out\n"
    assert outcome.err.endswith(f"; {hint}")
    before = contents(Path("dynmeans-run"))
    outcome = dynmeans(*line, "--missing", "drop")
    message = "dynmeans-run: holds an incomplete run of 11 steps (run.json); --force overwrites it\n"
    assert outcome.err == f"dynmeans: error: {message}"
    assert contents(Path("dynmeans-run")) == before
    assert dynmeans(*line, "--missing", "drop", "--force").code == 0
    outcome = dynmeans(*line, "--state", "state", "--out", "other")
    assert outcome.err.endswith("use another --state, and --force or another --out\n")


def test_a_run_without_a_complete_step_leaves_no_files(dynmeans: Callable[..., Any], points: Path) -> None:
    (points.parent / "a.csv").write_text("x,w\n1,0\n2,0\n")
    line = ("cluster", "a.csv", "--features", "x", "--no-report")
    assert "--weight must not be zero everywhere" in dynmeans(*line, "--weight", "w").err
    assert not Path("dynmeans-run").exists()
    assert dynmeans(*line).code == 0


@pytest.mark.parametrize(
    ("options", "estimated"),
    [
        ("", "motion mode merging lifetime reach"),
        ("--lifetime 7 --reach 1.3 --motion walk --exclusive --merge", ""),
        ("--lifetime 7 --no-merge", "motion mode reach"),
        ("--refine --motion walk", "merging lifetime reach"),
        ("--aging-cost 1 --drift 1 --motion walk", "mode merging"),
    ],
)
def test_only_estimated_parameters_are_listed_as_such(
    dynmeans: Callable[..., Any], points: Path, options: str, estimated: str
) -> None:
    line = ("cluster", points, "--time", "when", "--every", "1min", "--no-report", *options.split())
    outcome = dynmeans(*line)
    assert outcome.code == 0, outcome.err
    found = re.search("^estimated +(.*)$", outcome.out, re.MULTILINE)
    words = [] if found is None else [entry.split()[0] for entry in found[1].split(", ")]
    modes = ("plain", "refined", "exclusive")
    assert ["mode" if word in modes else word for word in words] == estimated.split()


def test_run_json_has_the_scales_of_the_clustered_features(
    dynmeans: Callable[..., Any], points: Path
) -> None:
    line = (
        "cluster",
        points,
        "--time",
        "when",
        "--every",
        "1min",
        "--features",
        "x,y",
        *COSTS,
        "--no-report",
    )
    assert dynmeans(*line, "--out", "a").code == 0
    assert dynmeans(*line, "--out", "b", "--feature-scales", "1,3").code == 0
    assert dynmeans(*line, "--out", "c", "--standardize").code == 0
    assert dynmeans(*line, "--out", "d", "--standardize", "--feature-scales", "1,3").code == 0
    plain, given, standard, both = (read_run(out).info.get("scales") for out in "abcd")
    assert plain is None
    assert given == [1.0, 3.0]
    assert both == [standard[0], 3.0 * standard[1]]
