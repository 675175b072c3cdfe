"""Find flows: cluster trajectories in windows of their start time."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynmeans._files.errors import InputError
from dynmeans._model.events import Event
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.apps.flights._smoothing import Lattice, Smoother, area_of, fit_smoother, lattice_velocities
from dynmeans.apps.flights.trajectories import Area, Trajectories, great_circle_distances
from dynmeans.estimators import DMeans

_PATH = 32  # positions along a mean path


class FlowOptions(NamedTuple):
    """Parameters of the flows; costs are in units of the mean squared length of a feature vector."""

    window: float = 1800.0  # s    flights that start within a window form a batch
    birth_cost: float = 0.25  #      a new flow differs in a quarter of the flight
    lifetime: float = 96.0  # windows  two days of half-hour windows
    reach: float = 1.01  #      airways are nearly static
    n_restarts: int = 3
    rows: int = 10  # latitudes of the lattice
    columns: int = 20
    area: Area | None = None  # area of the lattice; None: that of the messages
    seed: int = 0


class Flows(NamedTuple):
    """Flights with their flows."""

    flights: Trajectories
    labels: IntArray  # (F,)
    windows: FloatArray  # (F,)  start of the window of each flight, seconds since 1970 UTC
    window: float  # s  length of each
    events: tuple[Event, ...]  # times are starts of windows
    smoother: Smoother


class Flow(NamedTuple):
    """One flow with its mean path."""

    id: int
    members: IntArray  # (m,)  its flights
    path: FloatArray  # (32, 2)  mean longitude and latitude along the path
    start_cov: FloatArray  # (2, 2)  of the first positions, in degrees


ProgressCallback = Callable[[str, float], None]


def features_of(
    flights: Trajectories, options: FlowOptions, on_progress: ProgressCallback | None = None
) -> tuple[FloatArray, Smoother]:
    """Compute velocities on the lattice for every flight, scaled to a mean squared length of 1.

    Returns
    -------
    features : ndarray of shape (F, 2 * rows * columns)
    smoother : Smoother

    Raises
    ------
    InputError
        If there are no flights, or all have the same position.
    """
    if not flights.n_flights:
        raise InputError("no trajectory is left to cluster")
    area = options.area or area_of(flights)
    if not (area.north > area.south and area.east > area.west):
        raise InputError("all messages have the same position; the lattice needs an area")
    smoother = fit_smoother(flights, Lattice(area, options.rows, options.columns))
    parts = []
    for part in lattice_velocities(flights, smoother):
        parts.append(part)
        if on_progress is not None:
            on_progress("smoothing", sum(map(len, parts)) / flights.n_flights)
    features = np.concatenate(parts)
    size = float(np.sqrt(np.mean(np.sum(features**2, axis=1))))
    return features / max(size, np.finfo(float).tiny), smoother


def find_flows(
    flights: Trajectories, options: FlowOptions, on_progress: ProgressCallback | None = None
) -> Flows:
    """Cluster flights in windows of their start time.

    Parameters
    ----------
    flights : Trajectories
        Sorted by the time of their first message.
    options : FlowOptions
    on_progress : callable, optional
        Called with the name of the phase and its progress from 0 to 1.

    Returns
    -------
    Flows
    """
    features, smoother = features_of(flights, options, on_progress)
    windows = np.floor(flights.messages.times[flights.first] / options.window)
    model = make_model(options)
    labels = np.empty(flights.n_flights, dtype=np.int64)
    events: list[Event] = []
    model.on_event = events.append
    for window in np.unique(windows):
        here = windows == window
        labels[here] = model.partial_fit(features[here], t=float(window - windows[0] + 1)).labels_
        if on_progress is not None:
            on_progress("clustering", float(np.count_nonzero(windows <= window)) / flights.n_flights)
    begins = windows * options.window
    dated = tuple(event._replace(time=begins[0] + (event.time - 1) * options.window) for event in events)
    return Flows(
        flights=flights, labels=labels, windows=begins, window=options.window, events=dated, smoother=smoother
    )


def make_model(options: FlowOptions) -> DMeans:
    """Create the clusterer."""
    model = DMeans(
        birth_cost=options.birth_cost,
        lifetime=options.lifetime,
        reach=options.reach,
        n_restarts=options.n_restarts,
        random_state=options.seed,
        history_size=0,
    )
    model._is_silent = True  # it is normal that flows begin and end within a day
    return model


def largest_flows(flows: Flows, count: int) -> list[Flow]:
    """Return the flows with the most flights, largest first."""
    ids, sizes = np.unique(flows.labels, return_counts=True)
    largest = ids[np.lexsort((ids, -sizes))][:count]
    return [_describe(flows, int(k)) for k in largest]


def _describe(flows: Flows, k: int) -> Flow:
    members = np.flatnonzero(flows.labels == k)
    paths = np.stack([_resample(flows.flights, f) for f in members.tolist()])
    starts = paths[:, 0]
    spread = np.cov(starts.T) if len(members) > 1 else np.zeros((2, 2))
    return Flow(k, members, paths.mean(axis=0), spread)


def _resample(flights: Trajectories, f: int) -> FloatArray:
    """Resample a flight to 32 equidistant positions, (32, 2): longitude and latitude."""
    here = slice(flights.bounds[f], flights.bounds[f + 1])
    lat, lon = flights.messages.latitudes[here], flights.messages.longitudes[here]
    done = np.concatenate([[0.0], np.cumsum(great_circle_distances(lat, lon))])
    at = np.linspace(0.0, done[-1], _PATH)
    return np.stack([np.interp(at, done, lon), np.interp(at, done, lat)], axis=1)
