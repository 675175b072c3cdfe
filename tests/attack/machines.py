"""Kills of Dask workers and schedulers: the result is that of an undisturbed run on one machine."""

from __future__ import annotations

import json
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from attack.outcome import FAILED, OK, Outcome

N_ROWS = 40_000
N_STEPS = 3
HANG = 300.0  # seconds
START = 60.0
AGAIN = 0.5  # probability that a run is struck once more
KILL = 0.7  # probability of a kill; otherwise workers are added or removed


def batch(step: int, *, quantized: bool) -> np.ndarray[Any, Any]:
    """Return the rows of a step; quantized rows have many copies."""
    rng = np.random.default_rng(step)
    centers = 3 * np.random.default_rng(0).normal(size=(20, 3)) + 0.02 * step
    rows = centers[rng.integers(0, 18 + step, N_ROWS)] + 0.3 * rng.normal(size=(N_ROWS, 3))
    return np.round(2 * rows) if quantized else rows


def kills_of_workers(count: int, seed: int) -> Iterator[Outcome]:
    """Kill a random worker, or add and remove workers, at a random time in a step."""
    import dask.array as da
    from distributed import Client, LocalCluster

    import dynmeans
    from dynmeans import distributed
    from quick_workers import quick_workers

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    rng = random.Random(seed)
    models = {}
    for quantized in (False, True):
        local = dynmeans.DMeans(2.0, random_state=0).partial_fit(batch(0, quantized=quantized))
        models[quantized] = local.to_bytes(), local.partial_fit(batch(1, quantized=quantized))
    with (
        quick_workers(),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        seconds, done = 1.0, 0  # duration of the last undisturbed step
        while done < count:
            quantized, chunk = rng.random() < 0.5, rng.choice([4000, 13_000])
            before, local = models[quantized]
            model = distributed.estimator.to_distributed(dynmeans.from_bytes(before))
            X = da.from_array(batch(1, quantized=quantized), chunks=(chunk, -1))
            moment, begin = rng.random() * seconds, time.monotonic()
            with _struck_after(cluster, moment, rng) as struck:
                model.partial_fit(X)
                is_equal = np.array_equal(model.labels_.compute(), local.labels_)
            seconds = seconds if struck else time.monotonic() - begin
            is_equal &= model.to_bytes() == local.to_bytes()
            what = f"{struck} after {moment:.2f} s, chunks of {chunk}, quantized {quantized}"
            if struck or not is_equal:
                yield Outcome(OK if is_equal else FAILED, what)
                done += 1


@contextmanager
def _struck_after(cluster: Any, seconds: float, rng: random.Random) -> Iterator[list[str]]:
    """Kill a worker, or change their number, after some seconds, unless the block ends before."""
    struck: list[str] = []

    def strike() -> None:
        if rng.random() > KILL:
            n_workers = rng.choice([1, 2, 4])
            cluster.scale(n_workers)
            struck.append(f"{n_workers} workers")
            return
        pids = [nanny.pid for nanny in list(cluster.workers.values()) if nanny.pid]
        with suppress(ProcessLookupError, IndexError):
            os.kill(rng.choice(pids), signal.SIGKILL)
            struck.append("kill")

    timer = threading.Timer(seconds, strike)
    timer.start()
    try:
        yield struck
    finally:
        timer.cancel()
        timer.join()


def kills_of_schedulers(count: int, seed: int) -> Iterator[Outcome]:
    """Kill the scheduler at a random time in a run; the same command with a new scheduler resumes."""
    rng, done = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        labels, state = _undisturbed(folder)
        while done < count:
            run, moments, wrong, code = folder / f"run{done}", list[str](), "", 2
            while code == 2 and not wrong:
                is_struck = len(moments) < count - done and (not moments or rng.random() < AGAIN)
                moment = rng.uniform(1.0, 12.0) if is_struck else HANG
                code, error, was_killed = _run_with_scheduler(folder, run, moment)
                if was_killed:
                    moments.append(f"scheduler killed after {moment:.1f} s")
                if code not in (0, 2) or error.count("\n") > 1 or (code == 2 and not was_killed):
                    wrong = f"exit code {code}, {error!r}"
            wrong = wrong or _differences(run, labels, state)
            yield from (Outcome(FAILED if wrong else OK, f"{each}: {wrong}") for each in moments)
            done += len(moments)


def _undisturbed(folder: Path) -> tuple[list[int], bytes]:
    """Write the input, and return the labels and the centers of a run on one machine."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import dynmeans

    model, labels = dynmeans.DMeans(2.0, random_state=0), []
    for step in range(N_STEPS):
        rows = batch(step, quantized=False)
        pq.write_table(
            pa.table(dict(zip("xyz", rows.T, strict=True))),
            folder / f"part{step}.parquet",
            row_group_size=15_000,
        )
        labels += model.partial_fit(rows).labels_.tolist()
    return labels, model.cluster_centers_.tobytes()


def _run_with_scheduler(folder: Path, run: Path, seconds: float) -> tuple[int, str, bool]:
    """Run the command and kill its scheduler after some seconds: (exit code, errors, was it killed)."""
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    known = f"--scheduler-file={file}"
    processes = [_start("distributed.cli.dask_scheduler", known, "--port=0", "--host=127.0.0.1")]
    try:
        _wait_for(file)
        processes.append(_start("distributed.cli.dask_worker", known, "--nthreads=1", "--no-nanny"))
        address = json.loads(file.read_text())["address"]
        outputs = f"--out={run}", f"--state={run}.state"
        line = "cluster", f"{folder}/*.parquet", "--birth-cost=2", f"--scheduler={address}", *outputs
        command = _start("dynmeans", *line)
        try:
            _, error = command.communicate(timeout=seconds)
            return command.returncode, error, False
        except subprocess.TimeoutExpired:
            processes[0].kill()
        _, error = command.communicate(timeout=HANG)
        return command.returncode, error, True
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _start(module: str, *arguments: str) -> subprocess.Popen[str]:
    errors = subprocess.PIPE if module == "dynmeans" else subprocess.DEVNULL
    quiet = () if module == "dynmeans" else ("--no-dashboard",)
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments, *quiet],
        stdout=subprocess.DEVNULL,
        stderr=errors,
        text=True,
    )


def _wait_for(file: Path) -> None:
    end = time.monotonic() + START
    while not (file.exists() and file.read_text().endswith("}")):
        if time.monotonic() > end:
            raise TimeoutError(f"{file} was not written")
        time.sleep(0.05)


def _differences(run: Path, labels: list[int], centers: bytes) -> str:
    import pyarrow.parquet as pq

    import dynmeans

    paths = sorted((run / "labels").glob("step=*/*.parquet"))
    found = [i for path in paths for i in pq.ParquetFile(path).read().column("id").to_pylist()]
    model = dynmeans.load(f"{run}.state")
    is_equal = found == labels and model.cluster_centers_.tobytes() == centers
    return "" if is_equal else "labels or centers differ"
