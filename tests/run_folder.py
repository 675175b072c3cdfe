"""A run folder written by hand: clusters that drift, sleep, return and die, without a clusterer."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

LIFETIME = 3  # steps that a cluster may sleep before it dies
STEPS = ("step", "time", "rows", "cost", "n_iter", "awake", "remembered", "born", "revived", "asleep", "died")
KINDS = ("birth", "revival", "sleep", "death")


@dataclass
class Cluster:
    center: np.ndarray
    weight: int = 0
    age: int = 0
    doomed: bool = False


@dataclass
class Simulation:
    """Tables of a run that grow by one step per call."""

    n_alive: int
    n_features: int
    per_cluster: int
    sleepiness: float
    mortality: float
    start: float | None
    rng: np.random.Generator
    alive: dict[int, Cluster] = field(default_factory=dict)
    n_born: int = 0
    rows: int = 0
    steps: list[list[Any]] = field(default_factory=list)
    clusters: list[list[Any]] = field(default_factory=list)
    sample: list[list[Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)

    def step(self) -> None:
        step = len(self.steps) + 1
        time = float(step) if self.start is None else self.start + 1800.0 * step
        turns = [turn for k in list(self.alive) for turn in self._live_on(k)] + list(self._bear())
        self.events += [
            {"step": step, "time": time, "kind": kind, "id": k, "cost": 0.05} for kind, k in turns
        ]
        n_points = self._draw_points(step)
        for k, c in sorted(self.alive.items()):
            self.clusters.append([step, time, k, c.weight, float(c.age), *c.center.tolist()])
        active = sum(c.weight > 0 for c in self.alive.values())
        counts = [sum(kind == wanted for kind, _ in turns) for wanted in KINDS]
        cost = 0.01 * n_points + self.rng.random()
        self.steps.append([step, time, n_points, cost, 4, active, len(self.alive), *counts])
        self.rows += n_points

    def _size(self) -> int:
        return int(self.rng.integers(max(1, self.per_cluster // 2), 2 * self.per_cluster))

    def _live_on(self, k: int):
        cluster = self.alive[k]
        cluster.doomed = cluster.doomed or self.rng.random() < self.mortality
        if cluster.doomed or self.rng.random() < self.sleepiness:
            cluster.weight = 0
            cluster.age += 1
            if cluster.age == 1:
                yield "sleep", k
            elif cluster.age > LIFETIME:
                del self.alive[k]
                yield "death", k
        else:
            if cluster.age > 0:
                yield "revival", k
            moved = cluster.center + self.rng.normal(0, 0.03, self.n_features)
            self.alive[k] = Cluster(np.clip(moved, 0, 1), self._size())

    def _bear(self):
        while len(self.alive) < self.n_alive or not any(c.weight for c in self.alive.values()):
            self.alive[self.n_born] = Cluster(self.rng.uniform(0, 1, self.n_features), self._size())
            yield "birth", self.n_born
            self.n_born += 1

    def _draw_points(self, step: int) -> int:
        owner = np.repeat(list(self.alive), [c.weight for c in self.alive.values()])
        self.rng.shuffle(owner)
        kept = np.unique(np.linspace(0, len(owner) - 1, min(500, len(owner))).astype(int)).tolist()
        for row in kept:
            k = int(owner[row])
            point = self.alive[k].center + self.rng.normal(0, 0.03, self.n_features)
            self.sample.append([step, row, k, *point.tolist()])
        return len(owner)


def write_run(
    folder: Path,
    *,
    n_steps: int = 40,
    n_alive: int = 5,
    n_features: int = 2,
    per_cluster: int = 12,
    sleepiness: float = 0.12,
    mortality: float = 0.05,
    start: float | None = None,
    seed: int = 0,
    **info: Any,
) -> Path:
    """Simulate and write a run; a `start` makes its times dates, and `info` replaces entries of run.json."""
    rng = np.random.default_rng(seed)
    run = Simulation(
        n_alive=n_alive,
        n_features=n_features,
        per_cluster=per_cluster,
        sleepiness=sleepiness,
        mortality=mortality,
        start=start,
        rng=rng,
    )
    for _ in range(n_steps):
        run.step()
    described = {
        "format": 1,
        "title": "drifting clusters",
        "features": [f"x{i + 1}" for i in range(n_features)],
        "time": {"name": "step", "kind": "step"} if start is None else {"name": "time", "kind": "datetime"},
        "parameters": {"birth_cost": 0.05, "lifetime": LIFETIME, "reach": 1.5, "random_state": None},
        "rows": run.rows,
        "steps": n_steps,
        "complete": True,
        "version": "0.1.0",
    } | info
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "steps.csv", STEPS, run.steps)
    _write(
        folder / "clusters.csv", ["step", "time", "id", "weight", "age", *described["features"]], run.clusters
    )
    _write(folder / "sample.csv", ["step", "row", "id", *described["features"]], run.sample)
    (folder / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in run.events), "utf-8")
    (folder / "run.json").write_text(json.dumps(described), "utf-8")
    return folder


def _write(path: Path, heading: Any, rows: list[list[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([heading, *rows])
