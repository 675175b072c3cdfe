"""Embeddings in list columns and NPY files, patterns of features, and texts."""

from __future__ import annotations

import csv
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans._files.errors import InputError
from dynmeans._tables.chunk import expand_patterns, name_list
from dynmeans._tables.inputs import Position, open_inputs, reopen_inputs
from dynmeans._tables.sources import find_source
from dynmeans._tables.vectors import parse_vectors

X = np.random.default_rng(0).normal(size=(5000, 4))  # more than one chunk
TITLES = [f'text {i}, "quoted"' for i in range(len(X))]


def write(folder: Path, kind: str, vectors: Any = X) -> list[str]:
    """Write a table with a column of lists; returns its path, and that of the embedding or its column."""
    path = folder / f"posts.{kind.split('-')[-1]}"
    rows = [list(map(float, row)) for row in vectors]
    titles = TITLES[: len(rows)]
    if kind == "jsonl":
        lines = (json.dumps({"vector": row, "title": title}) for row, title in zip(rows, titles, strict=True))
        path.write_text("\n".join(lines) + "\n")
    elif kind in ("csv", "beside-csv"):
        with path.open("w", newline="") as file:
            cells = [json.dumps(row) for row in rows] if kind == "csv" else range(len(rows))
            csv.writer(file).writerows([("vector", "title"), *zip(cells, titles, strict=True)])
    else:
        pa = pytest.importorskip("pyarrow")
        types = {"list": pa.list_(pa.float64()), "large": pa.large_list(pa.float64())}
        kind_of_list = types.get(kind.split("-")[0], pa.list_(pa.float64(), 4))
        table = pa.table({"vector": pa.array(rows, kind_of_list), "title": titles})
        if path.suffix == ".parquet":
            pytest.importorskip("pyarrow.parquet").write_table(table, path, row_group_size=1500)
        else:
            pytest.importorskip("pyarrow.feather").write_feather(table, path)
    if kind != "beside-csv":
        return [str(path), "vector"]
    np.save(folder / "vectors.npy", vectors)
    return [str(path), str(folder / "vectors.npy")]


KINDS = ["list-parquet", "fixed-parquet", "large-parquet", "list-feather", "fixed-feather", "jsonl", "csv"]


@pytest.mark.parametrize("kind", [*KINDS, "beside-csv"])
def test_every_form_gives_the_same_rows_from_every_position(tmp_path: Path, kind: str) -> None:
    path, embedding = write(tmp_path, kind)
    columns, blocks = open_inputs([find_source(path)], embedding=embedding, text="title")
    read = list(blocks)
    np.testing.assert_array_equal(np.concatenate([block.rows.X for block in read]), X)
    assert [text for block in read for text in block.rows.texts or ()] == TITLES
    assert len(columns.features) == 4
    again = list(reopen_inputs([find_source(path)], columns, Position(0, 4999)))
    np.testing.assert_array_equal(np.concatenate([block.rows.X for block in again]), X[4999:])
    assert again[0].rows.texts == TITLES[4999:]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ([1.0, 2.0, 3.0], r"row 3.*: the list has 3 numbers, that of the first row has 4"),
        (None, r"row 3.*: the cell is empty"),
        ([1.0, None, 2.0, 3.0], r"row 3.*: entry 2 of the list is 'None', which is not a number"),
        ([1.0, 2.0, float("inf"), 3.0], r"row 3.*: entry 3 of the list is inf, which is not finite"),
    ],
)
def test_the_row_of_an_invalid_list_is_named(tmp_path: Path, cell: Any, message: str) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    cells = [[0.0] * 4, [1.0] * 4, cell, [2.0] * 4]
    parquet.write_table(pa.table({"vector": pa.array(cells)}), tmp_path / "posts.parquet")
    _, blocks = open_inputs([find_source(str(tmp_path / "posts.parquet"))], embedding="vector")
    assert len(next(blocks).rows.X) == 2
    with pytest.raises(InputError, match=message) as caught:
        next(blocks)
    assert "\n" not in str(caught.value)


def test_cells_that_are_no_lists_are_named() -> None:
    rows, error = parse_vectors(["[1, 2]", "abc"], 2)
    assert rows.tolist() == [[1.0, 2.0]]
    assert error == "'abc' is not a list of numbers"
    assert parse_vectors([[1, 2], [3, "x"]], 2)[1] == "entry 2 of the list is 'x', which is not a number"


def test_a_column_without_lists_is_refused_and_a_column_with_them_is_suggested(tmp_path: Path) -> None:
    path, _ = write(tmp_path, "list-parquet", X[:5])
    with pytest.raises(InputError, match="row 1, column 'title': 'text 0, .*' is not a list of numbers"):
        open_inputs([find_source(path)], embedding="title")
    with pytest.raises(InputError, match="'vector' holds lists of numbers: --embedding vector"):
        open_inputs([find_source(path)])


def test_a_file_beside_the_table_must_have_its_rows(tmp_path: Path) -> None:
    path, beside = write(tmp_path, "beside-csv", X[:6])
    source = find_source(path)
    for n, message in (
        (5, r"row 6 .*vectors.npy has only 5 rows"),
        (7, r"vectors.npy: 7 rows, but .* has 6"),
    ):
        np.save(beside, X[:n])
        with pytest.raises(InputError, match=message):
            list(open_inputs([source], embedding=beside)[1])
    with pytest.raises(InputError, match="has the rows of one input, but there are 2"):
        open_inputs([source, source], embedding=beside)
    np.save(beside, X[0])
    with pytest.raises(InputError, match=r"float64 of shape \(4,\); it must be a table"):
        open_inputs([source], embedding=beside)
    with pytest.raises(InputError, match="nowhere.npy: no such file"):
        open_inputs([source], embedding="nowhere.npy")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_patterns_stand_for_columns(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"wide.{kind}"
    names = ["e1", "e2", "e10", "x", "[e]", "label"]
    if kind == "csv":
        path.write_text(",".join(names) + "\n1,2,3,4,5,a\n6,7,8,9,10,b\n")
    else:
        pa = pytest.importorskip("pyarrow")
        columns = [[1, 6], [2, 7], [3, 8], [4, 9], [5, 10], ["a", "b"]]
        table = pa.table(dict(zip(names, columns, strict=True)))
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    columns, blocks = open_inputs([find_source(str(path))], features=["x", "e*"])
    assert columns.features == ("x", "e1", "e2", "e10")
    assert next(blocks).rows.X.tolist() == [[4, 1, 2, 3], [9, 6, 7, 8]]
    assert open_inputs([find_source(str(path))], features=["[e]", "e?"])[0].features == ("[e]", "e1", "e2")
    with pytest.raises(InputError, match="no column matches 'z\\*'; the columns are e1"):
        open_inputs([find_source(str(path))], features=["z*"])


def test_names_are_found_and_listed_briefly() -> None:
    assert expand_patterns(["a", "b*", "a"], ["b1", "a", "b*"]) == ["a", "b*"]  # an exact name is no pattern
    assert name_list(["a", "b"]) == "a, b"
    assert len(name_list([f"e{i}" for i in range(1000)])) < 60


def test_a_signaling_nan_is_named_without_a_warning_of_numpy() -> None:
    cells = np.ones((3, 2), dtype=np.float32)
    cells.view(np.uint32)[1, 0] = 0x7FA00000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows, error = parse_vectors(cells, 2)
    assert rows.tolist() == [[1.0, 1.0]]
    assert error == "entry 1 of the list is nan, which is not finite"
