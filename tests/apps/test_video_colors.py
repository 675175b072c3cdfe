from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dynmeans.apps.video._kmeans import kmeans
from dynmeans.apps.video.colors import COLORSPACES, cells, distinct, from_space, to_space

colors = arrays(np.uint8, (5, 3))


@given(arrays(np.uint8, (6, 7, 3)))
def test_cells_have_the_mean_of_their_pixels_and_are_four_levels_wide(picture: np.ndarray) -> None:
    colors = distinct(picture)
    found = cells(colors)
    of_pixel = found.of[colors.of].ravel()
    pixels = picture.reshape(-1, 3)
    np.testing.assert_array_equal(found.counts, np.bincount(of_pixel))
    for cell, mean in enumerate(found.rows):
        mine = pixels[of_pixel == cell]
        np.testing.assert_allclose(mean, mine.mean(axis=0), rtol=1e-6)
        assert len(np.unique(mine // 4, axis=0)) == 1
    assert len(np.unique(pixels // 4, axis=0)) == len(found.rows)


@given(colors, st.sampled_from(COLORSPACES))
def test_colors_between_the_levels_have_the_same_position(rows: np.ndarray, space: str) -> None:
    np.testing.assert_allclose(to_space(rows.astype(np.float32), space), to_space(rows, space), atol=1e-3)


@given(colors, st.sampled_from(COLORSPACES))
def test_every_color_survives_conversion_and_back(rows: np.ndarray, space: str) -> None:
    np.testing.assert_array_equal(from_space(to_space(rows, space).astype(np.float64), space), rows)


@pytest.mark.parametrize("space", COLORSPACES)
def test_black_and_white_are_equally_far_apart_in_all_spaces(space: str) -> None:
    black, white = to_space(np.array([[0, 0, 0], [255, 255, 255]], dtype=np.uint8), space)
    assert np.linalg.norm(white - black) == pytest.approx(255 * np.sqrt(3), rel=1e-4)


def test_oklab_has_the_published_values() -> None:
    red = to_space(np.array([[255, 0, 0]], dtype=np.uint8), "oklab")[0] / (255 * np.sqrt(3))
    np.testing.assert_allclose(red, [0.62796, 0.22486, 0.12585], atol=1e-4)


def test_colors_out_of_range_become_the_nearest_in_range() -> None:
    assert from_space(np.array([[-4.0, 255.4, 300.0]]), "rgb").tolist() == [[0, 255, 255]]


@given(arrays(np.float32, (12, 2), elements=st.integers(0, 5)), st.integers(1, 6), st.integers(0, 9))
def test_kmeans_ends_where_no_point_is_nearer_to_another_mean(points: np.ndarray, k: int, seed: int) -> None:
    weights = np.arange(1.0, 13.0)
    found = kmeans(points, weights, k, seed)
    gaps = ((points[:, None] - found.centers) ** 2).sum(axis=2)
    np.testing.assert_allclose(gaps[np.arange(12), found.labels], gaps.min(axis=1), atol=1e-9)
    assert len(found.centers) == min(k, len(np.unique(points, axis=0)))
    for j, center in enumerate(found.centers):
        mine = found.labels == j
        np.testing.assert_allclose(center, np.average(points[mine], axis=0, weights=weights[mine]))
