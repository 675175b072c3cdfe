"""Tracking of people in LiDAR frames of a foyer."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.rows import Row, Target, better
from dynmeans._experiments import people
from dynmeans._experiments.drawing.draw_people import GROUND, SOLID, SPECTRAL
from dynmeans._experiments.people import PARAMETERS, follow
from dynmeans._experiments.results import Results
from dynmeans._experiments.trials import Size
from dynmeans.datasets import walking_people

WHAT = "people in LiDAR frames of a foyer, mean of 10 scenes of 30 s with 7 to 10 people"
PEER = "D-Means on the 3-D points, as in the paper"
TARGET = (
    "per step 0.99, identity F1 0.90, tracked 0.70 and 0.2 above the peer; 5 ms per frame, 99% under 15 ms"
)

DENSE_POINTS = 1500  # in a frame, for the times


def run(quick: bool) -> list[Row]:
    """Measure accuracy on scenes not used for tuning, and times at 1,500 points per frame."""
    with threadpool_limits(1):
        return [*_accuracies(_scenes(quick)), *_times(quick)]


def _scenes(quick: bool) -> Results:
    results = Results("people")
    for trial in people.plan(Size(1, quick=True) if quick else Size(10)):
        if trial.part == "scenes":
            results.add(trial, people.run(trial))
    return results


def _accuracies(results: Results) -> list[Row]:
    def of(method: str, number: str) -> float:
        (group,) = results.part("scenes", method=method)
        return group.mean(number)

    targets = {"per_step": 0.99, "identity_f1": 0.90, "tracked": 0.70}
    rows = [
        better(f"SD-Means / D-Means in 3-D: {number}", of(SPECTRAL, number), of(SOLID, number), target)
        for number, target in targets.items()
    ]
    rows += [
        better(f"D-Means on the ground plane / in 3-D: {number}", of(GROUND, number), of(SOLID, number))
        for number in targets
    ]
    lead = of(SPECTRAL, "tracked") - of(SOLID, "tracked")
    behind = of(GROUND, "identity_f1") - of(SPECTRAL, "identity_f1")
    note = "; ".join(f"{method}: {of(method, 'switches'):.0f} switches per scene" for method in PARAMETERS)
    return [
        *rows,
        Row("SD-Means above D-Means in 3-D, tracked", lead, target=Target("ours", ">=", 0.2)),
        Row("SD-Means below D-Means on the ground, F1", behind, target=Target("ours", "<=", 0.02), note=note),
    ]


def _times(quick: bool) -> list[Row]:
    """Measure milliseconds per frame of at most 1,500 points, in a scene with many people."""
    stream = walking_people(20 if quick else 600, n_people=13, random_state=2000)
    batches = [frame[:DENSE_POINTS] for frame in stream.batches]  # rows are in random order
    stream = stream._replace(batches=batches)
    points = np.mean([len(frame) for frame in batches])
    rows = []
    for method in (SPECTRAL, GROUND):
        times = 1e3 * follow(method, PARAMETERS[method], stream)[1]
        note = f"{points:.0f} points per frame, processor time of one thread"
        rows.append(
            Row(f"{method}: mean", float(times.mean()), unit="ms", target=Target("ours", "<", 5.0), note=note)
        )
        slow = float(np.quantile(times, 0.99))
        rows.append(Row(f"{method}: 99th percentile", slow, unit="ms", target=Target("ours", "<", 15.0)))
    return rows
