"""`dynmeans cluster --by`: one model per key, equal to one run per key, killed or not."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans._files.snapshot import SnapshotError, read_snapshot
from dynmeans.runs import RunParameters, cluster_files, read_key, read_run
from dynmeans.runs import _session as session
from dynmeans.runs._by_key import keyed_session
from dynmeans.runs._by_key.key_reports import report_file
from dynmeans.streams import KeyedDMeans
from killed_runs import WRITES, run_killed
from point_files import contents

KEYS = ["a7", 'odd, "key"', "B/", "ü"]
LINE = ("--time", "when", "--birth-cost", "1", "--by", "sensor", "--report-largest", "2")
STATE = ("--state", "state")


def write_readings(path: Path, n_steps: int = 10, delimiter: str = ",") -> Path:
    """Readings of four sensors; the third is silent at first, and every reading has a weight."""
    rng = np.random.default_rng(3)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["when", "sensor", "x", "y", "mass"])
        for t in range(n_steps):
            for k in rng.choice(4, 30, p=[0.2, 0.2, 0.2, 0.4]):
                if k == 2 and t < 4:
                    continue
                x, y = np.array([k, 5 * rng.integers(2)]) + rng.normal(0, 0.2, 2)
                writer.writerow([t, KEYS[k], repr(float(x)), repr(float(y)), int(rng.integers(1, 4))])
    return path


@pytest.fixture
def readings(folder: Path) -> Path:
    return write_readings(folder / "readings.csv")


def split_by_key(readings: Path) -> dict[str, Path]:
    """One file per key, with the rows of the key."""
    with readings.open(encoding="utf-8", newline="") as file:
        heading, *rows = csv.reader(file)
    parts = {}
    for key in dict.fromkeys(row[1] for row in rows):
        parts[key] = readings.with_name(f"only{len(parts)}.csv")
        with parts[key].open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([heading, *(row for row in rows if row[1] == key)])
    return parts


def labels_by_key(path: Path) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["sensor"], []).append(int(row["id"]))
    return found


@pytest.mark.parametrize(
    "change",
    [{}, {"motion": "velocity", "min_hits": 2}, {"weight": "mass"}],
    ids=lambda change: ",".join(change) or "plain",
)
def test_a_run_by_key_equals_one_run_per_key(readings: Path, change: dict[str, Any]) -> None:
    params: dict[str, Any] = {"time": "when", "features": ["x", "y"], "birth_cost": 1.0} | change
    result = cluster_files(readings, RunParameters(by="sensor", **params), out="keyed", report=False)
    labels = labels_by_key(result.labels)
    totals = np.zeros(3, dtype=int)
    for number, (key, path) in enumerate(split_by_key(readings).items()):
        single = cluster_files(path, RunParameters(**params), out=f"run{number}", report=False)
        expected, found = read_run(single.out), read_key("keyed", key)
        assert labels[key] == [int(line) for line in single.labels.read_text().splitlines()[1:]]
        assert found.events == expected.events
        for ours, theirs in ((found.steps, expected.steps), (found.clusters, expected.clusters)):
            for name, values in theirs.items():
                np.testing.assert_array_equal(ours[name], values)
        totals += [single.born, single.died, single.n_active + single.n_asleep]
    assert (result.born, result.died, result.n_active + result.n_asleep) == tuple(totals)
    assert (result.n_keys, result.rows) == (4, sum(map(len, labels.values())))


def test_the_command_writes_labels_events_and_reports_by_key(
    dynmeans: Callable[..., Any], readings: Path
) -> None:
    outcome = dynmeans("cluster", readings, *LINE, *STATE)
    assert outcome.code == 0, outcome.err
    assert "keys        4, by sensor" in outcome.out
    run = Path("dynmeans-run")
    info = json.loads((run / "run.json").read_text())
    counts = {key: len(ids) for key, ids in labels_by_key(run / "labels.csv").items()}
    assert list(info["reports"]) == sorted(counts, key=lambda key: -counts[key])[:2]
    page = (run / "report.html").read_text()
    for key, name in info["reports"].items():
        assert (run / name).read_text().startswith("<!")
        assert read_key(run, key).sample["row"].size > 0
    assert page.count("<a href=") == 2
    assert "2 keys have reports; --report-keys and --report-largest choose others" in page
    events = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    assert {event["key"] for event in events} == set(KEYS)
    assert not list(run.glob("*.spool"))
    again = dynmeans("cluster", readings, *LINE, *STATE)
    assert (again.code, again.out.startswith("already complete")) == (0, True)


def test_a_missing_report_is_drawn_again_and_a_damaged_table_is_computed_again(
    dynmeans: Callable[..., Any], readings: Path
) -> None:
    assert dynmeans("cluster", readings, *LINE, *STATE).code == 0
    run, whole = Path("dynmeans-run"), contents(Path("dynmeans-run"))
    next(run.glob("report-*")).unlink()
    assert dynmeans("cluster", readings, *LINE, *STATE).out.startswith("already complete")
    assert contents(run) == whole
    (run / "clusters.csv").write_text("")
    outcome = dynmeans("cluster", readings, *LINE, *STATE)
    assert "computed again" in outcome.err
    assert contents(run) == whole
    (run / "report.html").unlink()
    assert dynmeans("report", run).code == 0
    assert contents(run) == whole


def test_named_keys_get_a_report_with_a_sample_of_all_steps(
    dynmeans: Callable[..., Any], readings: Path
) -> None:
    line = ("cluster", readings, "--time", "when", "--by", "sensor", "--report-keys", "a7,nobody")
    done = dynmeans(*line)
    assert done.code == 0
    assert "warning: --report-keys: no row has the key 'nobody' in column 'sensor', so it has no" in done.err
    run = read_key("dynmeans-run", "a7")
    assert json.loads(Path("dynmeans-run/run.json").read_text())["reports"] == {"a7": "report-a7.html"}
    assert len(run.sample["row"]) == run.info["rows"] == run.steps["rows"].sum()
    assert run.info["title"] == "readings.csv, sensor a7"


def test_a_key_with_a_comma_is_quoted_as_in_a_csv_file(dynmeans: Callable[..., Any], readings: Path) -> None:
    quoted = 'a7, "odd, ""key"""'
    done = dynmeans("cluster", readings, "--time", "when", "--by", "sensor", "--report-keys", quoted)
    assert (done.code, "--report-keys" in done.err) == (0, False)
    assert set(json.loads(Path("dynmeans-run/run.json").read_text())["reports"]) == {"a7", 'odd, "key"'}


