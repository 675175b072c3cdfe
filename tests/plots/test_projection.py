from __future__ import annotations

import numpy as np
import pytest

from dynmeans.plots._projection import fit_projection

NAMES = [f"f{i}" for i in range(50)]


def cloud(n: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(n + d)
    return rng.normal(size=(n, d)) * np.geomspace(5, 0.1, d) + 3


@pytest.mark.parametrize("d", [1, 2])
def test_one_or_two_features_are_shown_as_they_are(d: int) -> None:
    points = cloud(20, d)
    projection = fit_projection(points, NAMES[:d])
    np.testing.assert_array_equal(projection.apply(points)[:, :d], points)
    assert projection.labels == (("f0", "f1") if d == 2 else ("f0", ""))


@pytest.mark.parametrize(("n", "d"), [(200, 5), (10, 40), (2, 3)])
def test_more_features_are_shown_along_the_principal_axes(n: int, d: int) -> None:
    points = cloud(n, d)
    projection = fit_projection(points, NAMES[:d])
    _, singular, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(axes[0] @ projection.axes[:, 0]), 1)
    np.testing.assert_allclose(projection.axes.T @ projection.axes, np.eye(2), atol=1e-9)
    share = 100 * singular[:2] ** 2 / np.sum(singular**2)
    for i in range(2):
        assert projection.labels[i] == f"component {i + 1} ({share[i]:.0f}% of the variance)"


def test_the_sign_of_an_axis_does_not_depend_on_the_order_of_the_points() -> None:
    points = cloud(100, 6)
    there, back = fit_projection(points, NAMES[:6]), fit_projection(points[::-1], NAMES[:6])
    np.testing.assert_allclose(there.axes, back.axes, atol=1e-8)
    assert np.all(there.axes[np.abs(there.axes).argmax(axis=0), [0, 1]] > 0)


@pytest.mark.parametrize("points", [np.zeros((0, 4)), np.ones((7, 4)), np.full((1, 4), 2.5)])
def test_data_without_extent_has_a_plane_too(points: np.ndarray) -> None:
    projection = fit_projection(points, NAMES[:4])
    assert projection.apply(points).shape == (len(points), 2)
    assert projection.labels[0] == "component 1 (0% of the variance)"


@pytest.mark.parametrize("scale", [1e-300, 1e150])
def test_the_scale_of_the_data_does_not_matter(scale: float) -> None:
    points = cloud(60, 4)
    plain, scaled = fit_projection(points, NAMES[:4]), fit_projection(points * scale, NAMES[:4])
    np.testing.assert_allclose(plain.axes, scaled.axes, atol=1e-8)
    assert plain.labels == scaled.labels


def test_long_samples_are_read_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.repeat(cloud(50, 4), 3, axis=0)
    whole = fit_projection(points, NAMES[:4])
    monkeypatch.setattr("dynmeans.plots._projection._MAX_ENTRIES", 300)
    np.testing.assert_allclose(fit_projection(points, NAMES[:4]).axes, whole.axes, atol=1e-8)
