"""Rows with empty cells: left out, counted, and without an id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans._files.run_folder.labels import with_left_out
from dynmeans._tables.chunk import Chunk
from dynmeans._tables.missing import MissingRows, drop_missing
from dynmeans._tables.readers import text
from dynmeans.runs import InputError, RunInterrupted, RunParameters, cluster_files, read_run
from point_files import contents

EMPTY = (0, 4, 5, 17, 29)  # rows, the first and the last among them
DROP = RunParameters(time="t", birth_cost=4.0, missing="drop", features=("x", "y"))


def rows_of(*, full: bool) -> list[tuple[str, str, str, str]]:
    values = [(str(i // 6), f"{9 * (i % 2) + i / 50}", f"{i % 3 / 10}", f"k{i % 2}") for i in range(30)]
    marks = {0: 1, 4: 0, 5: 2, 17: 1, 29: 2}
    if full:
        return [
            tuple("" if marks.get(i) == c else v for c, v in enumerate(row)) for i, row in enumerate(values)
        ]  # type: ignore[misc]
    return [row for i, row in enumerate(values) if i not in marks]


def write(path: Path, *, full: bool = True) -> Path:
    path.write_text("t,x,y,k\n" + "".join(",".join(row) + "\n" for row in rows_of(full=full)))
    return path


def labels(path: Path) -> list[str]:
    return [line.strip('"') for line in path.read_text().splitlines()[1:]]


def test_other_rows_have_the_ids_of_a_file_without_those_rows(tmp_path: Path) -> None:
    found = cluster_files(write(tmp_path / "a.csv"), DROP, out=tmp_path / "a")
    clean = cluster_files(write(tmp_path / "b.csv", full=False), DROP, out=tmp_path / "b")
    assert (found.rows, found.n_left_out, clean.n_left_out) == (25, 5, 0)
    ids = labels(found.labels)
    assert [i for i, label in enumerate(ids) if not label] == list(EMPTY)
    assert [label for label in ids if label] == labels(clean.labels)
    assert read_run(found.out).clusters["id"].tolist() == read_run(clean.out).clusters["id"].tolist()


@pytest.mark.parametrize("by", [None, "k"])
def test_an_interrupted_run_resumes_with_the_same_labels(tmp_path: Path, by: str | None) -> None:
    table, parameters = write(tmp_path / "a.csv"), DROP._replace(by=by)
    cluster_files(table, parameters, out=tmp_path / "whole", report=False)

    def interrupt(status: Any) -> None:
        if status.steps == 2:
            raise KeyboardInterrupt

    with pytest.raises(RunInterrupted):
        cluster_files(
            table, parameters, out=tmp_path / "run", state=tmp_path / "s", report=False, on_step=interrupt
        )
    cluster_files(table, parameters, out=tmp_path / "run", state=tmp_path / "s", report=False)
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_rows_left_out_keep_their_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str) -> None:
    monkeypatch.setattr(text, "CHUNK_ROWS", 2)  # gaps begin in one chunk and end in another
    keys = ["a", "b", "a", "b", None, "7", "b"]
    cells = [None, 1.0, None, None, 4.0, 5.0, None]
    path = tmp_path / f"a.{format}"
    if format == "csv":
        lines = [
            f"{key or ''},{'' if cell is None else cell}\n" for key, cell in zip(keys, cells, strict=True)
        ]
        path.write_text("k,x\n" + "".join(lines))
    else:
        arrow = pytest.importorskip("pyarrow")
        write_frame(arrow, arrow.table({"k": keys, "x": cells}), path)
    parameters = RunParameters(by="k", birth_cost=4.0, missing="drop")
    found = cluster_files(path, parameters, out=tmp_path / "run", report=False)
    assert read_keys(found.labels) == ["a", "b", "a", "b", "", "7", "b"]


def read_keys(path: Path) -> list[str]:
    if path.suffix == ".csv":
        return [line.split(",")[0] for line in path.read_text().splitlines()[1:]]
    return pytest.importorskip("pyarrow.parquet").read_table(path)["k"].to_pylist()


@pytest.mark.parametrize("format", ["jsonl", "parquet", "arrow", "npy"])
def test_labels_of_all_formats_are_aligned(tmp_path: Path, format: str) -> None:
    X = np.array([[0.0, 0.0], [np.nan, 0.0], [9.0, 9.0], [0.0, np.nan]])
    path = tmp_path / f"a.{format}"
    if format == "npy":
        np.save(path, X)
    elif format == "jsonl":
        cells = [[None if np.isnan(cell) else cell for cell in row] for row in X.tolist()]
        path.write_text("".join(json.dumps(row) + "\n" for row in cells))
    else:
        arrow = pytest.importorskip("pyarrow")
        data = arrow.table({name: arrow.array(X[:, i], from_pandas=True) for i, name in enumerate("xy")})
        write_frame(arrow, data, path)
    found = cluster_files(
        path, RunParameters(birth_cost=4.0, missing="drop"), out=tmp_path / "run", report=False
    )
    assert read_ids(found.labels) == ([1, -2, 0, -2] if format == "npy" else [1, None, 0, None])


def write_frame(arrow: Any, data: Any, path: Path) -> None:
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow.parquet").write_table(data, path)
        return
    with arrow.OSFile(str(path), "wb") as file, arrow.ipc.new_file(file, data.schema) as writer:
        writer.write_table(data)


def read_ids(path: Path) -> list[int | None]:
    if path.suffix == ".npy":
        return np.load(path).tolist()
    if path.suffix == ".jsonl":
        return [json.loads(line)["id"] for line in path.read_text().splitlines()]
    if path.suffix == ".parquet":
        return pytest.importorskip("pyarrow.parquet").read_table(path)["id"].to_pylist()
    return pytest.importorskip("pyarrow.ipc").open_file(path).read_all()["id"].to_pylist()


def test_embeddings_beside_the_table_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name\na\nb\nc\n")
    np.save(tmp_path / "e.npy", np.array([[0.0, 1.0], [np.nan, 1.0], [9.0, 1.0]]))
    parameters = RunParameters(birth_cost=4.0, missing="drop", embedding=str(tmp_path / "e.npy"))
    found = cluster_files(tmp_path / "a.csv", parameters, out=tmp_path / "run", report=False)
    assert labels(found.labels) == ["1", "", "0"]


def test_the_error_names_the_option(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"a\.csv, row 1 \(line 2\), column 'x': the cell is empty; --missing drop"
    ):
        cluster_files(write(tmp_path / "a.csv"), DROP._replace(missing=None), out=tmp_path / "run")


def test_a_file_without_a_full_row_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,\n,2\n")
    with pytest.raises(InputError, match=r"a\.csv: every row has an empty cell"):
        cluster_files(tmp_path / "a.csv", RunParameters(missing="drop"), out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=1, max_size=5))
def test_gaps_restore_the_order_of_all_rows(chunks: list[list[bool]]) -> None:
    missing, first, found, number = MissingRows(drop=True), 1, [], 0
    for is_empty in chunks:
        cells = ["" if empty else "1" for empty in is_empty]
        kept, left_out = drop_missing(Chunk(("x",), {"x": cells}, first, len(cells)), ("x",))
        ids = np.arange(number, number + kept.size)
        found += with_left_out(ids, missing.take(left_out)).tolist()
        assert [kept.number(i) - first for i in range(kept.size)] == [
            i for i, e in enumerate(is_empty) if not e
        ]
        first, number = first + len(cells), number + kept.size
    found += [-2] * missing.pending
    assert [label == -2 for label in found] == [empty for chunk in chunks for empty in chunk]
    assert [label for label in found if label != -2] == list(range(number))
