"""Keys of JSON Lines: columns, empty cells, and those that are not used."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans._files.errors import InputError, InputWarning
from dynmeans._files.limits import FileLimits
from dynmeans._tables.cells import EXAMINED_ROWS
from dynmeans._tables.inputs import Position, open_inputs, reopen_inputs
from dynmeans._tables.sources import find_source, read_source
from dynmeans.runs import RunParameters, cluster_files


def save(path: Path, *objects: dict[str, Any]) -> Path:
    path.write_text("".join(f"{json.dumps(each)}\n" for each in objects))
    return path


def rows_of(*paths: Path, **choice: Any) -> tuple[tuple[str, ...], list[list[float]]]:
    columns, blocks = open_inputs([find_source(str(path)) for path in paths], **choice)
    return columns.features, np.concatenate([block.rows.X for block in blocks]).tolist()


@pytest.mark.parametrize("before", [1, EXAMINED_ROWS - 1])
def test_a_key_of_a_later_row_is_a_column(tmp_path: Path, before: int) -> None:
    path = save(tmp_path / "a.jsonl", *[{"x": 0.5}] * before, {"y": 2.5, "x": 1.5})
    (piece,) = read_source(find_source(str(path)))
    assert piece.names == ("x", "y")
    assert list(piece.columns["y"]) == [None] * before + [2.5]


def test_a_missing_key_is_an_empty_cell(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jsonl", {"x": 0.5}, {"x": 1.5, "y": 2.5}, {"y": 0.5})
    with pytest.raises(InputError, match=r"row 1 \(line 1\), column 'y': the cell is empty; --missing drop"):
        cluster_files(path, out=tmp_path / "run")
    parameters = RunParameters(missing="drop", birth_cost=4.0)
    found = cluster_files(path, parameters, out=tmp_path / "run", report=False)
    assert (found.features, found.rows, found.n_left_out) == (("x", "y"), 1, 2)
    assert found.labels.read_text().splitlines() == ['{"id": null}', '{"id": 0}', '{"id": null}']


def test_the_first_row_may_lack_the_embedding(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jsonl", {"name": "a"}, {"vector": [1, 2]}, {"vector": [3, 4]})
    parameters = RunParameters(missing="drop", birth_cost=40.0, embedding="vector")
    assert cluster_files(path, parameters, out=tmp_path / "run", report=False).rows == 2


def test_a_key_after_the_examined_rows_is_reported(tmp_path: Path) -> None:
    rows = [{"x": float(i % 7)} for i in range(EXAMINED_ROWS)]
    path = save(tmp_path / "a.jsonl", *rows, {"x": 1.0, "z": 2.0}, {"x": 1.0, "z": 2.0})
    with pytest.warns(
        InputWarning, match=r"a\.jsonl, line 101: the key 'z' is not used, because the first 100"
    ):
        assert rows_of(path)[0] == ("x",)
    columns, _ = open_inputs([find_source(str(path))])
    resumed = reopen_inputs([find_source(str(path))], columns, Position(0, 50), warns_of_keys=True)
    with pytest.warns(InputWarning, match="the key 'z' is not used"):
        list(resumed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing to report if the features are named
        assert rows_of(path, features=["x"])[0] == ("x",)


def test_a_file_with_other_keys_is_read_with_the_columns_of_the_first(tmp_path: Path) -> None:
    one = save(tmp_path / "a.jsonl", {"x": 0.5, "y": 1.5, "note": "a"})
    two = save(tmp_path / "b.jsonl", {"y": 2.5, "x": 3.5, **{f"k{i}": 0 for i in range(7)}})
    expected = "b.jsonl, line 1: the keys 'k0', 'k1', 'k2', 'k3', 'k4', ... are not used"
    with pytest.warns(InputWarning, match=expected):
        assert rows_of(one, two) == (("x", "y"), [[0.5, 1.5], [3.5, 2.5]])


def test_rows_before_an_invalid_line_are_read_first(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jsonl", {"x": 1}, {"x": 2})
    path.write_text(path.read_text() + "{\n")
    chunks = read_source(find_source(str(path)))
    assert next(chunks).size == 2
    with pytest.raises(InputError, match="line 3: not JSON"):
        next(chunks)


def test_keys_of_all_examined_rows_count_for_the_limit(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jsonl", *({f"k{i}": 1} for i in range(5)))
    with pytest.raises(InputError, match="line 4: 4 columns; the limit is 3"):
        list(read_source(find_source(str(path), limits=FileLimits(columns=3))))
