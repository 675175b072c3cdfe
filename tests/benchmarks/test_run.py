from __future__ import annotations

import importlib
import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks import field_streams, million, pedestrians, report, scaling, video
from benchmarks.__main__ import NAMES, main
from benchmarks.rows import Row, Target


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Output folder of a quick run of all benchmarks."""
    folder = tmp_path_factory.mktemp("bench")
    main(["--quick", "--out", str(folder)])
    return folder


def test_every_benchmark_writes_rows_with_all_columns(folder: Path) -> None:
    result = json.loads((folder / report.JSON_NAME).read_text())
    assert tuple(result["benchmarks"]) == NAMES
    for rows in result["benchmarks"].values():
        assert rows
        for row in rows:
            assert set(row) == {*Row._fields, "reached"}


def test_every_target_is_checked(folder: Path) -> None:
    result = json.loads((folder / report.JSON_NAME).read_text())["benchmarks"]
    judged = {name: sum(row["target"] is not None for row in rows) for name, rows in result.items()}
    expected = {
        "small": 2,
        "detections": 2,
        "medium": 6,
        "assign": 2,
        "wide": 1,
        "memory": 3,
        "scaling": 3,
        "tracking": 2,
        "peers": 0,
        "rings": 6,
        "spectral": 2,
        "million": 4,
        "processes": 3,
        "persistent_ids": 2,
        "people": 9,
        "tuning": 1,
        "keyed": 1,
        "faiss_passes": 6 if find_spec("faiss") else 0,
        "threads": 1,
    }
    assert {name: judged[name] for name in expected} == expected
    assert judged["pedestrians"] == (4 if pedestrians.DATA.is_dir() else 0)
    assert judged["video"] == (8 if video.FILM.is_file() else 0)
    assert judged["field"] == (4 if field_streams.folder_of().is_dir() else 0)


def test_machine_versions_and_date_are_written(folder: Path) -> None:
    result = json.loads((folder / report.JSON_NAME).read_text())
    assert {"date", "machine", "versions"} < set(result)
    assert set(report.PACKAGES) < set(result["versions"])


def test_a_run_of_some_keeps_the_rows_of_others(tmp_path: Path) -> None:
    report.write_json({"one": [Row("a", 1.0)], "other": [Row("b", 2.0)]}, tmp_path)
    result = json.loads(report.write_json({"one": [Row("a", 3.0)]}, tmp_path).read_text())
    assert [result["benchmarks"][name][0]["ours"] for name in ("one", "other")] == [3.0, 2.0]
    assert set(result["dates"]) == {"one", "other"}


def test_rows_of_another_machine_are_not_kept(tmp_path: Path) -> None:
    path = report.write_json({"other": [Row("b", 2.0)]}, tmp_path)
    result = json.loads(path.read_text())
    path.write_text(json.dumps({**result, "machine": {"processor": "another"}}))
    assert set(json.loads(report.write_json({"one": []}, tmp_path).read_text())["benchmarks"]) == {"one"}
    kept = [json.loads(old.read_text())["benchmarks"] for old in tmp_path.glob("bench-*.json")]
    assert [set(benchmarks) for benchmarks in kept] == [{"other"}]


@pytest.mark.parametrize("picture", [scaling.PICTURE, million.PICTURE])
def test_the_plots_are_drawn(folder: Path, picture: str) -> None:
    assert (folder / picture).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", NAMES)
def test_every_benchmark_describes_its_measurement(name: str) -> None:
    module = importlib.import_module(f"benchmarks.{name}")
    assert all(isinstance(getattr(module, part), str) for part in ("WHAT", "PEER", "TARGET"))


def test_table_shows_every_row_aligned_with_whether_its_target_is_reached() -> None:
    rows = [
        Row("fast", 1.5, 30.0, "ms", 20.0, Target("ratio", ">=", 15.0)),
        Row("slow", 2345.6, 30.0, "ms", 0.0128, Target("ratio", ">=", 15.0), note="why"),
    ]
    title, header, rule, fast, slow, note = report.table("speed", rows).strip().splitlines()
    assert title == "speed"
    assert header.split() == list(report.HEADER)
    assert fast.split() == ["fast", "1.5", "ms", "30", "ms", "20", "ratio", ">=", "15", "yes"]
    assert slow.split() == ["slow", "2,346", "ms", "30", "ms", "0.0128", "ratio", ">=", "15", "NO"]
    assert note.split() == ["slow:", "why"]
    assert len({len(line) for line in (header, rule, fast, slow)}) == 1


def test_summary_names_what_was_missed() -> None:
    rows = [
        Row("good", 1.0, target=Target("ours", "<", 2.0)),
        Row("bad", 3.0, target=Target("ours", "<", 2.0)),
    ]
    result = report.summary({"x": rows, "y": [Row("free", 1.0)]})
    assert "1 of 2 targets reached" in result
    assert "missed: bad" in result
    assert "good" not in result


def test_unknown_benchmark_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["no-such"])
    assert "no-such" in capsys.readouterr().err
