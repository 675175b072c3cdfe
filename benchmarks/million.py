"""One step on up to a million points in the space of a kernel: memory, and the growth of time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits

from benchmarks import new_process
from benchmarks.rows import Row, Target
from benchmarks.trials import processor_seconds
from dynmeans import SDMeans
from dynmeans.kernels import MST, RBF
from dynmeans.metrics import per_step_accuracy

WHAT = "one step of SD-Means on 10,000 to 1,000,000 points in 2-D, sixteen discs, on one thread"
PEER = "4 GiB; the time at 10,000 points, grown as n log n"
TARGET = "peak memory under 4 GiB, and no more time than n log n makes of that at 10,000 points"

PICTURE = "kernel_scaling.png"
SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = (3_000, 6_000)
GIB = 2.0**30
WARM_UP = 1_000  # points of a step before, so that imports and caches are not timed
SIDE = 4  # discs in a row
RADIUS = 0.3  # of a disc, where neighbors are 1 apart
KERNELS = {"MST": MST(), "RBF, 100 landmarks": RBF(0.2, landmarks=100)}

StepNumbers = Mapping[str, Any]  # measurements of one step
Curves = Mapping[str, Mapping[int, StepNumbers]]  # kernel -> number of points -> a step


def run(quick: bool, out: Path | None = None) -> list[Row]:
    """Run each step in a separate process; write the figure to `out`, if given."""
    sizes = QUICK_SIZES if quick else SIZES
    curves = {name: {n: _fresh_step(name, n) for n in sizes} for name in KERNELS}
    if out is not None:
        draw(curves, out / PICTURE)
    return [row for name, curve in curves.items() for row in rows_of(name, curve)]


def _fresh_step(name: str, n: int) -> StepNumbers:
    result: StepNumbers = new_process.call("benchmarks.million", "step", name=name, n=n)
    return result


def step(name: str, n: int) -> dict[str, float]:
    """Measure processor time and peak memory of a first step, including the estimation of the scale."""
    X, disc = discs(n)
    new_model(name).partial_fit(X[:WARM_UP])
    model, before = new_model(name), new_process.resident()
    times: list[float] = []
    with threadpool_limits(1):
        growth = new_process.peak_growth(
            lambda: times.append(processor_seconds(lambda: model.partial_fit(X)))
        )
    return {
        "seconds": times[0],
        "bytes": before + growth,
        "clusters": len(model.step_.active),
        "accuracy": per_step_accuracy([disc], [model.labels_]),
    }


def new_model(name: str) -> SDMeans:
    return SDMeans(KERNELS[name], birth_cost=0.02, relative=True, n_restarts=1, random_state=0)


def discs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Make points that fill sixteen discs on a grid evenly; return also the disc of each."""
    rng = np.random.default_rng(0)
    disc = rng.integers(SIDE * SIDE, size=n)
    radius, angle = RADIUS * np.sqrt(rng.random(n)), rng.uniform(0.0, 2.0 * math.pi, n)
    around = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.stack([disc % SIDE, disc // SIDE], axis=1) + around, disc


def rows_of(name: str, curve: Mapping[int, StepNumbers]) -> list[Row]:
    """Return rows for the memory at the largest size, and for the time against n log n."""
    sizes = list(curve)
    least, most = sizes[0], sizes[-1]
    memory = curve[most]["bytes"] / GIB
    grown = curve[least]["seconds"] * (most * math.log(most)) / (least * math.log(least))
    note = f"{curve[most]['clusters']} clusters, accuracy {curve[most]['accuracy']:.4f}"
    time = curve[most]["seconds"]
    return [
        Row(
            what=f"{name}, {most:,} points: peak memory",
            ours=memory,
            peer=4.0,
            unit="GiB",
            ratio=memory / 4.0,
            target=Target("ours", "<", 4.0),
            note=note,
        ),
        Row(
            what=f"{name}, {least:,} to {most:,} points: time / n log n",
            ours=time,
            peer=grown,
            unit="s",
            ratio=time / grown,
            target=Target("ratio", "<=", 1.0),
            note=f"exponent of the power law {_exponent(curve, 0):.2f}, between the last two sizes "
            f"{_exponent(curve, -2):.2f}",
        ),
    ]


def _exponent(curve: Mapping[int, StepNumbers], first: int) -> float:
    """Compute the slope in log-log axes, from one size on."""
    points = np.log([(n, result["seconds"]) for n, result in curve.items()][first:])
    return float(np.polyfit(points[:, 0], points[:, 1], 1)[0])


def draw(curves: Curves, path: Path) -> None:
    """Draw time over points for each kernel, with n log n through the smallest size."""
    figure = Figure(figsize=(5, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for name, curve in curves.items():
        sizes = np.array(list(curve), dtype=float)
        times = np.array([result["seconds"] for result in curve.values()])
        (line,) = axes.loglog(sizes, times, "o-", label=name)
        grown = times[0] * sizes * np.log(sizes) / (sizes[0] * math.log(sizes[0]))
        axes.loglog(sizes, grown, "--", color=line.get_color(), alpha=0.5, label="n log n")
    axes.set(xlabel="points", ylabel="seconds", title="One step of SD-Means on one thread")
    axes.legend(frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
