from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dynmeans._files.errors import InputError
from dynmeans._tables.inputs import Position, open_inputs, reopen_inputs
from dynmeans._tables.readers import arrow as frames
from dynmeans._tables.readers import npy as arrays
from dynmeans._tables.readers import text
from dynmeans._tables.sources import find_source

TABLE = np.arange(44.0).reshape(22, 2)


def write_csv(path: Path, table: np.ndarray, delimiter: str = ",") -> None:
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([["x1", "x2"], *table.tolist()])


def write_jsonl(path: Path, table: np.ndarray) -> None:
    path.write_text("".join(json.dumps({"x1": x, "x2": y}) + "\n" for x, y in table.tolist()))


def write_parquet(path: Path, table: np.ndarray) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"x1": table[:, 0], "x2": table[:, 1]}), path, row_group_size=4)


def write_arrow(path: Path, table: np.ndarray) -> None:
    feather, pa = pytest.importorskip("pyarrow.feather"), pytest.importorskip("pyarrow")
    feather.write_feather(pa.table({"x1": table[:, 0], "x2": table[:, 1]}), str(path), chunksize=4)


WRITERS: dict[str, Callable[[Path, np.ndarray], None]] = {
    "csv": write_csv,
    "tsv": lambda path, table: write_csv(path, table, "\t"),
    "jsonl": write_jsonl,
    "npy": np.save,
    "npz": lambda path, table: np.savez(path, table[:5], table[5:]),
    "parquet": write_parquet,
    "feather": write_arrow,
}


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (text, arrays, frames):
        monkeypatch.setattr(module, "CHUNK_ROWS", 3)


@pytest.mark.parametrize("suffix", WRITERS)
def test_every_format_gives_the_same_rows_from_every_position(tmp_path: Path, suffix: str) -> None:
    paths = [tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"]
    WRITERS[suffix](paths[0], TABLE[:9])
    WRITERS[suffix](paths[1], TABLE[9:])
    sources = [find_source(str(path)) for path in paths]
    columns, blocks = open_inputs(sources)
    pieces = list(blocks)
    assert np.concatenate([piece.rows.X for piece in pieces]).tolist() == TABLE.tolist()
    assert pieces[-1].after(len(pieces[-1].rows.X) - 1) == Position(1, 13)
    for row in range(22):
        position = Position(0, row) if row <= 9 else Position(1, row - 9)
        rest = [block.rows.X for block in reopen_inputs(sources, columns, position)]
        assert np.concatenate(rest).tolist() == TABLE[row:].tolist()
    assert list(reopen_inputs(sources, columns, Position(1, 13))) == []


def test_parts_are_files_and_arrays_of_files(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", TABLE[:5], TABLE[5:9])
    np.save(tmp_path / "b.npy", TABLE[9:])
    _, blocks = open_inputs([find_source(str(tmp_path / name)) for name in ("a.npz", "b.npy")])
    parts: dict[int, int] = {}
    for block in blocks:
        parts[block.part] = parts.get(block.part, 0) + len(block.rows.X)
    assert list(parts.values()) == [5, 4, 13]


def test_progress_grows_to_one(tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", TABLE)
    np.save(tmp_path / "b.npy", TABLE)
    _, blocks = open_inputs([find_source(str(tmp_path / name)) for name in ("a.csv", "b.npy")])
    shares = [block.done for block in blocks]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_file_without_rows_is_refused_wherever_it_stands(tmp_path: Path) -> None:
    (tmp_path / "none.csv").write_text("x1,x2\n")
    write_csv(tmp_path / "some.csv", TABLE)
    none, some = (find_source(str(tmp_path / name)) for name in ("none.csv", "some.csv"))
    with pytest.raises(InputError, match=r"none\.csv: no rows"):
        open_inputs([none, some])
    with pytest.raises(InputError, match=r"none\.csv: no rows"):
        list(open_inputs([some, none])[1])


def test_rows_before_a_bad_cell_are_given_before_its_error(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n" + "1\n" * 4 + "oops\n" + "1\n")
    _, blocks = open_inputs([find_source(str(tmp_path / "a.csv"))])
    assert [len(next(blocks).rows.X), len(next(blocks).rows.X)] == [3, 1]
    with pytest.raises(InputError, match=r"row 5 \(line 6\), column 'x': 'oops' is not a number"):
        next(blocks)
