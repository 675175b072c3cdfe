from __future__ import annotations

import json

import pytest

from benchmarks.rows import Row, Target, better, faster


def test_the_ratio_of_two_times_is_our_speedup() -> None:
    assert faster("x", ours=2.0, peer=30.0, unit="ms").ratio == 15.0


@pytest.mark.parametrize(
    ("sense", "below", "equal", "above"),
    [(">=", False, True, True), ("<=", True, True, False), ("<", True, False, False)],
)
def test_target_bounds_its_column_from_its_side(sense: str, below: bool, equal: bool, above: bool) -> None:
    target = Target("ours", sense, 1.0)
    assert [Row("x", v, target=target).reached for v in (0.9, 1.0, 1.1)] == [below, equal, above]


def test_target_is_about_the_column_that_it_names() -> None:
    row = Row("x", ours=1.0, ratio=9.0, target=Target("ratio", ">=", 5.0))
    assert row.reached is True
    assert row._replace(target=Target("ours", ">=", 5.0)).reached is False


def test_nothing_is_reached_or_missed_without_a_target_or_a_number() -> None:
    assert Row("x", 1.0).reached is None
    assert Row("x", target=Target("ours", ">=", 1.0)).reached is None


def test_the_target_is_for_our_accuracy_and_the_ratio_is_to_the_peer() -> None:
    row = better("x", 0.6, 0.5, at_least=0.55)
    assert row.reached is True
    assert row.ratio == pytest.approx(1.2)
    assert better("x", 0.6, None).ratio is None


def test_row_becomes_strict_json_with_whether_the_target_is_reached() -> None:
    result = Row(
        what="x",
        ours=1.0,
        peer=float("nan"),
        unit="ms",
        ratio=2.0,
        target=Target("ratio", ">=", 3.0),
        note="n",
    ).as_dict()
    assert json.loads(json.dumps(result, allow_nan=False)) == {
        "what": "x",
        "ours": 1.0,
        "peer": None,
        "unit": "ms",
        "ratio": 2.0,
        "target": "ratio >= 3",
        "reached": False,
        "note": "n",
    }
