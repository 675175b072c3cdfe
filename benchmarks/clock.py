"""Interleaved timing: jobs alternate, so that a disturbance affects all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import TypeVar

Job = Callable[[], object]
Result = TypeVar("Result")


Clock = Callable[[], float]


def timed(job: Callable[[], Result], clock: Clock = perf_counter) -> tuple[float, Result]:
    """Return the time of one call in seconds, and its result; by default the wall time."""
    start = clock()
    result = job()
    return clock() - start, result


def seconds(job: Job, clock: Clock = perf_counter) -> float:
    """Return the time of one call."""
    return timed(job, clock)[0]


def interleave(jobs: Mapping[str, Job], rounds: int, clock: Clock = perf_counter) -> dict[str, list[float]]:
    """Measure every job over several rounds, one call per job and round."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            times[name].append(seconds(job, clock))
    return times


def best_of(jobs: Mapping[str, Job], rounds: int, clock: Clock = perf_counter) -> dict[str, float]:
    """Return the best time of every job, which is least disturbed by other load."""
    return {name: min(times) for name, times in interleave(jobs, rounds, clock).items()}
