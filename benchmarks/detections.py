"""A step on ten detections, one row per object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from benchmarks.clock import best_of
from benchmarks.rows import Row, Target, better, faster
from dynmeans import DMeans, PersistentIds
from dynmeans.metrics import identity_f1

WHAT = "a step on ten detections in 2-D with motion='velocity', one row per object"
PEER = "PersistentIds.update with every row as a cluster; a Kalman filter with linear_sum_assignment"
TARGET = "under 100 microseconds"

OBJECTS = 10
BIRTH_COST, LIFETIME, REACH = 1.0, 5.0, 2.0

FIELD = Path(__file__).parents[2] / "shared" / "data" / "field"
KINDS = ("people_single_*.npz", "detections_*.npz")  # one noisy position per person; detections of videos


def run(quick: bool) -> list[Row]:
    """Time whole streams, and divide by their number of steps."""
    frames = walkers(20 if quick else 500)
    jobs = {
        "exclusive": lambda: run_exclusive(frames),
        "with duplicates": lambda: run_exclusive(frames, duplicates=True),
        "persistent ids": lambda: run_persistent_ids(frames),
        "kalman": lambda: run_kalman(frames),
    }
    best = best_of(jobs, rounds=2 if quick else 7)
    micros = {name: 1e6 * total / len(frames) for name, total in best.items()}
    ours, limit = micros["exclusive"], Target("ours", "<", 100)
    return [
        Row("10 detections: partial_fit, exclusive", ours, unit="µs", target=limit),
        Row("10 detections: the same with duplicates", micros["with duplicates"], unit="µs", target=limit),
        faster("10 detections: exclusive / PersistentIds.update", ours, micros["persistent ids"], "µs"),
        faster("10 detections: exclusive / Kalman filter in NumPy and SciPy", ours, micros["kalman"], "µs"),
        *(row for path in ([] if quick else recorded_streams()) for row in tracked(path)),
    ]


def recorded_streams() -> list[Path]:
    """List the recorded streams, none where they are missing."""
    return [path for kind in KINDS for path in sorted(FIELD.glob(kind))]


def tracked(path: Path) -> list[Row]:
    """Compare identity F1 with automatic birth costs on a recorded stream; -1 is clutter."""
    with np.load(path) as stream:
        X, y, t = stream["X"].astype(np.float64), stream["y"], stream["t"]
    costs = {"lifetime": LIFETIME, "reach": REACH, "motion": "velocity", "random_state": 0}
    models = [DMeans(**costs, exclusive=True), DMeans(**costs, exclusive=True, duplicates=True)]
    peers = [PersistentIds(**costs), DMeans(**costs)]

    def score(model: DMeans | PersistentIds) -> float:
        found = []
        for time, rows in steps(t):
            given = (np.arange(len(rows)),) if isinstance(model, PersistentIds) else ()
            run_step = model.update if given else model.partial_fit
            found.append(run_step(X[rows], *given, t=time).labels_)
        return identity_f1([y[rows] for _, rows in steps(t)], found, clutter=-1)

    ours, theirs = map(score, models), map(score, peers)
    titles = "exclusive / PersistentIds", "with duplicates / plain DMeans"
    return [
        better(f"{path.stem}: identity F1, {title}", one, other)
        for title, one, other in zip(titles, ours, theirs, strict=True)
    ]


def steps(t: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
    """Yield the time and the rows of every step."""
    for time in np.unique(t):
        yield float(time), np.flatnonzero(t == time)


def walkers(n_frames: int) -> list[np.ndarray]:
    """Make objects that move on straight lines; one in ten is missed."""
    rng = np.random.default_rng(0)
    velocity = rng.normal(scale=0.2, size=(OBJECTS, 2))
    position = rng.uniform(0, 20, size=(OBJECTS, 2))
    frames = []
    for _ in range(n_frames):
        position = position + velocity
        velocity = np.where((position < 0) | (position > 20), -velocity, velocity)
        seen = position[rng.uniform(size=OBJECTS) < 0.9]
        frames.append(seen + 0.05 * rng.normal(size=seen.shape))
    return frames


def run_exclusive(frames: Sequence[np.ndarray], *, duplicates: bool = False) -> None:
    model = DMeans(
        BIRTH_COST, LIFETIME, REACH, motion="velocity", exclusive=True, duplicates=duplicates, random_state=0
    )
    for X in frames:
        model.partial_fit(X)


def run_persistent_ids(frames: Sequence[np.ndarray]) -> None:
    model = PersistentIds(birth_cost=BIRTH_COST, lifetime=LIFETIME, reach=REACH, motion="velocity")
    for X in frames:
        model.update(X, np.arange(len(X)))


def run_kalman(frames: Sequence[np.ndarray], gate: float = 1.0, q: float = 0.1, r: float = 0.05) -> None:
    """Track with constant-velocity Kalman filters, all tracks in one array, and optimal association."""
    x, v = np.empty((0, 2)), np.empty((0, 2))
    P, ids, ages, next_id = np.empty((0, 2, 2)), np.empty(0, dtype=int), np.empty(0), 0
    F, noise = np.array([[1.0, 1.0], [0.0, 1.0]]), q**2 * np.array([[1 / 3, 1 / 2], [1 / 2, 1.0]])
    for X in frames:
        x, P = x + v, F @ P @ F.T + noise
        distances = cdist(x, X)
        a, b = linear_sum_assignment(np.where(distances > gate, 1e5, distances))
        near = distances[a, b] <= gate
        a, b = a[near], b[near]
        gain = P[a, :, 0] / (P[a, 0, 0] + r**2)[:, None]
        error = X[b] - x[a]
        x[a], v[a] = x[a] + gain[:, :1] * error, v[a] + gain[:, 1:] * error
        P[a] -= gain[:, :, None] * P[a, None, 0]
        ages = ages + 1
        ages[a] = 0
        born = np.setdiff1d(np.arange(len(X)), b)
        kept = ages <= LIFETIME
        x, v = np.vstack([x[kept], X[born]]), np.vstack([v[kept], np.zeros((len(born), 2))])
        P = np.concatenate([P[kept], np.repeat(np.diag([r**2, 9 * q**2])[None], len(born), axis=0)])
        ids = np.concatenate([ids[kept], next_id + np.arange(len(born))])
        ages, next_id = np.concatenate([ages[kept], np.zeros(len(born))]), next_id + len(born)
