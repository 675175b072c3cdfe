"""The defaults of KD-Means and SD-Means find separated clusters and keep their ids."""

import numpy as np
import pytest

from dynmeans import KDMeans, SDMeans

KERNELS = ["rbf", "mst", "diffusion"]
ESTIMATORS = [SDMeans, KDMeans]


def centers(k, rng, spacing=12.0):
    side = int(np.ceil(np.sqrt(k)))
    positions = rng.permutation(side**2)[:k]
    return spacing * np.stack([positions // side, positions % side], axis=1) + rng.uniform(-1, 1, (k, 2))


def batch(positions, sizes, rng):
    return np.concatenate([c + rng.normal(size=(n, 2)) for c, n in zip(positions, sizes, strict=True)])


@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("k", [2, 8, 20])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_separated_blobs_are_found(estimator, kernel, k, equal):
    rng = np.random.default_rng(k)
    sizes = np.full(k, 40) if equal else rng.integers(10, 91, k)
    rows = batch(centers(k, rng), sizes, rng)
    model = estimator(kernel, random_state=0, n_restarts=1).fit(rows)
    assert abs(model.n_clusters_ - k) <= k / 10


@pytest.mark.parametrize("kernel", ["rbf", "mst"])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_blobs_keep_their_ids(estimator, kernel):
    rng = np.random.default_rng(1)
    positions, sizes = centers(8, rng), rng.integers(10, 91, 8)
    model = estimator(kernel, random_state=0, n_restarts=1)
    ids = [model.partial_fit(batch(positions, sizes, rng)).labels_ for _ in range(10)]
    assert len(np.unique(np.concatenate(ids))) == 8


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_two_groups_of_equal_rows_are_two_clusters(estimator, kernel):
    rows = np.repeat([[0.0, 0.0], [1.0, 2.0]], 30, axis=0)
    assert estimator(kernel, random_state=0).fit(rows).n_clusters_ == 2


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_embeddings_are_found(estimator):
    rng = np.random.default_rng(0)
    topics = rng.normal(size=(8, 256))
    topics /= np.linalg.norm(topics, axis=1, keepdims=True)
    rows = np.repeat(topics, rng.integers(10, 60, 8), axis=0)
    rows += rng.normal(scale=0.7 / 16.0, size=rows.shape)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert estimator("rbf", random_state=0).fit(rows).n_clusters_ == 8


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_kernel_matrix_is_enough(estimator):
    rng = np.random.default_rng(0)
    rows = batch(centers(12, rng), np.full(12, 20), rng)
    squares = ((rows[:, None] - rows) ** 2).sum(axis=2)
    model = estimator("precomputed", random_state=0).fit(np.exp(-squares / 18.0))
    assert model.n_clusters_ == 12
