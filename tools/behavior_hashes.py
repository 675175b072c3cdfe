"""Hash the results of all estimators and commands, to show that a change of the code changes no result.

``python tools/behavior_hashes.py FILE`` runs a few hundred streams and the commands and writes one hash per
part of each result to a JSON file. ``python tools/behavior_hashes.py OLD NEW`` lists the differences between
two such files and exits with 1 if there are any. Run the first form with the old and with the new code on one
machine. Of the state file of a run, only the model is hashed, because the rest has the path and the times of
the input. The results of `dynmeans reproduce` are left out, since they contain times.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
from sklearn.cluster import DBSCAN

import dynmeans
from dynmeans.datasets import (
    airline_week,
    gaussian_processes,
    moving_gaussians,
    moving_rings,
    walking_people,
)
from dynmeans.kernels import MST, RBF, Diffusion, GaussianProcess, Linear

N_STEPS = 8
SEEDS = (0, 1)
VARIANTS = ("plain", "weights", "event time", "weights and event time")
Batches = list[np.ndarray]
Hashes = dict[str, str]

ESTIMATORS: dict[str, Callable[[], Any]] = {
    "DMeans auto": lambda: dynmeans.DMeans(random_state=0),
    "DMeans walk": lambda: dynmeans.DMeans(0.05, random_state=0),
    "DMeans velocity": lambda: dynmeans.DMeans(0.05, motion="velocity", random_state=0),
    "DMeans refine": lambda: dynmeans.DMeans(0.05, refine=True, random_state=0),
    "DMeans raw costs": lambda: dynmeans.DMeans(0.05, aging_cost=0.01, drift=0.2, random_state=0),
    "DMeans exclusive": lambda: dynmeans.DMeans(0.01, exclusive=True, min_hits=2, random_state=0),
    "DMeans cosine": lambda: dynmeans.DMeans(0.05, metric="cosine", random_state=0),
    "KDMeans linear": lambda: dynmeans.KDMeans(Linear(), birth_cost=0.05, random_state=0),
    "KDMeans RBF": lambda: dynmeans.KDMeans(RBF(), random_state=0),
    "KDMeans RBF wide": lambda: dynmeans.KDMeans(RBF(0.3), birth_cost=0.2, relative=True, random_state=0),
    "SDMeans RBF": lambda: dynmeans.SDMeans(RBF(), random_state=0),
    "SDMeans MST": lambda: dynmeans.SDMeans(MST(), random_state=0),
    "SDMeans diffusion": lambda: dynmeans.SDMeans(Diffusion(), motion="align", random_state=0),
    "SDMeans align": lambda: dynmeans.SDMeans(RBF(0.2), motion="align", budget=10, random_state=0),
    "SDMeans precomputed": lambda: dynmeans.SDMeans("precomputed", random_state=0),
    "PersistentIds": lambda: dynmeans.PersistentIds(DBSCAN(0.15), lifetime=4, random_state=0),
    "PersistentIds velocity": lambda: dynmeans.PersistentIds(DBSCAN(0.15), motion="velocity", random_state=0),
    "PersistentIds kernel": lambda: dynmeans.PersistentIds(DBSCAN(0.15), kernel=RBF(0.3), random_state=0),
}
FUNCTION_ESTIMATORS: dict[str, Callable[[], Any]] = {
    "KDMeans GaussianProcess": lambda: dynmeans.KDMeans(GaussianProcess(), random_state=0),
    "SDMeans GaussianProcess": lambda: dynmeans.SDMeans(GaussianProcess(), random_state=0),
}


def main(arguments: list[str]) -> int:
    """Write the hashes to a file, or compare two files of hashes."""
    if len(arguments) not in (1, 2) or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    if len(arguments) == 2:
        return compare(*(json.loads(Path(name).read_text()) for name in arguments))
    warnings.simplefilter("ignore")
    hashes = dict(estimator_hashes()) | dict(command_hashes())
    Path(arguments[0]).write_text(json.dumps(hashes, indent=1, sort_keys=True) + "\n")
    print(f"{len(hashes)} results")
    return 0


def compare(old: dict[str, Hashes], new: dict[str, Hashes]) -> int:
    """Print the parts that differ, and return 1 if there are any."""
    different = 0
    for case in sorted(old.keys() | new.keys()):
        before, after = old.get(case, {}), new.get(case, {})
        parts = [part for part in before.keys() | after.keys() if before.get(part) != after.get(part)]
        if parts:
            different += 1
            print(f"{case}: {', '.join(sorted(parts))}")
    print(f"{different} of {len(old.keys() | new.keys())} results differ")
    return int(different > 0)


def streams() -> Iterator[tuple[str, Batches]]:
    """Yield named streams of rows."""
    for seed in SEEDS:
        yield f"gaussians {seed}", moving_gaussians(5, n_steps=N_STEPS, random_state=seed).batches
        yield f"rings {seed}", moving_rings(N_STEPS, n_points=150, random_state=seed).batches
        rng = np.random.default_rng(seed)
        centers = rng.normal(size=(4, 20))
        yield (
            f"wide rows {seed}",
            [centers[rng.integers(4, size=40)] + rng.normal(0, 0.03, (40, 20)) for _ in range(N_STEPS)],
        )
        gaps = moving_gaussians(3, n_steps=N_STEPS, random_state=seed).batches
        yield f"quiet steps {seed}", [X if t % 3 else X[:0] for t, X in enumerate(gaps, 1)]


def function_streams() -> Iterator[tuple[str, Batches]]:
    """Yield streams of observed functions."""
    for seed in SEEDS:
        yield (
            f"functions {seed}",
            gaussian_processes(N_STEPS, sets_per_step=40, n_observations=10, random_state=seed).batches,
        )


def estimator_hashes() -> Iterator[tuple[str, Hashes]]:
    """Yield the hashes of each estimator on each stream in each variant."""
    groups = [(ESTIMATORS, streams), (FUNCTION_ESTIMATORS, function_streams)]
    for estimators, make_streams in groups:
        for stream, batches in make_streams():
            for name, make in estimators.items():
                for variant in VARIANTS:
                    yield f"{name}, {stream}, {variant}", run(make(), batches, variant)


def run(model: Any, batches: Batches, variant: str) -> Hashes:
    """Cluster a stream and hash labels, centers, reports, events and the state file, or the error."""
    rng = np.random.default_rng(7)
    now, labels, reports = 0.0, [], []
    try:
        for X in batches:
            options: dict[str, Any] = {}
            if "weights" in variant:
                options["sample_weight"] = rng.integers(0, 4, len(X)).astype(float)
            if "event time" in variant:
                now += rng.choice([0.25, 1.0, 2.5])
                options["t"] = now
            model.partial_fit(input_of(model, X), **options)
            labels.append(model.labels_.tolist())
            step = model.step_
            reports.append([step.time, step.cost, step.born.tolist(), step.died.tolist(), step.n_iter])
    except ValueError as error:
        return {"error": digest(str(error))}
    return {
        "labels": digest(labels),
        "reports": digest(reports),
        "centers": digest(
            [model.cluster_ids_.tolist(), getattr(model, "cluster_centers_", np.empty(0)).tolist()]
        ),
        "events": digest([list(event) for event in model.history_]),
        "state": hashlib.sha256(model.to_bytes()).hexdigest(),
    }


def input_of(model: Any, X: np.ndarray) -> np.ndarray:
    """Return the rows, or for a precomputed kernel their kernel matrix with kept rows from the model."""
    if getattr(model, "kernel", None) != "precomputed":
        return X
    batches = [*getattr(model, "batches", []), X]
    model.batches = batches
    kept = [batches[step - 1][row] for step, row in getattr(model, "kept_rows_", ())]
    others = np.concatenate([X, *(row[np.newaxis] for row in kept)])
    return np.exp(-((X[:, np.newaxis] - others) ** 2).sum(axis=2) / 0.08)


def digest(value: Any) -> str:
    """Hash a value by its printed form, which is exact for floats."""
    return hashlib.sha256(repr(value).encode()).hexdigest()


def command_hashes() -> Iterator[tuple[str, Hashes]]:
    """Yield the hashes of the files that each command writes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder)
        for number, command in enumerate(COMMANDS):
            yield "dynmeans " + " ".join(command), run_command(folder, f"out{number}", command)


