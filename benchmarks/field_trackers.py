"""Trackers of detections as baselines: Kalman filters with Hungarian matching, SORT-style, and norfair.

A tracker takes frames with one row per object and returns one array of ids per frame, -1 before a track is
confirmed.
`on_segments` applies it to the DBSCAN segments of point clouds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.cluster import DBSCAN

from benchmarks.field_streams import FieldFrame

Labels = list[np.ndarray]
GROUND = 2  # leading features that are positions on the ground
_FAR = 1e6  # cost of a pair beyond the gate


@dataclass
class KalmanTracks:
    """Constant-velocity filters with the same noise in every dimension, one row per track."""

    q: float  # standard deviation of the acceleration noise, per root of time
    r: float  # standard deviation of a measurement
    x: np.ndarray  # (K, d)     positions
    v: np.ndarray = field(init=False)  #    (K, d)     velocities
    P: np.ndarray = field(init=False)  #    (K, 2, 2)  covariance of position and velocity in each dimension
    seen: np.ndarray = field(init=False)  # (K,)       time of the last measurement
    hits: np.ndarray = field(init=False)  # (K,)       number of measurements
    ids: np.ndarray = field(init=False)  #  (K,)
    next_id: int = 0

    def __post_init__(self) -> None:
        self.v, self.P = self.x.copy(), np.empty((0, 2, 2))
        self.seen, self.hits, self.ids = np.empty(0), np.empty(0, int), np.empty(0, int)

    def predict(self, dt: float) -> None:
        """Advance all tracks by a time."""
        F = np.array([[1.0, dt], [0.0, 1.0]])
        noise = self.q**2 * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]])
        self.x = self.x + dt * self.v
        self.P = F @ self.P @ F.T + noise

    def update(self, tracks: np.ndarray, X: np.ndarray, time: float) -> None:
        """Correct tracks by one measurement each."""
        P = self.P[tracks]
        gain = P[:, :, 0] / (P[:, :1, 0] + self.r**2)
        error = X - self.x[tracks]
        self.x[tracks] += gain[:, :1] * error
        self.v[tracks] += gain[:, 1:] * error
        self.P[tracks] = P - gain[:, :, None] * P[:, :1, :]
        self.seen[tracks] = time
        self.hits[tracks] += 1

    def add(self, X: np.ndarray, time: float) -> None:
        """Start a track at each measurement."""
        n = len(X)
        start = np.diag([self.r**2, (3 * self.q) ** 2 + 1e-9])
        self.x, self.v = np.vstack([self.x, X]), np.vstack([self.v, np.zeros_like(X)])
        self.P = np.concatenate([self.P, np.broadcast_to(start, (n, 2, 2))])
        self.seen = np.concatenate([self.seen, np.full(n, time)])
        self.hits = np.concatenate([self.hits, np.ones(n, int)])
        self.ids = np.concatenate([self.ids, np.arange(self.next_id, self.next_id + n)])
        self.next_id += n

    def keep(self, alive: np.ndarray) -> None:
        """Remove all other tracks."""
        for name in ("x", "v", "P", "seen", "hits", "ids"):
            setattr(self, name, getattr(self, name)[alive])


def kalman(
    frames: Sequence[FieldFrame],
    *,
    gate: float,
    lifetime: float,
    q: float,
    r: float,
    min_hits: int = 1,
    by_variance: bool = False,
) -> Labels:
    """Track by Kalman filters with Hungarian matching under a gate, in distance or in standard deviations."""
    tracks = KalmanTracks(q, r, np.empty((0, frames[0].X.shape[1])))
    labels, last = [], frames[0].time
    for time, X, _ in frames:
        tracks.predict(time - last)
        last = time
        scale = np.sqrt(tracks.P[:, 0, 0] + r**2) if by_variance else np.ones(len(tracks.x))
        rows, columns = match(cdist(tracks.x, X) / scale[:, None], gate)
        tracks.update(rows, X[columns], time)
        new = np.setdiff1d(np.arange(len(X)), columns)
        slots = np.empty(len(X), int)
        slots[columns], slots[new] = rows, len(tracks.x) + np.arange(len(new))
        tracks.add(X[new], time)
        labels.append(np.where(tracks.hits[slots] >= min_hits, tracks.ids[slots], -1))
        tracks.keep(time - tracks.seen <= lifetime)
    return labels


def sort_style(frames: Sequence[FieldFrame], *, gate: float, lifetime: float, q: float, r: float) -> Labels:
    """Track as SORT does, by positions: gate in standard deviations, ids from the third hit on."""
    return kalman(frames, gate=gate, lifetime=lifetime, q=q, r=r, min_hits=3, by_variance=True)


def match(distance: np.ndarray, gate: float) -> tuple[np.ndarray, np.ndarray]:
    """Pair rows and columns for the smallest total distance; pairs beyond the gate are not made."""
    rows, columns = linear_sum_assignment(np.where(distance > gate, _FAR, distance))
    near = distance[rows, columns] <= gate
    return rows[near], columns[near]


def norfair(frames: Sequence[FieldFrame], *, distance: float, hits: int, delay: int) -> Labels:
    """Track by `norfair`, one point per detection."""
    from norfair import Detection, Tracker

    tracker = Tracker("euclidean", distance, hit_counter_max=max(hits, delay + 1), initialization_delay=delay)
    labels = []
    for _, X, _ in frames:
        detections = [Detection(points=row[None], data=i) for i, row in enumerate(X)]
        labels.append(_norfair_ids(tracker.update(detections), detections))
    return labels


def _norfair_ids(objects: Iterable[Any], detections: Sequence[Any]) -> np.ndarray:
    """Read the id of each detection from the objects that were updated with it in this frame."""
    ids = np.full(len(detections), -1)
    for one in objects:
        last = one.last_detection
        if last.data < len(detections) and detections[last.data] is last:
            ids[last.data] = one.id
    return ids


def on_segments(
    tracker: Callable[..., Labels],
    frames: Sequence[FieldFrame],
    *,
    eps: float,
    min_samples: int,
    **params: Any,
) -> Labels:
    """Track the means of DBSCAN segments on the ground; rows get the id of their segment."""
    segments = [segment(frame.X[:, :GROUND], eps, min_samples) for frame in frames]
    means = [
        FieldFrame(frame.time, segment_means(frame.X[:, :GROUND], labels), np.empty(0, int))
        for frame, labels in zip(frames, segments, strict=True)
    ]
    ids = tracker(means, **params)
    return [np.append(i, -1)[labels] for i, labels in zip(ids, segments, strict=True)]


def segment(X: np.ndarray, eps: float, min_samples: int) -> np.ndarray:
    """Cluster one frame by DBSCAN."""
    if not len(X):
        return np.empty(0, int)
    labels: np.ndarray = DBSCAN(eps=eps, min_samples=min_samples).fit_predict(X)
    return labels


def segment_means(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the mean of each segment."""
    kept, n = labels >= 0, labels.max(initial=-1) + 1
    sums = np.zeros((n, X.shape[1]))
    np.add.at(sums, labels[kept], X[kept])
    return sums / np.bincount(labels[kept], minlength=n)[:, None]
