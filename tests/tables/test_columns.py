from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dynmeans._files.errors import InputError
from dynmeans._tables.chunk import Chunk
from dynmeans._tables.columns import Columns, choose_columns
from dynmeans._tables.inputs import open_inputs
from dynmeans._tables.rows import Rows, to_rows
from dynmeans._tables.sources import find_source


def piece(**columns: Any) -> Chunk:
    size = len(next(iter(columns.values())))
    return Chunk(tuple(columns), columns, 1, size, lines=range(2, size + 2))


def rows_of(table: Chunk, **choice: Any) -> tuple[Rows, InputError | None]:
    asked = {"features": None, "time": None, "weight": None, **choice}
    return to_rows(table, choose_columns(table, "a.csv", **asked), "a.csv")


def test_numeric_columns_are_features_and_nothing_else() -> None:
    table = piece(
        **{"": ["0"], "__index_level_0__": ["0"]}, t=["1"], x=["1.5"], w=["1"], word=["a"], n=np.array([3])
    )
    columns = choose_columns(table, "a.csv", features=None, time="t", weight="w")
    assert columns.features == ("x", "n")


def test_one_bad_cell_does_not_make_a_column_text() -> None:
    table = piece(x=["oops", "1", "2", "3"])
    _, error = rows_of(table)
    assert str(error) == "a.csv, row 1 (line 2), column 'x': 'oops' is not a number"


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("abc", "'abc' is not a number"),
        ("", "the cell is empty"),
        ("  ", "the cell is empty"),
        (None, "the cell is empty"),
        ("1_000", "'1_000' is not a number"),
        (True, "True is not a number"),
        ([1], "[1] is not a number"),
        ("nan", "the cell is empty ('nan')"),
        ("NA", "the cell is empty ('NA')"),
        (math.nan, "the cell is empty (null or NaN)"),
        (math.inf, "inf is not finite"),
        ("-inf", "'-inf' is not finite"),
        (10**400, "is not a number"),
        ("é" * 100, "... is not a number"),
    ],
)
def test_a_bad_cell_is_named_with_row_and_column(cell: object, message: str) -> None:
    rows, error = rows_of(piece(x=[1, 2, cell, cell], y=[1, 1, 1, 1]), features=["x", "y"])
    assert str(error).startswith("a.csv, row 3 (line 4), column 'x': ")
    assert message in str(error)
    assert rows.X.tolist() == [[1, 1], [2, 1]]


def test_the_first_bad_row_counts_not_the_first_bad_column() -> None:
    rows, error = rows_of(piece(x=["1", "1", "?"], y=["1", "?", "1"]), features=["x", "y"])
    assert len(rows.X) == 1
    assert "row 2 (line 3), column 'y'" in str(error)


def test_weights_may_be_zero_but_not_negative() -> None:
    rows, error = rows_of(piece(x=["1", "2", "3"], w=["0", "2", "-1"]), weight="w")
    assert rows.weights is not None
    assert rows.weights.tolist() == [0.0, 2.0]
    assert "row 3 (line 4), column 'w': weight '-1' is negative" in str(error)


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        ("1970-01-02", 86400.0),
        ("1970-01-01T00:01:00", 60.0),
        ("1970-01-01 00:01:00.5", 60.5),
        ("1970-01-01T00:01:00Z", 60.0),
        ("1970-01-01T00:01:00.5Z", 60.5),
        ("1970-01-01T01:01:00+01:00", 60.0),
        ("1970-01-01T00:00:01.123456789", 1.123456),
        (np.datetime64("1970-01-01T00:01", "ns"), 60.0),
    ],
)
def test_dates_become_seconds_since_1970(cell: object, seconds: float) -> None:
    rows, error = rows_of(piece(t=[cell], x=["1"]), features=["x"], time="t")
    assert error is None
    assert rows.times is not None
    assert rows.times.tolist() == [seconds]


@pytest.mark.parametrize("cell", ["today", "now", "12:30", "NaT", "2024-13-01", "", "5"])
def test_an_invalid_date_is_refused(cell: str) -> None:
    rows, error = rows_of(piece(t=["2024-01-01", cell], x=["1", "2"]), features=["x"], time="t")
    assert len(rows.X) == 1
    assert "row 2 (line 3), column 't'" in str(error)


def test_columns_that_do_not_exist_are_named_with_those_that_do() -> None:
    with pytest.raises(InputError, match="no column 'z'; the columns are x, word"):
        rows_of(piece(x=["1"], word=["a"]), features=["z"])
    with pytest.raises(InputError, match="no numeric column to cluster; the columns are word, city"):
        rows_of(piece(word=["a"], city=["b"]))
    with pytest.raises(InputError, match="no column 'z'; the columns are 'x', 'sea level'"):
        rows_of(piece(**{"x": ["1"], "sea level": ["2"]}), features=["z"])


def test_all_files_must_have_the_columns_of_the_first() -> None:
    columns = Columns(("x",), names=("x", "y"))
    with pytest.raises(InputError, match=r"b\.csv: .* only this file has 'z'"):
        to_rows(piece(x=["1"], y=["1"], z=["1"]), columns, "b.csv")
    with pytest.raises(InputError, match=r"b\.csv: .* only the first file has 'y'"):
        to_rows(piece(x=["1"]), columns, "b.csv")
    rows, _ = to_rows(piece(y=["1"], x=["2"]), columns, "b.csv")
    assert rows.X.tolist() == [[2.0]]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
@example([0.0] * 8 + [9e307, -9e307])
@example([1e300] * 10)
def test_numbers_survive_as_text_and_as_arrays(values: list[float]) -> None:
    for cells in ([repr(value) for value in values], values, np.array(values)):
        rows, error = rows_of(piece(x=cells))
        assert error is None
        assert rows.X[:, 0].tolist() == values


def test_a_signalling_nan_is_refused_without_a_warning() -> None:
    odd = np.array([0x3F800000, 0x7FA00000], dtype=np.uint32).view(np.float32)
    rows, error = rows_of(piece(x=odd))
    assert rows.X.tolist() == [[1.0]]
    assert "row 2 (line 3), column 'x': the cell is empty (null or NaN)" in str(error)


def test_only_columns_that_are_used_need_a_name_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,note,note,y\n1,2,3,4\n")
    columns, blocks = open_inputs([find_source(str(path))], features=["x", "y"])
    assert [block.rows.X.tolist() for block in blocks] == [[[1.0, 4.0]]]
    assert columns.features == ("x", "y")
    for features in (None, ["x", "note"]):
        with pytest.raises(
            InputError, match="two columns are called 'note'; each .* must have a unique name"
        ):
            open_inputs([find_source(str(path))], features=features)
