"""``python -m benchmarks.compare OTHER_PYTHON [STREAM...] [--rounds N]``: compare with another installation.

Both interpreters cluster the same streams in turn, on one thread. The time of a step is the least CPU time of
all rounds, which other load disturbs little. The table has the means over all steps, their ratio, and the
ratio of the medians: a few steps have additional work, such as the first one and those that are checked for
warnings. A stream uses the public interface that both versions have.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from time import thread_time_ns
from typing import Any, NamedTuple

import numpy as np

from dynmeans import DMeans, KDMeans, PersistentIds, SDMeans
from dynmeans.datasets import moving_gaussians, moving_rings
from dynmeans.kernels import RBF, Diffusion

Arguments = Sequence[tuple[np.ndarray, ...]]  # of each step


class Measured(NamedTuple):
    """Result of one run of a stream."""

    nanoseconds: list[int]  # of each step
    cost: float  # sum over all steps


class Case(NamedTuple):
    """A model and the arguments of its steps."""

    make: Callable[[], Any]
    steps: Callable[[], Arguments]
    method: str = "partial_fit"


def gaussians(n_clusters: int, n_rows: int, n_features: int, n_steps: int, noise: float = 0.05) -> Arguments:
    stream = moving_gaussians(
        n_clusters,
        n_steps,
        points_per_cluster=n_rows // n_clusters,
        n_features=n_features,
        noise=noise,
        random_state=0,
    )
    return [(X,) for X in stream.batches]


def labeled_gaussians() -> Arguments:
    stream = moving_gaussians(random_state=0)
    return [(X, np.asarray(labels)) for X, labels in zip(stream.batches, stream.labels, strict=True)]


def rings(n_steps: int) -> Arguments:
    return [(X,) for X in moving_rings(n_steps, random_state=0).batches]


def wide_rows() -> Arguments:
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.standard_normal((400, 3)))[0]
    return [(rng.random((600, 3)) @ axes.T + 0.003 * rng.standard_normal((600, 400)),) for _ in range(6)]


def pixels() -> Arguments:
    rng = np.random.default_rng(0)
    return [(rng.integers(0, 8, size=(20_000, 3)).astype(np.float64),) for _ in range(4)]


def dmeans(birth_cost: float, lifetime: float = 3.0, reach: float = 1.01, **others: Any) -> Callable[[], Any]:
    return lambda: DMeans(birth_cost, lifetime, reach, n_jobs=1, random_state=0, **others)


STREAMS: dict[str, Case] = {
    "75x2": Case(dmeans(0.06), lambda: gaussians(5, 75, 2, 100)),
    "75x2 one restart": Case(dmeans(0.06, n_restarts=1), lambda: gaussians(5, 75, 2, 100)),
    "75x2 refined": Case(dmeans(0.085, refine=True, n_restarts=1), lambda: gaussians(5, 75, 2, 100)),
    "75x2 velocity": Case(dmeans(0.06, motion="velocity"), lambda: gaussians(5, 75, 2, 100)),
    "1000x2": Case(dmeans(0.06), lambda: gaussians(5, 1000, 2, 30)),
    "10000x2": Case(dmeans(0.012, n_restarts=1), lambda: gaussians(25, 10_000, 2, 8, 0.02)),
    "100000x3": Case(dmeans(0.03, n_restarts=1), lambda: gaussians(30, 100_000, 3, 3, 0.02)),
    "600x400": Case(dmeans(0.15, reach=1.5, n_restarts=1), wide_rows),
    "pixels": Case(dmeans(4.0, n_restarts=1), pixels),
    "linked": Case(lambda: PersistentIds(birth_cost=0.05), labeled_gaussians, "update"),
    "KD-Means rings": Case(lambda: KDMeans(RBF(0.1), random_state=0, n_jobs=1), lambda: rings(20)),
    "SD-Means rings": Case(lambda: SDMeans(Diffusion(), random_state=0, n_jobs=1), lambda: rings(20)),
}


def run_stream(case: Case) -> Measured:
    model, times, cost = case.make(), [], 0.0
    for arguments in case.steps():
        start = thread_time_ns()
        getattr(model, case.method)(*arguments)
        times.append(thread_time_ns() - start)
        cost += float(model.step_.cost)
    return Measured(times, cost)


def serve() -> None:
    """Read names of streams, one per line, and write their results."""
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        print(json.dumps(run_stream(STREAMS[line.strip()])), flush=True)


class Worker:
    """An interpreter that runs streams."""

    def __init__(self, python: str) -> None:
        self.process = subprocess.Popen(
            [python, __file__, "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()  # the end of its input ends it

    def run(self, name: str) -> Measured:
        """Run a stream once."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(name, file=self.process.stdin, flush=True)
        return Measured(*json.loads(self.process.stdout.readline()))


def best(runs: Sequence[Measured]) -> Measured:
    """Return the least time of each step."""
    return Measured(list(map(min, zip(*(run.nanoseconds for run in runs), strict=True))), runs[0].cost)


def compare(other: str, names: Sequence[str], rounds: int) -> Iterator[str]:
    """Measure the streams and yield one line for each."""
    yield f"{'stream':<18}{'other µs':>10}{'this µs':>10}{'ratio':>8}{'of medians':>12}{'cost ratio':>12}"
    with Worker(other) as one, Worker(sys.executable) as this:
        for name in names:
            runs = [(one.run(name), this.run(name)) for _ in range(rounds)]
            old, new = map(best, zip(*runs, strict=True))
            before, now = (1e-3 * float(np.mean(found.nanoseconds)) for found in (old, new))
            medians = float(np.median(new.nanoseconds) / np.median(old.nanoseconds))
            yield (
                f"{name:<18}{before:>10.1f}{now:>10.1f}{now / before:>8.2f}{medians:>12.2f}"
                f"{new.cost / old.cost:>12.4f}"
            )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("other", help="interpreter with the other version installed")
    parser.add_argument("streams", nargs="*", choices=[*STREAMS, []], help="all by default")
    parser.add_argument("--rounds", type=int, default=10, help="runs of each stream")
    options = parser.parse_args(arguments)
    for line in compare(options.other, options.streams or list(STREAMS), options.rounds):
        print(line, flush=True)


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["--serve"] else main()
