"""``python -m benchmarks.irregular_time``: people as single detections, with gaps and in other units of time.

The people are those of `benchmarks.frame_rates` at 10 Hz. Frames are lost, or their times are in another
unit. The peer is a Kalman filter with Hungarian matching, with the best of its parameters for each change,
chosen with labels.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product

import numpy as np

from benchmarks.field_clusterers import follow
from benchmarks.field_streams import FieldFrame
from benchmarks.field_trackers import kalman
from benchmarks.frame_rates import people, score
from dynmeans import DMeans

Frames = list[FieldFrame]
RATE, NOISE = 10.0, 0.05  # frames per second; standard deviation of a position, in meters
SEEDS = range(20, 26)
LOST = 0.4  # share of the frames that are lost one by one
STALLS = range(60, 300, 60)  # frames at which the recorder stops
STALL = 9  # frames that are lost then
GATES, ACCELERATIONS, LIFETIMES = (0.5, 0.8, 1.2, 2.0), (0.01, 0.05, 0.2), (5.0, 15.0)


def main() -> None:
    """Print the mean identity F1 of every change, over the seeds."""
    warnings.simplefilter("ignore")  # the scores show what the warnings are about
    print(f"{'change':<22}{'DMeans()':>10}{'Kalman, with labels':>21}")
    for name, change in CHANGES.items():
        streams = [change(people(RATE, NOISE, seed), seed) for seed in SEEDS]
        ours = np.mean([score(frames, follow(DMeans(random_state=0), frames)) for frames in streams])
        peer = max(
            np.mean([score(f, kalman(in_frames(f), gate=g, lifetime=life, q=q, r=0.1)) for f in streams])
            for g, q, life in product(GATES, ACCELERATIONS, LIFETIMES)
        )
        print(f"{name:<22}{ours:>10.3f}{peer:>21.3f}", flush=True)


def without_stalls(frames: Frames, seed: int) -> Frames:
    """Lose nine frames in a row, several times."""
    return [frame for i, frame in enumerate(frames) if not any(s <= i < s + STALL for s in STALLS)]


def without_some(frames: Frames, seed: int) -> Frames:
    """Lose frames at random."""
    kept = np.random.default_rng(seed).random(len(frames)) >= LOST
    return [frame for frame, is_kept in zip(frames, kept, strict=True) if is_kept]


def in_unit(unit: float) -> Callable[[Frames, int], Frames]:
    """Return a change that counts the time in another unit, in frames."""
    return lambda frames, _: [frame._replace(time=frame.time / unit) for frame in frames]


def in_frames(frames: Frames) -> Frames:
    """Count the time in usual intervals, which the parameters of the baseline need."""
    usual = float(np.median(np.diff([frame.time for frame in frames])))
    return [frame._replace(time=frame.time / usual) for frame in frames]


CHANGES: dict[str, Callable[[Frames, int], Frames]] = {
    "none": in_unit(1.0),
    "time in milliseconds": in_unit(0.001 * RATE),
    "time in minutes": in_unit(60.0 * RATE),
    "stalls of 0.9 s": without_stalls,
    "40% of frames lost": without_some,
}


if __name__ == "__main__":
    main()
