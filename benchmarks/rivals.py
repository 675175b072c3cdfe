"""The rivals in tracking, all behind ``partial_fit(X, y)`` and ``labels_``; only the oracle looks at y."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from river import cluster as river_cluster
from sklearn.cluster import DBSCAN, HDBSCAN, KMeans, MiniBatchKMeans

from dynmeans import DMeans
from dynmeans.baselines import ReclusterAndMatch, TrueLabels


class Tracker(Protocol):
    """Clusters a stream, one batch a call."""

    labels_: np.ndarray

    def partial_fit(self, X: np.ndarray, y: np.ndarray) -> object:
        """Take the next batch; y is the truth."""


class OnlineKMeans:
    """MiniBatchKMeans that keeps learning; ids are the numbers of its clusters."""

    def __init__(self, n_clusters: int) -> None:
        self.model = MiniBatchKMeans(n_clusters, random_state=0, n_init=3)
        self.labels_ = np.empty(0, dtype=np.int64)

    def partial_fit(self, X: np.ndarray, y: np.ndarray) -> OnlineKMeans:
        """Learn, then label."""
        self.labels_ = self.model.partial_fit(X).predict(X).astype(np.int64)
        return self


class OnePointAtATime:
    """A clusterer of river: it learns all points of a batch, then labels them."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.labels_ = np.empty(0, dtype=np.int64)

    def partial_fit(self, X: np.ndarray, y: np.ndarray) -> OnePointAtATime:
        """Learn, then label."""
        points = [dict(enumerate(row)) for row in X.tolist()]
        for point in points:
            self.model.learn_one(point)
        self.labels_ = np.array([self.model.predict_one(point) for point in points], dtype=np.int64)
        return self


def dmeans(**setting: Any) -> Tracker:
    return DMeans(**setting, random_state=0)


def kmeans(n_clusters: int, gate: float | None = None) -> Tracker:
    return ReclusterAndMatch(KMeans(n_clusters, n_init=3, random_state=0), gate=gate)


def dbscan(eps: float, min_samples: int, gate: float | None = None) -> Tracker:
    return ReclusterAndMatch(DBSCAN(eps=eps, min_samples=min_samples), gate=gate)


def hdbscan(min_cluster_size: int, min_samples: int, gate: float | None = None) -> Tracker:
    return ReclusterAndMatch(HDBSCAN(min_cluster_size, min_samples=min_samples, copy=True), gate=gate)


def dbstream(**setting: Any) -> Tracker:
    return OnePointAtATime(river_cluster.DBSTREAM(**setting))


def denstream(**setting: Any) -> Tracker:
    return OnePointAtATime(river_cluster.DenStream(**setting))


def oracle(gate: float | None = None) -> Tracker:
    """The true segmentation of every batch, linked like the others."""
    return ReclusterAndMatch(TrueLabels(), gate=gate)


MAKERS: dict[str, Callable[..., Tracker]] = {
    "D-Means, refined": dmeans,
    "D-Means": dmeans,
    "k-means, true k + Hungarian": kmeans,
    "DBSCAN + Hungarian": dbscan,
    "HDBSCAN + Hungarian": hdbscan,
    "MiniBatchKMeans, true k": OnlineKMeans,
    "river DBSTREAM": dbstream,
    "river DenStream": denstream,
    "true segmentation + Hungarian": oracle,
}
