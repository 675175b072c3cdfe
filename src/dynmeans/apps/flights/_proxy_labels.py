"""Proxy labels for unlabeled flights: the sectors of their first and last positions.

The proxy uses two messages of a flight and not the path between them. The algorithms do not use it. Its
confidence is low near the border of two sectors.
"""

from __future__ import annotations

import numpy as np

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.apps.flights.trajectories import Area, Trajectories

_SECTORS = 8  # around the middle of the area, of 45 degrees each


def sector_labels(flights: Trajectories, area: Area) -> tuple[IntArray, FloatArray]:
    """Label every flight by the sectors of its first and last position around the middle of an area.

    Parameters
    ----------
    flights : Trajectories
        F flights.
    area : Area

    Returns
    -------
    labels : ndarray of shape (F,)
        8 times the sector of the first position plus that of the last.
    confidence : ndarray of shape (F,)
        From 0, if a position lies on the border of two sectors, to 1, if both lie in the middle.
    """
    begin, sure = _sector(flights, flights.first, area)
    end, sure_end = _sector(flights, flights.last, area)
    return _SECTORS * begin + end, np.minimum(sure, sure_end)


def _sector(flights: Trajectories, rows: IntArray, area: Area) -> tuple[IntArray, FloatArray]:
    """Return the sector of messages, and their distance from its borders as a share of its half width."""
    east = (flights.messages.longitudes[rows] - (area.west + area.east) / 2) / (area.east - area.west)
    north = (flights.messages.latitudes[rows] - (area.south + area.north) / 2) / (area.north - area.south)
    turn = np.arctan2(north, east) / (2 * np.pi) * _SECTORS
    nearest = np.rint(turn)
    return nearest.astype(np.int64) % _SECTORS, 1.0 - 2.0 * np.abs(turn - nearest)
