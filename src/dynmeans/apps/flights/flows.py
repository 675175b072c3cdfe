"""Flows of aircraft: trajectories clustered by the window of time in which they begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynmeans._files.errors import InputError
from dynmeans._model.events import Event
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.apps.flights.smoothing import Lattice, Smoother, area_of, fit_smoother, read_off
from dynmeans.apps.flights.trajectories import Area, Trajectories, distances
from dynmeans.estimators import DMeans

_PATH = 32  # places along a mean trajectory


class FlowOptions(NamedTuple):
    """How flows are found; costs are in units of the mean squared length of a feature vector."""

    window: float = 1800.0  # s    flights that begin within it are one batch
    birth_cost: float = 0.25  #      a quarter of a flight must go elsewhere to found a flow
    lifetime: float = 96.0  # windows  a flow is remembered for two days of half hours
    reach: float = 1.01  #      airways hardly move
    n_restarts: int = 3
    rows: int = 10  # of the lattice
    columns: int = 20
    area: Area | None = None  # of the lattice; None takes that of the messages
    seed: int = 0


class Flows(NamedTuple):
    """Flights with the flow that each belongs to."""

    flights: Trajectories
    labels: IntArray  # (F,)
    windows: FloatArray  # (F,)  beginning of the window of each flight, seconds since 1970 UTC
    window: float  # s  length of each
    events: tuple[Event, ...]  # their times are beginnings of windows
    smoother: Smoother


class Flow(NamedTuple):
    """One flow, as a map shows it."""

    id: int
    members: IntArray  # (m,)  its flights
    path: FloatArray  # (32, 2)  mean longitude and latitude along the way
    start_cov: FloatArray  # (2, 2)  of the first positions, in degrees


Watch = Callable[[str, float], None]


def features_of(
    flights: Trajectories, options: FlowOptions, watch: Watch | None = None
) -> tuple[FloatArray, Smoother]:
    """Velocities on the lattice for every flight, scaled to a mean squared length of 1.

    Returns
    -------
    features : ndarray of shape (F, 2 * rows * columns)
    smoother : Smoother

    Raises
    ------
    InputError
        If there are no flights, or all are in one place.
    """
    if not flights.n_flights:
        raise InputError("no trajectory is left to cluster")
    area = options.area or area_of(flights)
    if not (area.north > area.south and area.east > area.west):
        raise InputError("all messages come from one place: a lattice needs an area")
    smoother = fit_smoother(flights, Lattice(area, options.rows, options.columns))
    parts = []
    for part in read_off(flights, smoother):
        parts.append(part)
        if watch is not None:
            watch("smoothing", sum(map(len, parts)) / flights.n_flights)
    features = np.concatenate(parts)
    size = float(np.sqrt(np.mean(np.sum(features**2, axis=1))))
    return features / max(size, np.finfo(float).tiny), smoother


def find_flows(flights: Trajectories, options: FlowOptions, watch: Watch | None = None) -> Flows:
    """Cluster flights in windows of the time at which they begin.

    Parameters
    ----------
    flights : Trajectories
        Sorted by the time of their first message.
    options : FlowOptions
    watch : callable, optional
        Is told what is being done and which share of it is done.

    Returns
    -------
    Flows
    """
    features, smoother = features_of(flights, options, watch)
    windows = np.floor(flights.messages.times[flights.first] / options.window)
    model = make_model(options)
    labels = np.empty(flights.n_flights, dtype=np.int64)
    events: list[Event] = []
    model.on_event = events.append
    for window in np.unique(windows):
        here = windows == window
        labels[here] = model.partial_fit(features[here], t=float(window - windows[0] + 1)).labels_
        if watch is not None:
            watch("clustering", float(np.count_nonzero(windows <= window)) / flights.n_flights)
    begins = windows * options.window
    dated = tuple(event._replace(time=begins[0] + (event.time - 1) * options.window) for event in events)
    return Flows(flights, labels, begins, options.window, dated, smoother)


def make_model(options: FlowOptions) -> DMeans:
    """Return the clusterer that the options ask for."""
    return DMeans(
        birth_cost=options.birth_cost,
        lifetime=options.lifetime,
        reach=options.reach,
        n_restarts=options.n_restarts,
        random_state=options.seed,
        history_size=0,
    )


def popular(flows: Flows, count: int) -> list[Flow]:
    """Return the flows with most flights, the largest first."""
    ids, sizes = np.unique(flows.labels, return_counts=True)
    largest = ids[np.lexsort((ids, -sizes))][:count]
    return [_describe(flows, int(k)) for k in largest]


def _describe(flows: Flows, k: int) -> Flow:
    members = np.flatnonzero(flows.labels == k)
    ways = np.stack([_way(flows.flights, f) for f in members.tolist()])
    starts = ways[:, 0]
    spread = np.cov(starts.T) if len(members) > 1 else np.zeros((2, 2))
    return Flow(k, members, ways.mean(axis=0), spread)


def _way(flights: Trajectories, f: int) -> FloatArray:
    """Longitude and latitude of a flight at evenly spaced parts of its way, shape (32, 2)."""
    here = slice(flights.bounds[f], flights.bounds[f + 1])
    lat, lon = flights.messages.latitudes[here], flights.messages.longitudes[here]
    done = np.concatenate([[0.0], np.cumsum(distances(lat, lon))])
    at = np.linspace(0.0, done[-1], _PATH)
    return np.stack([np.interp(at, done, lon), np.interp(at, done, lat)], axis=1)
