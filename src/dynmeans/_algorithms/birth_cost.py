"""A birth cost from the first few batches, for users who know no units.

DP-means runs over a range of birth costs that comes from the data; each result is scored by its
description length as a mixture of equal round Gaussians, and the middle of the stretch of birth costs
that give the best number of clusters is what the batch says. The middle of what several batches say is used.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._core import descend
from dynmeans._model.types import FloatArray

SAMPLE = 1000  # rows that are looked at
GRID = 40  # birth costs that are tried
RESTARTS = 3
N_ESTIMATION_BATCHES = 5  # batches that are asked


class Scored(NamedTuple):
    """What one birth cost gives."""

    birth: float
    n_clusters: int
    length: float  # description length in nats


def estimate_birth_cost(rows: Rows, weights: FloatArray | None, seed: int) -> float | None:
    """Birth cost that describes a batch best, or None if all rows are equal."""
    sample, mass = _distinct_sample(rows, weights)
    if len(sample) < 2:
        return None
    middle = np.average(sample, axis=0, weights=mass)
    farthest = float(np.max(np.sum((sample - middle) ** 2, axis=1)))
    if farthest == 0.0:  # the squares of the differences are below the smallest number
        return None
    scored = [_score(sample, mass, birth, seed) for birth in _grid(sample, farthest)]
    return _middle_of_best(scored)


def pooled_birth_cost(guesses: Sequence[float]) -> float | None:
    """Middle of what several batches say, as ratios go: one strange batch among them counts little."""
    if not guesses:
        return None
    ordered, half = sorted(guesses), len(guesses) // 2
    return ordered[half] if len(ordered) % 2 else math.sqrt(ordered[half - 1]) * math.sqrt(ordered[half])


def _distinct_sample(rows: Rows, weights: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """At most SAMPLE evenly spaced rows, equal ones merged; a distinct row weighs 1 on average.

    Copies of a row tell nothing new about how far the points of a cluster scatter.
    """
    every = np.linspace(0, len(rows) - 1, min(len(rows), SAMPLE)).astype(np.int64)
    picked = np.asarray(rows[every], dtype=np.float64)
    mass = np.ones(len(every)) if weights is None else weights[every]
    distinct, which = np.unique(picked, axis=0, return_inverse=True)
    total = np.bincount(which.ravel(), weights=mass, minlength=len(distinct))
    return distinct, total / total.mean()


def _grid(sample: FloatArray, farthest: float) -> FloatArray:
    """From a typical distance between neighbours to the diameter of all the data, both squared.

    A descent that starts at the edge meets points a diameter away: only then is one cluster certain.
    """
    near = min(_neighbour_scale(sample), farthest / 4.0)
    grid: FloatArray = np.geomspace(near, 4.01 * farthest, GRID)
    return grid


def _neighbour_scale(sample: FloatArray) -> float:
    """Median squared distance to the nearest other row, over at most 200 of them."""
    some = sample[:: max(1, len(sample) // 200)]
    norms = np.array([np.partition(np.sum((sample - row) ** 2, axis=1), 1)[1] for row in some])
    return float(max(np.median(norms), np.finfo(float).tiny))


def _score(sample: FloatArray, mass: FloatArray, birth: float, seed: int) -> Scored:
    """Description length of the DP-means result: points given clusters, labels, and parameters."""
    n_features = sample.shape[1]
    nothing = np.empty(0)
    slots, centers, taken, *_ = descend(
        sample, mass, np.empty((0, n_features)), nothing, nothing, birth, seed, 0, RESTARTS, 100, 1
    )
    n, k = float(mass.sum()), len(taken)
    spread = float(np.sum(mass * np.sum((sample - centers[slots]) ** 2, axis=1)))
    spare = n - k
    if spare <= 0 or spread <= 0:
        return Scored(birth, k, np.inf)
    points = 0.5 * n * n_features * np.log(spread / (spare * n_features))
    labels = -float(np.sum(taken * np.log(taken / n)))
    parameters = 0.5 * (k * (n_features + 1)) * np.log(n)
    return Scored(birth, k, points + labels + parameters)


def _middle_of_best(scored: list[Scored]) -> float:
    """Geometric middle of the run of birth costs around the best that give as many clusters."""
    best = int(np.argmin([s.length for s in scored]))
    first = last = best
    while first > 0 and scored[first - 1].n_clusters == scored[best].n_clusters:
        first -= 1
    while last + 1 < len(scored) and scored[last + 1].n_clusters == scored[best].n_clusters:
        last += 1
    return float(np.sqrt(scored[first].birth) * np.sqrt(scored[last].birth))
