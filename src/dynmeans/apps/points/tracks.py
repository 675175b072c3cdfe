"""Tracks: where each person is in each frame, and how large."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._model.types import FloatArray, IntArray

TRACKS_COLUMNS = ("id", "time", "x", "y", "z", "dx", "dy", "dz", "points")


class Tracks(NamedTuple):
    """The people of one frame, one row each, sorted by id."""

    ids: IntArray  # (K,)
    centers: FloatArray  # (K, 3)  middle of the box around its points
    extents: FloatArray  # (K, 3)  edges of that box
    counts: IntArray  # (K,)


def trace(points: FloatArray, labels: IntArray) -> Tracks:
    """Boxes around the points (n, 3) of every id; points with a negative label are in none.

    Examples
    --------
    >>> trace(np.array([[0.0, 0.0, 1.0], [2.0, 0.0, 2.0]]), np.array([7, 7])).centers
    array([[1. , 0. , 1.5]])
    """
    order = np.argsort(labels, kind="stable")
    order = order[labels[order] >= 0]
    ids, begin, counts = np.unique(labels[order], return_index=True, return_counts=True)
    if not len(ids):
        return Tracks(ids, np.empty((0, 3)), np.empty((0, 3)), counts)
    low = np.minimum.reduceat(points[order], begin, axis=0)
    high = np.maximum.reduceat(points[order], begin, axis=0)
    return Tracks(ids, 0.5 * (low + high), high - low, counts)


def track_lines(time: float, tracks: Tracks) -> bytes:
    """One line of tracks.csv for each person: the time as it is, lengths in millimetres' precision."""
    lines = [
        f"{k},{float(time)!r},{','.join(f'{v:.3f}' for v in (*center, *extent))},{count}\n"
        for k, center, extent, count in zip(*tracks, strict=True)
    ]
    return "".join(lines).encode()
