"""Clusterers of streams as baselines: the leader algorithm, and clustering per frame with matched centers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator
from sklearn.cluster import DBSCAN, HDBSCAN, MiniBatchKMeans

from benchmarks.field_streams import FieldFrame
from dynmeans.baselines import ReclusterAndMatch

Labels = list[np.ndarray]


def leader(frames: Sequence[FieldFrame], *, threshold: float, lifetime: float) -> Labels:
    """Assign each row to the most similar leader by cosine, or start a new one; leaders are running means."""
    sums, ids, seen = np.empty((0, frames[0].X.shape[1])), np.empty(0, int), np.empty(0)
    next_id, labels = 0, []
    for time, X, _ in frames:
        alive = time - seen <= lifetime
        n, room = int(alive.sum()), len(X)
        sums = np.vstack([sums[alive], np.zeros((room, X.shape[1]))])
        ids, seen = np.append(ids[alive], np.zeros(room, int)), np.append(seen[alive], np.zeros(room))
        unit = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-300)
        slots = np.empty(room, int)
        for i, row in enumerate(X):
            similarity = unit[:n] @ (row / max(np.linalg.norm(row), 1e-300))
            k = int(similarity.argmax()) if n else 0
            if not n or similarity[k] < threshold:
                k, ids[n] = n, next_id
                n, next_id = n + 1, next_id + 1
            sums[k] += row
            unit[k] = sums[k] / max(np.linalg.norm(sums[k]), 1e-300)
            seen[k], slots[i] = time, k
        labels.append(ids[slots])
        sums, ids, seen = sums[:n], ids[:n], seen[:n]
    return labels


class WithoutNoise(BaseEstimator):  # type: ignore[misc]
    """HDBSCAN that assigns noise to the nearest center, and takes batches of any size."""

    def __init__(self, min_cluster_size: int = 5) -> None:
        self.min_cluster_size = min_cluster_size

    def fit_predict(self, X: np.ndarray, y: Any = None) -> np.ndarray:
        """Cluster one batch; a batch without clusters is noise."""
        if len(X) <= self.min_cluster_size:
            return np.zeros(len(X), int)
        labels: np.ndarray = HDBSCAN(self.min_cluster_size, copy=True).fit_predict(X)
        if labels.max() < 0:
            return labels
        centers = np.array([X[labels == k].mean(axis=0) for k in range(labels.max() + 1)])
        return np.where(labels >= 0, labels, cdist(X, centers).argmin(axis=1))


def hdbscan_match(frames: Sequence[FieldFrame], *, min_cluster_size: int, gate: float) -> Labels:
    """Cluster every frame by HDBSCAN without noise, and match the centers with the previous frame."""
    return follow(ReclusterAndMatch(WithoutNoise(min_cluster_size), gate=gate), frames)


def dbscan_match(frames: Sequence[FieldFrame], *, eps: float, min_samples: int, gate: float) -> Labels:
    """Cluster every frame by DBSCAN, and match the centers with the previous frame."""
    return follow(ReclusterAndMatch(DBSCAN(eps=eps, min_samples=min_samples), gate=gate), frames)


def mini_batch_k_means(frames: Sequence[FieldFrame], *, n_clusters: int) -> Labels:
    """Update k centers by every frame; ids are their indices. Rows before the first k rows are noise."""
    model, labels = MiniBatchKMeans(n_clusters, random_state=0, n_init=1), []
    for _, X, _ in frames:
        ready = hasattr(model, "cluster_centers_") or len(X) >= n_clusters
        labels.append(model.partial_fit(X).predict(X) if ready and len(X) else np.full(len(X), -1))
    return labels


def follow(model: Any, frames: Sequence[FieldFrame], **arguments: Any) -> Labels:
    """Feed all frames to an estimator; those without rows only if it accepts them."""
    return [_advance(model, frame, **arguments) for frame in frames]


def _advance(model: Any, frame: FieldFrame, **arguments: Any) -> np.ndarray:
    try:
        model.partial_fit(frame.X, t=frame.time, **arguments)
    except ValueError:
        if len(frame.X):
            raise
        return np.empty(0, int)
    return np.array(model.labels_)
