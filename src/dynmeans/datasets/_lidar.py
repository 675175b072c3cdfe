"""Simulated LiDAR: first intersections of rays with bodies made of capsules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans.datasets._common import FloatArray, IntArray
from dynmeans.datasets._walkers import PILLAR_RADIUS, PILLARS, ROOM

SENSOR = np.array([0.5 * ROOM[0], 0.0, 1.6])
AZIMUTHS = np.radians(np.arange(8.0, 172.0, 0.4))
ELEVATIONS = np.radians(np.arange(-36.0, 10.0, 1.1))
HEIGHT = 1.75  # meters, of a body of scale 1


class Bodies(NamedTuple):
    """The people in one frame, one row each."""

    position: FloatArray  # (P, 2)
    heading: FloatArray  # (P,)
    phase: FloatArray  # (P,)
    swing: FloatArray  # (P,)  maximum angle of the legs, in radians
    scale: FloatArray  # (P,)  of a body of 1.75 m


class Rays(NamedTuple):
    """Directions of all rays and their ranges in the empty room; rays of a column are adjacent."""

    directions: FloatArray  # (R, 3)
    background: FloatArray  # (R,)


def make_rays() -> Rays:
    """Cast rays against floor, walls, ceiling and pillars."""
    azimuth, elevation = (part.ravel() for part in np.meshgrid(AZIMUTHS, ELEVATIONS, indexing="ij"))
    flat = np.cos(elevation)
    directions = np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)], axis=1)
    ranges, _ = _nearest(directions, _to_walls(directions), _pillars())
    return Rays(directions, ranges)


def cast(rays: Rays, bodies: Bodies) -> tuple[FloatArray, IntArray]:
    """Return the range of every ray, (R,), and the row of the body that it hits, or -1."""
    return _nearest(rays.directions, rays.background, _capsules(bodies))


class _Capsules(NamedTuple):
    """Capsules: all points within a radius of a segment."""

    starts: FloatArray  # (C, 3)
    ends: FloatArray  # (C, 3)
    radii: FloatArray  # (C,)
    owners: IntArray  # (C,)


def _to_walls(directions: FloatArray) -> FloatArray:
    """Compute the distance to floor, ceiling (3 m) and walls."""
    high = np.array([*ROOM, 3.0])
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.where(directions > 0, high - SENSOR, -SENSOR) / directions
    far[np.abs(directions) < 1e-12] = np.inf
    distance: FloatArray = far.min(axis=1)
    return distance


def _pillars() -> _Capsules:
    low, high = (np.column_stack([PILLARS, np.full(len(PILLARS), up)]) for up in (-1.0, 4.0))
    return _Capsules(low, high, np.full(len(PILLARS), PILLAR_RADIUS), np.arange(len(PILLARS)))


def _capsules(bodies: Bodies) -> _Capsules:
    """Build trunk, head, arms and legs of all bodies.

    A trunk is two upright capsules side by side, broader than deep. Legs and arms are straight and swing from
    hip and shoulder, an arm against the leg of its side.
    """
    swing, one = bodies.swing * np.sin(bodies.phase), np.ones(len(bodies.position))
    head = (0.0, 0.0, 1.6, 0.0, 0.0, 1.65, 0.105)  # forward, left and up of both ends, then the radius
    parts: list[tuple[float | FloatArray, ...]] = [head]
    for side in (-1.0, 1.0):
        leg, arm = side * swing, -0.8 * side * swing
        foot, hand = (0.8 * np.sin(leg), 0.8 * np.cos(leg)), (0.58 * np.sin(arm), 0.58 * np.cos(arm))
        parts.append((0.0, 0.09 * side, 0.98, 0.0, 0.09 * side, 1.36, 0.13))
        parts.append((0.0, 0.1 * side, 0.88, foot[0], 0.1 * side, 0.88 - foot[1], 0.075))
        parts.append((0.0, 0.24 * side, 1.4, hand[0], 0.27 * side, 1.4 - hand[1], 0.05))
    table = np.array([[value * one for value in part] for part in parts]) * bodies.scale  # (parts, 7, P)
    starts, ends = (_in_room(table[:, i : i + 3], bodies) for i in (0, 3))
    owners = np.tile(np.arange(len(one)), len(parts))
    return _Capsules(starts, ends, table[:, 6].ravel(), owners)


def _in_room(local: FloatArray, bodies: Bodies) -> FloatArray:
    """Convert forward, left and up (parts, 3, P) to positions in the room (parts * P, 3)."""
    cos, sin = np.cos(bodies.heading), np.sin(bodies.heading)
    ahead, left, up = local[:, 0], local[:, 1], local[:, 2]
    x = bodies.position[:, 0] + cos * ahead - sin * left
    y = bodies.position[:, 1] + sin * ahead + cos * left
    return np.stack([x, y, up], axis=2).reshape(-1, 3)


def _nearest(directions: FloatArray, ranges: FloatArray, shapes: _Capsules) -> tuple[FloatArray, IntArray]:
    """Shorten ranges at shapes; also return the owner of the shape, or -1."""
    ray, shape = _pairs(shapes)
    near = _intersect(directions[ray], *(part[shape] for part in shapes[:3]))
    hit = np.flatnonzero(near < ranges[ray])
    hit = hit[np.argsort(-near[hit], kind="stable")]  # the nearest is written last
    ranges, owner = ranges.copy(), np.full(len(ranges), -1)
    ranges[ray[hit]], owner[ray[hit]] = near[hit], shapes.owners[shape[hit]]
    return ranges, owner


def _pairs(shapes: _Capsules) -> tuple[IntArray, IntArray]:
    """Return pairs of a ray and a shape that may intersect: all rays in the window of the shape."""
    first, last = _window(shapes)
    size = np.maximum(last - first, 0)  # (C, 2)
    count = size.prod(axis=1)
    shape = np.repeat(np.arange(len(count)), count)
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    column, row = np.divmod(within, size[shape, 1])
    return (first[shape, 0] + column) * len(ELEVATIONS) + first[shape, 1] + row, shape


def _window(shapes: _Capsules) -> tuple[IntArray, IntArray]:
    """Return the first column and row of rays around each shape (C, 2), and the end of both."""
    ends = np.stack([shapes.starts, shapes.ends]) - SENSOR
    flat = np.hypot(ends[:, :, 0], ends[:, :, 1])
    middle = np.stack([np.arctan2(ends[:, :, 1], ends[:, :, 0]), np.arctan2(ends[:, :, 2], flat)], axis=2)
    spread = np.arcsin(np.minimum(1.0, shapes.radii / flat.min(axis=0)))[:, None]
    low, high = middle.min(axis=0) - spread, middle.max(axis=0) + spread
    grids = (AZIMUTHS, ELEVATIONS)
    first = np.stack([np.searchsorted(grid, low[:, i]) for i, grid in enumerate(grids)], axis=1)
    last = np.stack([np.searchsorted(grid, high[:, i]) for i, grid in enumerate(grids)], axis=1)
    return first, last


def _intersect(directions: FloatArray, starts: FloatArray, ends: FloatArray, radii: FloatArray) -> FloatArray:
    """Compute the range at which each ray (N, 3) hits its capsule; infinity if it does not.

    Solves one quadratic for the side, and one for the sphere at the nearer end.
    """
    axis, start, end = ends - starts, SENSOR - starts, SENSOR - ends
    length, along = _dot(axis, axis), _dot(axis, directions)
    offset, toward = _dot(axis, start), _dot(start, directions)
    excess = _dot(start, start) - radii * radii
    a, b, c = length - along * along, length * toward - offset * along, length * excess - offset * offset
    inside = b * b - a * c
    side = (-b - np.sqrt(np.maximum(inside, 0.0))) / np.maximum(a, 1e-12)
    where = offset + side * along
    on_side, below = (where > 0.0) & (where < length), where <= 0.0
    ball = np.where(below, toward, _dot(end, directions))
    rest = ball * ball - np.where(below, excess, _dot(end, end) - radii * radii)
    cap = -ball - np.sqrt(np.maximum(rest, 0.0))
    hit = (inside >= 0.0) & (on_side | (rest >= 0.0))
    return np.where(hit, np.where(on_side, side, cap), np.inf)


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    product: FloatArray = np.einsum("nd,nd->n", a, b)
    return product
