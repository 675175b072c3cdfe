"""``python -m benchmarks.long_memory [FOLDER]``: identity F1 of walking people for three lifetimes.

A longer memory must not give the ids of people who left to people who enter. The peer is the same filter
without the limit on the variance of a forecast in the costs. Each number is the best of six candidates,
chosen with labels on that stream, so small differences mean nothing.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.field_streams import FieldStream, folder_of, read_streams
from dynmeans import DMeans
from dynmeans._model.motion import MOTIONS, VELOCITY, Motion
from dynmeans.estimators._parameters import resolve_dmeans
from dynmeans.metrics import identity_f1

KINDS = ("people_single", "people_five")
LIFETIMES = (5.0, 12.0, 30.0)
REACHES = (1.5, 3.0)
BIRTH_COSTS = {"people_single": (0.2, 0.5, 1.0), "people_five": (0.5, 1.0, 2.0)}  # square meters


def main(folder: Path) -> None:
    """Print a line per stream, and the means."""
    streams = read_streams(folder, KINDS)
    print(f"{'stream':30} {'limit':5} " + " ".join(f"T={lifetime:<5g}" for lifetime in LIFETIMES))
    for limit, name in ((VELOCITY.limit, "yes"), (math.inf, "no")):
        with limited(limit):
            scores = [[best(stream, lifetime) for lifetime in LIFETIMES] for stream in streams]
        titles = [f"{stream.kind}/{stream.name}" for stream in streams]
        for title, line in [*zip(titles, scores, strict=True), ("mean", np.mean(scores, axis=0))]:
            print(f"{title:30} {name:5} " + " ".join(f"{score:<7.3f}" for score in line), flush=True)


def best(stream: FieldStream, lifetime: float) -> float:
    """Return the highest identity F1 over birth costs and reaches."""
    candidates = product(BIRTH_COSTS[stream.kind], REACHES)
    return max(score(stream, birth_cost, lifetime, reach) for birth_cost, reach in candidates)


def score(stream: FieldStream, birth_cost: float, lifetime: float, reach: float) -> float:
    """Return the identity F1 of one candidate: one row per person, or refined clusters of five."""
    how = {"exclusive": True} if stream.kind == "people_single" else {"refine": True}
    model = DMeans(birth_cost, lifetime, reach, motion="velocity", n_jobs=1, random_state=0, **how)
    steps = model.stream({"X": frame.X, "t": frame.time} for frame in stream.frames)
    return float(identity_f1(stream.true, [step.labels for step in steps]))


@contextmanager
def limited(limit: float) -> Iterator[None]:
    """Replace the limit of the velocity motion for a while."""
    _set_velocity(VELOCITY._replace(limit=limit))
    try:
        yield
    finally:
        _set_velocity(VELOCITY)


def _set_velocity(motion: Motion) -> None:
    MOTIONS["velocity"] = motion
    resolve_dmeans._resolved.cache_clear()  # the parameters of a step contain the motion


if __name__ == "__main__":
    main(folder_of(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
