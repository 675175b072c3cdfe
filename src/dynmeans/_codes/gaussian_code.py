"""Gaussian code of a clustered stream: in each step, the points of each id are a Gaussian cloud.

The code length is the number of nats that encode the points and ids. It does not depend on the costs that
produced the clustering, so different hyperparameters are comparable. Every step is encoded given the steps
before it, so an additional cluster must save more nats than it costs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from dynmeans._core import code_length as nats
from dynmeans._model.types import FloatArray, IntArray

MAX_FEATURES = 8  # main axes: a full covariance of more features needs more points than most clusters have
MIN_VARIANCE_SHARE = 1e-9  # smallest variance relative to that of all data: the effect of rounding
SINGULAR_SHARE = 256 * float(np.finfo(np.float64).eps)  # below this, covariances are singular by rounding


class Reference(NamedTuple):
    """Preprocessed stream with the quantities that do not depend on the clustering."""

    rows: FloatArray  # (N, r) all points, centered, scaled to unit variance, along the main axes
    weights: FloatArray | None  # (N,)
    starts: IntArray  # (T + 1,) first row of each step
    times: FloatArray  # (T,) in units of the median interval
    means: FloatArray  # (T, r) of all points up to each step
    covs: FloatArray  # (T, r, r)
    background: FloatArray  # (N,) log density of each point under these
    smallest: float  # variance of rounding, or of the smallest clusters that are distinguished
    floor: FloatArray  # (r,) smallest variance of each axis: `smallest`, and that of the spacing of a grid


def make_reference(
    batches: Sequence[FloatArray], times: FloatArray, weights: Sequence[FloatArray] | None = None
) -> Reference:
    """Preprocess a stream once for all clusterings of it.

    Parameters
    ----------
    batches : sequence of ndarray of shape (n, d)
    times : ndarray of shape (T,)
    weights : sequence of ndarray of shape (n,), optional

    Returns
    -------
    Reference
    """
    mass = None if weights is None else np.concatenate(weights)
    rows, smallest = _main_axes(np.concatenate(batches).astype(np.float64, copy=False), mass)
    starts = np.concatenate([[0], np.cumsum([len(batch) for batch in batches])]).astype(np.int64)
    floor = _resolution(rows) ** 2 / 12.0 + smallest
    means, covs = _cumulative_moments(rows, mass, starts, floor)
    background = _background(rows, starts, means, covs)
    return Reference(
        rows=rows,
        weights=mass,
        starts=starts,
        times=times / median_interval(times),
        means=means,
        covs=covs,
        background=background,
        smallest=smallest,
        floor=floor,
    )


def code_parts(reference: Reference, labels: Sequence[Any]) -> FloatArray:
    """Compute the nats per point for means, scatters, labels and events, (4,)."""
    parts: FloatArray = parts_up_to(reference, labels)[-1]
    return parts


def parts_up_to(reference: Reference, labels: Sequence[Any]) -> FloatArray:
    """Compute the same up to each step, (T, 4), per point of the whole stream."""
    ids, compact = np.unique(np.concatenate(labels), return_inverse=True)
    found = nats(
        rows=reference.rows,
        weights=reference.weights,
        ids=np.ascontiguousarray(compact.ravel(), dtype=np.int64),
        n_ids=len(ids),
        starts=reference.starts,
        times=reference.times,
        means=reference.means,
        covs=reference.covs,
        background=reference.background,
        floor=reference.floor,
    )
    total = len(reference.rows) if reference.weights is None else reference.weights.sum()
    shares: FloatArray = found / float(total)
    return shares


def median_interval(times: FloatArray) -> float:
    """Compute the median positive interval between steps; 1 if there is none."""
    intervals = np.diff(times)
    intervals = intervals[intervals > 0]
    return float(np.median(intervals)) if len(intervals) else 1.0


def _main_axes(rows: FloatArray, weights: FloatArray | None) -> tuple[FloatArray, float]:
    """Center the rows and scale them to a mean variance of 1; project many features to the main axes.

    Directions with less than the smallest variance, such as a constant feature, are left out: clusters would
    be expected to have an extent in them. Returns the rows and the smallest variance.
    """
    centered = rows - np.average(rows, axis=0, weights=weights)
    unit = float(np.abs(centered).max()) or 1.0  # squares of very large numbers overflow
    centered = centered / unit
    variance = float(np.average(np.mean(centered**2, axis=1), weights=weights))
    centered /= np.sqrt(variance) if variance > 0 else 1.0
    mass = np.ones(len(rows)) if weights is None else weights
    smallest = _smallest_share(centered)
    variances, axes = np.linalg.eigh((centered * mass[:, None]).T @ centered)
    d, rank = rows.shape[1], int(np.sum(variances > smallest * variances.sum()))
    if rank == 0 or rank == d <= MAX_FEATURES:
        return np.ascontiguousarray(centered), smallest
    projected = centered @ axes[:, ::-1][:, : min(rank, MAX_FEATURES)]
    scale = math.sqrt(rank / d) if d <= MAX_FEATURES else 1.0
    return np.ascontiguousarray(projected * scale), smallest


def _smallest_share(rows: FloatArray) -> float:
    """Return the smallest share of the variance of rows with a mean variance of 1.

    The squared range of the middle 80% of the values exceeds the variance, unless a few rows are so far away
    that they are most of it. They must not hide the extent of the clusters of all other rows.
    """
    low, high = np.quantile(rows, (0.1, 0.9), axis=0)
    robust = float(np.mean((high - low) ** 2))
    return max(MIN_VARIANCE_SHARE * min(robust, 1.0), SINGULAR_SHARE)


def _resolution(rows: FloatArray) -> FloatArray:
    """Compute the median difference of adjacent values per feature: the spacing of gridded data."""

    def spacing(column: FloatArray) -> float:
        values = np.unique(column)
        return float(np.median(np.diff(values))) if len(values) > 1 else 0.0

    return np.array([spacing(column) for column in rows.T])


def _cumulative_moments(
    rows: FloatArray, weights: FloatArray | None, starts: IntArray, floor: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Compute mean and covariance of all points up to each step: the prior of a new center."""
    n, d = len(starts) - 1, rows.shape[1]
    means, covs = np.empty((n, d)), np.empty((n, d, d))
    mass, total, squares = 0.0, np.zeros(d), np.zeros((d, d))
    for t in range(n):
        chunk = slice(starts[t], starts[t + 1])
        w = np.ones(starts[t + 1] - starts[t]) if weights is None else weights[chunk]
        mass += float(w.sum())
        total += w @ rows[chunk]
        squares += (rows[chunk] * w[:, None]).T @ rows[chunk]
        means[t] = total / mass
        covs[t] = squares / mass - np.outer(means[t], means[t]) + np.diag(floor)
    return means, covs


def _background(rows: FloatArray, starts: IntArray, means: FloatArray, covs: FloatArray) -> FloatArray:
    """Compute the log density of every point under a Cauchy density fitted to all points up to its step."""
    found = np.empty(len(rows))
    for t, (mean, cov) in enumerate(zip(means, covs, strict=True)):
        chunk = slice(starts[t], starts[t + 1])
        found[chunk] = log_cauchy(rows[chunk] - mean, cov)
    return found


def log_cauchy(centered: FloatArray, cov: FloatArray) -> FloatArray:
    """Compute the log density of a Cauchy distribution around 0, (N,)."""
    d = len(cov)
    factor = np.linalg.cholesky(cov)
    squared = np.sum(np.linalg.solve(factor, centered.T) ** 2, axis=0)
    log_root = float(np.log(factor.diagonal()).sum())
    constant = float(gammaln(0.5 * (d + 1))) - 0.5 * (d + 1) * math.log(math.pi) - log_root
    found: FloatArray = constant - 0.5 * (d + 1) * np.log1p(squared)
    return found
