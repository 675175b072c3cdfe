"""Memory of one large step, and of a long stream."""

from __future__ import annotations

from functools import partial
from itertools import cycle, islice
from typing import NamedTuple

import numpy as np

from benchmarks import new_process
from benchmarks.clock import seconds
from benchmarks.rows import Row, Target
from dynmeans import DMeans
from dynmeans.datasets import moving_gaussians

WHAT = "peak memory of a step beyond its input; memory and time of 10,000 batches with about 20 clusters"
PEER = "the size of the input; the first 1,000 batches"
TARGET = "the size of the input; 5% more memory and 10% more time"

MIB = 2.0**20


class BatchSize(NamedTuple):
    """A batch for the step."""

    n: int
    d: int
    dtype: str


SIZES = (
    BatchSize(100_000, 3, "float64"),
    BatchSize(700_000, 3, "float32"),
    BatchSize(1_000_000, 2, "float64"),
    BatchSize(200_000, 128, "float32"),
    BatchSize(100_000, 384, "float32"),
    BatchSize(100_000, 384, "float64"),
)
WIDE, N_CLUSTERS, NOISE = 16, 100, 0.1  # rows of this many features lie around this many centers


def run(quick: bool) -> list[Row]:
    """Run each measurement in a separate process."""
    sizes = [BatchSize(2_000, 2, "float64")] if quick else SIZES
    rows = [step_row(size) for size in sizes]
    return rows + endless_rows(n_batches=40 if quick else 10_000)


def step_row(size: BatchSize) -> Row:
    result = new_process.call("benchmarks.memory", "step_memory", **size._asdict())
    return Row(
        f"{size.n:,} x {size.d} {size.dtype}: peak growth / input",
        result["growth"] / MIB,
        result["input"] / MIB,
        "MiB",
        result["growth"] / result["input"],
        Target("ratio", "<=", 1.0),
    )


def step_memory(n: int, d: int, dtype: str) -> dict[str, int]:
    """Measure the peak growth of the second step, after a small first step."""
    rng = np.random.default_rng(0)
    X = rng.random((n, d), dtype=np.dtype(dtype))
    if d >= WIDE:
        X *= NOISE
        X += rng.random((N_CLUSTERS, d), dtype=np.dtype(dtype))[rng.integers(N_CLUSTERS, size=n)]
    birth_cost = d / 12 if d >= WIDE else 0.1  # half of the squared distance between two centers
    model = DMeans(birth_cost, metric="euclidean", n_restarts=1, max_iter=10, random_state=0)
    model.partial_fit(X[:5000])
    return {"growth": new_process.peak_growth(lambda: model.partial_fit(X)), "input": X.nbytes}


def endless_rows(n_batches: int) -> list[Row]:
    result = new_process.call("benchmarks.memory", "endless", n_batches=n_batches)
    early, late = result["rss_early"] / MIB, result["rss_late"] / MIB
    fresh_us, aged_us = 1e6 * result["time_fresh"], 1e6 * result["time_aged"]
    span = f"after {n_batches // 10:,} and {n_batches:,} batches"
    return [
        Row(f"memory {span}", late, early, "MiB", late / early, Target("ratio", "<", 1.05)),
        Row(
            f"step {span} / of a new model",
            aged_us,
            fresh_us,
            "µs",
            aged_us / fresh_us,
            Target("ratio", "<=", 1.1),
            note=f"{result['active']:.1f} clusters active; the same batches, in turn",
        ),
    ]


def endless(n_batches: int) -> dict[str, float]:
    """Measure memory after a tenth and after all batches, and times of the next tenth and of a new model.

    The stream is a tenth as long and is repeated, so that both models have the same batches.
    """
    tenth = n_batches // 10
    batches = moving_gaussians(20, tenth, noise=0.02, motion=0.01, random_state=0).batches
    aged = _new_model()
    for number, X in enumerate(islice(cycle(batches), n_batches), start=1):
        aged.partial_fit(X)
        if number == tenth:
            early = new_process.resident()
    late = new_process.resident()
    new = _new_model()
    times = [[seconds(partial(model.partial_fit, X)) for model in (new, aged)] for X in batches]
    medians = np.median(times, axis=0)
    return {
        "rss_early": early,
        "rss_late": late,
        "time_fresh": float(medians[0]),
        "time_aged": float(medians[1]),
        "active": float(len(aged.step_.active)),
    }


def _new_model() -> DMeans:
    return DMeans(0.01, 3.0, 1.5, n_restarts=1, random_state=0)
