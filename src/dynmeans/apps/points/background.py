"""Background removal: an empty scene, or the ground plane."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np

from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans.apps.points._voxels import cells_of, keys_of

_CELL = 1.0  # meters: edge of the squares whose lowest points are ground candidates
_DRAWS = 100  # number of candidate planes
_STEEPEST = 0.8  # cosine of the maximum slope of the ground
_THICK = 0.1  # meters: inlier distance of a plane


class Background(Protocol):
    """Foreground detector."""

    def is_foreground(self, points: FloatArray) -> BoolArray:
        """Return a mask of the foreground points (n, 3)."""


class NoBackground:
    """No background: every point is foreground."""

    def is_foreground(self, points: FloatArray) -> BoolArray:
        """Return True for all points."""
        return np.ones(len(points), dtype=np.bool_)


class EmptyScene:
    """Background given by recordings of the empty scene.

    Parameters
    ----------
    frames : iterable of float arrays of shape (n, 3)
        At least one frame of the empty scene; more frames cover more of it.
    size : float
        Edge of the occupancy cells in meters. A point in an occupied cell, or next to one, is background.
    """

    def __init__(self, frames: Iterable[FloatArray], size: float = 0.1) -> None:
        self.size = size
        steps = np.stack(np.meshgrid(*[[-1, 0, 1]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        measured = (points[np.isfinite(points).all(axis=1)] for points in frames)
        found = [np.unique(keys_of(cells_of(points, size))) for points in measured]
        if not found:
            raise ValueError("no frames of the empty scene; at least one is needed")
        offsets = keys_of(steps) - keys_of(np.zeros((1, 3), dtype=np.int64))
        occupied: IntArray = np.unique(np.concatenate(found))
        beyond = np.iinfo(np.int64).max  # sentinel, so that a search always ends at a key
        self._taken: IntArray = np.append(np.unique(occupied[:, None] + offsets), beyond)

    def is_foreground(self, points: FloatArray) -> BoolArray:
        """Return True for points in cells that were empty and have no occupied neighbor."""
        keys = keys_of(cells_of(points, self.size))
        kept: BoolArray = self._taken[np.searchsorted(self._taken, keys)] != keys
        return kept


class Plane(NamedTuple):
    """The plane normal . x = offset."""

    normal: FloatArray  # (3,) of length 1, upwards
    offset: float


class Ground:
    """Ground plane, fitted to each frame.

    Parameters
    ----------
    clearance : float
        Points below this height above the plane are ground, in meters.
    height : float
        Points above this height are ceiling, in meters.
    """

    def __init__(self, clearance: float = 0.15, height: float = 2.3) -> None:
        self.clearance, self.height = clearance, height

    def is_foreground(self, points: FloatArray) -> BoolArray:
        """Return True for points between ground and ceiling."""
        if len(points) < 3:
            return np.ones(len(points), dtype=np.bool_)
        plane = fit_ground(points)
        above = points @ plane.normal - plane.offset
        kept: BoolArray = (above > self.clearance) & (above < self.height)
        return kept


def fit_ground(points: FloatArray) -> Plane:
    """Fit the ground plane to the lowest points by RANSAC.

    Candidate planes pass through three of the lowest points per square meter. The plane with most inliers
    within 0.1 m, minus the points below it, is refined by least squares.

    Examples
    --------
    >>> floor = np.array([[x, y, 0.5] for x in range(5) for y in range(5)], dtype=float)
    >>> fit_ground(floor).offset
    0.5
    """
    low = _lowest(points)
    rng = np.random.default_rng(0)
    drawn = low[rng.integers(len(low), size=(_DRAWS, 3))]
    normals = np.cross(drawn[:, 1] - drawn[:, 0], drawn[:, 2] - drawn[:, 0])
    normals *= np.where(normals[:, 2:] < 0, -1.0, 1.0)
    lengths = np.linalg.norm(normals, axis=1)
    flat = normals[:, 2] > _STEEPEST * np.maximum(lengths, 1e-9)
    level = np.array([[0.0, 0.0, 1.0]])  # fallback: horizontal, at the lowest point
    normals = np.concatenate([level, normals[flat] / lengths[flat, None]])
    offsets = np.append(low[:, 2].min(), np.einsum("kd,kd->k", normals[1:], drawn[flat, 0]))
    distances = low @ normals.T - offsets
    votes = (np.abs(distances) < _THICK).sum(axis=0) - (distances < -_THICK).sum(axis=0)
    best = int(np.argmax(votes))
    return _refined(low[np.abs(distances[:, best]) < _THICK], Plane(normals[best], float(offsets[best])))


def _lowest(points: FloatArray) -> FloatArray:
    """Return the lowest point of each square of the ground."""
    keys = keys_of(cells_of(points[:, :2], _CELL))
    order = np.lexsort((points[:, 2], keys))
    first = np.flatnonzero(np.diff(keys[order], prepend=keys[order[0]] - 1))
    lowest: FloatArray = points[order[first]]
    return lowest


def _refined(points: FloatArray, plane: Plane) -> Plane:
    """Refine a plane by least squares over its inliers, if they determine one."""
    if len(points) < 4:
        return plane
    middle = points.mean(axis=0)
    values, axes = np.linalg.eigh(np.cov((points - middle).T))
    if values[1] < 1e-6 or abs(axes[2, 0]) < _STEEPEST:
        return plane
    normal = axes[:, 0] * np.sign(axes[2, 0])
    return Plane(normal, float(normal @ middle))
