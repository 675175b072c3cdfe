"""Estimation of the birth cost from the first few batches.

DP-means runs over a range of birth costs that is derived from the data. Each result is scored by its
description length (BIC) as a mixture of Gaussians: equal spheres, equal ellipsoids, or an ellipsoid for each
cluster, whichever is shortest (the models EII, EEE and VVV of Fraley and Raftery, 2002). The estimate of a
batch is the geometric mean of the range of birth costs that give the best number of clusters. The median of
several batches is used.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._codes.two_codes import STRONG_EVIDENCE
from dynmeans._core import descend
from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans._sampling import evenly_spaced

SAMPLE = 1000  # maximum number of rows
WIDE_SAMPLE = 16 * SAMPLE  # rows, of which those around one position are taken
GRID = 40  # number of birth costs
RESTARTS = 3  # of DP-means for each birth cost, as in D-Means
N_ESTIMATION_BATCHES = 5  # number of batches from which the birth cost is estimated


class ScoredBirthCost(NamedTuple):
    """The result of one birth cost."""

    birth: float
    n_clusters: int
    length: float  # description length in nats
    lead: float = 0.0  # nats by which it is shorter than that of one cluster


def estimate_birth_cost(rows: Rows, weights: FloatArray | None, seed: int) -> float | None:
    """Return the birth cost of shortest description length, or None if all rows are equal.

    Of hundreds of clusters, a sample of a large batch has a few rows each, which look like one cluster. So if
    there is only one, all rows around one position are the sample, and several clusters there need odds of
    20 to 1: the rows around a position of one cluster are not Gaussian.
    """
    found = _estimate(*_distinct_sample(rows, weights), seed)
    if found is None or found.n_clusters > 1 or len(rows) <= SAMPLE:
        return None if found is None else found.birth
    near = _neighborhood(rows)
    dense = _estimate(*_distinct_sample(rows[near], None if weights is None else weights[near]), seed)
    return found.birth if dense is None or dense.lead < STRONG_EVIDENCE else dense.birth


def _neighborhood(rows: Rows) -> IntArray:
    """Return the numbers of the SAMPLE rows around the row nearest to the median of a wide sample."""
    every = evenly_spaced(len(rows), WIDE_SAMPLE)
    values = np.asarray(rows[every], dtype=np.float64)
    middle = values[np.argmin(np.sum((values - np.median(values, axis=0)) ** 2, axis=1))]
    away = np.sum((values - middle) ** 2, axis=1)
    near: IntArray = every[np.sort(np.argpartition(away, SAMPLE)[:SAMPLE])]
    return near


def _estimate(sample: FloatArray, mass: FloatArray, seed: int) -> ScoredBirthCost | None:
    """Return the estimate from distinct rows and their weights, or None if all are equal."""
    if len(sample) < 2:
        return None
    sample = _varying_directions(sample, mass)
    middle = np.average(sample, axis=0, weights=mass)
    farthest = float(np.max(np.sum((sample - middle) ** 2, axis=1)))
    if farthest == 0.0:  # squared differences underflow
        return None
    scored = [_score(sample, mass, birth, seed) for birth in _grid(sample, farthest)]
    return _center_of_best(scored)


def estimate_exclusive_birth_cost(rows: Rows) -> float | None:
    """Return the birth cost for one row per object, or None if all rows are equal.

    It is the square of half the typical distance between neighbors in the batch: a row closer than this to
    the predicted position of an object is closer to it than to its neighbor.
    """
    sample, _ = _distinct_sample(rows, None)
    return None if len(sample) < 2 else _neighbor_scale(sample) / 4.0


def pooled_birth_cost(estimates: Sequence[float]) -> float | None:
    """Return the median of the estimates of several batches, in log scale, which is robust to outliers."""
    if not estimates:
        return None
    ordered, half = sorted(estimates), len(estimates) // 2
    return ordered[half] if len(ordered) % 2 else math.sqrt(ordered[half - 1]) * math.sqrt(ordered[half])


def _distinct_sample(rows: Rows, weights: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Return at most SAMPLE evenly spaced rows, merged if equal, with weights of mean 1.

    Copies of a row carry no information about the scatter of a cluster.
    """
    every = evenly_spaced(len(rows), SAMPLE)
    picked = np.asarray(rows[every], dtype=np.float64)
    mass = np.ones(len(every)) if weights is None else weights[every]
    distinct, which = np.unique(picked, axis=0, return_inverse=True)
    total = np.bincount(which.ravel(), weights=mass, minlength=len(distinct))
    return distinct, total / total.mean()


def _varying_directions(sample: FloatArray, mass: FloatArray) -> FloatArray:
    """Return the rows in the directions in which they vary, which changes no distance.

    A constant feature, or one that is a sum of others, would count as a dimension of the clusters.
    """
    n, d = sample.shape
    if d * (d + 1) // 2 > n:  # the rows do not determine a covariance
        return sample
    centered = sample - np.average(sample, axis=0, weights=mass)
    largest = float(np.abs(centered).max())
    if largest == 0.0:
        return sample
    unit = centered / largest
    values, directions = np.linalg.eigh((mass[:, None] * unit).T @ unit)
    varies = _exceeds_rounding(values)
    return sample if varies.all() else np.ascontiguousarray(centered @ directions[:, varies])


