"""Difficult streams for tuning: long clusters, outliers, a static start and more."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dynmeans.datasets import moving_gaussians

N_STEPS = 75
LONG, WIDE = 0.2, 0.01  # standard deviations of a long cluster
OUTLIERS = 0.05  # share of the points
QUIET = 25  # steps without motion, used for tuning
NOISE = -1
N_VARIED = 45  # steps of the varied streams
HIDDEN_FOR = (1, 3)  # steps for which a cluster is absent


class Kind(NamedTuple):
    """Properties of a varied stream; the defaults are easy."""

    n_features: int = 2
    sizes: tuple[int, ...] = (15,) * 5
    spreads: tuple[float, ...] = (0.03,) * 5
    motion: float = 0.03  # a step's standard deviation in each coordinate
    tails: float | None = None  # degrees of freedom of Student's distribution, or Gaussian
    hiding: float = 0.0  # probability that a cluster disappears for a few steps
    noise: int = 0  # uniform noise points
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
    """Stream with true labels."""

    steps: list[dict[str, Any]]  # arguments of partial_fit
    labels: list[np.ndarray]

    @property
    def third(self) -> int:
        """Batches to tune on."""
        return max(2, round(len(self.steps) / 3))


def known(batches: list[np.ndarray], labels: list[np.ndarray]) -> Known:
    return Known([{"X": X} for X in batches], labels)


def long_gaussians(seed: int) -> Known:
    """Make three moving clusters, twenty times as long as wide, each in its own direction; they may cross."""
    stream = moving_gaussians(3, N_STEPS, points_per_cluster=40, motion=0.02, death=0.0, random_state=seed)
    rng = np.random.default_rng(seed)
    angles = rng.uniform(0.0, np.pi, 3)
    batches = [
        centers[ids] + _long(rng, angles[ids])
        for centers, ids in zip(stream.centers, stream.labels, strict=True)
    ]
    return known(batches, stream.labels)


def gaussians_with_outliers(seed: int) -> Known:
    """Make Gaussians with 5% outliers in nine times the area; outliers always count as errors."""
    stream = moving_gaussians(5, N_STEPS, random_state=seed)
    rng = np.random.default_rng(seed)
    batches, labels = [], []
    for X, ids in zip(stream.batches, stream.labels, strict=True):
        is_outlier = rng.random(len(X)) < OUTLIERS
        batches.append(np.where(is_outlier[:, None], rng.uniform(-1.0, 2.0, X.shape), X))
        labels.append(np.where(is_outlier, NOISE, ids))
    return known(batches, labels)


def quiet_beginning(seed: int) -> Known:
    """Make three distant clusters that are static during tuning, and move later."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(3), 50)
    centers = np.array([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]])
    batches = []
    for step in range(N_STEPS):
        centers = centers + (step >= QUIET) * rng.normal(0.0, 8.0, centers.shape)
        batches.append(centers[labels] + rng.normal(size=(len(labels), 2)))
    return known(batches, [labels] * N_STEPS)


def varied(seed: int, kind: Kind) -> Known:
    """Make clusters that move in the unit cube, reflected at its faces."""
    rng = np.random.default_rng(seed)
    n_clusters = len(kind.sizes)
    centers = rng.uniform(0.0, 1.0, (n_clusters, kind.n_features))
    away, batches, labels = np.zeros(n_clusters, int), [], []
    for _ in range(N_VARIED):
        away = np.maximum(away - 1, 0)
        leaves = (away == 0) & (rng.random(n_clusters) < kind.hiding)
        away[leaves] = rng.integers(*HIDDEN_FOR, leaves.sum(), endpoint=True)
        here = np.flatnonzero(away == 0) if (away == 0).any() else np.array([0])
        ids = np.repeat(here, np.take(kind.sizes, here))
        batches.append(_emitted(rng, centers, ids, kind))
        labels.append(np.concatenate([ids, np.full(kind.noise, NOISE)]))
        centers = 1.0 - np.abs(1.0 - np.abs(centers + rng.normal(0.0, kind.motion, centers.shape)))
    return known(batches, labels)


def _emitted(rng: np.random.Generator, centers: np.ndarray, ids: np.ndarray, kind: Kind) -> np.ndarray:
    shape = (len(ids), kind.n_features)
    scatter = rng.normal(size=shape) if kind.tails is None else rng.standard_t(kind.tails, shape)
    X = centers[ids] + np.take(kind.spreads, ids)[:, None] * scatter
    X = np.concatenate([X, rng.uniform(-0.2, 1.2, (kind.noise, kind.n_features))])
    return np.round(X / kind.grid) * kind.grid if kind.grid else X


def _long(rng: np.random.Generator, angles: np.ndarray) -> np.ndarray:
    along, across = rng.normal(0.0, LONG, len(angles)), rng.normal(0.0, WIDE, len(angles))
    cos, sin = np.cos(angles), np.sin(angles)
    return np.stack([along * cos - across * sin, along * sin + across * cos], axis=1)