COMMANDS = (
    ["cluster", "points.csv", "--time", "t", "--out", "OUT"],
    ["cluster", "points.csv", "--time", "t", "--birth-cost", "0.05", "--state", "OUT.state", "--out", "OUT"],
    [
        "cluster",
        "points.csv",
        "--every",
        "100rows",
        "--features",
        "x,y",
        "--algorithm",
        "sdmeans",
        "--kernel",
        "mst",
        "--out",
        "OUT",
    ],
    [
        "cluster",
        "points.csv",
        "--every",
        "100rows",
        "--features",
        "x,y",
        "--algorithm",
        "kdmeans",
        "--kernel",
        "rbf",
        "--out",
        "OUT",
    ],
    ["cluster", "points.csv", "--time", "t", "--by", "key", "--birth-cost", "0.05", "--out", "OUT"],
    ["tune", "points.csv", "--time", "t", "--trials", "8", "--out", "OUT"],
    ["demo", "--out", "OUT"],
    ["points", "frames", "--out", "OUT"],
    ["flights", "flights.csv", "--out", "OUT"],
    ["video", "clip.mkv", "OUT.gif", "--palette", "OUT.csv"],
    ["report", "out0"],
)


def write_inputs(folder: Path) -> None:
    """Write the inputs of the commands."""
    rng = np.random.default_rng(3)
    batches = moving_gaussians(5, n_steps=12, random_state=3).batches
    lines = [f"{t},{'ab'[rng.integers(2)]},{x!r},{y!r}" for t, X in enumerate(batches) for x, y in X.tolist()]
    (folder / "points.csv").write_text("\n".join(["t,key,x,y", *lines]) + "\n")
    (folder / "frames").mkdir()
    for t, X in enumerate(walking_people(6, n_people=4, random_state=0).batches):
        np.save(folder / "frames" / f"{t:03}.npy", X)
    write_flights(folder / "flights.csv")
    write_video(folder / "clip.mkv")


