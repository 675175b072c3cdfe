"""``python -m benchmarks.frame_rates``: people as single detections, at frame rates of 2.5 to 30 Hz.

People walk through a square at about 1.3 m/s and turn slowly. Each frame has one noisy position of each, and
some are missed. At a high rate the noise of a position is larger than a displacement, so that only filters
that average over many frames see the velocity. The peer is a Kalman filter with Hungarian matching, with the
best of its parameters for each rate and noise, chosen with labels.
"""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np

from benchmarks.field_clusterers import follow
from benchmarks.field_streams import FieldFrame
from benchmarks.field_trackers import kalman
from dynmeans import DMeans
from dynmeans.metrics import identity_f1

RATES = (2.5, 5.0, 10.0, 20.0, 30.0)
NOISES = (0.03, 0.1, 0.2)  # standard deviation of a position, in meters
SEEDS = range(10, 14)
SECONDS, MAX_FRAMES = 30.0, 450
PEOPLE, SIDE, SPEED, TURNING, MISSED = 10, 12.0, 1.3, 0.3, 0.1
GATES, ACCELERATIONS, LIFETIMES = (0.3, 0.5, 0.8, 1.2), (0.01, 0.05, 0.2), (5.0, 15.0)


def main() -> None:
    """Print the mean identity F1 of every rate and noise, over the seeds."""
    warnings.simplefilter("ignore")  # the scores show what the warnings are about
    print(f"{'rate':>6}{'noise':>7}{'DMeans()':>10}{'Kalman, with labels':>21}")
    for rate, noise in product(RATES, NOISES):
        streams = [people(rate, noise, seed) for seed in SEEDS]
        ours = np.mean([score(frames, follow(DMeans(random_state=0), frames)) for frames in streams])
        peer = max(
            np.mean([score(f, kalman(f, gate=g, lifetime=life, q=q, r=0.1)) for f in streams])
            for g, q, life in product(GATES, ACCELERATIONS, LIFETIMES)
        )
        print(f"{rate:>6}{noise:>7}{ours:>10.3f}{peer:>21.3f}", flush=True)


def score(frames: list[FieldFrame], labels: list[np.ndarray]) -> float:
    """Compute the identity F1."""
    return identity_f1([frame.y for frame in frames], labels)


def people(
    rate: float, noise: float, seed: int, *, n_people: int = PEOPLE, side: float = SIDE
) -> list[FieldFrame]:
    """Simulate people; one who leaves the square is replaced by another who enters it."""
    rng = np.random.default_rng(seed)
    position, heading = rng.uniform(0, side, (n_people, 2)), rng.uniform(0, 2 * np.pi, n_people)
    speed, ids = rng.normal(SPEED, 0.25, n_people), np.arange(n_people)
    frames = []
    for i in range(min(int(SECONDS * rate), MAX_FRAMES)):
        heading += rng.normal(0, TURNING / np.sqrt(rate), n_people)
        position += speed[:, None] / rate * np.column_stack([np.cos(heading), np.sin(heading)])
        for k in np.flatnonzero(((position < 0) | (position > side)).any(axis=1)):
            position[k] = np.roll([side * rng.integers(2), rng.uniform(0, side)], rng.integers(2))
            inward = side / 2 - position[k]
            heading[k] = np.arctan2(inward[1], inward[0]) + rng.normal(0, 0.4)
            ids[k] = ids.max() + 1
        seen = rng.random(n_people) > MISSED
        rows = position[seen] + rng.normal(0, noise, (seen.sum(), 2))
        frames.append(FieldFrame(float(i), rows, ids[seen].copy()))
    return frames


if __name__ == "__main__":
    main()
