"""A step to convergence on thousands of points, against the algorithm in plain C++."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks import plain
from benchmarks.clock import timed
from benchmarks.rows import Row, Target, faster
from dynmeans import DMeans
from dynmeans._algorithms.batch import Batch
from dynmeans._model.costs import AgingParameters, make_costs
from dynmeans._model.motion import WALK
from dynmeans._model.state import empty_state
from dynmeans.datasets import moving_gaussians

WHAT = "10,000 points in 2-D, about 25 clusters; 100,000 in 3-D, about 30; one restart, to convergence"
PEER = "the paper's algorithm in plain C++, points of a cluster in a map (as the authors) or as a sum"
TARGET = "10 and 20 times as fast as the authors' program, at an average cost no higher over 20 streams"

LIFETIME, REACH = 3.0, 1.5
UNTIL_CONVERGED = 10_000  # passes


class MediumSize(NamedTuple):
    """One of the two sizes, with streams on which about the true number of clusters is found."""

    name: str
    n_clusters: int
    points_per_cluster: int
    n_features: int
    noise: float
    birth_cost: float
    at_least: float  # times as fast as the authors' program
    quoted_ms: float  # time per step of the authors' program, as given with the target


class StreamCosts(NamedTuple):
    """Times and costs of the steps of one stream; times without the first step, which has no past."""

    times: list[float]
    costs: list[float]
    found: list[int]


SIZES = (
    MediumSize(
        name="10k x 2",
        n_clusters=25,
        points_per_cluster=400,
        n_features=2,
        noise=0.02,
        birth_cost=0.012,
        at_least=10,
        quoted_ms=50.0,
    ),
    MediumSize(
        name="100k x 3",
        n_clusters=30,
        points_per_cluster=3334,
        n_features=3,
        noise=0.02,
        birth_cost=0.03,
        at_least=20,
        quoted_ms=1000.0,
    ),
)

Step = Callable[[np.ndarray], tuple[float, int]]  # a batch -> its cost and its number of clusters


def run(quick: bool) -> list[Row]:
    """Measure both sizes; a quick run has tiny batches."""
    sizes = [s._replace(points_per_cluster=20) for s in SIZES] if quick else SIZES
    return [row for size in sizes for row in run_size(size, n_streams=2 if quick else 20, n_steps=4)]


def run_size(size: MediumSize, n_streams: int, n_steps: int) -> list[Row]:
    """Measure costs on all streams; the slow form, with the same costs, runs on three."""
    runs: dict[str, list[StreamCosts]] = {"ours": [], "sums": [], "maps": []}
    for seed in range(n_streams):
        names = ["ours", "sums", "maps"] if seed < 3 else ["ours", "sums"]
        for name, result in zip(names, run_stream(size, seed, n_steps, names), strict=True):
            runs[name].append(result)
    return list(make_rows(size, runs))


def run_stream(size: MediumSize, seed: int, n_steps: int, names: list[str]) -> list[StreamCosts]:
    """Run all forms on one stream, batch by batch; each continues from its own result."""
    stream = moving_gaussians(
        size.n_clusters,
        n_steps,
        points_per_cluster=size.points_per_cluster,
        n_features=size.n_features,
        noise=size.noise,
        motion=0.01,
        death=0.02,
        random_state=seed,
    )
    steps = [STEPS[name](size, seed) for name in names]
    runs = [StreamCosts([], [], []) for _ in names]
    for number, X in enumerate(stream.batches):
        for step, result in zip(steps, runs, strict=True):
            time, (cost, found) = timed(partial(step, X))
            result.costs.append(cost)
            result.found.append(found)
            if number > 0:
                result.times.append(time)
    return runs


def make_rows(size: MediumSize, runs: dict[str, list[StreamCosts]]) -> Iterator[Row]:
    ms = {name: 1e3 * float(np.median([t for run in done for t in run.times])) for name, done in runs.items()}
    cost = {name: float(np.mean([c for run in done for c in run.costs])) for name, done in runs.items()}
    found = float(np.mean([n for run in runs["ours"] for n in run.found]))
    theirs = float(np.mean([n for run in runs["sums"] for n in run.found]))
    yield faster(f"{size.name}: step / plain C++ (maps)", ms["ours"], ms["maps"], "ms", size.at_least)
    yield faster(f"{size.name}: step / plain C++ (sums)", ms["ours"], ms["sums"], "ms")
    note = "the authors' time is quoted, not measured here"
    yield faster(f"{size.name}: step / authors", ms["ours"], size.quoted_ms, "ms", size.at_least, note)
    yield Row(
        f"{size.name}: average cost / plain C++",
        cost["ours"],
        cost["sums"],
        ratio=cost["ours"] / cost["sums"],
        target=Target("ratio", "<=", 1.0),
        note=f"{found:.1f} clusters found by ours, {theirs:.1f} by the plain one, of {size.n_clusters}",
    )


def our_step(size: MediumSize, seed: int) -> Step:
    model = DMeans(
        size.birth_cost, LIFETIME, REACH, n_restarts=1, max_iter=UNTIL_CONVERGED, random_state=seed
    )

    def step(X: np.ndarray) -> tuple[float, int]:
        report = model.partial_fit(X).step_
        return report.cost, len(report.active)

    return step


def plain_step(size: MediumSize, seed: int, members: plain.Members) -> Step:
    costs = make_costs(size.birth_cost, AgingParameters(LIFETIME, REACH))
    motion = WALK
    state = empty_state(size.n_features)

    def step(X: np.ndarray) -> tuple[float, int]:
        nonlocal state
        batch = Batch(X, None, state.clock + 1.0)
        state, report, _ = plain.step(state, batch, costs, motion, 1000 * seed + state.n_steps, members)
        return report.cost, len(report.active)

    return step


STEPS: dict[str, Callable[[MediumSize, int], Step]] = {
    "ours": our_step,
    "sums": partial(plain_step, members="sums"),
    "maps": partial(plain_step, members="maps"),
}