def write_flights(path: Path) -> None:
    """Write the messages of one day of a few routes."""
    day = airline_week(120, n_routes=6, days=1, interval=300, random_state=3)
    columns = (day.aircraft, day.times, day.latitudes, day.longitudes, day.speeds, day.tracks)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    lines = [",".join(map(str, row)) for row in rows]
    path.write_text("\n".join(["icao24,time,lat,lon,velocity,heading", *lines]) + "\n")


def write_video(path: Path) -> None:
    """Write a short video without loss: noise around three colors."""
    rng = np.random.default_rng(0)
    colors = np.array([[200, 30, 30], [30, 160, 40], [20, 40, 190]])
    with av.open(str(path), "w") as container:
        stream = container.add_stream("ffv1", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "bgr0"
        for t in range(6):
            pixels = colors[(np.arange(64) + 3 * t) // 25 % 3] + rng.integers(-3, 4, (48, 64, 1))
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels.astype(np.uint8), format="rgb24")))
        container.mux(stream.encode())


def run_command(folder: Path, out: str, command: list[str]) -> Hashes:
    """Run a command and hash the files that it writes, and its exit code."""
    arguments = [part.replace("OUT", out) for part in command]
    out = command[-1] if command[0] == "report" else out
    done = subprocess.run([sys.executable, "-m", "dynmeans", *arguments], cwd=folder, capture_output=True)
    hashes = {"exit code": str(done.returncode)}
    for path in sorted([*folder.glob(f"{out}.*"), *(folder / out).rglob("*")]):
        if path.is_file():
            is_state = path.suffix == ".state"
            content = dynmeans.load(path).to_bytes() if is_state else path.read_bytes()
            hashes[str(path.relative_to(folder)).replace(out, "OUT")] = hashlib.sha256(content).hexdigest()
    return hashes


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