def _exceeds_rounding(eigenvalues: FloatArray) -> BoolArray:
    """Return which of the ascending eigenvalues of a covariance are larger than rounding errors."""
    limit = len(eigenvalues) * np.finfo(np.float64).eps * eigenvalues[-1]
    exceeds: BoolArray = eigenvalues > limit
    return exceeds


def _grid(sample: FloatArray, farthest: float) -> FloatArray:
    """Return birth costs from a typical distance between neighbors to the diameter of the data, both squared.

    A descent that starts at the edge finds points a diameter away, so only that cost ensures a single
    cluster.
    """
    near = min(_neighbor_scale(sample), farthest / 4.0)
    grid: FloatArray = np.geomspace(near, 4.01 * farthest, GRID)
    return grid


def _neighbor_scale(sample: FloatArray) -> float:
    """Return the median squared distance to the nearest other row, over about 200 rows."""
    some = sample[:: max(1, len(sample) // 200)]
    norms = np.array([np.partition(np.sum((sample - row) ** 2, axis=1), 1)[1] for row in some])
    return float(max(np.median(norms), np.finfo(float).tiny))


def _score(sample: FloatArray, mass: FloatArray, birth: float, seed: int) -> ScoredBirthCost:
    """Return the description length of the DP-means result: points given clusters, labels, and parameters."""
    n_features = sample.shape[1]
    empty = np.empty(0)
    slots, centers, slot_weights, *_ = descend(
        X=sample,
        weights=mass,
        centers=np.empty((0, n_features)),
        gammas=empty,
        revival=empty,
        birth=birth,
        seed=seed,
        step=0,
        n_restarts=RESTARTS,
        max_iter=100,
        n_threads=1,
    )
    n, k = float(mass.sum()), len(slot_weights)
    points = _length_of_points(sample - centers[slots], mass, np.asarray(slots, np.int64), slot_weights)
    labels = -float(np.sum(slot_weights * np.log(slot_weights / n)))
    parameters = 0.5 * (k * (n_features + 1)) * np.log(n)
    return ScoredBirthCost(birth, k, points + labels + parameters)


def _length_of_points(
    residuals: FloatArray, mass: FloatArray, slots: IntArray, slot_weights: FloatArray
) -> float:
    """Return the description length of the points and the covariances, by the best of the three models.

    Parameters
    ----------
    residuals : ndarray of shape (n, d)
        Differences to the centers.
    mass, slots : ndarray of shape (n,)
        Weight and cluster of each row.
    slot_weights : ndarray of shape (K,)
        Total weight of each cluster.
    """
    n, k, d = float(mass.sum()), len(slot_weights), int(residuals.shape[1])
    freedom, n_entries = n - k, d * (d + 1) // 2  # entries of one covariance
    variance = float(np.sum(mass[:, None] * residuals**2)) / (freedom * d) if freedom > 0 else 0.0
    if variance <= 0.0:
        return math.inf
    unit: FloatArray = residuals / math.sqrt(variance)
    penalty = 0.5 * math.log(n)  # of each parameter
    lengths = [penalty]
    if n_entries <= n:  # otherwise the rows do not determine a covariance
        shared: FloatArray = (mass[:, None] * unit).T @ unit / freedom
        if _exceeds_rounding(np.asarray(np.linalg.eigvalsh(shared), np.float64)).all():
            lengths.append(0.5 * n * float(np.linalg.slogdet(shared)[1]) + n_entries * penalty)
            if k * n_entries <= n:
                own = _scatters(unit, mass, slots, k) + shared  # one more point: few rows have no covariance
                log_dets: FloatArray = np.linalg.slogdet(own / slot_weights[:, None, None])[1]
                lengths.append(0.5 * float(slot_weights @ log_dets) + k * n_entries * penalty)
    return 0.5 * n * d * math.log(variance) + min(lengths)


def _scatters(residuals: FloatArray, mass: FloatArray, slots: IntArray, k: int) -> FloatArray:
    """Return the scatter matrix of each cluster, (K, d, d)."""
    order = np.argsort(slots, kind="stable")
    own = residuals[order]
    products = (mass[order, None] * own)[:, :, None] * own[:, None, :]
    scatters: FloatArray = np.add.reduceat(products, np.searchsorted(slots[order], np.arange(k)), axis=0)
    return scatters


def _center_of_best(scored: list[ScoredBirthCost]) -> ScoredBirthCost:
    """Return the best result, with the geometric mean of the birth costs that give its number of clusters.

    The largest birth cost gives one cluster.
    """
    best = int(np.argmin([s.length for s in scored]))
    first = last = best
    while first > 0 and scored[first - 1].n_clusters == scored[best].n_clusters:
        first -= 1
    while last + 1 < len(scored) and scored[last + 1].n_clusters == scored[best].n_clusters:
        last += 1
    middle = float(np.sqrt(scored[first].birth) * np.sqrt(scored[last].birth))
    return scored[best]._replace(birth=middle, lead=scored[-1].length - scored[best].length)
