from __future__ import annotations

from time import sleep

from benchmarks.clock import best_of, take_turns, timed


def test_jobs_take_turns_in_every_round() -> None:
    calls: list[str] = []
    times = take_turns({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, rounds=3)
    assert calls == ["a", "b"] * 3
    assert {name: len(values) for name, values in times.items()} == {"a": 3, "b": 3}


def test_timed_hands_back_the_result() -> None:
    time, result = timed(lambda: "done")
    assert result == "done"
    assert time >= 0


def test_the_best_round_counts() -> None:
    waits = iter([0.05, 0.0, 0.05])
    assert best_of({"a": lambda: sleep(next(waits))}, rounds=3)["a"] < 0.05
