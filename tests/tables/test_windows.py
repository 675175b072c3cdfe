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
from dynmeans._tables.columns import Rows
from dynmeans._tables.inputs import Position, RowBlock
from dynmeans._tables.windowing import ByPart, ByRows, ByTime, ByWindow, Every, Windowing, parse_every
from dynmeans._tables.windows import Batch, cut

RULES = {
    "part": lambda: ByPart(),
    "rows": lambda: ByRows(3),
    "time": lambda: ByTime(),
    "window": lambda: ByWindow(2.5),
}


def stretches(times: list[float], cuts: list[int], start: int = 0, parts: int = 1) -> Iterator[RowBlock]:
    """A file whose row i is the point (i,), in pieces that end at `cuts`; parts are equal shares."""
    n = len(times)
    part_of = np.arange(n) * parts // max(n, 1)
    edges = {start, *(c for c in cuts if start < c < n), n, *(np.flatnonzero(np.diff(part_of)) + 1).tolist()}
    for low, high in pairwise(sorted(edge for edge in edges if edge >= start)):
        piece = Chunk(("x",), {}, low + 1, high - low)
        X, t = np.arange(low, high, dtype=float)[:, None], np.array(times[low:high], dtype=float)
        yield RowBlock(Rows(X, t, np.ones(high - low), piece), 0, "a.csv", int(part_of[low]), 0.0)


streams = st.lists(st.integers(0, 30), min_size=1, max_size=40).map(sorted)
cuts = st.lists(st.integers(0, 40))


def same(one: list[Batch], other: list[Batch]) -> bool:
    return len(one) == len(other) and all(
        a.X.tolist() == b.X.tolist() and a[2:] == b[2:] for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("name", RULES)
@given(times=streams, one=cuts, other=cuts)
def test_every_row_is_in_exactly_one_step_however_it_is_read(
    name: str, times: list[float], one: list[int], other: list[int]
) -> None:
    batches = list(cut(stretches(times, one, parts=3), RULES[name]()))
    assert np.concatenate([batch.X for batch in batches])[:, 0].tolist() == list(range(len(times)))
    assert same(batches, list(cut(stretches(times, other, parts=3), RULES[name]())))


@pytest.mark.parametrize("name", RULES)
@given(times=streams, pieces=cuts)
def test_going_on_after_any_step_gives_the_steps_that_remain(
    name: str, times: list[float], pieces: list[int]
) -> None:
    rule = RULES[name]()
    batches = list(cut(stretches(times, pieces), rule))
    carried = rule.carry()
    for i, batch in enumerate(batches):
        again: Windowing = ByWindow(2.5, **carried) if name == "window" else RULES[name]()
        rest = list(cut(stretches(times, pieces, start=batch.after.row), again, last=batch.t))
        assert same(rest, batches[i + 1 :])


@given(times=streams, width=st.sampled_from(["0.1", "0.25", "0.7", "3", "7"]), shift=st.integers(-5, 2**31))
def test_windows_are_those_of_exact_arithmetic(times: list[int], width: str, shift: int) -> None:
    # Tenths, as a file has them: neither they nor the width are exact in binary.
    tenths = [float(Fraction(time + 10 * shift, 10)) for time in times]
    expected = [floor(Fraction(time - times[0], 10) / Fraction(width)) + 1 for time in times]
    found = [batch.t for batch in cut(stretches(tenths, []), ByWindow(float(width))) for _ in batch.X]
    assert found == expected


def test_windows_report_their_beginning_and_let_time_pass_when_empty() -> None:
    first, second = cut(stretches([100.0, 101.0, 131.0], []), ByWindow(10.0))
    assert (first.t, first.time, second.t, second.time) == (1.0, 100.0, 4.0, 130.0)
    assert first.place == "a.csv, row 1 to a.csv, row 2"
    assert first.after == Position(0, 2)


def test_order_within_a_window_is_free() -> None:
    (batch,) = cut(stretches([100.0, 109.0, 101.0], []), ByWindow(10.0))
    assert len(batch.X) == 3


@pytest.mark.parametrize(("rule", "since"), [(ByWindow(10.0), "110.0"), (ByTime(), "112.0")])
def test_time_that_goes_backwards_is_refused_after_the_steps_before_it(rule: Windowing, since: str) -> None:
    batches = cut(stretches([100.0, 112.0, 101.0, 130.0], []), rule)
    assert len(next(batches).X) == 1
    with pytest.raises(InputError, match=f"a.csv, row 3: time goes backwards, 101.0 .* begins at {since}"):
        list(batches)


def test_a_later_run_counts_windows_on_from_the_first() -> None:
    (batch,) = cut(stretches([125.0], []), ByWindow(10.0, origin=100.0), last=2.0)
    assert (batch.t, batch.time) == (3.5, 125.0)
    with pytest.raises(InputError, match=r"row 1: time 105\.0 lies before what the model has already seen"):
        list(cut(stretches([105.0], []), ByWindow(10.0, origin=100.0), last=2.0))


@pytest.mark.parametrize(
    ("text", "every"),
    [
        ("30min", Every(1800, "seconds")),
        ("10s", Every(10, "seconds")),
        ("500ms", Every(0.5, "seconds")),
        ("2h", Every(7200, "seconds")),
        ("1 d", Every(86400, "seconds")),
        ("500rows", Every(500, "rows")),
        ("0.25", Every(0.25, "")),
        ("1e3", Every(1000, "")),
    ],
)
def test_lengths_of_windows_are_read(text: str, every: Every) -> None:
    assert parse_every(text) == every


@pytest.mark.parametrize(
    "text", ["", "0", "-5", "min", "5 parsecs", "0rows", "1.5rows", "1.2.3s", "nan", "1e999"]
)
def test_lengths_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="--every is"):
        parse_every(text)
