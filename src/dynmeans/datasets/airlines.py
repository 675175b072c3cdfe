"""Synthetic week of air traffic at the scale of the paper's experiment, with true routes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynmeans.datasets._common import (
    FloatArray,
    IntArray,
    RandomState,
    check_between,
    check_count,
    make_rng,
)

TextArray = NDArray[np.str_]

_EARTH = 6371.0  # km
_DAY = 86400.0
_START = 1363915800.0  # 2013-03-22 01:30 UTC, as in the paper
_SHORTEST = 700.0  # km  minimum distance of a route
_CRUISE = 0.23  # km/s
_WIND = 0.025  # km/s  from the west
_CLIMB = 900.0  # s  duration of acceleration and of deceleration
# Name, latitude, longitude and traffic of the airports.
_AIRPORTS = (
    ("ATL", 33.64, -84.43, 9.5),
    ("ORD", 41.98, -87.90, 6.7),
    ("LAX", 33.94, -118.41, 6.4),
    ("DFW", 32.90, -97.04, 5.9),
    ("DEN", 39.86, -104.67, 5.3),
    ("JFK", 40.64, -73.78, 4.9),
    ("SFO", 37.62, -122.38, 4.4),
    ("CLT", 35.21, -80.94, 4.1),
    ("LAS", 36.08, -115.15, 4.1),
    ("PHX", 33.43, -112.01, 4.0),
    ("IAH", 29.98, -95.34, 4.0),
    ("MIA", 25.79, -80.29, 3.9),
    ("MCO", 28.43, -81.31, 3.5),
    ("SEA", 47.45, -122.31, 3.3),
    ("MSP", 44.88, -93.22, 3.3),
    ("DTW", 42.21, -83.35, 3.2),
    ("PHL", 39.87, -75.24, 3.0),
    ("BOS", 42.36, -71.01, 2.9),
    ("SLC", 40.79, -111.98, 2.0),
    ("DCA", 38.85, -77.04, 1.9),
)


class AirTraffic(NamedTuple):
    """Messages of aircraft, sorted by flight and time, with the true route of each flight."""

    aircraft: TextArray  # (n,)  address of the aircraft
    times: FloatArray  # (n,)  seconds since 1970 UTC
    latitudes: FloatArray  # (n,)  degrees
    longitudes: FloatArray  # (n,)  degrees
    speeds: FloatArray  # (n,)  over ground, m/s
    tracks: FloatArray  # (n,)  degrees from north, clockwise
    flights: IntArray  # (n,)  flight of each message
    routes: IntArray  # (F,)  true route of each flight
    names: tuple[str, ...]  # (R,)  of the routes, such as "ATL-ORD"


def airline_week(
    n_flights: int = 17_895,
    *,
    n_routes: int = 60,
    days: float = 6.4375,
    interval: float = 120.0,
    detour: float = 25.0,
    random_state: RandomState = None,
) -> AirTraffic:
    """Make the messages of a week of flights between 20 major airports of the United States.

    Routes are pairs of airports, the busier ones by the product of their traffic. Each has one or two
    times of the day at which most of its flights leave, so flows sleep and are revived. Each route
    is bent differently every day, as winds change, and each flight deviates slightly from it.

    Parameters
    ----------
    n_flights : int
        Flights in the stream; the default is that of the paper.
    n_routes : int
        Number of routes, at most 288.
    days : float
        Length of the stream; the default is that of the paper.
    interval : float
        Seconds between two messages of an aircraft.
    detour : float
        Standard deviation of a flight around its route at its midpoint, in km; the route of a
        day deviates by the same amount from that of the week.
    random_state : int, numpy.random.Generator or None
        Seed for a reproducible stream.

    Returns
    -------
    AirTraffic

    Examples
    --------
    >>> from dynmeans.datasets import airline_week
    >>> week = airline_week(100, random_state=0)
    >>> len(week.routes), week.names[0]
    (100, 'ATL-ORD')
    """
    check_count("n_flights", n_flights)
    check_count("n_routes", n_routes)
    for name, value, low in (("days", days, 0.01), ("interval", interval, 1), ("detour", detour, 0)):
        check_between(name, value, low, math.inf)
    rng = make_rng(random_state)
    pairs, shares = _busiest(n_routes)
    routes = rng.choice(len(pairs), n_flights, p=shares)
    leaves = _departures(routes, len(pairs), days, rng)
    order = np.argsort(leaves, kind="stable")
    routes, leaves = routes[order], leaves[order]
    bends = _bends(routes, leaves, len(pairs), detour, rng)
    names = tuple(f"{_AIRPORTS[a][0]}-{_AIRPORTS[b][0]}" for a, b in pairs)
    return _fly(routes, leaves, bends, pairs, interval, names)


def _airport_positions() -> FloatArray:
    """Return the airports on the unit sphere, shape (20, 3)."""
    lat, lon = np.radians([[row[1], row[2]] for row in _AIRPORTS]).T
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)


def _busiest(n_routes: int) -> tuple[IntArray, FloatArray]:
    """Return pairs of airports in both directions, busiest first, and their shares of all flights."""
    airports, traffic = _airport_positions(), np.array([row[3] for row in _AIRPORTS])
    far = _EARTH * np.arccos(np.clip(airports @ airports.T, -1.0, 1.0)) > _SHORTEST
    pairs = np.argwhere(far)
    if n_routes > len(pairs):
        raise ValueError(f"n_routes is {n_routes}; it must be at most {len(pairs)}")
    weights = traffic[pairs[:, 0]] * traffic[pairs[:, 1]]
    busiest = np.argsort(-weights, kind="stable")[:n_routes]
    return pairs[busiest], weights[busiest] / weights[busiest].sum()


def _departures(routes: IntArray, n_routes: int, days: float, rng: np.random.Generator) -> FloatArray:
    """Draw times of take-off around the one or two peak hours of each route."""
    banks = rng.uniform(11 * 3600, 27 * 3600, (n_routes, 2))  # UTC; the airports are 5 to 8 hours behind
    hour = banks[routes, rng.integers(2, size=len(routes))] + rng.normal(0.0, 3600.0, len(routes))
    midnight = _START - _START % _DAY
    leaves = midnight + hour % _DAY + _DAY * rng.integers(math.ceil(days), size=len(routes))
    return _START + (leaves - _START) % (days * _DAY)


def _bends(
    routes: IntArray, leaves: FloatArray, n_routes: int, detour: float, rng: np.random.Generator
) -> FloatArray:
    """Draw the deviation of each flight from the great circle at its midpoint, in km to the left."""
    day = ((leaves - leaves.min()) // _DAY).astype(np.int64)
    daily = rng.normal(0.0, detour, (n_routes, int(day.max()) + 1))
    bends: FloatArray = daily[routes, day] + rng.normal(0.0, detour, len(routes))
    return bends


def _fly(
    routes: IntArray,
    leaves: FloatArray,
    bends: FloatArray,
    pairs: IntArray,
    interval: float,
    names: tuple[str, ...],
) -> AirTraffic:
    """Generate messages along the path of every flight."""
    airports = _airport_positions()
    start, end = airports[pairs[routes, 0]], airports[pairs[routes, 1]]
    angle = np.arccos(np.clip(np.sum(start * end, axis=1), -1.0, 1.0))
    eastward = np.sign(end[:, 1] * start[:, 0] - end[:, 0] * start[:, 1])
    speed = _CRUISE + _WIND * eastward
    duration = _EARTH * angle / speed + _CLIMB  # full speed except for climb and descent
    count = (duration // interval).astype(np.int64) + 1
    flights = np.repeat(np.arange(len(routes)), count)
    elapsed = interval * (np.arange(len(flights)) - np.repeat(np.cumsum(count) - count, count))
    done = _covered(elapsed, duration[flights])
    here = _along(start, end, angle, bends, flights, done)
    ahead = _along(start, end, angle, bends, flights, done + 1e-4)
    moved = ahead - here
    lat, lon = np.degrees(here[:, 0]), np.degrees(here[:, 1])
    track = np.degrees(np.arctan2(np.cos(here[:, 0]) * moved[:, 1], moved[:, 0])) % 360.0
    pace = np.minimum(np.minimum(elapsed, duration[flights] - elapsed) / _CLIMB, 1.0)
    addresses = np.array([f"{number:06x}" for number in range(len(routes))])
    return AirTraffic(
        aircraft=addresses[flights],
        times=leaves[flights] + elapsed,
        latitudes=lat,
        longitudes=lon,
        speeds=1000.0 * speed[flights] * np.maximum(pace, 0.2),
        tracks=track,
        flights=flights,
        routes=routes.astype(np.int64),
        names=names,
    )


def _covered(elapsed: FloatArray, duration: FloatArray) -> FloatArray:
    """Compute the covered share of a path with constant acceleration, cruise and deceleration."""
    left = np.clip(duration - elapsed, 0.0, None)
    rising = np.minimum(elapsed, _CLIMB) ** 2 / (2 * _CLIMB) + np.maximum(elapsed - _CLIMB, 0.0)
    falling = np.maximum(_CLIMB - left, 0.0) ** 2 / (2 * _CLIMB)
    share: FloatArray = (rising - falling) / (duration - _CLIMB)
    return np.clip(share, 0.0, 1.0)


def _along(
    start: FloatArray,
    end: FloatArray,
    angle: FloatArray,
    bends: FloatArray,
    flights: IntArray,
    share: FloatArray,
) -> FloatArray:
    """Compute latitude and longitude in radians along a great circle with lateral deviation."""
    a, b = start[flights], end[flights]
    full = angle[flights]
    point = (np.sin((1 - share) * full)[:, None] * a + np.sin(share * full)[:, None] * b) / np.sin(full)[
        :, None
    ]
    left = np.cross(a, b) / np.sin(full)[:, None]
    point = point + (bends[flights] / _EARTH * np.sin(np.pi * share))[:, None] * left
    point /= np.linalg.norm(point, axis=1, keepdims=True)
    return np.stack([np.arcsin(point[:, 2]), np.arctan2(point[:, 1], point[:, 0])], axis=1)
