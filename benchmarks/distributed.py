"""D-Means on Dask workers against the local estimator: CPU time, scheduling, bytes moved, weak scaling.

Run it with ``python -m benchmarks.distributed --rows 1e7``. Rows are three-dimensional, from Parquet
files in a temporary folder, which is deleted at the end. The machine may be shared, so compare CPU times;
wall times are printed too. The last lines are the cost model of docs/distributed.md with the numbers of the
same run. ``--rows 1e8 --cases two`` is one step on 2 x 10^8 rows, on two workers and on one thread.
"""

from __future__ import annotations

import argparse
import logging
import pickle
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

N_CLUSTERS = 100
NOISE = 0.02
BIRTH_COST = 0.05
GROUP = 1 << 20  # rows of a chunk: the default row group of pyarrow
PER_ROUND = 2 + 1 / 7  # tasks per chunk and round: a pass, its reply, a share of the tree
OTHERS = 8 + 1 / 7  # tasks per chunk and step: read, validate, sample, scale, and label
GRID = 0.02  # of quantized rows
NO_STEALING = {"distributed.scheduler.work-stealing": False}  # as `dynmeans cluster --workers`
CASES = ("one", "two", "grid")


class Measurement(NamedTuple):
    """One step on some workers."""

    rows: int
    workers: int
    wall: float  # seconds
    driver: float  # CPU seconds of this process
    worker: float  # CPU seconds of all workers
    rounds: int
    sent: int  # bytes that the driver sends to tasks in all rounds
    tasks: int
    moved: int  # bytes that workers send to each other and to the driver

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.rows // GROUP)

    @property
    def expected_tasks(self) -> float:
        """Number of tasks by the cost model."""
        return self.chunks * (OTHERS + self.rounds * PER_ROUND)


def make_rows(n: int, step: int, part: int) -> np.ndarray[Any, Any]:
    """Return some rows of a step."""
    random = np.random.default_rng((step, part))
    centers = np.random.default_rng(0).normal(size=(N_CLUSTERS, 3)) + 0.1 * NOISE * step
    return centers[random.integers(0, N_CLUSTERS, n)] + NOISE * random.normal(size=(n, 3))


def write_rows(folder: Path, n: int, step: int, *, quantized: bool = False) -> list[Path]:
    """Write one batch as Parquet files of GROUP rows; rows move by a tenth of the noise per step."""
    import pyarrow
    import pyarrow.parquet

    paths = []
    for part, first in enumerate(range(0, n, GROUP)):
        X = make_rows(min(GROUP, n - first), step, part)
        if quantized:
            X = GRID * np.round(X / GRID)
        paths.append(folder / f"step{step}-{part:05d}.parquet")
        pyarrow.parquet.write_table(pyarrow.table(dict(zip("xyz", X.T, strict=True))), paths[-1])
    return paths


def read_rows(path: Path) -> np.ndarray[Any, Any]:
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    return np.column_stack([table.column(name).to_numpy() for name in "xyz"])


def collection(paths: list[Path], n: int) -> Any:
    import dask
    import dask.array as da

    sizes = [min(GROUP, n - first) for first in range(0, n, GROUP)]
    read = dask.delayed(read_rows, pure=True)
    return da.concatenate(
        [da.from_delayed(read(path), (size, 3), float) for path, size in zip(paths, sizes, strict=True)]
    )


def read_batch(paths: list[Path], n: int) -> np.ndarray[Any, Any]:
    """Read a batch of n rows into one array."""
    X = np.empty((n, 3))
    for part, path in enumerate(paths):
        X[part * GROUP : (part + 1) * GROUP] = read_rows(path)
    return X


def measure_local(batches: list[list[Path]], n: int, n_restarts: int) -> tuple[float, float, bytes]:
    """Return wall and CPU seconds of the second step on one thread, and the state."""
    from dynmeans import DMeans

    model = DMeans(BIRTH_COST, n_restarts=n_restarts, random_state=0, n_jobs=1)
    for paths in batches:
        wall, cpu = time.perf_counter(), time.process_time()
        model.partial_fit(read_batch(paths, n))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return wall, cpu, model.to_bytes()


