from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans._files.errors import InputError
from dynmeans._tables.chunk import Chunk
from dynmeans._tables.inputs import Position, RowBlock
from dynmeans._tables.rows import Rows
from dynmeans._tables.time_steps.batches import WindowBatch, cut
from dynmeans._tables.time_steps.window_length import WindowLength, parse_window_length
from dynmeans._tables.time_steps.windowing import (
    ByPart,
    ByRows,
    ByTime,
    ByWindow,
    Windowing,
    by_calendar,
)
from dynmeans.runs._setup.time_steps import make_windowing
from dynmeans.runs.parameters import RunParameters

RULES = {
    "part": lambda: ByPart(),
    "rows": lambda: ByRows(3),
    "time": lambda: ByTime(),
    "window": lambda: ByWindow(2.5),
}


def blocks(times: list[float], cuts: list[int], start: int = 0, parts: int = 1) -> Iterator[RowBlock]:
    """A file whose row i is the point (i,), in blocks that end at `cuts`; parts are equal shares."""
    n = len(times)
    part_of = np.arange(n) * parts // max(n, 1)
    edges = {start, *(c for c in cuts if start < c < n), n, *(np.flatnonzero(np.diff(part_of)) + 1).tolist()}
    for low, high in pairwise(sorted(edge for edge in edges if edge >= start)):
        piece = Chunk(("x",), {}, low + 1, high - low)
        X, t = np.arange(low, high, dtype=float)[:, None], np.array(times[low:high], dtype=float)
        yield RowBlock(Rows(X, t, np.ones(high - low), piece), 0, "a.csv", int(part_of[low]), 0.0)


streams = st.lists(st.integers(0, 30), min_size=1, max_size=40).map(sorted)
cuts = st.lists(st.integers(0, 40))


def same(one: list[WindowBatch], other: list[WindowBatch]) -> bool:
    """Equal rows, times and positions; the pieces in which they were read may differ."""
    return len(one) == len(other) and all(
        a.X.tolist() == b.X.tolist() and a[2:-3] == b[2:-3] for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("name", RULES)
@given(times=streams, one=cuts, other=cuts)
def test_every_row_is_in_exactly_one_step_however_it_is_read(
    name: str, times: list[float], one: list[int], other: list[int]
) -> None:
    batches = list(cut(blocks(times, one, parts=3), RULES[name]()))
    assert np.concatenate([batch.X for batch in batches])[:, 0].tolist() == list(range(len(times)))
    assert same(batches, list(cut(blocks(times, other, parts=3), RULES[name]())))


@pytest.mark.parametrize("name", RULES)
@given(times=streams, pieces=cuts)
def test_going_on_after_any_step_gives_the_steps_that_remain(
    name: str, times: list[float], pieces: list[int]
) -> None:
    rule = RULES[name]()
    batches = list(cut(blocks(times, pieces), rule))
    carried = rule.carry()
    for i, batch in enumerate(batches):
        again: Windowing = ByWindow(2.5, **carried) if name == "window" else RULES[name]()
        rest = list(cut(blocks(times, pieces, start=batch.after.row), again, last=batch.t))
        assert same(rest, batches[i + 1 :])


@given(times=streams, width=st.sampled_from(["0.1", "0.25", "0.7", "3", "7"]), shift=st.integers(-5, 2**31))
def test_windows_are_those_of_exact_arithmetic(times: list[int], width: str, shift: int) -> None:
    # Tenths, as a file has them: neither they nor the width are exact in binary.
    tenths = [float(Fraction(time + 10 * shift, 10)) for time in times]
    expected = [floor(Fraction(time - times[0], 10) / Fraction(width)) + 1 for time in times]
    found = [batch.t for batch in cut(blocks(tenths, []), ByWindow(float(width))) for _ in batch.X]
    assert found == expected


def test_windows_report_their_beginning_and_let_time_pass_when_empty() -> None:
    first, second = cut(blocks([100.0, 101.0, 131.0], []), ByWindow(10.0))
    assert (first.t, first.time, second.t, second.time) == (1.0, 100.0, 4.0, 130.0)
    assert first.location == "a.csv, row 1 to a.csv, row 2"
    assert first.after == Position(0, 2)


@given(times=streams, pieces=cuts, limit=st.integers(0, 20))
def test_windows_without_rows_are_steps_while_they_are_wanted(
    times: list[float], pieces: list[int], limit: int
) -> None:
    batches: list[WindowBatch] = []

    def wants_empty() -> bool:
        return any(len(batch.X) for batch in batches[-limit:]) if limit else False

    for batch in cut(blocks(times, pieces), ByWindow(2.5), wants_empty=wants_empty):
        batches.append(batch)
    assert same([batch for batch in batches if len(batch.X)], list(cut(blocks(times, pieces), ByWindow(2.5))))
    if limit == 20:  # more than the longest gap
        assert [batch.t for batch in batches] == [1.0 + i for i in range(len(batches))]
    assert all(batch.time == times[0] + 2.5 * (batch.t - 1) for batch in batches)


@given(times=streams, pieces=cuts)
def test_going_on_within_a_gap_gives_the_steps_that_remain(times: list[float], pieces: list[int]) -> None:
    rule = ByWindow(2.5)
    batches = list(cut(blocks(times, pieces), rule, wants_empty=lambda: True))
    for i, batch in enumerate(batches):
        start, again = batch.after, ByWindow(2.5, **rule.carry())
        rest = cut(
            blocks(times, pieces, start=start.row), again, batch.t, resumed_at=start, wants_empty=lambda: True
        )
        assert same(list(rest), batches[i + 1 :])


@pytest.mark.parametrize("rule", [ByWindow(2.0), ByWindow(2.0, origin=-3e49)])
def test_windows_without_a_number_of_their_own_are_refused(rule: Windowing) -> None:
    """Time would not pass between them, so empty windows would never end."""
    steps = cut(blocks([0.0, 3e49, 2e215], []), rule, wants_empty=lambda: False)
    with pytest.raises(InputError, match=r"row [12]: time .* is too many windows of 2 after"):
        list(steps)


def test_order_within_a_window_is_free() -> None:
    (batch,) = cut(blocks([100.0, 109.0, 101.0], []), ByWindow(10.0))
    assert len(batch.X) == 3


@pytest.mark.parametrize(("rule", "since"), [(ByWindow(10.0), "110"), (ByTime(), "112")])
def test_time_that_goes_backwards_is_refused_after_the_steps_before_it(rule: Windowing, since: str) -> None:
    batches = cut(blocks([100.0, 112.0, 101.0, 130.0], []), rule)
    assert len(next(batches).X) == 1
    with pytest.raises(InputError, match=f"a.csv, row 3: time goes backwards, 101 .* begins at {since};"):
        list(batches)


def test_a_later_run_counts_windows_on_from_the_first() -> None:
    (batch,) = cut(blocks([125.0], []), ByWindow(10.0, origin=100.0), last=2.0)
    assert (batch.t, batch.time) == (3.5, 125.0)
    with pytest.raises(InputError, match=r"row 1: time 105 is before the last step of the model"):
        list(cut(blocks([105.0], []), ByWindow(10.0, origin=100.0), last=2.0))


@pytest.mark.parametrize(
    ("text", "every"),
    [
        ("30min", WindowLength(1800, "seconds")),
        ("10s", WindowLength(10, "seconds")),
        ("500ms", WindowLength(0.5, "seconds")),
        ("2h", WindowLength(7200, "seconds")),
        ("1 d", WindowLength(1, "days")),
        ("500rows", WindowLength(500, "rows")),
        ("0.25", WindowLength(0.25, "")),
        ("1e3", WindowLength(1000, "")),
    ],
)
def test_lengths_of_windows_are_read(text: str, every: WindowLength) -> None:
    assert parse_window_length(text) == every


@pytest.mark.parametrize(
    "text", ["", "0", "-5", "min", "5 parsecs", "0rows", "1.5rows", "1.2.3s", "nan", "1e999"]
)
def test_invalid_lengths_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="--every is"):
        parse_window_length(text)


