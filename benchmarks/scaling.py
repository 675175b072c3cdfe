"""Growth of the time of a step with points, clusters and dimension, with a plot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from benchmarks.clock import Job, best_of
from benchmarks.rows import Row, Target
from dynmeans._algorithms.batch import Batch, SearchOptions
from dynmeans._algorithms.dmeans import step
from dynmeans._model.costs import AgingParameters, make_costs
from dynmeans._model.motion import WALK
from dynmeans._model.state import ClusterState, empty_state

WHAT = "time of a step of the same number of passes, by points, clusters and dimension"
PEER = "a straight line: the exponent of the fitted power law is 1"
TARGET = "linear, or better: an exponent of at most 1.1"

PICTURE = "scaling.png"
PASSES = 4


class ScalingSize(NamedTuple):
    """A batch of equal round clusters."""

    points: int = 50_000
    clusters: int = 16
    dimension: int = 8


RANGES: dict[str, tuple[int, ...]] = {
    "points": (25_000, 50_000, 100_000, 200_000, 400_000),
    "clusters": (8, 16, 32, 64, 128),
    "dimension": (4, 8, 16, 32, 64),
}
QUICK_RANGES: dict[str, tuple[int, ...]] = {name: sizes[:2] for name, sizes in RANGES.items()}

Curves = Mapping[str, Mapping[int, float]]  # kind of size -> size -> milliseconds


def run(quick: bool, out: Path | None = None) -> list[Row]:
    """Measure, fit and draw; the picture goes to `out`, if there is one."""
    base = ScalingSize(points=2_000) if quick else ScalingSize()
    ranges = {**QUICK_RANGES, "points": (1_000, 2_000)} if quick else RANGES
    curves = {name: measure(base, name, sizes, 1 if quick else 5) for name, sizes in ranges.items()}
    if out is not None:
        draw(curves, out / PICTURE)
    return [exponent_row(name, curve) for name, curve in curves.items()]


def measure(base: ScalingSize, name: str, sizes: tuple[int, ...], rounds: int) -> dict[int, float]:
    """Measure milliseconds of a step at each size, interleaved."""
    jobs = {str(n): make_job(base._replace(**{name: n})) for n in sizes}
    return {int(n): 1e3 * time for n, time in best_of(jobs, rounds).items()}


def make_job(size: ScalingSize) -> Job:
    """Return a step on one thread in which all remembered clusters have points, and none is born.

    Neighboring centers are three standard deviations apart in any dimension: points change clusters in every
    pass, so that no pass is skipped.
    """
    rng = np.random.default_rng(0)
    centers = 3.0 / np.sqrt(2.0 * size.dimension) * rng.standard_normal((size.clusters, size.dimension))
    X = centers[rng.integers(size.clusters, size=size.points)]
    X += rng.standard_normal(X.shape)
    state = remembering(centers)
    costs = make_costs(1e6, AgingParameters(aging_cost=1e-9, drift=1.0))
    search = SearchOptions(seed=0, n_restarts=1, max_iter=PASSES, n_threads=1)
    return lambda: step(state, Batch(X, None, 1.0), costs, WALK, search)


def remembering(centers: np.ndarray) -> ClusterState:
    """Return the state of clusters that were last seen at time 0."""
    k, d = centers.shape
    return empty_state(d)._replace(
        centers=centers,
        weights=np.ones(k),
        velocities=np.zeros((k, d)),
        velocity_cov=np.zeros((k, 2)),
        last_seen=np.zeros(k),
        hits=np.ones(k, dtype=np.int64),
        ids=np.arange(k),
        next_id=k,
        n_steps=1,
    )


def exponent_row(name: str, curve: Mapping[int, float]) -> Row:
    """Compute the slope in log-log axes, and the time at the largest size against a straight line."""
    sizes, times = list(curve), list(curve.values())
    slope = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    line = times[0] * sizes[-1] / sizes[0]
    what = f"{sizes[0]:,} to {sizes[-1]:,} {name}: time / straight line"
    return Row(
        what=what,
        ours=times[-1],
        peer=line,
        unit="ms",
        ratio=slope,
        target=Target("ratio", "<=", 1.1),
        note="ratio: exponent of the power law",
    )


def draw(curves: Curves, path: Path) -> None:
    """Draw three panels, one per kind of size, with a line of slope 1."""
    figure = Figure(figsize=(10, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (name, curve) in zip(figure.subplots(1, len(curves)), curves.items(), strict=True):
        sizes = np.array(list(curve), dtype=float)
        times = np.array(list(curve.values()))
        axes.loglog(sizes, times, "o-", label="a step")
        axes.loglog(sizes, times[0] * sizes / sizes[0], "--", color="0.6", label="linear")
        axes.set(xlabel=name, ylabel="ms", xticks=sizes)
        axes.set_xticks(sizes, [f"{int(n):,}" for n in sizes], rotation=30)
        axes.minorticks_off()
        axes.legend(frameon=False)
    figure.suptitle(f"Time of a step of {PASSES} passes on one thread")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