@contextmanager
def counted_rounds() -> Iterator[dict[str, int]]:
    """Count the rounds and the bytes of their commands."""
    from dynmeans.distributed._rounds import Rounds
    from dynmeans.distributed._sending import SHORT

    run, counts = Rounds.__call__, {"rounds": 0, "sent": 0}

    def counted(self: Any, commands: Any) -> Any:
        counts["rounds"] += 1
        size = len(pickle.dumps(commands))  # short ones are sent with every task
        counts["sent"] += size * len(self.chunks.futures) if size < SHORT else size
        return run(self, commands)

    Rounds.__call__ = counted  # type: ignore[method-assign]
    try:
        yield counts
    finally:
        Rounds.__call__ = run  # type: ignore[method-assign]


def worker_usage(dask_worker: Any) -> tuple[float, int]:
    """Return the CPU seconds of a worker, and the bytes that it has sent."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime, dask_worker.transfer_outgoing_bytes_total


class Usage(NamedTuple):
    """CPU time and traffic of a cluster up to now."""

    wall: float
    driver: float
    worker: float
    moved: int
    tasks: int


def usage(client: Any, counter: Any) -> Usage:
    """Measure a cluster."""
    workers = list(client.run(worker_usage).values())
    cpu, moved = (sum(column) for column in zip(*workers, strict=True))
    return Usage(time.perf_counter(), time.process_time(), cpu, moved, counter.tasks)


def measure_steps(batches: list[Any], workers: int, n_restarts: int) -> tuple[list[Measurement], bytes]:
    """Return the measurements of some steps, and the state after them."""
    import dask
    from distributed import Client, LocalCluster
    from distributed.diagnostics.plugin import SchedulerPlugin

    from dynmeans.distributed import DMeans

    class TaskCounter(SchedulerPlugin):  # type: ignore[misc]
        tasks = 0

        def transition(self, key: Any, start: str, finish: str, *others: Any, **options: Any) -> None:
            self.tasks += finish == "memory"

    logging.getLogger("distributed").setLevel(logging.ERROR)
    options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    counter, found = TaskCounter(), []
    with (
        dask.config.set(NO_STEALING),
        LocalCluster(**options) as cluster,
        Client(cluster) as client,
    ):
        cluster.scheduler.add_plugin(counter)
        model = DMeans(BIRTH_COST, n_restarts=n_restarts, random_state=0, n_jobs=1)
        for X in batches:
            with counted_rounds() as counts:
                before = usage(client, counter)
                model.partial_fit(X)
                after = usage(client, counter)
            used = {name: b - a for name, a, b in zip(Usage._fields, before, after, strict=True)}
            found.append(Measurement(len(X), workers, **used, **counts))
        return found, model.to_bytes()


class Overhead(NamedTuple):
    """CPU seconds of the driver and the scheduler."""

    per_task: float
    per_round: float
    idle: float  # per second, without tasks

    def of(self, found: Measurement) -> float:
        """Return the prediction for a step."""
        return self.per_task * found.expected_tasks + self.per_round * found.rounds + self.idle * found.wall


def measure_idle(seconds: float = 5.0) -> float:
    """Return the CPU seconds per second of a driver and a scheduler without tasks."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
        before = time.process_time()
        time.sleep(seconds)
        return (time.process_time() - before) / seconds


