"""``python -m benchmarks.single_objects``: streams with one row per object, in several situations.

Crowds and cells have more rows per step than the sample from which parameters are estimated. Ships and pairs
of people are often missed. Cars move by more than the distance between their lanes. The peer is a Kalman
filter with Hungarian matching, with the best of its parameters for each situation, chosen with labels.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from benchmarks.field_clusterers import follow
from benchmarks.field_streams import FieldFrame
from benchmarks.field_trackers import kalman
from benchmarks.frame_rates import people, score
from dynmeans import DMeans

Frames = list[FieldFrame]
SEEDS = range(300, 306)
GATES, ACCELERATIONS = np.array([0.5, 1.0, 2.0, 4.0]), np.array([0.01, 0.1, 0.5])  # in units of the length
LIFETIMES = (5.0, 15.0)


class Situation(NamedTuple):
    """Stream of a seed, and a length by which objects move in a few steps."""

    make: Callable[[int], Frames]
    length: float


def main() -> None:
    """Print the mean identity F1 of every situation, over the seeds."""
    warnings.simplefilter("ignore")  # the scores show what the warnings are about
    print(f"{'situation':<34}{'DMeans()':>10}{'lowest':>8}{'Kalman, with labels':>21}")
    for name, (make, length) in SITUATIONS.items():
        streams = [make(seed) for seed in SEEDS]
        ours = [score(frames, follow(DMeans(random_state=0), frames)) for frames in streams]
        peer = max(
            np.mean(
                [
                    score(f, kalman(f, gate=g * length, lifetime=t, q=q * length, r=0.1 * length))
                    for f in streams
                ]
            )
            for g, q, t in product(GATES, ACCELERATIONS, LIFETIMES)
        )
        print(f"{name:<34}{np.mean(ours):>10.3f}{min(ours):>8.3f}{peer:>21.3f}", flush=True)


def frames_of(positions: np.ndarray, seen: np.ndarray, noise: float, rng: np.random.Generator) -> Frames:
    """Return noisy positions (T, n, d) of the objects that are seen (T, n), in random order."""
    frames = []
    for t, (rows, is_seen) in enumerate(zip(positions, seen, strict=True)):
        ids = rng.permutation(np.flatnonzero(is_seen))
        frames.append(FieldFrame(float(t), rows[ids] + rng.normal(0, noise, (len(ids), rows.shape[1])), ids))
    return frames


def cells(seed: int, n_cells: int) -> Frames:
    """Cells under a microscope, which diffuse; one in thirty is missed."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(0, 6.0, (60, n_cells, 2))
    steps[0] = rng.uniform(0, 125 * np.sqrt(n_cells), (n_cells, 2))
    return frames_of(steps.cumsum(axis=0), rng.random((60, n_cells)) > 0.03, 1.0, rng)


def ships(seed: int) -> Frames:
    """Fifteen ships at sea, each of which reports in 60% of the minutes."""
    rng = np.random.default_rng(seed)
    start, speed = rng.uniform(0, 1.0, (15, 2)), rng.uniform(0.0015, 0.0075, 15)
    heading = rng.uniform(0, 2 * np.pi, 15) + rng.normal(0, 0.01, (240, 15)).cumsum(axis=0)
    steps = speed[:, None] * np.stack([np.cos(heading), np.sin(heading)], axis=2)
    return frames_of(start + steps.cumsum(axis=0), rng.random((240, 15)) < 0.6, 1e-4, rng)


def pair(seed: int, share: float) -> Frames:
    """Two people in a room at 5 Hz, each of whom is seen in a share of the frames."""
    rng = np.random.default_rng(seed)
    side, rate = 8.0, 5.0
    position, heading = rng.uniform(0, side, (2, 2)), rng.uniform(0, 2 * np.pi, 2)
    positions = []
    for _ in range(300):
        heading += rng.normal(0, 0.4 / np.sqrt(rate), 2)
        for k in np.flatnonzero(((position < 0) | (position > side)).any(axis=1)):
            heading[k] = np.arctan2(*(side / 2 - position[k])[::-1]) + rng.normal(0, 0.3)
        position = position + 1.2 / rate * np.column_stack([np.cos(heading), np.sin(heading)])
        positions.append(position)
    return frames_of(np.array(positions), rng.random((300, 2)) < share, 0.1, rng)


def cars(seed: int, rate: float) -> Frames:
    """Cars on 300 m of a road with two lanes in each direction, at about 24 m/s."""
    rng = np.random.default_rng(seed)
    length, frames, n_cars = 300.0, [], 0
    on_road: list[list[float]] = []  # along, speed, lane, id
    lanes = [(3.5 * k, 1 if k < 2 else -1, rng.uniform(18, 30)) for k in range(4)]
    for t in range(int(75 * rate)):
        for lane, direction, speed in lanes:
            entry = 0.0 if direction > 0 else length
            is_free = all(car[2] != lane or abs(car[0] - entry) > 15 for car in on_road)
            if is_free and rng.random() < 0.375 / rate:
                on_road.append([entry, direction * speed * rng.normal(1, 0.08), lane, n_cars])
                n_cars += 1
        for car in on_road:
            car[0] += car[1] / rate
        on_road = [car for car in on_road if -1 <= car[0] <= length + 1]
        if t >= 15 * rate:  # the road has filled
            cars_seen = [car for car in on_road if rng.random() > 0.05]
            rows = np.array([[car[0], car[2]] for car in cars_seen]).reshape(-1, 2)
            ids = np.array([car[3] for car in cars_seen], dtype=np.int64)
            frames.append(FieldFrame(float(t), rows + rng.normal(0, 0.3, rows.shape), ids))
    return frames


def drones(seed: int) -> Frames:
    """Six drones in space at 10 Hz, 15% missed."""
    rng = np.random.default_rng(seed)
    position, speed, positions = rng.uniform(0, 50, (6, 3)), rng.normal(0, 4, (6, 3)), []
    for _ in range(400):
        speed = speed + rng.normal(0, 0.32, (6, 3)) - 0.005 * (position - 25)
        position = position + 0.1 * speed
        positions.append(position)
    return frames_of(np.array(positions), rng.random((400, 6)) > 0.15, 0.3, rng)


SITUATIONS = {
    "200 people": Situation(lambda seed: people(5.0, 0.05, seed, n_people=200, side=40.0)[:100], 0.5),
    "300 cells": Situation(partial(cells, n_cells=300), 20.0),
    "1,000 cells": Situation(partial(cells, n_cells=1000), 20.0),
    "ships, 40% missed": Situation(ships, 0.02),
    "two people, 10% missed": Situation(partial(pair, share=0.9), 0.5),
    "two people, 30% missed": Situation(partial(pair, share=0.7), 0.5),
    "cars at 2 Hz": Situation(partial(cars, rate=2.0), 12.0),
    "cars at 4 Hz": Situation(partial(cars, rate=4.0), 6.0),
    "cars at 10 Hz": Situation(partial(cars, rate=10.0), 3.0),
    "drones in space, 15% missed": Situation(drones, 2.0),
}


if __name__ == "__main__":
    main()
