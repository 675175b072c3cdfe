"""D-Means on Dask workers against the local estimator: CPU time, scheduling, bytes moved, weak scaling.

Run it with ``python -m benchmarks.distributed --rows 1e7``. Rows are three-dimensional, from Parquet
files in a temporary folder. The machine may be shared, so compare CPU times; wall times are printed too.
The last lines are the cost model of docs/distributed.md with the numbers of the same run.
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
GROUP = 500_000  # rows of a chunk
PER_ROUND = 2 + 1 / 7  # tasks per chunk and round: a pass, its reply, a share of the tree
BEFORE = 4 + 1 / 7  # tasks per chunk before the first round
GRID = 0.02  # of quantized rows
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
    received: int  # bytes of the merged replies

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.rows // GROUP)

    @property
    def tasks(self) -> float:
        """Number of tasks of the rounds, and before the first one."""
        return self.chunks * (BEFORE + self.rounds * PER_ROUND)


def write_rows(folder: Path, n: int, step: int, *, quantized: bool = False) -> list[Path]:
    """Write one batch as Parquet files of GROUP rows; rows move by a tenth of the noise per step."""
    import pyarrow
    import pyarrow.parquet

    centers = np.random.default_rng(0).normal(size=(N_CLUSTERS, 3)) + 0.1 * NOISE * step
    paths = []
    for part, first in enumerate(range(0, n, GROUP)):
        random = np.random.default_rng((step, part))
        size = min(GROUP, n - first)
        X = centers[random.integers(0, N_CLUSTERS, size)] + NOISE * random.normal(size=(size, 3))
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
    """Count the rounds and the bytes of their messages."""
    from dynmeans.distributed.rounds import Rounds
    from dynmeans.distributed.sending import SHORT

    run, counts = Rounds.__call__, {"rounds": 0, "sent": 0, "received": 0}

    def counted(self: Any, commands: Any) -> Any:
        replies = run(self, commands)
        counts["rounds"] += 1
        size = len(pickle.dumps(commands))  # short ones are sent with every task
        counts["sent"] += size * len(self.chunks.futures) if size < SHORT else size
        counts["received"] += len(pickle.dumps(replies))
        return replies

    Rounds.__call__ = counted  # type: ignore[method-assign]
    try:
        yield counts
    finally:
        Rounds.__call__ = run  # type: ignore[method-assign]


def worker_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure_distributed(
    batches: list[list[Path]], n: int, workers: int, n_restarts: int
) -> tuple[Measurement, bytes]:
    """Return the measurements of the second step, and the state."""
    from distributed import Client, LocalCluster

    from dynmeans.distributed import DMeans

    logging.getLogger("distributed").setLevel(logging.ERROR)
    options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        model = DMeans(BIRTH_COST, n_restarts=n_restarts, random_state=0, n_jobs=1)
        for paths in batches:
            with counted_rounds() as counts:
                before = sum(client.run(worker_cpu).values())
                wall, cpu = time.perf_counter(), time.process_time()
                model.partial_fit(collection(paths, n))
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
                used = sum(client.run(worker_cpu).values()) - before
        return Measurement(n, workers, wall, cpu, used, **counts), model.to_bytes()


def overhead_per_task(chunks: int = 64) -> float:
    """Return CPU seconds per task of rounds over tiny chunks: all of it is scheduling."""
    import dask.array as da
    from distributed import Client, LocalCluster

    from dynmeans.distributed import DMeans

    X = np.random.default_rng(0).normal(size=(100 * chunks, 3))
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
        model = DMeans(50.0, n_restarts=1, random_state=0)
        with counted_rounds() as counts:
            cpu = time.process_time()
            model.partial_fit(da.from_array(X, chunks=(100, -1)))
            cpu = time.process_time() - cpu
    return cpu / (chunks * (BEFORE + counts["rounds"] * PER_ROUND))


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
        per_task = overhead_per_task()
        print(f"scheduling: {1e3 * per_task:.2f} ms of CPU time per task", flush=True)
        cases = {"one": (n, (1, 2), False), "two": (2 * n, (2,), False), "grid": (n, (2,), True)}
        measured = {}
        for case in arguments.cases:
            rows, workers, quantized = cases[case]
            print(f"{rows:,} rows of a grid" if quantized else f"{rows:,} rows", flush=True)
            measured[case] = _compare(folder, rows, workers, quantized, arguments)[0]
    if "one" in measured and "two" in measured:
        _print_model(measured["one"], measured["two"], per_task)


def _compare(
    folder: Path, n: int, workers: tuple[int, ...], quantized: bool, arguments: argparse.Namespace
) -> list[Measurement]:
    """Measure some numbers of workers and the local estimator on the same files."""
    batches = [write_rows(folder, n, step, quantized=quantized) for step in (0, 1)]
    found, states = [], []
    for count in workers:
        measurement, state = measure_distributed(batches, n, count, arguments.restarts)
        found.append(measurement)
        states.append(state)
        print(_line(measurement), flush=True)
    if not arguments.no_local:
        wall, cpu, state = measure_local(batches, n, arguments.restarts)
        states.append(state)
        print(f"  local, 1 thread: {wall:.1f} s, CPU {cpu:.1f} s", flush=True)
    print(f"  states are equal: {len(set(states)) == 1}", flush=True)
    for path in folder.iterdir():
        path.unlink()
    return found


def _print_model(one: Measurement, two: Measurement, per_task: float) -> None:
    """Print the cost model: c per row and round, s per task, and what both predict."""
    per_row = two.worker / (two.rows * two.rounds)
    print(f"c = {1e6 * per_row:.3f} microseconds per row and round, s = {1e3 * per_task:.2f} ms per task")
    for each in (one, two):
        predicted = each.tasks * per_task
        print(
            f"{each.rows:,} rows, driver and scheduler: {predicted:.1f} s predicted, "
            f"{each.driver:.1f} s measured"
        )
    wall, cpu = one.wall / two.wall, 2 * one.worker / two.worker
    print(f"weak scaling from 1 to 2 workers: wall {wall:.0%}, CPU {cpu:.0%}")
    n, workers, chunks = 10**10, 100, 1000
    compute, schedule = per_row * n / workers, PER_ROUND * chunks * per_task
    print(
        f"{n:.0e} rows, {workers} workers, {chunks} chunks: {compute:.1f} s of computation and "
        f"{schedule:.1f} s of scheduling per round"
    )


def _line(found: Measurement) -> str:
    per_round = (found.sent + found.received) / found.rounds
    return (
        f"  {found.workers} workers: {found.wall:.1f} s, "
        f"CPU workers {found.worker:.1f} s, driver and scheduler {found.driver:.1f} s, "
        f"{found.rounds} rounds, {per_round / 1024:.1f} kB per round"
    )


if __name__ == "__main__":
    main()
