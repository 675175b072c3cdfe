"""Rows of batches around one position: a sample of large batches in which each row is an object.

The objects of a random sample of a large batch are hardly seen in the sample of the next batch. Those around
one position are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._algorithms.estimation.candidates import neighbor_distances
from dynmeans._model.types import FloatArray

MAX_OBJECTS = 4096  # rows of a batch that may be single objects; the rows of larger ones may be elsewhere
FIRST_ROWS = 50  # rows in the window of the batch in which it is placed
MAX_WINDOW_ROWS = 2 * FIRST_ROWS  # in later batches, which may have more rows there
CLEARLY_NEARER = 0.5  # ratio of two squared distances that do not differ by chance


class Window(NamedTuple):
    """The rows of each batch within a radius around a position."""

    center: FloatArray  # (d,)
    radius: float
    rows: tuple[FloatArray, ...] = ()  # (m, d) of each batch, m may be 0
    weights: tuple[FloatArray | None, ...] = ()  # (m,) of each batch; None for ones


def place_window(rows: FloatArray) -> Window:
    """Return an empty window around the row nearest to the median of a batch of more than FIRST_ROWS rows."""
    center = rows[np.argmin(_distances(rows, np.median(rows, axis=0)))]
    radius = float(np.partition(_distances(rows, center), FIRST_ROWS)[FIRST_ROWS])
    return Window(center, radius)


def add_to_window(window: Window, rows: Rows, weights: FloatArray | None) -> Window:
    """Add the rows of a batch; if there are too many, those nearest to the center."""
    away = _distances(rows, window.center)
    inside = np.flatnonzero(away <= window.radius)
    if len(inside) > MAX_WINDOW_ROWS:
        inside = np.sort(inside[np.argsort(away[inside], kind="stable")[:MAX_WINDOW_ROWS]])
    found: FloatArray = np.ascontiguousarray(rows[inside], dtype=np.float64)
    weight = None if weights is None else weights[inside]
    return window._replace(rows=(*window.rows, found), weights=(*window.weights, weight))


def are_single_objects(window: Window) -> bool:
    """Return whether each row is an object.

    A row that is an object is nearer to a row of the next batch than to other rows of its batch. The rows of
    a cloud are as near to both.
    """
    within, between = neighbor_distances(window.rows)
    return bool(between < CLEARLY_NEARER * within)


def _distances(rows: Rows, center: FloatArray) -> FloatArray:
    found: FloatArray = np.linalg.norm(rows - center, axis=1).astype(np.float64, copy=False)
    return found
