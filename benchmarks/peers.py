"""Time and peak memory of a step on 10,000 points, of every method in `tracking`."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks import new_process
from benchmarks.clock import seconds
from benchmarks.methods import MAKERS
from benchmarks.rows import Row
from benchmarks.tracking import CHOSEN, OURS
from dynmeans.datasets import moving_gaussians

WHAT = "a step on 10,000 points in 2-D, five clusters, each method in a separate process"
PEER = "every method in `tracking`, with the parameters chosen there"
TARGET = "none: read together with the accuracies"

MIB = 2.0**20
PEERS = tuple(name for name in MAKERS if name != OURS and not name.startswith("true segmentation"))


def run(quick: bool) -> list[Row]:
    """Measure dynmeans once, then every peer."""
    points = 20 if quick else 2_000
    ours = measure(OURS, points)
    rows = []
    for name in PEERS[:1] if quick else PEERS:
        peer = measure(name, points)
        time, memory = peer["ms"] / ours["ms"], peer["mib"] / ours["mib"] if ours["mib"] else None
        size = f"{5 * points:,} points"
        rows.append(Row(f"{size}: step / {name}", ours["ms"], peer["ms"], "ms", time))
        rows.append(Row(f"{size}: peak memory / {name}", ours["mib"], peer["mib"], "MiB", memory))
    return rows


def measure(name: str, points_per_cluster: int) -> dict[str, float]:
    """Return best time and peak memory growth over a short stream, in a new process."""
    result: dict[str, float] = new_process.call(
        "benchmarks.peers",
        "follow_large",
        name=name,
        parameters=CHOSEN[name],
        points_per_cluster=points_per_cluster,
    )
    return result


def follow_large(name: str, parameters: dict[str, Any], points_per_cluster: int) -> dict[str, float]:
    """Run three steps after a small one, which triggers lazy imports."""
    stream = moving_gaussians(n_steps=3, points_per_cluster=points_per_cluster, random_state=0)
    tracker = MAKERS[name](**parameters)
    small = moving_gaussians(n_steps=1, points_per_cluster=20, random_state=1)
    tracker.partial_fit(small.batches[0], small.labels[0])
    times: list[float] = []

    def steps() -> None:
        for X, y in zip(stream.batches, stream.labels, strict=True):
            times.append(seconds(partial(tracker.partial_fit, X, y)))

    growth = new_process.peak_growth(steps)
    return {"ms": 1e3 * min(times), "mib": growth / MIB}
