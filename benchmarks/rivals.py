"""The rivals in tracking, all behind ``partial_fit(X, y)`` and ``labels_``; only the oracle looks at y."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from river import cluster as river_cluster
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.cluster import DBSCAN, HDBSCAN, KMeans, MiniBatchKMeans

from dynmeans import DMeans

NOISE = -1


class Tracker(Protocol):
    """Clusters a stream, one batch a call."""

    labels_: np.ndarray

    def partial_fit(self, X: np.ndarray, y: np.ndarray) -> object:
        """Take the next batch; y is the truth."""


class ReclusterAndMatch:
    """Cluster every batch afresh, and hand on the ids of the nearest clusters of the batch before.

    Pairs are those of least total squared distance between centres. Clusters without a partner, or with
    one whose squared distance is above `gate`, get new ids. The noise label -1 is left as it is.
    """

    def __init__(
        self, cluster: Callable[[np.ndarray, np.ndarray], np.ndarray], gate: float | None = None
    ) -> None:
        self.cluster = cluster
        self.gate = np.inf if gate is None else gate
        self.labels_ = np.empty(0, dtype=np.int64)
        self._centers: np.ndarray | None = None
        self._ids = np.empty(0, dtype=np.int64)
        self._next_id = 0

    def partial_fit(self, X: np.ndarray, y: np.ndarray) -> ReclusterAndMatch:
        """Cluster, match, relabel."""
        found = self.cluster(X, y)
        names, which = np.unique(found, return_inverse=True)
        centers = np.array([X[found == name].mean(axis=0) for name in names])
        ids = np.full(len(names), NOISE, dtype=np.int64)
        real = names != NOISE
        ids[real] = self._identify(centers[real])
        self._centers, self._ids = centers[real], ids[real]
        self.labels_ = ids[which]
        return self

    def _identify(self, centers: np.ndarray) -> np.ndarray:
        """Ids of the partners in the batch before, new ones for the rest."""
        ids = np.full(len(centers), NOISE, dtype=np.int64)
        if self._centers is not None and len(self._centers) and len(centers):
            distance = cdist(centers, self._centers, "sqeuclidean")
            mine, before = linear_sum_assignment(distance)
            near = distance[mine, before] <= self.gate
            ids[mine[near]] = self._ids[before[near]]
        new = ids == NOISE
        ids[new] = self._next_id + np.arange(new.sum())
        self._next_id += int(new.sum())
        return ids


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
    return ReclusterAndMatch(lambda X, y: KMeans(n_clusters, n_init=3, random_state=0).fit_predict(X), gate)


def dbscan(eps: float, min_samples: int, gate: float | None = None) -> Tracker:
    return ReclusterAndMatch(lambda X, y: DBSCAN(eps=eps, min_samples=min_samples).fit_predict(X), gate)


def hdbscan(min_cluster_size: int, min_samples: int, gate: float | None = None) -> Tracker:
    return ReclusterAndMatch(
        lambda X, y: HDBSCAN(min_cluster_size, min_samples=min_samples, copy=True).fit_predict(X), gate
    )


def dbstream(**setting: Any) -> Tracker:
    return OnePointAtATime(river_cluster.DBSTREAM(**setting))


def denstream(**setting: Any) -> Tracker:
    return OnePointAtATime(river_cluster.DenStream(**setting))


def oracle(gate: float | None = None) -> Tracker:
    """The true segmentation of every batch, linked like the others."""
    return ReclusterAndMatch(lambda X, y: y, gate)


MAKERS: dict[str, Callable[..., Tracker]] = {
    "D-Means": dmeans,
    "k-means, true k + Hungarian": kmeans,
    "DBSCAN + Hungarian": dbscan,
    "HDBSCAN + Hungarian": hdbscan,
    "MiniBatchKMeans, true k": OnlineKMeans,
    "river DBSTREAM": dbstream,
    "river DenStream": denstream,
    "true segmentation + Hungarian": oracle,
}
