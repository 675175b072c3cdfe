from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans._codes.cloud_test import are_clouds, rotated, wasted_nats
from strategies import seeds

SHORTEST = 1e-6


def steps(clusters: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One cluster per step, in rows, ids and starts."""
    sizes = [len(rows) for rows in clusters]
    return np.concatenate(clusters), np.zeros(sum(sizes), int), np.concatenate([[0], np.cumsum(sizes)])


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.integers(1, 5), seeds)
def test_rotation_keeps_mean_and_scatter(n: int, d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 5.0
    (found,) = rotated(rows[None], rng.normal(size=(1, n, min(n - 1, d))))
    np.testing.assert_allclose(found.mean(axis=0), rows.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(np.cov(found.T), np.cov(rows.T), atol=1e-9)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_gaussian_clusters_of_any_covariance_are_clouds(d: int) -> None:
    rng = np.random.default_rng(d)
    clusters = [rng.normal(size=(20, d)) * rng.uniform(0.1, 5.0, d) for _ in range(60)]
    rows, ids, starts = steps(clusters)
    assert are_clouds(rows, ids, starts, SHORTEST)
    assert abs(wasted_nats(rows, ids, starts, SHORTEST).mean()) < 1.0


@pytest.mark.parametrize("is_angle", [False, True])
def test_angles_and_pairs_of_clouds_are_no_clouds(is_angle: bool) -> None:
    rng = np.random.default_rng(0)

    def angle() -> np.ndarray:
        u = rng.random(30)
        return np.c_[np.minimum(u, 0.5), np.maximum(u - 0.5, 0.0)] + 0.01 * rng.normal(size=(30, 2))

    def pair() -> np.ndarray:
        return 3.0 * (rng.random((30, 1)) < 0.5) + 0.3 * rng.normal(size=(30, 2))

    rows, ids, starts = steps([angle() if is_angle else pair() for _ in range(10)])
    assert not are_clouds(rows, ids, starts, SHORTEST)


def test_noise_pairs_and_single_rows_waste_nothing() -> None:
    rows, ids = np.random.default_rng(0).normal(size=(9, 2)), np.array([-1, -1, -1, 0, 0, 1, -1, -1, -1])
    wasted = wasted_nats(rows, ids, np.array([0, 6, 9]), SHORTEST)
    np.testing.assert_array_equal(wasted, np.zeros(2))
    assert are_clouds(rows, ids, np.array([0, 6, 9]), SHORTEST)
    assert are_clouds(rows, np.zeros(9, int), np.array([0, 9]), SHORTEST)  # one step shows no variation
