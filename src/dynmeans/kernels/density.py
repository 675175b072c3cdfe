"""Where old clusters are, seen from the batch: densities around kept points, and points that fit in.

Everything is estimated from the distances between near rows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from dynmeans._model.types import BoolArray, FloatArray
from dynmeans.kernels.base import KernelInput

OUTLIERS = 0.03  # share of the rows that may belong to no old cluster
_THINNEST = 1e-300  # of the background, so that far from everything nothing is divided by 0


class Density(NamedTuple):
    """A Gaussian around every kept point, and a uniform share for rows that belong to none of them."""

    bandwidth: float  # h > 0
    background: float  # b > 0  what the uniform share adds, in units of the height of a Gaussian
    shares: FloatArray  # s (M,)  of the kept points, adding up to 1 in each cluster


def density_of(scene: KernelInput, bandwidth: float | None = None) -> Density:
    """Estimate how wide the Gaussians are, unless it is given, and how thin the background is."""
    h = _bandwidth(scene) if bandwidth is None else bandwidth
    return Density(h, _background(scene.rows, h), _shares(scene))


def _bandwidth(scene: KernelInput) -> float:
    """Typical distance, in each coordinate, from a row to its neighbour of rank sqrt(n) / 3.

    Of 400 points on a noisy curve this is about the noise. Where most rows coincide, and the median says
    nothing, the mean or the spread of all points takes its place; 1 is left for a single place.
    """
    n, d = scene.rows.shape
    distance = cKDTree(scene.rows).query(scene.rows, [min(near_rank(n) + 1, n)])[0]
    spread = np.concatenate([scene.rows, scene.kept]).std(axis=0)
    widths = (float(np.median(distance)), float(distance.mean()), float(np.linalg.norm(spread)), math.sqrt(d))
    return next(width for width in widths if width > 0) / math.sqrt(d)


def in_place(scene: KernelInput) -> BoolArray:
    """Which kept points (M,) belong to clusters that lie where rows are as dense as they are for each other.

    The distance of a kept point to its neighbour of rank sqrt(n) / 3 among the rows is compared with that of
    the row next to it. The mean ratio over a cluster is a little below 1 if the cluster has not moved, or was
    shifted well, and rises above 1 as soon as it is off by more than the noise.
    """
    n = len(scene.rows)
    if n <= near_rank(n):
        return np.zeros(len(scene.kept), dtype=np.bool_)
    tree = cKDTree(scene.rows)
    among_rows = tree.query(scene.rows, [near_rank(n) + 1])[0][:, 0]
    distance, near = tree.query(scene.kept, [1, near_rank(n)])
    usual = among_rows[near[:, 0]]
    far = np.where(distance[:, 1] > 0, np.inf, 1.0)
    ratio = np.divide(distance[:, 1], usual, out=far, where=usual > 0)
    total = np.bincount(scene.owner, weights=ratio, minlength=scene.n_old)
    fits: BoolArray = total <= np.bincount(scene.owner, minlength=scene.n_old)
    return fits[scene.owner]


def near_rank(n: int) -> int:
    """Rank of the neighbour whose distance says how dense n rows are: sqrt(n) / 3."""
    return max(1, round(math.sqrt(n) / 3))


def _background(rows: FloatArray, h: float) -> float:
    """Uniform over a cube with the variance of the batch, against Gaussians of height 1."""
    side = math.sqrt(12.0 * float(rows.var(axis=0).mean()))
    ratio = min(1.0, math.sqrt(2.0 * math.pi) * h / side) if side > 0 else 1.0
    return max(OUTLIERS / (1.0 - OUTLIERS) * math.pow(ratio, rows.shape[1]), _THINNEST)


def _shares(scene: KernelInput) -> FloatArray:
    """Coefficients as shares of their cluster; negative ones, which some kernels bring, count nothing."""
    positive = np.maximum(scene.coefficients, 0.0)
    total = np.bincount(scene.owner, weights=positive, minlength=scene.n_old)[scene.owner]
    return np.divide(positive, total, out=np.zeros_like(positive), where=total > 0)
