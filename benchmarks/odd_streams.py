"""Streams that are not as tuning would like them: long clusters, outliers, a quiet start."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dynmeans.datasets import moving_gaussians

N_STEPS = 75
LONG, WIDE = 0.2, 0.01  # standard deviations of a long cluster
OUTLIERS = 0.05  # share of the points
QUIET = 25  # steps without motion: all that tuning sees
NOBODY = -1


class Known(NamedTuple):
    """A stream with its truth."""

    steps: list[dict[str, Any]]  # arguments of partial_fit
    labels: list[np.ndarray]

    @property
    def third(self) -> int:
        """Batches to tune on."""
        return max(2, round(len(self.steps) / 3))


def known(batches: list[np.ndarray], labels: list[np.ndarray]) -> Known:
    return Known([{"X": X} for X in batches], labels)


def long_gaussians(seed: int) -> Known:
    """Three clusters that move, twenty times as long as wide, each in its own direction; they may cross."""
    stream = moving_gaussians(3, N_STEPS, points_per_cluster=40, motion=0.02, death=0.0, random_state=seed)
    rng = np.random.default_rng(seed)
    angles = rng.uniform(0.0, np.pi, 3)
    batches = [
        centers[ids] + _long(rng, angles[ids])
        for centers, ids in zip(stream.centers, stream.labels, strict=True)
    ]
    return known(batches, stream.labels)


def gaussians_with_outliers(seed: int) -> Known:
    """One point in twenty lies anywhere in nine times the area, and is nobody's: always a mistake."""
    stream = moving_gaussians(5, N_STEPS, random_state=seed)
    rng = np.random.default_rng(seed)
    batches, labels = [], []
    for X, ids in zip(stream.batches, stream.labels, strict=True):
        stray = rng.random(len(X)) < OUTLIERS
        batches.append(np.where(stray[:, None], rng.uniform(-1.0, 2.0, X.shape), X))
        labels.append(np.where(stray, NOBODY, ids))
    return known(batches, labels)


def quiet_beginning(seed: int) -> Known:
    """Three distant clusters rest while costs are tuned, and then walk."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(3), 50)
    places = np.array([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]])
    batches = []
    for step in range(N_STEPS):
        places = places + (step >= QUIET) * rng.normal(0.0, 8.0, places.shape)
        batches.append(places[labels] + rng.normal(size=(len(labels), 2)))
    return known(batches, [labels] * N_STEPS)


def _long(rng: np.random.Generator, angles: np.ndarray) -> np.ndarray:
    along, across = rng.normal(0.0, LONG, len(angles)), rng.normal(0.0, WIDE, len(angles))
    cos, sin = np.cos(angles), np.sin(angles)
    return np.stack([along * cos - across * sin, along * sin + across * cos], axis=1)
