"""Labels for flights that nobody has labelled: the sector where a flight begins and the one where it ends.

A proxy: it looks at two messages of a flight and not at the way between them, and the algorithms do not see
it. Near the border of two sectors it is unsure, which its weights say.
"""

from __future__ import annotations

import numpy as np

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.apps.flights.trajectories import Area, Trajectories

_SECTORS = 8


def gates(flights: Trajectories, area: Area) -> tuple[IntArray, FloatArray]:
    """Label every flight by the sectors of its first and last position around the middle of an area.

    Parameters
    ----------
    flights : Trajectories
        Of F flights.
    area : Area

    Returns
    -------
    labels : ndarray of shape (F,)
        8 times the sector of the first position plus that of the last.
    confidence : ndarray of shape (F,)
        From 0, where a position lies on the border of two sectors, to 1, where both lie in the middle.
    """
    begin, sure = _sector(flights, flights.first, area)
    end, sure_end = _sector(flights, flights.last, area)
    return _SECTORS * begin + end, np.minimum(sure, sure_end)


def _sector(flights: Trajectories, rows: IntArray, area: Area) -> tuple[IntArray, FloatArray]:
    """Sector of some messages, and how far from its borders they are, as a share of its half width."""
    east = (flights.messages.longitudes[rows] - (area.west + area.east) / 2) / (area.east - area.west)
    north = (flights.messages.latitudes[rows] - (area.south + area.north) / 2) / (area.north - area.south)
    turn = np.arctan2(north, east) / (2 * np.pi) * _SECTORS
    nearest = np.rint(turn)
    return nearest.astype(np.int64) % _SECTORS, 1.0 - 2.0 * np.abs(turn - nearest)
