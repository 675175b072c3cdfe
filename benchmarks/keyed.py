"""Many small streams: one step of one model per key, in one process."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

from benchmarks import new_process
from benchmarks.clock import seconds
from benchmarks.rows import Row, Target
from dynmeans import DMeans, from_bytes
from dynmeans._files.snapshot import read_snapshot
from dynmeans.streams import KeyedDMeans, step

WHAT = "100,000 keys of 75 rows each, 3 clusters per key, three restarts, one process; state files in memory"
PEER = "one estimator per key, on a sample of the keys"
TARGET = "15 seconds per step, memory proportional to the states"

N_ROWS, N_CLUSTERS, N_FEATURES, BIRTH_COST = 75, 3, 2, 1.0
MIB = 2.0**20


def run(quick: bool) -> list[Row]:
    """Measure in a separate process."""
    n_keys = 200 if quick else 100_000
    result = new_process.call("benchmarks.keyed", "measure", n_keys=n_keys)
    peer = result["one_by_one"] * n_keys
    keys = f"{n_keys:,} keys x {N_ROWS} rows"
    note = f"CPU time; wall {result['wall']:.1f} s; the first step {result['first']:.1f} s CPU"
    ratio = peer / result["cpu"]
    kept, raw = result["kept"] / MIB, result["raw"] / MIB
    micro = ("to_bytes", "from_bytes", "step")
    return [
        Row(
            what=f"{keys}: a step",
            ours=result["cpu"],
            peer=peer,
            unit="s",
            ratio=ratio,
            target=Target("ours", "<", 15.0),
            note=note,
        ),
        Row(f"{keys}: memory / arrays of the state file", kept, raw, "MiB", kept / raw),
        Row(f"{keys}: peak growth in a step / input", result["peak"] / MIB, result["input"] / MIB, "MiB"),
        Row(f"{keys}: state file, saved", result["save"], unit="s", note=f"{result['file'] / MIB:.1f} MiB"),
        Row(f"{keys}: state file, loaded and checked", result["load"], unit="s"),
        *[Row(f"small model: {name}", 1e6 * result[name], unit="µs") for name in micro],
    ]


def measure(n_keys: int) -> dict[str, float]:
    """Return times and sizes of two steps, a state file, and single models."""
    rng = np.random.default_rng(0)
    centers = rng.normal(0, 5, (n_keys, N_CLUSTERS, N_FEATURES))
    model = KeyedDMeans(BIRTH_COST)
    model.partial_fit(np.empty((0, N_FEATURES)), [])
    before = new_process.resident()
    first, _, _ = run_step(model, *make_batch(rng, centers))
    X, keys = make_batch(rng, centers)
    cpu, wall, peak = run_step(model, X, keys)
    single, size = one_by_one(X, keys, min(n_keys, 500)), X.nbytes
    del X, keys, model.labels_, model.events_, model.step_
    new_process.peak_growth(lambda: None)  # returns free memory to the system
    times = {"cpu": cpu, "wall": wall, "first": first, "one_by_one": single}
    return {
        **times,
        "peak": peak,
        "input": size,
        "kept": new_process.resident() - before,
        **files(model),
        **small(),
    }


def run_step(model: KeyedDMeans, X: np.ndarray, keys: np.ndarray) -> tuple[float, float, float]:
    """Return the CPU seconds, the seconds and the peak growth of memory of one step."""
    times: list[float] = []
    began = process_time()
    peak = new_process.peak_growth(lambda: times.append(seconds(partial(model.partial_fit, X, keys))))
    return process_time() - began, times[0], float(peak)


def make_batch(rng: np.random.Generator, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Make rows of all keys in random order."""
    n_keys = len(centers)
    which = rng.integers(0, N_CLUSTERS, (n_keys, N_ROWS))
    rows = centers[np.arange(n_keys)[:, None], which] + rng.normal(0, 0.2, (n_keys, N_ROWS, N_FEATURES))
    order = rng.permutation(n_keys * N_ROWS)
    return rows.reshape(-1, N_FEATURES)[order], np.repeat(np.arange(n_keys), N_ROWS)[order]


def one_by_one(X: np.ndarray, keys: np.ndarray, n_keys: int) -> float:
    """Return the CPU seconds per key of the second step of an estimator per key, rows selected beforehand."""
    rows = [np.ascontiguousarray(X[keys == key]) for key in range(n_keys)]
    models = [DMeans(BIRTH_COST, random_state=0, n_jobs=1).partial_fit(own) for own in rows]
    began = process_time()
    for model, own in zip(models, rows, strict=True):
        model.partial_fit(own)
    return (process_time() - began) / n_keys


def files(model: KeyedDMeans) -> dict[str, float]:
    """Return the times and the size of a state file."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "state")
        save = seconds(partial(model.save, path))
        load = seconds(partial(KeyedDMeans.load, path))
        raw = sum(array.nbytes for array in read_snapshot(path).arrays.values())
        return {"save": save, "load": load, "file": path.stat().st_size, "raw": raw}


def small() -> dict[str, float]:
    """Return the times of one small model to and from bytes, and of a pure step."""
    rng = np.random.default_rng(0)
    X, _ = make_batch(rng, rng.normal(0, 5, (1, N_CLUSTERS, N_FEATURES)))
    params = {"birth_cost": BIRTH_COST}
    state = step(None, X, 1.0, params).state
    model = from_bytes(state)
    data = model.to_bytes()
    acts = {"to_bytes": model.to_bytes, "from_bytes": partial(from_bytes, data)}
    acts["step"] = partial(step, state, X, 2.0, params)
    return {name: min(seconds(act) for _ in range(200)) for name, act in acts.items()}
