from __future__ import annotations

from benchmarks.clock import best_of, interleave, timed


def test_jobs_interleave_in_every_round() -> None:
    calls: list[str] = []
    times = interleave({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, rounds=3)
    assert calls == ["a", "b"] * 3
    assert {name: len(values) for name, values in times.items()} == {"a": 3, "b": 3}


def test_timed_returns_the_result() -> None:
    time, result = timed(lambda: "done")
    assert result == "done"
    assert time >= 0


def test_the_best_round_counts() -> None:
    readings = iter([0.0, 5.0, 10.0, 12.0, 20.0, 29.0])
    assert best_of({"a": lambda: None}, rounds=3, clock=lambda: next(readings)) == {"a": 2.0}
