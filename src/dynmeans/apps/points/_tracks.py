"""Tracks: position and size of each person in each frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._model.types import FloatArray, IntArray

TRACKS_COLUMNS = ("id", "time", "x", "y", "z", "dx", "dy", "dz", "points")


class Tracks(NamedTuple):
    """People of one frame, one row each, sorted by id."""

    ids: IntArray  # (K,)
    centers: FloatArray  # (K, 3)  center of the bounding box
    extents: FloatArray  # (K, 3)  edge lengths of the bounding box
    counts: IntArray  # (K,)


def bounding_boxes(points: FloatArray, labels: IntArray) -> Tracks:
    """Compute the bounding box of the points (n, 3) of every id; negative labels are ignored.

    Examples
    --------
    >>> bounding_boxes(np.array([[0.0, 0.0, 1.0], [2.0, 0.0, 2.0]]), np.array([7, 7])).centers
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
    """Format the lines of tracks.csv: exact time, lengths to a millimeter."""
    lines = [
        f"{k},{float(time)!r},{','.join(f'{v:.3f}' for v in (*center, *extent))},{count}\n"
        for k, center, extent, count in zip(*tracks, strict=True)
    ]
    return "".join(lines).encode()
