from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from dynmeans._files.errors import InputError
from dynmeans._tables.columns import choose_columns
from dynmeans._tables.inputs import open_inputs
from dynmeans._tables.readers import arrow as frames
from dynmeans._tables.rows import to_rows
from dynmeans._tables.sources import find_source, read_source

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def write(path: Path, table: pa.Table) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=3)
    elif path.suffix == ".arrows":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=3)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=3)
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".arrows"])
@pytest.mark.parametrize("skip", [0, 1, 3, 7, 10])
def test_any_row_can_be_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, skip: int
) -> None:
    monkeypatch.setattr(frames, "CHUNK_ROWS", 2)
    path = write(tmp_path / f"a{suffix}", pa.table({"x": np.arange(10.0), "y": np.arange(10)}))
    pieces = list(read_source(find_source(str(path)), skip=skip))
    assert [x for piece in pieces for x in piece.columns["x"]] == list(range(skip, 10))
    firsts = [piece.first for piece in pieces for _ in range(piece.size)]
    assert all(piece.columns["x"][0] == piece.first - 1 for piece in pieces)
    assert len(firsts) == 10 - skip


def test_only_wanted_columns_are_read_but_all_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", pa.table({"x": [1.0], "y": [2.0], "z": [3.0]}))
    (piece,) = read_source(find_source(str(path)), wanted=["z"])
    assert piece.names == ("x", "y", "z")
    assert list(piece.columns) == ["z"]


def test_types_of_arrow_become_numbers_and_dates(tmp_path: Path) -> None:
    table = pa.table(
        {
            "when": pa.array([0, 90_000_000], pa.timestamp("us", tz="Europe/Paris")),
            "x": pa.array([1, 2], pa.int8()),
            "money": pa.array([1, 2], pa.decimal128(5)),
            "word": ["a", "b"],
            "flag": [True, False],
        }
    )
    (piece,) = read_source(find_source(str(write(tmp_path / "a.parquet", table))))
    columns = choose_columns(piece, "a", features=None, time="when", weight=None)
    assert columns.features == ("x", "money")
    rows, error = to_rows(piece, columns, "a")
    assert error is None
    assert rows.times is not None
    assert rows.times.tolist() == [0.0, 90.0]
    assert rows.X.tolist() == [[1.0, 1.0], [2.0, 2.0]]


def test_a_null_is_an_empty_cell(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", pa.table({"x": pa.array([1, None, 3])}))
    (piece,) = read_source(find_source(str(path)))
    rows, error = to_rows(piece, choose_columns(piece, "a", features=["x"], time=None, weight=None), "a")
    assert len(rows.X) == 1
    assert "row 2, column 'x'" in str(error)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".arrows"])
@pytest.mark.parametrize("share", [0.3, 0.7, 0.98])
def test_truncated_files_are_refused_in_one_line(tmp_path: Path, suffix: str, share: float) -> None:
    path = write(tmp_path / f"a{suffix}", pa.table({"x": np.arange(1000.0)}))
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(InputError) as error:
        list(read_source(find_source(str(path))))
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(str(path))


def test_without_pyarrow_the_install_line_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.parquet", pa.table({"x": [1.0]}))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r'pip install "dynmeans\[frames\]"'):
        list(read_source(find_source(str(path))))


def test_columns_of_other_types_are_named_by_their_type(tmp_path: Path) -> None:
    table = pa.table(
        {
            "x": [0.5, 2.5],
            "place": [{"lat": 1.0}, {"lat": 2.0}],
            "length": pa.array([1, 2], pa.duration("us")),
            "clock": pa.array([1, 2], pa.time64("us")),
            "raw": [b"a", b"b"],
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    columns, _ = open_inputs([find_source(str(tmp_path / "a.parquet"))])
    assert columns.left_out == (
        "place (structs)",
        "length (durations)",
        "clock (times of day)",
        "raw (bytes)",
    )
