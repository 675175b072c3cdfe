"""How good a clustered stream is, without labels: the nats that it takes to tell its points and ids.

The costs that led to the clustering do not enter, so that no setting is judged by its own ruler; and every
step is told with what the steps before it have taught, so that more clusters have to earn their keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import multivariate_t

from dynmeans._core import code_length as nats
from dynmeans._model.types import FloatArray, IntArray

MOST_FEATURES = 16  # full covariances of more would need more points than clusters have
SMALLEST_SHARE = 1e-9  # of the variance of all data: what rounding alone leaves open


class Reference(NamedTuple):
    """A stream as the code length sees it, and what is the same for every clustering of it."""

    rows: FloatArray  # (N, r) all points, centred, scaled to unit variance, along at most 16 axes
    weights: FloatArray | None  # (N,)
    starts: IntArray  # (T + 1,) first row of each step
    times: FloatArray  # (T,) in usual steps
    means: FloatArray  # (T, r) of all points up to each step
    covs: FloatArray  # (T, r, r)
    background: FloatArray  # (N,) log density of each point under these: of a point from anywhere
    floor: FloatArray  # (r,) least variance


def make_reference(
    batches: Sequence[FloatArray], times: FloatArray, weights: Sequence[FloatArray] | None = None
) -> Reference:
    """Look at a stream once, for all clusterings of it.

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
    rows = _main_axes(np.concatenate(batches).astype(np.float64, copy=False), mass)
    starts = np.concatenate([[0], np.cumsum([len(batch) for batch in batches])]).astype(np.int64)
    floor = _resolution(rows) ** 2 / 12.0 + SMALLEST_SHARE
    means, covs = _so_far(rows, mass, starts, floor)
    background = _background(rows, starts, means, covs)
    return Reference(rows, mass, starts, times / usual_step(times), means, covs, background, floor)


def code_length(
    batches: Sequence[Any], labels: Sequence[Any], times: Sequence[float] | None = None, weights: Any = None
) -> float:
    """Nats per point that it takes to tell the points and the ids of a clustered stream; less is better.

    Only differences between clusterings of the same stream mean something. Scale, place and rotation of the
    data change nothing.

    Parameters
    ----------
    batches : sequence of array-like of shape (n, d)
    labels : sequence of array-like of shape (n,)
        Id of every point.
    times : sequence of float, optional
        Event times; by default the steps are a unit apart.
    weights : sequence of array-like of shape (n,), optional
        A point of weight m counts as m points.

    Returns
    -------
    float

    Examples
    --------
    >>> from dynmeans.datasets import moving_gaussians
    >>> from dynmeans.tuning import code_length
    >>> stream = moving_gaussians(3, 20, noise=0.02, random_state=0)
    >>> one = [0 * labels for labels in stream.labels]
    >>> code_length(stream.batches, stream.labels) < code_length(stream.batches, one)
    True
    """
    rows = [np.asarray(batch, dtype=np.float64) for batch in batches]
    when = np.arange(len(rows), dtype=np.float64) if times is None else np.asarray(times, dtype=np.float64)
    mass = None if weights is None else [np.asarray(w, dtype=np.float64) for w in weights]
    return float(sum(code_parts(make_reference(rows, when, mass), labels)))


def code_parts(reference: Reference, labels: Sequence[Any]) -> FloatArray:
    """Nats per point for means, scatters, labels and events: (4,)."""
    ids, compact = np.unique(np.concatenate(labels), return_inverse=True)
    found = nats(
        reference.rows,
        reference.weights,
        np.ascontiguousarray(compact.ravel(), dtype=np.int64),
        len(ids),
        reference.starts,
        reference.times,
        reference.means,
        reference.covs,
        reference.background,
        reference.floor,
    )
    total = len(reference.rows) if reference.weights is None else reference.weights.sum()
    shares: FloatArray = found / float(total)
    return shares


def usual_step(times: FloatArray) -> float:
    """Median time between two steps, of those that are not 0; 1 if there are none."""
    gaps = np.diff(times)
    gaps = gaps[gaps > 0]
    return float(np.median(gaps)) if len(gaps) else 1.0


def _main_axes(rows: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Rows around their mean with a mean variance of 1, along the main axes if there are many features."""
    centred = rows - np.average(rows, axis=0, weights=weights)
    unit = float(np.abs(centred).max()) or 1.0  # squares of very large numbers are not numbers
    centred = centred / unit
    variance = float(np.average(np.mean(centred**2, axis=1), weights=weights))
    centred /= np.sqrt(variance) if variance > 0 else 1.0
    if rows.shape[1] <= MOST_FEATURES:
        return np.ascontiguousarray(centred)
    mass = np.ones(len(rows)) if weights is None else weights
    axes = np.linalg.eigh((centred * mass[:, None]).T @ centred)[1][:, ::-1][:, :MOST_FEATURES]
    return np.ascontiguousarray(centred @ axes)


def _resolution(rows: FloatArray) -> FloatArray:
    """Median distance between neighbouring values of each feature: the grid, if there is one."""

    def gap(column: FloatArray) -> float:
        values = np.unique(column)
        return float(np.median(np.diff(values))) if len(values) > 1 else 0.0

    return np.array([gap(column) for column in rows.T])


def _so_far(
    rows: FloatArray, weights: FloatArray | None, starts: IntArray, floor: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance of all points up to each step: where a newborn may be."""
    n, d = len(starts) - 1, rows.shape[1]
    means, covs = np.empty((n, d)), np.empty((n, d, d))
    mass, total, squares = 0.0, np.zeros(d), np.zeros((d, d))
    for t in range(n):
        part = slice(starts[t], starts[t + 1])
        w = np.ones(starts[t + 1] - starts[t]) if weights is None else weights[part]
        mass += float(w.sum())
        total += w @ rows[part]
        squares += (rows[part] * w[:, None]).T @ rows[part]
        means[t] = total / mass
        covs[t] = squares / mass - np.outer(means[t], means[t]) + np.diag(floor)
    return means, covs


def _background(rows: FloatArray, starts: IntArray, means: FloatArray, covs: FloatArray) -> FloatArray:
    """Log density of every point as one from anywhere: around all points up to its step, with long tails."""
    found = np.empty(len(rows))
    for t, (mean, cov) in enumerate(zip(means, covs, strict=True)):
        part = slice(starts[t], starts[t + 1])
        found[part] = multivariate_t.logpdf(rows[part], mean, cov, df=1)
    return found
