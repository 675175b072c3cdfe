from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynmeans._files.append_log import AppendLog
from dynmeans._files.run_folder import tables as runfiles
from dynmeans._files.run_folder.reader import read_run
from dynmeans._files.run_folder.tables import LABELS_LOG, StepRecord, headings, step_lines, write_info
from dynmeans._model.events import Event, StepReport

NONE = np.array([], dtype=np.int64)


def record(step: int, rows: int = 4) -> StepRecord:
    X = np.random.default_rng(step).normal(size=(rows, 2))
    labels = np.arange(rows) % 2 + 1
    report = StepReport(
        step=step,
        time=float(step),
        labels=labels,
        cost=0.1 + step,
        n_iter=3,
        restart_costs=np.array([0.1]),
        active=np.array([1, 2]),
        sizes=np.array([2.0, 2.0]),
        born=np.array([1, 2]) if step == 1 else NONE,
        revived=NONE,
        asleep=np.array([0]),
        died=NONE,
        birth_cost=1.0,
    )
    centers = np.array([[0.1, 1e-300], [1 / 3, 2.0], [1e150, -0.0]])
    events = [
        Event("birth", 1, step, 60.0 * step, 0.1, tentative=True),
        Event("merge", 2, step, 60.0 * step, 0.0, (0, 1)),
    ]
    return StepRecord(
        report=report,
        time=60.0 * step,
        X=X,
        ids=np.array([0, 1, 2]),
        centers=centers,
        ages=np.array([60.0, 0, 0]),
        events=events,
    )


def write(folder: Path, records: list[StepRecord], features: list[str]) -> None:
    log = AppendLog(folder, headings(features))
    for entry in records:
        log.append(step_lines(entry))
    log.close()
    info = {"format": 1, "title": "t", "features": features, "time": {"name": "t", "kind": "number"}}
    rest = {"parameters": {}, "rows": 8, "steps": 2, "complete": True, "version": "0"}
    write_info(folder, {**info, **rest})


def test_a_run_folder_reads_back_exactly(tmp_path: Path) -> None:
    records = [record(1), record(2)]
    write(tmp_path, records, ["x", "a, b"])
    run = read_run(tmp_path)
    assert run.info["features"] == ["x", "a, b"]
    assert run.steps["cost"].tolist() == [1.1, 2.1]
    assert run.steps["remembered"].tolist() == [3, 3]
    assert run.steps["awake"].tolist() == [2, 2]
    assert run.steps["born"].tolist() == [2, 0]
    assert run.steps["time"].tolist() == [60.0, 120.0]
    assert run.steps["birth_cost"].tolist() == [1.0, 1.0]
    assert run.clusters["features"].tolist() == np.vstack([r.centers for r in records]).tolist()
    assert run.clusters["weight"].tolist() == [0.0, 2.0, 2.0] * 2
    assert run.clusters["age"].tolist() == [60.0, 0.0, 0.0] * 2
    assert run.sample["features"].tolist() == np.vstack([r.X for r in records]).tolist()
    assert run.sample["id"].tolist() == [1, 2, 1, 2] * 2
    assert run.events == [
        Event("birth", 1, 1, 60.0, 0.1, tentative=True),
        Event("merge", 2, 1, 60.0, 0.0, (0, 1)),
        Event("birth", 1, 2, 120.0, 0.1, tentative=True),
        Event("merge", 2, 2, 120.0, 0.0, (0, 1)),
    ]
    labels = np.frombuffer((tmp_path / LABELS_LOG).read_bytes(), "<i8")
    assert labels.tolist() == [1, 2, 1, 2] * 2


def test_the_sample_of_a_long_step_is_spread_over_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runfiles, "SAMPLE_ROWS", 5)
    lines = step_lines(record(1, rows=23))["sample.csv"].decode().splitlines()
    assert [int(line.split(",")[1]) for line in lines] == [0, 4, 9, 13, 18]


def test_costs_are_empty_while_the_birth_cost_is_not_estimated(tmp_path: Path) -> None:
    entry = record(1)
    write(tmp_path, [entry._replace(report=entry.report._replace(birth_cost=1e100, cost=2e99))], ["x", "y"])
    assert (tmp_path / "steps.csv").read_text().splitlines()[1] == "1,60.0,4,,3,2,3,2,0,1,0,"
    assert '"kind":"birth","id":1,"cost":null' in (tmp_path / "events.jsonl").read_text()
    run = read_run(tmp_path)
    assert np.isnan([run.steps["cost"][0], run.steps["birth_cost"][0], run.events[0].cost]).all()
    assert run.events[1].cost == 0.0