STAGES = [*WRITES, (keyed_session, "keyed_lines")]


@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("owner", "name"), STAGES, ids=[name for _, name in STAGES])
def test_a_run_killed_before_or_after_any_write_resumes(
    dynmeans: Callable[..., Any],
    readings: Path,
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    name: str,
    done: bool,
    count: int,
) -> None:
    monkeypatch.setattr(session, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr("os.fsync", lambda file: None)
    assert dynmeans("cluster", readings, *LINE, "--out", "whole", "--no-report").code == 0
    run = partial(dynmeans, "cluster", readings, *LINE, *STATE, "--out", "killed", "--no-report")
    run_killed(monkeypatch, run, owner, name, count, done)
    outcome = run()
    assert outcome.code == 0, outcome.err
    assert contents(Path("killed")) == contents(Path("whole"))


def test_a_second_day_continues_the_ids_of_every_key(dynmeans: Callable[..., Any], readings: Path) -> None:
    lines = readings.read_text().splitlines(keepends=True)
    half = next(i for i, line in enumerate(lines) if line.startswith("5,"))
    Path("day1.csv").write_text("".join(lines[:half]))
    Path("day2.csv").write_text("".join([lines[0], *lines[half:]]))
    assert dynmeans("cluster", readings, *LINE, "--out", "whole", "--no-report").code == 0
    assert dynmeans("cluster", "day1.csv", *LINE, *STATE, "--out", "one").code == 0
    assert dynmeans("cluster", "day2.csv", *LINE, *STATE, "--out", "two").code == 0
    whole, one, two = (contents(Path(name)) for name in ("whole", "one", "two"))
    for file in ("labels.csv", "steps.csv", "clusters.csv"):
        assert one[file] + two[file].split(b"\n", 1)[1] == whole[file]
    assert one["events.jsonl"] + two["events.jsonl"] == whole["events.jsonl"]
    model = KeyedDMeans.load("state")
    assert set(model.keys_) == set(KEYS)


@pytest.mark.parametrize("format", ["tsv", "jsonl", "parquet", "arrow"])
def test_labels_have_the_key_in_the_format_of_the_input(readings: Path, format: str) -> None:
    with readings.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    columns = {name: [row[name] for row in table] for name in table[0]}
    path = readings.with_suffix(f".{format}")
    if format == "tsv":
        write_readings(path, delimiter="\t")
    elif format == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in table))
    else:
        arrow = pytest.importorskip("pyarrow")
        numbers = {name: [float(cell) for cell in columns[name]] for name in ("when", "x", "y")}
        frame = arrow.table({**numbers, "sensor": columns["sensor"]})
        if format == "parquet":
            pytest.importorskip("pyarrow.parquet").write_table(frame, path)
        else:
            pytest.importorskip("pyarrow.feather").write_feather(frame, path)
    params = RunParameters(time="when", features=["x", "y"], birth_cost=1.0, by="sensor")
    expected = labels_by_key(cluster_files(readings, params, out="csv", report=False).labels)
    labels = cluster_files(path, params, out="other", report=False).labels
    assert labels.suffix == f".{format}"
    found: dict[str, list[int]] = {}
    for key, label in read_labels(labels, format):
        found.setdefault(key, []).append(label)
    assert found == expected


