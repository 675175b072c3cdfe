"""What is not a person: the empty scene, or the ground."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np

from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans.apps.points.voxels import cells_of, keys_of

_CELL = 1.0  # metres: the lowest point of each such square may be ground
_DRAWS = 100  # planes that are tried
_STEEPEST = 0.8  # cosine of the largest slope of a ground
_THICK = 0.1  # metres around a plane that agree with it


class Background(Protocol):
    """Tells points of interest from the rest."""

    def keeps(self, points: FloatArray) -> BoolArray:
        """Which points (n, 3) are of interest."""


class Nothing:
    """No background: every point is of interest."""

    def keeps(self, points: FloatArray) -> BoolArray:
        """Keep all."""
        return np.ones(len(points), dtype=np.bool_)


class EmptyScene:
    """Places that are occupied when nobody is there.

    Parameters
    ----------
    frames : iterable of float arrays of shape (n, 3)
        The empty scene, seen at least once; more frames cover more of it.
    size : float
        Edge of the cells in which it is remembered. A point in a cell that was occupied, or next to one, is
        background.
    """

    def __init__(self, frames: Iterable[FloatArray], size: float = 0.1) -> None:
        self.size = size
        steps = np.stack(np.meshgrid(*[[-1, 0, 1]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        measured = (points[np.isfinite(points).all(axis=1)] for points in frames)
        found = [np.unique(keys_of(cells_of(points, size))) for points in measured]
        if not found:
            raise ValueError("no frames, the empty scene must be seen at least once")
        offsets = keys_of(steps) - keys_of(np.zeros((1, 3), dtype=np.int64))
        occupied: IntArray = np.unique(np.concatenate(found))
        beyond = np.iinfo(np.int64).max  # so that a search always ends at some key
        self._taken: IntArray = np.append(np.unique(occupied[:, None] + offsets), beyond)

    def keeps(self, points: FloatArray) -> BoolArray:
        """Keep what lies in cells that were empty, and not next to others."""
        keys = keys_of(cells_of(points, self.size))
        kept: BoolArray = self._taken[np.searchsorted(self._taken, keys)] != keys
        return kept


class Plane(NamedTuple):
    """All points with normal . x = offset."""

    normal: FloatArray  # (3,) of length 1, upwards
    offset: float


class Ground:
    """The plane that the scene stands on, found anew in each frame.

    Parameters
    ----------
    clearance : float
        Points less than so many metres above the plane are ground.
    height : float
        Points more than so many metres above it are ceiling.
    """

    def __init__(self, clearance: float = 0.15, height: float = 2.3) -> None:
        self.clearance, self.height = clearance, height

    def keeps(self, points: FloatArray) -> BoolArray:
        """Keep what stands on the ground."""
        if len(points) < 3:
            return np.ones(len(points), dtype=np.bool_)
        plane = fit_ground(points)
        above = points @ plane.normal - plane.offset
        kept: BoolArray = (above > self.clearance) & (above < self.height)
        return kept


def fit_ground(points: FloatArray) -> Plane:
    """The plane on which most of the lowest points lie.

    Planes through three of the lowest points of each square metre are tried; the one that has most of
    them within 0.1 m, and none but a few below it, is fitted to those.

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
    level = np.array([[0.0, 0.0, 1.0]])  # the fallback, at the height of the lowest point
    normals = np.concatenate([level, normals[flat] / lengths[flat, None]])
    offsets = np.append(low[:, 2].min(), np.einsum("kd,kd->k", normals[1:], drawn[flat, 0]))
    gaps = low @ normals.T - offsets
    votes = (np.abs(gaps) < _THICK).sum(axis=0) - (gaps < -_THICK).sum(axis=0)
    best = int(np.argmax(votes))
    return _refined(low[np.abs(gaps[:, best]) < _THICK], Plane(normals[best], float(offsets[best])))


def _lowest(points: FloatArray) -> FloatArray:
    """The lowest point of each square of the ground."""
    keys = keys_of(cells_of(points[:, :2], _CELL))
    order = np.lexsort((points[:, 2], keys))
    first = np.flatnonzero(np.diff(keys[order], prepend=keys[order[0]] - 1))
    lowest: FloatArray = points[order[first]]
    return lowest


def _refined(points: FloatArray, plane: Plane) -> Plane:
    """Least squares of height over the points that agree, if they determine a plane."""
    if len(points) < 4:
        return plane
    middle = points.mean(axis=0)
    values, axes = np.linalg.eigh(np.cov((points - middle).T))
    if values[1] < 1e-6 or abs(axes[2, 0]) < _STEEPEST:
        return plane
    normal = axes[:, 0] * np.sign(axes[2, 0])
    return Plane(normal, float(normal @ middle))
