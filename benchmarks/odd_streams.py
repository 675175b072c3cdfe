"""Streams that are not as tuning would like them: long clusters, outliers, a quiet start and more."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dynmeans.datasets import moving_gaussians

N_STEPS = 75
LONG, WIDE = 0.2, 0.01  # standard deviations of a long cluster
OUTLIERS = 0.05  # share of the points
QUIET = 25  # steps without motion: all that tuning sees
NOBODY = -1
N_VARIED = 45  # steps of the varied streams
HIDDEN_FOR = (1, 3)  # steps that a cluster of these is away


class Kind(NamedTuple):
    """What is odd about a varied stream; the defaults are easy."""

    n_features: int = 2
    sizes: tuple[int, ...] = (15,) * 5
    spreads: tuple[float, ...] = (0.03,) * 5
    motion: float = 0.03  # a step's standard deviation in each coordinate
    tails: float | None = None  # degrees of freedom of Student's distribution, or Gaussian
    hiding: float = 0.0  # probability that a cluster goes away for a few steps
    noise: int = 0  # points of nobody, all over the place
    grid: float = 0.0  # to which coordinates are rounded


KINDS = {
    "one feature": Kind(1, (15,) * 4, (0.01,) * 4, 0.01),
    "fifty features": Kind(50),
    "sizes from 4 to 64": Kind(sizes=(4, 8, 16, 32, 64)),
    "spreads from 0.01 to 0.08": Kind(spreads=(0.01, 0.02, 0.03, 0.05, 0.08)),
    "clusters that leave and return": Kind(hiding=0.1),
    "20 points in a batch": Kind(sizes=(4,) * 5),
    "coordinates on a grid": Kind(grid=0.02),
    "heavy tails": Kind(spreads=(0.02,) * 5, tails=2.0),
    "a quarter is noise": Kind(noise=25),
    "one cluster": Kind(sizes=(60,), spreads=(0.05,)),
}


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


def varied(seed: int, kind: Kind) -> Known:
    """Clusters that walk in the unit cube, mirrored at its walls."""
    rng = np.random.default_rng(seed)
    n_clusters = len(kind.sizes)
    places = rng.uniform(0.0, 1.0, (n_clusters, kind.n_features))
    away, batches, labels = np.zeros(n_clusters, int), [], []
    for _ in range(N_VARIED):
        away = np.maximum(away - 1, 0)
        leaves = (away == 0) & (rng.random(n_clusters) < kind.hiding)
        away[leaves] = rng.integers(*HIDDEN_FOR, leaves.sum(), endpoint=True)
        here = np.flatnonzero(away == 0) if (away == 0).any() else np.array([0])
        ids = np.repeat(here, np.take(kind.sizes, here))
        batches.append(_emitted(rng, places, ids, kind))
        labels.append(np.concatenate([ids, np.full(kind.noise, NOBODY)]))
        places = 1.0 - np.abs(1.0 - np.abs(places + rng.normal(0.0, kind.motion, places.shape)))
    return known(batches, labels)


def _emitted(rng: np.random.Generator, places: np.ndarray, ids: np.ndarray, kind: Kind) -> np.ndarray:
    shape = (len(ids), kind.n_features)
    scatter = rng.normal(size=shape) if kind.tails is None else rng.standard_t(kind.tails, shape)
    X = places[ids] + np.take(kind.spreads, ids)[:, None] * scatter
    X = np.concatenate([X, rng.uniform(-0.2, 1.2, (kind.noise, kind.n_features))])
    return np.round(X / kind.grid) * kind.grid if kind.grid else X


def _long(rng: np.random.Generator, angles: np.ndarray) -> np.ndarray:
    along, across = rng.normal(0.0, LONG, len(angles)), rng.normal(0.0, WIDE, len(angles))
    cos, sin = np.cos(angles), np.sin(angles)
    return np.stack([along * cos - across * sin, along * sin + across * cos], axis=1)
