"""Messages joined into trajectories, and those that cannot be true left out, with a count of each reason."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans.apps.flights.messages import Messages

_EARTH = 6371.0  # km


class Area(NamedTuple):
    """A box of latitudes and longitudes, in degrees; over the antimeridian, east is beyond 180."""

    south: float
    north: float
    west: float
    east: float


class Limits(NamedTuple):
    """What makes a trajectory, and what cannot be true."""

    gap: float = 600.0  # s    a longer silence ends a trajectory
    speed: float = 400.0  # m/s  an aircraft that needs more to get from message to message is an error
    jitter: float = 5.0  # km   what a message may be off without being an error
    messages: int = 5  #      fewest messages of a trajectory
    distance: float = 20.0  # km   shortest way between its most distant messages, roughly
    area: Area | None = None  #      messages outside are left out


class Trajectories(NamedTuple):
    """Flights, one after another: messages sorted by flight and time, and where each flight begins."""

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


def join(messages: Messages, limits: Limits) -> tuple[Trajectories, dict[str, int]]:
    """Join messages into trajectories by aircraft and time.

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
        How many messages, and how many trajectories, were left out for each reason.
    """
    dropped: dict[str, int] = {}
    messages = _clean(messages, limits, dropped)
    messages = _without_spikes(messages, limits, dropped)
    flights = _unwrapped(_split(messages, limits), limits.area)
    return _with_velocities(_filter(flights, limits, dropped), limits, dropped), dropped


def distances(latitudes: FloatArray, longitudes: FloatArray) -> FloatArray:
    """Way between neighbouring positions along the great circle in km, shape (n - 1,)."""
    lat, lon = np.radians(latitudes), np.radians(longitudes)
    half = np.sin(np.diff(lat) / 2) ** 2 + np.cos(lat[1:]) * np.cos(lat[:-1]) * np.sin(np.diff(lon) / 2) ** 2
    way: FloatArray = 2 * _EARTH * np.arcsin(np.sqrt(np.clip(half, 0.0, 1.0)))
    return way


def _clean(messages: Messages, limits: Limits, dropped: dict[str, int]) -> Messages:
    """Messages that say who, when and where, each once, sorted by aircraft and time."""
    lat, lon = messages.latitudes, messages.longitudes
    told = np.isfinite(messages.times) & np.isfinite(lat) & np.isfinite(lon) & (messages.aircraft != "")
    messages = _keep(messages, told, "messages without aircraft, time or place", dropped)
    lat, lon = messages.latitudes, messages.longitudes
    on_earth = (np.abs(lat) <= 90) & (lon >= -180) & (lon <= 360)  # some count from 0 to 360
    messages = messages._replace(longitudes=np.where(lon > 180, lon - 360, lon))
    messages = _keep(messages, on_earth, "messages from places that do not exist", dropped)
    if limits.area is not None:
        inside = _inside(messages, limits.area)
        messages = _keep(messages, inside, "messages from outside the area", dropped)
    aircraft = np.unique(messages.aircraft, return_inverse=True)[1]
    messages = messages.take(np.lexsort((messages.times, aircraft)))
    again = np.zeros(len(messages.times), dtype=bool)
    again[1:] = (messages.aircraft[1:] == messages.aircraft[:-1]) & (np.diff(messages.times) == 0)
    return _keep(messages, ~again, "messages sent twice", dropped)


def _inside(messages: Messages, area: Area) -> BoolArray:
    lat, lon = messages.latitudes, counted_from(area.west, messages.longitudes)
    return (area.south <= lat) & (lat <= area.north) & (lon <= area.east)


def _keep(messages: Messages, good: BoolArray, reason: str, dropped: dict[str, int]) -> Messages:
    dropped[reason] = int(np.count_nonzero(~good))
    return messages if good.all() else messages.take(good)


def _pairs(messages: Messages, limits: Limits) -> tuple[BoolArray, BoolArray]:
    """Of each message and the next: whether one flight goes on, and whether it would have to be too fast."""
    elapsed = np.diff(messages.times)
    same = (messages.aircraft[1:] == messages.aircraft[:-1]) & (elapsed <= limits.gap)
    way = distances(messages.latitudes, messages.longitudes)
    return same, same & (way > limits.jitter + limits.speed * elapsed / 1000.0)


def _without_spikes(messages: Messages, limits: Limits, dropped: dict[str, int]) -> Messages:
    """Leave out single messages that are too far from both neighbours, or from the one that they have."""
    same, fast = (np.concatenate([[False], pair, [False]]) for pair in _pairs(messages, limits))
    spike = fast[:-1] & fast[1:]
    spike[1:] &= ~spike[:-1]  # of two neighbours only one: the other may be good once it is gone
    begins, ends = ~same[:-1] & fast[1:], fast[:-1] & ~same[1:]
    spike[:-1] |= begins[:-1] & ~fast[2:]
    spike[1:] |= ends[1:] & ~fast[:-2]
    return _keep(messages, ~spike[: len(messages.times)], "messages too far from their neighbours", dropped)


def _split(messages: Messages, limits: Limits) -> Trajectories:
    if not len(messages.times):
        return Trajectories(messages, np.zeros(1, dtype=np.int64))
    ends = np.flatnonzero(~_pairs(messages, limits)[0]) + 1
    return Trajectories(messages, np.concatenate([[0], ends, [len(messages.times)]]))


def counted_from(west: float, longitudes: FloatArray) -> FloatArray:
    """Longitudes from -180 to 180 as they are counted from a meridian to the east, around the world."""
    return np.where(longitudes < west, longitudes + 360.0, longitudes)


def _unwrapped(flights: Trajectories, area: Area | None) -> Trajectories:
    """Longitudes that go on over the antimeridian, if there is a flight or an area across it.

    They are then counted from the area, or from the widest gap between them.
    """
    lon, owner = flights.messages.longitudes, flights.owner
    inside = owner[1:] == owner[:-1]
    is_crossed = (np.abs(np.diff(lon))[inside] > 180).any() or (area is not None and area.east > 180)
    if not (flights.n_flights and is_crossed):
        return flights
    lon = counted_from(_widest_gap(lon) if area is None else area.west, lon)
    turns = np.concatenate([[0.0], np.cumsum(-np.rint(np.diff(lon) / 360.0) * inside)])
    lon = lon + 360.0 * (turns - turns[flights.first][owner])
    return flights._replace(messages=flights.messages._replace(longitudes=lon))


def _widest_gap(longitudes: FloatArray) -> float:
    """Where the widest stretch of longitudes ends that nobody flies over."""
    found = np.unique(longitudes)
    gaps = np.diff(found, prepend=found[-1] - 360.0)
    return float(found[np.argmax(gaps)])


def _filter(flights: Trajectories, limits: Limits, dropped: dict[str, int]) -> Trajectories:
    """Leave out what is too short to say anything or too fast to be true, and sort the rest by time."""
    if not flights.n_flights:
        return flights
    messages, first = flights.messages, flights.first
    fast = np.append(_pairs(messages, limits)[1], False)
    rules = {
        "trajectories of too few messages": np.diff(flights.bounds) < limits.messages,
        "trajectories faster than any aircraft": np.logical_or.reduceat(fast, first),
        "trajectories in one place": _extent(flights) < limits.distance,
    }
    bad = np.zeros(flights.n_flights, dtype=bool)
    for reason, broken in rules.items():
        dropped[reason] = int(np.count_nonzero(broken & ~bad))
        bad |= broken
    good = np.flatnonzero(~bad)
    good = good[np.argsort(messages.times[first[good]], kind="stable")]
    return _take(flights, good)


def _extent(flights: Trajectories) -> FloatArray:
    """Diagonal of the box around each flight, in km."""
    lat, lon, first = flights.messages.latitudes, flights.messages.longitudes, flights.first
    south, north = np.minimum.reduceat(lat, first), np.maximum.reduceat(lat, first)
    west, east = np.minimum.reduceat(lon, first), np.maximum.reduceat(lon, first)
    width = np.cos(np.radians((south + north) / 2)) * (east - west)
    extent: FloatArray = _EARTH * np.radians(np.hypot(north - south, width))
    return extent


def _take(flights: Trajectories, which: IntArray) -> Trajectories:
    """Return some flights in the order given."""
    lengths = np.diff(flights.bounds)[which]
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    rows = np.repeat(flights.first[which] - bounds[:-1], lengths) + np.arange(bounds[-1])
    return Trajectories(flights.messages.take(rows), bounds)


def _with_velocities(flights: Trajectories, limits: Limits, dropped: dict[str, int]) -> Trajectories:
    """Velocities that were not told, or cannot be true, from the messages before and after."""
    messages, owner = flights.messages, flights.owner
    wrong = np.hypot(*messages.velocities.T) > limits.speed
    dropped["speeds faster than any aircraft"] = int(np.count_nonzero(wrong))
    untold = wrong | np.isnan(messages.velocities.sum(axis=1))
    if not untold.any():
        return flights
    rows = np.arange(len(owner))
    before, after = np.maximum(rows - 1, flights.first[owner]), np.minimum(rows + 1, flights.last[owner])
    lat, lon = np.radians(messages.latitudes), np.radians(messages.longitudes)
    way = np.stack([np.cos(lat) * (lon[after] - lon[before]), lat[after] - lat[before]], axis=1)
    speeds = 1000.0 * _EARTH * way / (messages.times[after] - messages.times[before])[:, None]
    velocities = np.where(untold[:, None], speeds, messages.velocities)
    return flights._replace(messages=messages._replace(velocities=velocities))
