from __future__ import annotations

import numpy as np
import pytest

from dynmeans.apps.points import EmptyScene, Ground, NoBackground
from dynmeans.apps.points.background import fit_ground

RNG = np.random.default_rng(1)
FLOOR = np.column_stack([RNG.uniform(0, 10, (2000, 2)), RNG.normal(0, 0.01, 2000)])
PERSON = np.column_stack([RNG.uniform(4.0, 4.4, (200, 2)), RNG.uniform(0.3, 1.8, 200)])


def test_without_background_everything_is_kept() -> None:
    assert NoBackground().is_foreground(FLOOR).all()


def test_points_of_the_empty_scene_are_background() -> None:
    scene = EmptyScene([FLOOR, FLOOR + np.array([0.0, 0.0, 0.03])])
    again = FLOOR + RNG.normal(0, 0.01, FLOOR.shape)
    assert scene.is_foreground(again).mean() < 0.02
    assert scene.is_foreground(PERSON).all()


def test_an_empty_scene_without_points_leaves_everything() -> None:
    assert EmptyScene([np.full((1, 3), np.nan)]).is_foreground(PERSON).all()


def test_an_empty_scene_that_was_never_seen_is_refused() -> None:
    with pytest.raises(ValueError, match="no frames of the empty scene"):
        EmptyScene([])


@pytest.mark.parametrize("slope", [0.0, 0.1, -0.2])
def test_objects_on_sloping_ground_are_kept(slope: float) -> None:
    lift = np.array([0.0, 0.0, 1.0]) * (slope * np.concatenate([FLOOR, PERSON])[:, :1] - 1.6)
    points = np.concatenate([FLOOR, PERSON]) + lift
    kept = Ground().is_foreground(points)
    assert not kept[: len(FLOOR)].any()
    assert kept[len(FLOOR) :].mean() > 0.9
    plane = fit_ground(points)
    np.testing.assert_allclose(np.linalg.norm(plane.normal), 1.0)
    np.testing.assert_allclose(-plane.normal[0] / plane.normal[2], slope, atol=0.02)


def test_a_ceiling_is_not_kept_and_too_few_points_are_no_ground() -> None:
    ceiling = FLOOR + np.array([0.0, 0.0, 2.8])
    assert not Ground().is_foreground(np.concatenate([FLOOR, ceiling])).any()
    assert Ground().is_foreground(FLOOR[:2]).all()
