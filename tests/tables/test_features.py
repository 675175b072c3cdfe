"""Which columns are features, and why the others are not."""

from __future__ import annotations

from datetime import time, timedelta
from typing import Any

import numpy as np
import pytest

from dynmeans._tables.chunk import Chunk
from dynmeans._tables.features import choose_features, describe_left_out

N = 20
NUMBERS = [f"{(7 * i) % 10}.5" for i in range(N)]


def table(**columns: Any) -> Chunk:
    return Chunk(tuple(columns), columns, 1, N)


@pytest.mark.parametrize(
    ("name", "cells", "reason"),
    [
        ("row", [str(i + 1) for i in range(N)], "row numbers"),
        ("x1", np.arange(N), "row numbers"),
        ("x1", np.arange(N) + 0.5, ""),
        ("x1", 2 * np.arange(N), ""),
        ("id", np.arange(N)[::-1], "identifiers"),
        ("vehicle_id", [str(i % 3) for i in range(N)], "identifiers"),
        ("customerId", [i**2 for i in range(N)], "identifiers"),
        ("ID", [i**2 for i in range(N)], "identifiers"),
        ("id", NUMBERS, ""),
        ("humid", [i**2 for i in range(N)], ""),
        ("acid", [i**2 for i in range(N)], ""),
        ("uv_index", [i**2 for i in range(N)], ""),
        ("MMSI", [211000000 + i**2 for i in range(N)], "identifiers"),
        (
            "price",
            ["1,5", "-12,25"] * (N // 2),
            "numbers with a comma, which must have a decimal point and no other separator",
        ),
        ("name", ["a"] * N, "text"),
        ("note", ["12", "a", "b", "c"] * (N // 4), "mostly text"),
        ("when", ["2024-03-01"] * N, "dates"),
        ("vip", [True] * N, "true or false: to use them, replace them by 1 and 0"),
        ("vip", ["True", "False"] * (N // 2), "true or false: to use them, replace them by 1 and 0"),
        ("vip", ["true", "perhaps"] * (N // 2), "text"),
        ("b", [b"a"] * N, "bytes"),
        ("c", np.full(N, 1j), "complex numbers"),
        ("d", [timedelta(seconds=1)] * N, "durations"),
        ("d", np.full(N, np.timedelta64(1, "s")), "durations"),
        ("s", [None, *[{"a": 1}] * (N - 1)], "structs"),
        ("clock", [time(12)] * N, "times of day"),
        ("gone", [""] * N, "empty"),
        ("gone", [None] * N, "empty"),
        ("e", ["[1, 2]"] * N, "lists of numbers: use --embedding e"),
        ("", [str(i) for i in range(N)], "index of a data frame"),
        ("", [str(i % 7) for i in range(N)], "index of a data frame"),  # rows in another order
        ("", ["2024-03-01"] * N, "index of a data frame"),
        ("", NUMBERS, "no name: give the column a heading to use it"),
        ("", ["", *NUMBERS[1:]], "no name: give the column a heading to use it"),
        ("__index_level_0__", NUMBERS, "index of a data frame"),
        ("some", ["", "NA", *NUMBERS[2:]], ""),
    ],
)
def test_a_column_is_a_feature_or_has_a_reason(name: str, cells: Any, reason: str) -> None:
    features, reasons = choose_features(table(x=NUMBERS, **{name: cells}), ())
    assert (features, reasons) == ((["x"], {name: reason}) if reason else (["x", name], {}))


def test_identifiers_are_features_if_there_are_no_others() -> None:
    assert choose_features(table(id=np.arange(N), name=["a"] * N), ()) == (["id"], {"name": "text"})


@pytest.mark.parametrize("other", [["[1, 2]"] * N, ["1,5"] * N])
def test_identifiers_are_no_features_beside_lists_and_decimal_commas(other: list[str]) -> None:
    assert choose_features(table(id=np.arange(N), other=other), ())[0] == []


def test_few_numbers_in_sequence_are_measurements() -> None:
    few = Chunk(("x", "y"), {"x": ["1", "2", "3"], "y": ["1", "5", "2"]}, 1, 3)
    assert choose_features(few, ())[0] == ["x", "y"]


def test_a_column_that_is_empty_at_first_is_left_out_with_the_number_of_rows() -> None:
    some = {"x": [str(i % 7 + 0.5) for i in range(200)], "late": [""] * 150 + ["1.5"] * 50}
    reason = "empty in the first 100 rows: to use it, name it in --features"
    assert choose_features(Chunk(tuple(some), some, 1, 200), ()) == (["x"], {"late": reason})


def test_reasons_are_grouped() -> None:
    assert describe_left_out({"a": "text", "id": "identifiers", "b": "text"}) == [
        "a, b (text)",
        "id (identifiers)",
        "--features chooses other columns",
    ]
