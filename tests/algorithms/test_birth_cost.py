"""The birth cost that is estimated from one batch."""

from __future__ import annotations

import numpy as np
import pytest

from dynmeans import DMeans
from dynmeans._algorithms.estimation.birth_cost import _length_of_points


def ellipses(n_clusters: int, n_rows: int, width: float, seed: int, *, turned: bool) -> np.ndarray:
    """Gaussian clusters on a grid, 12 apart, of standard deviation 1 and ``width``."""
    rng = np.random.default_rng(seed)
    which = rng.integers(0, n_clusters, n_rows)
    side = int(np.ceil(np.sqrt(n_clusters)))
    angles = rng.uniform(0, np.pi, n_clusters)[which] if turned else np.zeros(n_rows)
    long, wide = rng.normal(size=n_rows), width * rng.normal(size=n_rows)
    x = long * np.cos(angles) - wide * np.sin(angles)
    y = long * np.sin(angles) + wide * np.cos(angles)
    return np.column_stack([12 * (which % side) + x, 12 * (which // side) + y])


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("width", [1.0, 0.3, 0.1, 0.03])
@pytest.mark.parametrize(("n_clusters", "n_rows"), [(1, 100), (4, 100), (4, 1000), (10, 1000)])
def test_the_first_batch_has_the_clusters_whatever_their_shape(
    n_clusters: int, n_rows: int, width: float, turned: bool
) -> None:
    for seed in range(3):
        X = ellipses(n_clusters, n_rows, width, seed, turned=turned)
        found = len(np.unique(DMeans(random_state=0).fit_predict(X)))
        assert abs(found - n_clusters) <= 1


def length_by_formula(residuals: np.ndarray, slots: np.ndarray) -> float:
    """Return the BIC of the three models, one cluster after another."""
    (n, d), ids = residuals.shape, np.unique(slots)
    k, freedom, entries = len(ids), n - len(ids), d * (d + 1) // 2
    spheres = 0.5 * n * d * np.log(np.sum(residuals**2) / (freedom * d)) + 0.5 * np.log(n)
    shared = residuals.T @ residuals / freedom
    equal = 0.5 * n * np.log(np.linalg.det(shared)) + 0.5 * entries * np.log(n)
    own = 0.5 * k * entries * np.log(n)
    for slot in ids:
        rows = residuals[slots == slot]
        own += 0.5 * len(rows) * np.log(np.linalg.det((rows.T @ rows + shared) / len(rows)))
    return float(min([spheres, equal] + [own] * (k * entries <= n)))


@pytest.mark.parametrize("seed", range(10))
def test_length_is_that_of_the_formula(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(20, 60)), int(rng.integers(1, 4)), int(rng.integers(1, 6))
    slots = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    stretched = rng.normal(size=(n, d)) * rng.uniform(0.01, 3, (k, d))[slots]
    centers = np.array([stretched[slots == slot].mean(axis=0) for slot in range(k)])
    residuals = stretched - centers[slots]
    found = _length_of_points(residuals, np.ones(n), slots, np.bincount(slots).astype(float))
    assert found == pytest.approx(length_by_formula(residuals, slots), rel=1e-9)


@pytest.mark.parametrize("scale", [1e-140, 1.0, 1e140])
def test_rows_without_a_covariance(scale: float) -> None:
    rng = np.random.default_rng(0)
    along = 12.0 * np.repeat([0, 1, 2], 20) + rng.normal(size=60)
    line = np.outer(along, [1.0, 2.0, -1.0])
    flat = np.column_stack([along, np.full(60, 7.0)])
    for rows in (line, flat):
        assert DMeans(random_state=0, metric="euclidean").fit(scale * rows).n_clusters_ == 3


def test_weights_count_as_copies_of_different_rows() -> None:
    X = ellipses(4, 200, 0.1, 0, turned=True)
    weights = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    model = DMeans(random_state=0).fit(X, sample_weight=weights)
    assert model.n_clusters_ == 4