def dated_block(*times: str) -> RowBlock:
    seconds = np.array(times, dtype="datetime64[s]").astype(np.int64).astype(float)
    rows = Rows(np.zeros((len(times), 1)), seconds, None, Chunk(("t",), {}, 1, len(times)))
    return RowBlock(rows, 0, "a.csv", 0, 1.0)


@pytest.mark.parametrize(
    ("every", "keys", "begins"),
    [
        ("1d", [0, 0, 1, 4, 32], "2024-01-31"),
        ("2d", [0, 0, 0, 2, 16], "2024-01-31"),
        ("1w", [0, 0, 0, 0, 4], "2024-01-29"),
        ("1mo", [0, 0, 1, 1, 2], "2024-01-01"),
        ("2mo", [0, 0, 0, 0, 1], "2024-01-01"),
        ("1y", [0, 0, 0, 0, 0], "2024-01-01"),
    ],
)
def test_days_weeks_and_months_follow_the_calendar(every: str, keys: list[int], begins: str) -> None:
    block = dated_block(
        "2024-01-31T09:00", "2024-01-31T23:59:59", "2024-02-01", "2024-02-04T12:00", "2024-03-03"
    )
    rule = by_calendar(parse_window_length(every), None, None)
    assert rule.keys(block).tolist() == keys
    t, time = rule.stamp(0)
    assert t == 1.0
    assert np.datetime64(int(time or 0), "s") == np.datetime64(begins, "s")
    carried = rule.carry()
    again = by_calendar(parse_window_length(every), carried["anchor"], carried["origin"])
    assert again.keys(block).tolist() == keys


def test_months_differ_in_length_but_count_one_each() -> None:
    rule = by_calendar(parse_window_length("1mo"), None, None)
    assert rule.keys(dated_block("1969-12-31", "1970-01-01", "2024-02-29")).tolist() == [0, 1, 650]
    assert rule.stamp(650)[0] == 651.0
    assert parse_window_length("2mo").duration == pytest.approx(2 * 30.436875 * 86400)


def test_numbers_have_no_calendar() -> None:
    parameters = RunParameters(time="t", every="1d")
    assert make_windowing(parameters, {}).keys(
        dated_block("2024-01-31T09:00", "2024-02-01T08:00")
    ).tolist() == [0, 0]
    with pytest.raises(InputError, match="--every 1mo needs dates, but --time t has numbers"):
        make_windowing(parameters._replace(every="1mo"), {})


def test_a_row_of_a_step_is_located_in_its_file() -> None:
    first, second = cut(blocks([1.0, 1.0, 1.0, 2.0], [2]), ByTime())
    assert [first.locate(row) for row in range(3)] == ["a.csv, row 1", "a.csv, row 2", "a.csv, row 3"]
    assert second.locate(0) == "a.csv, row 4"


def test_times_are_printed_as_dates_if_the_file_has_dates() -> None:
    dated = (block._replace(dated=True) for block in blocks([86400.0, 0.0], []))
    with pytest.raises(
        InputError, match="1970-01-01T00:00:00Z comes after the step that begins at 1970-01-02T00:00:00Z"
    ):
        list(cut(dated, ByTime()))