def measure_overhead(few: int = 8, many: int = 136, n: int = 13_600, n_steps: int = 4) -> Overhead:
    """Compare steps over few and many chunks that are so small that they take no time of their own."""
    import dask.array as da

    least = []
    for chunks in (few, many):
        rows = [make_rows(n, step, 0) for step in range(n_steps)]
        found, _ = measure_steps([da.from_array(X, chunks=(n // chunks, -1)) for X in rows], 1, 1)
        least.append(min(found[1:], key=lambda each: each.driver / each.tasks))
    idle = measure_idle()
    a, b = ((each.driver - idle * each.wall) / each.rounds for each in least)
    few_tasks, many_tasks = (each.tasks / each.rounds for each in least)
    per_task = (b - a) / (many_tasks - few_tasks)
    return Overhead(per_task, a - per_task * few_tasks, idle)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=2e6, help="rows per batch for one worker")
    parser.add_argument("--restarts", type=int, default=1)
    parser.add_argument(
        "--cases",
        nargs="+",
        choices=CASES,
        default=CASES,
        help="one: `rows` on 1 and 2 workers; "
        "two: twice as many on 2; grid: `rows` of a grid on 2; all by default, with the cost model",
    )
    parser.add_argument("--no-local", action="store_true", help="leave out the local estimator")
    arguments = parser.parse_args()
    n = int(arguments.rows)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        overhead = measure_overhead()
        print(
            f"driver and scheduler: {1e3 * overhead.per_task:.2f} ms of CPU time per task, "
            f"{1e3 * overhead.per_round:.0f} ms per round, {1e3 * overhead.idle:.0f} ms per second",
            flush=True,
        )
        cases = {"one": (n, (1, 2), False), "two": (2 * n, (2,), False), "grid": (n, (2,), True)}
        measured = {}
        for case in arguments.cases:
            rows, workers, quantized = cases[case]
            print(f"{rows:,} rows of a grid" if quantized else f"{rows:,} rows", flush=True)
            measured[case] = _compare(folder, rows, workers, quantized, arguments)[0]
    if "one" in measured and "two" in measured:
        _print_model(measured["one"], measured["two"], overhead)


def _compare(
    folder: Path, n: int, workers: tuple[int, ...], quantized: bool, arguments: argparse.Namespace
) -> list[Measurement]:
    """Measure some numbers of workers and the local estimator on the same files."""
    batches = [write_rows(folder, n, step, quantized=quantized) for step in (0, 1)]
    size = sum(path.stat().st_size for paths in batches for path in paths)
    print(f"  {size / 2**30:.1f} GiB of Parquet files in {folder}: the second step is timed", flush=True)
    found, states = [], []
    for count in workers:
        collections = [collection(paths, n) for paths in batches]
        steps, state = measure_steps(collections, count, arguments.restarts)
        found.append(steps[-1])
        states.append(state)
        print(_line(steps[-1]), flush=True)
    if not arguments.no_local:
        wall, cpu, state = measure_local(batches, n, arguments.restarts)
        states.append(state)
        print(f"  local, 1 thread: {wall:.1f} s, CPU {cpu:.1f} s", flush=True)
    print(f"  states are equal: {len(set(states)) == 1}", flush=True)
    for path in folder.iterdir():
        path.unlink()
    return found


def _print_model(one: Measurement, two: Measurement, overhead: Overhead) -> None:
    """Print the cost model and its predictions."""
    per_row = two.worker / (two.rows * two.rounds)
    print(f"c = {1e6 * per_row:.3f} microseconds per row and round")
    for each in (one, two):
        print(
            f"{each.rows:,} rows: {each.expected_tasks:.0f} tasks predicted, {each.tasks} counted; "
            f"driver and scheduler {overhead.of(each):.2f} s predicted, {each.driver:.2f} s measured"
        )
    ratio = two.rounds / one.rounds  # more rows may need more rounds
    wall, cpu = one.wall / two.wall, 2 * one.worker / two.worker
    total = 2 * (one.worker + one.driver) / (two.worker + two.driver)
    print(
        f"weak scaling from 1 to 2 workers, per round: wall {ratio * wall:.0%}, CPU of the workers "
        f"{ratio * cpu:.0%}, with driver and scheduler {ratio * total:.0%}"
    )
    n, workers, chunks = 10**10, 100, 1000
    compute, schedule = per_row * n / workers, PER_ROUND * chunks * overhead.per_task + overhead.per_round
    print(
        f"{n:.0e} rows, {workers} workers, {chunks} chunks: {compute:.1f} s of computation and "
        f"{schedule:.1f} s of scheduling per round"
    )


def _line(found: Measurement) -> str:
    sent, moved = (size / found.rounds / 1024 for size in (found.sent, found.moved))
    return (
        f"  {found.workers} workers: {found.wall:.1f} s, "
        f"CPU workers {found.worker:.2f} s, driver and scheduler {found.driver:.2f} s, "
        f"{found.rounds} rounds, {found.tasks} tasks; per round the driver sends {sent:.0f} kB, "
        f"workers send {moved:.0f} kB"
    )


if __name__ == "__main__":
    main()
