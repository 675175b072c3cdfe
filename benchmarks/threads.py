"""Two threads against one on large batches."""

from __future__ import annotations

from functools import partial
from time import process_time

import numpy as np

from benchmarks.clock import best_of
from benchmarks.rows import Row, Target
from dynmeans import DMeans, from_bytes

WHAT = "the second step of a stream, one restart, two threads"
PEER = "one thread"
TARGET = "1.7 times as fast"

SIZES = ((100_000, 3, 30), (300_000, 3, 30), (100_000, 32, 100))  # rows, features, clusters
NOISE = 0.02


def run(quick: bool) -> list[Row]:
    """Measure each size; a quick run has few rows."""
    sizes = [(5_000, 3, 10)] if quick else SIZES
    return [measure(*size, rounds=1 if quick else 5) for size in sizes]


def measure(n: int, d: int, n_clusters: int, rounds: int) -> Row:
    rng = np.random.default_rng(0)
    X = rng.random((n_clusters, d))[rng.integers(n_clusters, size=n)]
    X += NOISE * rng.standard_normal((n, d))
    saved = DMeans(12 * d * NOISE**2, n_restarts=1, n_jobs=1, random_state=0).fit(X).to_bytes()
    shifted = X + 0.1 * NOISE
    times = best_of({str(k): partial(step, saved, shifted, k) for k in (1, 2)}, rounds)
    cpu = {k: min(cpu_seconds(saved, shifted, k) for _ in range(rounds)) for k in (1, 2)}
    return Row(
        f"{n:,} x {d} with {n_clusters} clusters: two threads",
        1e3 * times["2"],
        1e3 * times["1"],
        "ms",
        times["1"] / times["2"],
        Target("ratio", ">=", 1.7),
        note=f"wall time; CPU time of two threads / one: {cpu[2] / cpu[1]:.2f}",
    )


def step(saved: bytes, X: np.ndarray, n_threads: int) -> None:
    """Run the second step."""
    from_bytes(saved).set_params(n_jobs=n_threads).partial_fit(X)


def cpu_seconds(saved: bytes, X: np.ndarray, n_threads: int) -> float:
    start = process_time()
    step(saved, X, n_threads)
    return process_time() - start
