"""Directions of many features: 100,000 rows of 384 features in batches of 10,000, 300 clusters.

Every method gives persistent ids. Times are CPU times of one core, automatic costs included:

    OMP_NUM_THREADS=1 python -m benchmarks.embeddings
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import HDBSCAN, MiniBatchKMeans

from dynmeans import DMeans, PersistentIds
from dynmeans.metrics import identity_f1

Batches = list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]


class EmbeddingsSize(NamedTuple):
    """Size of the stream."""

    n_batches: int = 10
    rows: int = 10_000
    d: int = 384
    n_clusters: int = 300
    noise: float = 0.9  # length of the noise of a row, relative to its center
    presence: float = 0.9  # share of the clusters in a batch


def make_stream(size: EmbeddingsSize, seed: int = 0) -> Batches:
    """Draw unit rows around fixed directions, most of which are present in each batch."""
    rng = np.random.default_rng(seed)
    means = _unit(rng.normal(size=(size.n_clusters, size.d)))
    batches = []
    for _ in range(size.n_batches):
        present = np.flatnonzero(rng.uniform(size=size.n_clusters) < size.presence)
        names = rng.choice(present, size=size.rows)
        noise = size.noise * rng.normal(size=(size.rows, size.d)) / np.sqrt(size.d)
        batches.append((_unit(means[names] + noise).astype(np.float32), names))
    return batches


def _unit(rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    unit: np.ndarray[Any, Any] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def cosine(batches: Batches, size: EmbeddingsSize) -> Iterator[Any]:
    """D-Means on the sphere, nothing set."""
    model = DMeans(metric="cosine", random_state=0)
    for X, _ in batches:
        yield model.partial_fit(X).labels_


def refined(batches: Batches, size: EmbeddingsSize) -> Iterator[Any]:
    """D-Means on the sphere with splits and merges of whole clusters."""
    model = DMeans(metric="cosine", refine=True, random_state=0)
    for X, _ in batches:
        yield model.partial_fit(X).labels_


def mini_batch_kmeans(batches: Batches, size: EmbeddingsSize) -> Iterator[Any]:
    """Mini-batch k-means with the true number of clusters, updated with every batch."""
    model = MiniBatchKMeans(size.n_clusters, random_state=0, n_init=1, batch_size=size.rows)
    for X, _ in batches:
        model.partial_fit(X)
        yield model.predict(X)


def hdbscan(batches: Batches, size: EmbeddingsSize) -> Iterator[Any]:
    """HDBSCAN per batch, with ids that last."""
    model = PersistentIds(HDBSCAN(min_cluster_size=5, copy=True), random_state=0)
    for X, _ in batches:
        yield model.partial_fit(X).labels_


def textclust(batches: Batches, size: EmbeddingsSize) -> Iterator[Any]:
    """River's TextClust on the features as terms; the radius lies between rows of one and of two clusters."""
    from river.cluster import TextClust

    model = TextClust(radius=0.6, real_time_fading=False, fading_factor=1e-9, tgap=10**9, term_fading=False)
    for X, _ in batches:
        yield _river_labels(model, X, lambda row: model.predict_one(row, type="micro"))


def dbstream(batches: Batches, size: EmbeddingsSize) -> Iterator[Any]:
    """River's DBSTREAM; the threshold lies between rows of one and of two clusters."""
    from river.cluster import DBSTREAM

    model = DBSTREAM(clustering_threshold=1.1, fading_factor=1e-9, cleanup_interval=10**9)
    for X, _ in batches:
        yield _river_labels(model, X, model.predict_one)


def _river_labels(model: Any, X: Any, predict: Callable[[Any], Any]) -> Any:
    """Learn all rows one by one, then predict them."""
    rows = [dict(enumerate(row.tolist())) for row in X]
    for row in rows:
        model.learn_one(row)
    found = [predict(row) for row in rows]
    return np.array([-1 if label is None else label for label in found], dtype=np.int64)


# These compare dictionaries of features in Python, so they get few rows of each batch.
FEW_ROWS = {"river TextClust": 30, "river DBSTREAM": 100}

METHODS: dict[str, Callable[[Batches, EmbeddingsSize], Iterator[Any]]] = {
    "DMeans(metric='cosine')": cosine,
    "MiniBatchKMeans": mini_batch_kmeans,
    "PersistentIds(HDBSCAN)": hdbscan,
    "DMeans(cosine, refine)": refined,
    "river TextClust": textclust,
    "river DBSTREAM": dbstream,
}


def measure(name: str, batches: Batches, size: EmbeddingsSize) -> dict[str, Any]:
    """Return CPU time per 1,000 rows, identity F1 and the number of ids."""
    few = FEW_ROWS.get(name)
    batches = [(X[:few], names[:few]) for X, names in batches]
    start, labels = time.process_time(), []
    for found in METHODS[name](batches, size):
        labels.append(found)
    seconds = time.process_time() - start
    rows = sum(len(X) for X, _ in batches)
    ids = np.unique(np.concatenate(labels))
    return {
        "method": name,
        "ms_per_1000_rows": 1e6 * seconds / rows,
        "identity_f1": identity_f1([names for _, names in batches], labels),
        "ids": int(np.count_nonzero(ids >= 0)),
        "rows": rows,
    }


def main() -> None:
    """Print one line per method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=EmbeddingsSize().rows, help="rows per batch")
    parser.add_argument("--batches", type=int, default=EmbeddingsSize().n_batches)
    parser.add_argument("--noise", type=float, default=EmbeddingsSize().noise)
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS))
    options = parser.parse_args()
    size = EmbeddingsSize(n_batches=options.batches, rows=options.rows, noise=options.noise)
    batches = make_stream(size)
    for name in options.methods:
        found = measure(name, batches, size)
        print(
            f"{found['method']:26s} {found['ms_per_1000_rows']:8.1f} ms per 1,000 rows   "
            f"identity F1 {found['identity_f1']:.3f}   {found['ids']} ids   {found['rows']} rows",
            flush=True,
        )


if __name__ == "__main__":
    main()
