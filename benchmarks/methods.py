"""Methods of the tracking benchmark, with ``partial_fit(X, y)`` and ``labels_``; only the oracle uses y."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from river import cluster as river_cluster
from sklearn.cluster import DBSCAN, HDBSCAN, KMeans, MiniBatchKMeans

from dynmeans import DMeans
from dynmeans._experiments.trials import StreamClusterer
from dynmeans.baselines import ReclusterAndMatch, TrueLabels


class OnlineKMeans:
    """MiniBatchKMeans over the stream; ids are the indices of its clusters."""

    def __init__(self, n_clusters: int) -> None:
        self.model = MiniBatchKMeans(n_clusters, random_state=0, n_init=3)
        self.labels_ = np.empty(0, dtype=np.int64)

    def partial_fit(self, X: np.ndarray, y: np.ndarray) -> OnlineKMeans:
        """Update the model, then label the batch."""
        self.labels_ = self.model.partial_fit(X).predict(X).astype(np.int64)
        return self


class OnePointAtATime:
    """Clusterer of river: learns all points of a batch, then labels them."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.labels_ = np.empty(0, dtype=np.int64)

    def partial_fit(self, X: np.ndarray, y: np.ndarray) -> OnePointAtATime:
        """Update the model, then label the batch."""
        points = [dict(enumerate(row)) for row in X.tolist()]
        for point in points:
            self.model.learn_one(point)
        self.labels_ = np.array([self.model.predict_one(point) for point in points], dtype=np.int64)
        return self


def dmeans(**params: Any) -> StreamClusterer:
    return DMeans(**params, random_state=0)


def kmeans(n_clusters: int, gate: float | None = None) -> StreamClusterer:
    return ReclusterAndMatch(KMeans(n_clusters, n_init=3, random_state=0), gate=gate)


def dbscan(eps: float, min_samples: int, gate: float | None = None) -> StreamClusterer:
    return ReclusterAndMatch(DBSCAN(eps=eps, min_samples=min_samples), gate=gate)


def hdbscan(min_cluster_size: int, min_samples: int, gate: float | None = None) -> StreamClusterer:
    return ReclusterAndMatch(HDBSCAN(min_cluster_size, min_samples=min_samples, copy=True), gate=gate)


def dbstream(**params: Any) -> StreamClusterer:
    return OnePointAtATime(river_cluster.DBSTREAM(**params))


def denstream(**params: Any) -> StreamClusterer:
    return OnePointAtATime(river_cluster.DenStream(**params))


def oracle(gate: float | None = None) -> StreamClusterer:
    """Return the true segmentation of every batch, with matched ids."""
    return ReclusterAndMatch(TrueLabels(), gate=gate)


MAKERS: dict[str, Callable[..., StreamClusterer]] = {
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
