"""Projection of data of any dimension to two coordinates, equal for all steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from dynmeans._model.types import FloatArray, IntArray

_GOLDEN = 0.5 * (5**0.5 - 1)  # its multiples fill an interval evenly, however many there are
_MAX_ENTRIES = 10_000_000  # maximum entries used to fit the axes; more add time without accuracy


class Projection(NamedTuple):
    """Fixed linear map from the features to the plane."""

    origin: FloatArray  # (d,)
    axes: FloatArray  # (d, 2)
    labels: tuple[str, str]  # of the two axes; the second is empty for a single feature

    def apply(self, points: FloatArray, rows: IntArray | None = None) -> FloatArray:
        """Map points of shape (n, d) to the plane, shape (n, 2).

        A single feature has no height of its own: points are spread over it by their `rows` in the batch,
        so that they do not hide each other; without rows they stay in the middle.
        """
        flat: FloatArray = (points - self.origin) @ self.axes
        if not self.labels[1]:
            flat[:, 1] = 0.5 if rows is None else 0.1 + 0.8 * np.modf(rows * _GOLDEN)[0]
        return flat


def has_components(n_features: int) -> bool:
    """Return whether the axes are principal components: one or two features are axes themselves."""
    return n_features > 2


def fit_projection(points: FloatArray, names: list[str]) -> Projection:
    """Choose the plane: the features themselves if there are one or two, else the principal components.

    Parameters
    ----------
    points : float array of shape (n, d)
        Points of the whole run, so that the plane keeps still from step to step.
    names : list of d names

    Returns
    -------
    Projection
        Its signs are fixed: the largest loading of each axis is positive.

    Examples
    --------
    >>> fit_projection(np.zeros((0, 2)), ["x", "y"]).labels
    ('x', 'y')
    """
    d = points.shape[1]
    if not has_components(d):
        return Projection(np.zeros(d), np.eye(d, 2), (names[0], names[1] if d == 2 else ""))
    origin, axes, shares = principal_axes(points, 2)
    labels = [f"component {i} ({100 * share:.0f}% of the variance)" for i, share in enumerate(shares, 1)]
    return Projection(origin, axes, (labels[0], labels[1]))


def principal_axes(points: FloatArray, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute mean (d,), the leading axes (d, count), and the share of the variance along each (count,)."""
    n, d = points.shape
    if n == 0:
        return np.zeros(d), np.eye(d, count), np.zeros(count)
    rows = points[:: 1 + n * d // _MAX_ENTRIES]
    origin = rows.mean(axis=0)
    centered = rows - origin
    centered /= max(float(np.abs(centered).max()), np.finfo(float).tiny)  # squares must not overflow
    total = float(np.sum(centered**2))
    if total == 0:
        return origin, np.eye(d, count), np.zeros(count)
    values, axes = _leading(centered, count)
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None], axis=0)
    return origin, axes * np.where(largest < 0, -1.0, 1.0), np.clip(values / total, 0, 1)


def variance_shares(points: FloatArray, axes: FloatArray) -> FloatArray:
    """Return the share of the variance of points (n, d) along each of the orthonormal axes (d, c)."""
    if len(points) == 0:
        return np.zeros(axes.shape[1])
    rows = points[:: 1 + points.size // _MAX_ENTRIES]
    centered = rows - rows.mean(axis=0)
    centered /= max(float(np.abs(centered).max()), np.finfo(float).tiny)
    total = float(np.sum(centered**2))
    along: FloatArray = np.sum((centered @ axes) ** 2, axis=0)
    return along / total if total > 0 else np.zeros(axes.shape[1])


def _leading(centered: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Compute the largest eigenvalues of X'X with vectors, by the smaller of X'X and XX'."""
    n, d = centered.shape
    if n >= d:
        values, vectors = scipy.linalg.eigh(centered.T @ centered, subset_by_index=[d - count, d - 1])
        return values[::-1], vectors[:, ::-1]
    kept = min(count, n)
    values, left = scipy.linalg.eigh(centered @ centered.T, subset_by_index=[n - kept, n - 1])
    axes = np.zeros((d, count))
    axes[:, :kept] = np.linalg.qr(centered.T @ left[:, ::-1])[0]
    return np.pad(values[::-1], (0, count - kept)), axes