def read_labels(path: Path, format: str) -> list[tuple[str, int]]:
    if format == "tsv":
        with path.open(encoding="utf-8", newline="") as file:
            return [(row["sensor"], int(row["id"])) for row in csv.DictReader(file, delimiter="\t")]
    if format == "jsonl":
        rows = map(json.loads, path.read_text().splitlines())
        return [(row["sensor"], row["id"]) for row in rows]
    module = pytest.importorskip("pyarrow.parquet" if format == "parquet" else "pyarrow.feather")
    table = module.read_table(path).to_pydict()
    return list(zip(table["sensor"], table["id"], strict=True))


def test_numbers_are_keys_and_npy_labels_are_ids(folder: Path) -> None:
    np.save("rows.npy", np.array([[7.0, 0.0], [7.0, 5.0], [0.5, 5.0]]))
    result = cluster_files("rows.npy", RunParameters(by="x1", birth_cost=1.0), report=False)
    assert sorted(result.model.keys_) == ["0.5", "7"]
    assert np.load(result.labels)[2] == 0
    assert result.features == ("x2",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--by", "nothing"), "no column 'nothing'"),
        (("--by", "when"), "--by is 'when'; the key must be a separate column"),
        (("--by", "x", "--features", "x,y"), "--by is 'x'; the key must be a separate column"),
        (("--by", "sensor", "--algorithm", "kdmeans"), "--by is not supported by --algorithm kdmeans"),
        (("--birth-cost", "per-key"), "--birth-cost is 'per-key'; it must be a number or auto"),
        (("--report-keys", "a"), "--report-keys needs --by"),
        (("--report-largest", "2"), "--report-largest needs --by"),
        (("--by", "sensor", "--report-keys", "a,,b"), "--report-keys is 'a,,b'"),
        (("--by", "sensor", "--report-keys", 'a,"b'), "a key with a comma is quoted"),
    ],
)
def test_invalid_options_get_one_line(
    dynmeans: Callable[..., Any], readings: Path, options: tuple[str, ...], message: str
) -> None:
    outcome = dynmeans("cluster", readings, "--time", "when", *options)
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert message in outcome.err
    assert not Path("dynmeans-run").exists()


@pytest.mark.parametrize("cell", ["", "  ", '"two\nlines"', "tab\there"])
def test_an_invalid_key_gets_one_line_with_its_row(
    dynmeans: Callable[..., Any], folder: Path, cell: str
) -> None:
    Path("bad.csv").write_text(f"sensor,x\na,1\n{cell},2\n")
    outcome = dynmeans("cluster", "bad.csv", "--by", "sensor")
    assert outcome.code == 2
    assert "bad.csv, row 2" in outcome.err
    assert "column 'sensor'" in outcome.err
    assert outcome.err.count("\n") == 1


def test_another_key_column_is_another_run(dynmeans: Callable[..., Any], readings: Path) -> None:
    assert dynmeans("cluster", readings, *LINE, *STATE).code == 0
    outcome = dynmeans("cluster", readings, "--time", "when", "--birth-cost", "1", *STATE)
    assert "belongs to a run with --by sensor, but here it is not given" in outcome.err


def test_folders_of_the_other_kind_are_refused(readings: Path) -> None:
    params = RunParameters(time="when", features=["x", "y"], birth_cost=1.0)
    cluster_files(readings, params, out="plain", report=False)
    cluster_files(readings, params._replace(by="sensor"), out="keyed", report=False, state="state")
    with pytest.raises(ValueError, match="plain: the run has one model for all rows"):
        read_key("plain", "a7")
    with pytest.raises(ValueError, match="keyed: a run by 'sensor'; read the keys one by one"):
        read_run("keyed")
    with pytest.raises(ValueError, match="keyed: no key 'nobody'"):
        read_key("keyed", "nobody")
    header, arrays = read_snapshot("state")
    assert arrays["run_key_rows"].sum() == read_count("keyed")
    assert header["run"]["columns"]["key"] == "sensor"
    with pytest.raises(SnapshotError, match="'state': holds the models of many keys; read them with"):
        __import__("dynmeans").load("state")


def read_count(folder: str) -> int:
    return int(json.loads(Path(folder, "run.json").read_text())["rows"])


def test_report_names_are_safe_and_different() -> None:
    names = [report_file(key) for key in ("a", "A", "a/b", "a%2Fb", "..", "x" * 300, "x" * 301, "ü", "ue")]
    assert len({name.lower() for name in names}) == len(names)
    assert all("/" not in name and len(name) < 150 for name in names)


def test_ids_that_last_for_few_rows_are_reported(dynmeans: Callable[..., Any], folder: Path) -> None:
    lines = "".join(f"{i // 2},k{i % 2},{10 * i}\n" for i in range(40))
    (folder / "a.csv").write_text(f"t,k,x\n{lines}")
    options = ("cluster", "a.csv", "--by", "k", "--time", "t", "--no-report", "--force")
    assert "warning: ids break: 40 ids for 40 rows" in dynmeans(*options, "--birth-cost", "1").err
    assert "ids break" not in dynmeans(*options, "--birth-cost", "1e6").err
