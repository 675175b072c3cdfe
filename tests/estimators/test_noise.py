"""Noise, and batches that are too small, in `PersistentIds`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.cluster import DBSCAN, HDBSCAN, OPTICS, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.decomposition import TruncatedSVD
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline

from dynmeans import PersistentIds

SMALL = [[0.0, 1.0], [2.0, 0.0], [5.0, 5.0]]


@given(st.integers(0, 2**32 - 1), st.sampled_from([{}, {"kernel": "rbf"}, {"metric": "cosine"}]))
@settings(max_examples=40, deadline=None)
def test_noise_joins_the_nearest_cluster_of_its_batch(seed, parameters):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(12, 2)), rng.integers(-1, 3, 12)
    labels[0] = 0
    found = PersistentIds(noise="nearest", **parameters).update(X, labels).labels_
    rows = X / np.linalg.norm(X, axis=1, keepdims=True) if "metric" in parameters else X
    known = labels >= 0
    if "kernel" in parameters:
        expected = labels[known][cdist(rows, rows[known]).argmin(axis=1)]
    else:
        names = np.unique(labels[known])
        means = np.array([rows[labels == k].mean(axis=0) for k in names])
        expected = np.where(known, labels, names[cdist(rows, means).argmin(axis=1)])
    assert len(set(zip(expected.tolist(), found.tolist(), strict=True))) == len(set(found.tolist()))
    assert found.min() >= 0


def test_a_batch_of_noise_is_one_cluster_that_is_linked():
    model = PersistentIds(birth_cost=1.0, noise="nearest").update([[0.0], [0.2]], [3, -1])
    assert model.labels_.tolist() == [0, 0]
    assert model.update([[0.1], [0.3]], [-1, -1]).labels_.tolist() == [0, 0]
    assert model.update([[50.0]], [-1]).labels_.tolist() == [1]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the clusterers
@pytest.mark.parametrize(
    "clusterer",
    [
        HDBSCAN(min_cluster_size=4, copy=True),
        HDBSCAN(min_cluster_size=2, min_samples=9, copy=True),
        KMeans(4),
        OPTICS(min_samples=4),
        AgglomerativeClustering(4),
        SpectralClustering(5),
        GaussianMixture(4),
        make_pipeline(TruncatedSVD(1), KMeans(4)),
    ],
    ids=lambda clusterer: type(clusterer).__name__,
)
def test_a_batch_that_is_too_small_is_noise(clusterer):
    keeps = PersistentIds(clusterer)
    assert keeps.partial_fit(SMALL).labels_.tolist() == [-1] * 3
    model = PersistentIds(clusterer, noise="nearest")
    assert model.partial_fit(SMALL).labels_.tolist() == [0] * 3
    assert model.partial_fit(SMALL[:1]).labels_.shape == (1,)


def test_other_errors_of_the_clusterer_are_raised():
    with pytest.raises(ValueError, match="eps"):
        PersistentIds(DBSCAN(eps=-1.0, min_samples=2)).partial_fit(SMALL)
    with pytest.raises(ValueError, match="n_samples=60 should be >= n_clusters=61|n_clusters"):
        PersistentIds(KMeans(0)).partial_fit(np.random.default_rng(0).normal(size=(60, 2)))
