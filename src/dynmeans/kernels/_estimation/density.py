"""Densities of old clusters around their support points, and a test whether clusters have moved.

All parameters are estimated from the distances between neighboring rows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from dynmeans._model.types import BoolArray, FloatArray
from dynmeans.kernels._geometry.distances import WIDE, distances
from dynmeans.kernels.base import KernelInput

MAX_DENSE = 4000  # number of wide rows of which all distances are computed; a tree is slower for them
OUTLIERS = 0.03  # expected share of rows that belong to no old cluster
_SMALLEST_BACKGROUND = 1e-300  # prevents division by 0 far from all points


class Density(NamedTuple):
    """A Gaussian around every support point, and a uniform background for other rows."""

    bandwidth: float  # h > 0
    background: float  # b > 0  density of the background, in units of the height of a Gaussian
    shares: FloatArray  # s (M,)  of the support points; the sum is 1 in each cluster


def density_of(inputs: KernelInput, bandwidth: float | None = None) -> Density:
    """Estimate the bandwidth, unless it is given, and the density of the background."""
    h = _bandwidth(inputs) if bandwidth is None else bandwidth
    return Density(h, _background(inputs.rows, h), _shares(inputs))


def _bandwidth(inputs: KernelInput) -> float:
    """Return the typical distance, per coordinate, from a row to its neighbor of rank sqrt(n) / 3.

    For 400 points on a noisy curve this is about the noise. If the median is 0 because most rows coincide,
    the mean or the standard deviation of all points is used instead; 1 if all points are equal.
    """
    n, d = inputs.rows.shape
    distance = _near_distances(inputs.rows, min(near_rank(n) + 1, n))
    deviation = np.concatenate([inputs.rows, inputs.kept]).std(axis=0)
    widths = (
        float(np.median(distance)),
        float(distance.mean()),
        float(np.linalg.norm(deviation)),
        math.sqrt(d),
    )
    return next(width for width in widths if width > 0) / math.sqrt(d)


def _near_distances(rows: FloatArray, rank: int) -> FloatArray:
    """Return the distance of each row to the row of this rank, itself first."""
    if rows.shape[1] <= WIDE or len(rows) > MAX_DENSE:
        return np.asarray(cKDTree(rows).query(rows, [rank])[0])
    return np.asarray(np.partition(distances(rows, rows), rank - 1, axis=1)[:, rank - 1])


def is_stationary(inputs: KernelInput) -> BoolArray:
    """Return for each support point (M,) whether its cluster lies where the rows are dense.

    The distance of a support point to its neighbor of rank sqrt(n) / 3 among the rows is compared with that
    of the nearest row. The mean ratio over a cluster is slightly below 1 if the cluster has not moved, or was
    aligned well, and above 1 if it is displaced by more than the noise.
    """
    n = len(inputs.rows)
    if n <= near_rank(n):
        return np.zeros(len(inputs.kept), dtype=np.bool_)
    tree = cKDTree(inputs.rows)
    among_rows = tree.query(inputs.rows, [near_rank(n) + 1])[0][:, 0]
    distance, near = tree.query(inputs.kept, [1, near_rank(n)])
    expected = among_rows[near[:, 0]]
    far = np.where(distance[:, 1] > 0, np.inf, 1.0)
    ratio = np.divide(distance[:, 1], expected, out=far, where=expected > 0)
    total = np.bincount(inputs.owner, weights=ratio, minlength=inputs.n_old)
    fits: BoolArray = total <= np.bincount(inputs.owner, minlength=inputs.n_old)
    return fits[inputs.owner]


def near_rank(n: int) -> int:
    """Return the rank of the neighbor whose distance measures the density of n rows: sqrt(n) / 3."""
    return max(1, round(math.sqrt(n) / 3))


def _background(rows: FloatArray, h: float) -> float:
    """Return the density of a uniform cube with the variance of the batch, for Gaussians of height 1."""
    side = math.sqrt(12.0 * float(rows.var(axis=0).mean()))
    ratio = min(1.0, math.sqrt(2.0 * math.pi) * h / side) if side > 0 else 1.0
    return max(OUTLIERS / (1.0 - OUTLIERS) * math.pow(ratio, rows.shape[1]), _SMALLEST_BACKGROUND)


def _shares(inputs: KernelInput) -> FloatArray:
    """Return the coefficients as shares of their cluster; negative ones count as 0."""
    positive = np.maximum(inputs.coefficients, 0.0)
    total = np.bincount(inputs.owner, weights=positive, minlength=inputs.n_old)[inputs.owner]
    return np.divide(positive, total, out=np.zeros_like(positive), where=total > 0)
