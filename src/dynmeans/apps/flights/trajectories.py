"""Build trajectories from messages, and drop implausible ones, with a count per reason."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans.apps.flights.messages import Messages

_EARTH = 6371.0  # km


class Area(NamedTuple):
    """A box of latitudes and longitudes in degrees; across the antimeridian, east exceeds 180."""

    south: float
    north: float
    west: float
    east: float


class Limits(NamedTuple):
    """Limits of plausible trajectories."""

    gap: float = 600.0  # s    a longer gap ends a trajectory
    speed: float = 400.0  # m/s  a higher speed between two messages is an error
    jitter: float = 5.0  # km   tolerated position error
    messages: int = 5  #      minimum number of messages
    distance: float = 20.0  # km   shortest distance between its most distant messages, roughly
    area: Area | None = None  #      messages outside are dropped


class Trajectories(NamedTuple):
    """Flights as messages sorted by flight and time, with their bounds."""

    messages: Messages
    bounds: IntArray  # (F + 1,)  flight f has the messages from bounds[f] to bounds[f + 1]

    @property
    def n_flights(self) -> int:
        """Number of flights."""
        return len(self.bounds) - 1

    @property
    def first(self) -> IntArray:
        """Index of the first message of each flight."""
        return self.bounds[:-1]

    @property
    def last(self) -> IntArray:
        """Index of the last message of each flight."""
        return self.bounds[1:] - 1

    @property
    def owner(self) -> IntArray:
        """Flight of each message."""
        return np.repeat(np.arange(self.n_flights), np.diff(self.bounds))


def build_trajectories(messages: Messages, limits: Limits) -> tuple[Trajectories, dict[str, int]]:
    """Build trajectories from messages by aircraft and time.

    Parameters
    ----------
    messages : Messages
        In any order.
    limits : Limits

    Returns
    -------
    trajectories : Trajectories
        Sorted by the time of their first message.
    dropped : dict
        Number of dropped messages or trajectories per reason.
    """
    dropped: dict[str, int] = {}
    messages = _clean(messages, limits, dropped)
    messages = _drop_spikes(messages, limits, dropped)
    flights = _unwrap(_split(messages, limits), limits.area)
    return _fill_velocities(_filter(flights, limits, dropped), limits, dropped), dropped


def great_circle_distances(latitudes: FloatArray, longitudes: FloatArray) -> FloatArray:
    """Compute great-circle distances between consecutive positions in km, shape (n - 1,)."""
    lat, lon = np.radians(latitudes), np.radians(longitudes)
    half = np.sin(np.diff(lat) / 2) ** 2 + np.cos(lat[1:]) * np.cos(lat[:-1]) * np.sin(np.diff(lon) / 2) ** 2
    distance: FloatArray = 2 * _EARTH * np.arcsin(np.sqrt(np.clip(half, 0.0, 1.0)))
    return distance


def _clean(messages: Messages, limits: Limits, dropped: dict[str, int]) -> Messages:
    """Keep complete, valid and unique messages, sorted by aircraft and time."""
    lat, lon = messages.latitudes, messages.longitudes
    is_complete = (
        np.isfinite(messages.times) & np.isfinite(lat) & np.isfinite(lon) & (messages.aircraft != "")
    )
    messages = _keep(messages, is_complete, "messages without aircraft, time or position", dropped)
    lat, lon = messages.latitudes, messages.longitudes
    on_earth = (np.abs(lat) <= 90) & (lon >= -180) & (lon <= 360)  # some sources use 0 to 360
    messages = messages._replace(longitudes=np.where(lon > 180, lon - 360, lon))
    messages = _keep(messages, on_earth, "messages with invalid coordinates", dropped)
    if limits.area is not None:
        inside = _inside(messages, limits.area)
        messages = _keep(messages, inside, "messages from outside the area", dropped)
    aircraft = np.unique(messages.aircraft, return_inverse=True)[1]
    messages = messages.take(np.lexsort((messages.times, aircraft)))
    again = np.zeros(len(messages.times), dtype=bool)
    again[1:] = (messages.aircraft[1:] == messages.aircraft[:-1]) & (np.diff(messages.times) == 0)
    return _keep(messages, ~again, "duplicate messages", dropped)


def _inside(messages: Messages, area: Area) -> BoolArray:
    lat, lon = messages.latitudes, unwrap_from(area.west, messages.longitudes)
    return (area.south <= lat) & (lat <= area.north) & (lon <= area.east)


def _keep(messages: Messages, good: BoolArray, reason: str, dropped: dict[str, int]) -> Messages:
    dropped[reason] = int(np.count_nonzero(~good))
    return messages if good.all() else messages.take(good)


def _pairs(messages: Messages, limits: Limits) -> tuple[BoolArray, BoolArray]:
    """For each message and the next: whether the flight continues, and whether it would be too fast."""
    elapsed = np.diff(messages.times)
    same = (messages.aircraft[1:] == messages.aircraft[:-1]) & (elapsed <= limits.gap)
    distance = great_circle_distances(messages.latitudes, messages.longitudes)
    return same, same & (distance > limits.jitter + limits.speed * elapsed / 1000.0)


def _drop_spikes(messages: Messages, limits: Limits, dropped: dict[str, int]) -> Messages:
    """Drop single messages that are too far from their neighbors."""
    same, fast = (np.concatenate([[False], pair, [False]]) for pair in _pairs(messages, limits))
    spike = fast[:-1] & fast[1:]
    spike[1:] &= ~spike[:-1]  # only the first of two neighbors: the other may be valid without it
    begins, ends = ~same[:-1] & fast[1:], fast[:-1] & ~same[1:]
    spike[:-1] |= begins[:-1] & ~fast[2:]
    spike[1:] |= ends[1:] & ~fast[:-2]
    return _keep(messages, ~spike[: len(messages.times)], "messages too far from their neighbors", dropped)


def _split(messages: Messages, limits: Limits) -> Trajectories:
    if not len(messages.times):
        return Trajectories(messages, np.zeros(1, dtype=np.int64))
    ends = np.flatnonzero(~_pairs(messages, limits)[0]) + 1
    return Trajectories(messages, np.concatenate([[0], ends, [len(messages.times)]]))


def unwrap_from(west: float, longitudes: FloatArray) -> FloatArray:
    """Shift longitudes to the range that starts at a western meridian."""
    return np.where(longitudes < west, longitudes + 360.0, longitudes)


def _unwrap(flights: Trajectories, area: Area | None) -> Trajectories:
    """Make longitudes continuous if a flight or the area crosses the antimeridian.

    They then start at the area, or at the widest gap between them.
    """
    lon, owner = flights.messages.longitudes, flights.owner
    inside = owner[1:] == owner[:-1]
    is_crossed = (np.abs(np.diff(lon))[inside] > 180).any() or (area is not None and area.east > 180)
    if not (flights.n_flights and is_crossed):
        return flights
    lon = unwrap_from(_widest_gap(lon) if area is None else area.west, lon)
    turns = np.concatenate([[0.0], np.cumsum(-np.rint(np.diff(lon) / 360.0) * inside)])
    lon = lon + 360.0 * (turns - turns[flights.first][owner])
    return flights._replace(messages=flights.messages._replace(longitudes=lon))


def _widest_gap(longitudes: FloatArray) -> float:
    """Return the eastern end of the widest gap between longitudes."""
    found = np.unique(longitudes)
    gaps = np.diff(found, prepend=found[-1] - 360.0)
    return float(found[np.argmax(gaps)])


def _filter(flights: Trajectories, limits: Limits, dropped: dict[str, int]) -> Trajectories:
    """Drop trajectories that are too short or too fast, and sort the rest by time."""
    if not flights.n_flights:
        return flights
    messages, first = flights.messages, flights.first
    fast = np.append(_pairs(messages, limits)[1], False)
    rules = {
        "trajectories with too few messages": np.diff(flights.bounds) < limits.messages,
        "trajectories faster than any aircraft": np.logical_or.reduceat(fast, first),
        "trajectories without displacement": _extent(flights) < limits.distance,
    }
    bad = np.zeros(flights.n_flights, dtype=bool)
    for reason, broken in rules.items():
        dropped[reason] = int(np.count_nonzero(broken & ~bad))
        bad |= broken
    good = np.flatnonzero(~bad)
    good = good[np.argsort(messages.times[first[good]], kind="stable")]
    return _take(flights, good)


def _extent(flights: Trajectories) -> FloatArray:
    """Compute the diagonal of the bounding box of each flight, in km."""
    lat, lon, first = flights.messages.latitudes, flights.messages.longitudes, flights.first
    south, north = np.minimum.reduceat(lat, first), np.maximum.reduceat(lat, first)
    west, east = np.minimum.reduceat(lon, first), np.maximum.reduceat(lon, first)
    width = np.cos(np.radians((south + north) / 2)) * (east - west)
    extent: FloatArray = _EARTH * np.radians(np.hypot(north - south, width))
    return extent


def _take(flights: Trajectories, which: IntArray) -> Trajectories:
    """Select flights in the given order."""
    lengths = np.diff(flights.bounds)[which]
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    rows = np.repeat(flights.first[which] - bounds[:-1], lengths) + np.arange(bounds[-1])
    return Trajectories(flights.messages.take(rows), bounds)


def _fill_velocities(flights: Trajectories, limits: Limits, dropped: dict[str, int]) -> Trajectories:
    """Replace missing or implausible velocities by differences of neighboring positions."""
    messages, owner = flights.messages, flights.owner
    wrong = np.hypot(*messages.velocities.T) > limits.speed
    dropped["speeds faster than any aircraft"] = int(np.count_nonzero(wrong))
    missing = wrong | np.isnan(messages.velocities.sum(axis=1))
    if not missing.any():
        return flights
    rows = np.arange(len(owner))
    before, after = np.maximum(rows - 1, flights.first[owner]), np.minimum(rows + 1, flights.last[owner])
    lat, lon = np.radians(messages.latitudes), np.radians(messages.longitudes)
    distance = np.stack([np.cos(lat) * (lon[after] - lon[before]), lat[after] - lat[before]], axis=1)
    speeds = 1000.0 * _EARTH * distance / (messages.times[after] - messages.times[before])[:, None]
    velocities = np.where(missing[:, None], speeds, messages.velocities)
    return flights._replace(messages=messages._replace(velocities=velocities))
