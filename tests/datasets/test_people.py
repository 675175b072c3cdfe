from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dynmeans.datasets import walking_people
from dynmeans.datasets._lidar import SENSOR, Bodies, _capsules, cast, make_rays
from dynmeans.datasets._walkers import MAX_PEOPLE, PILLAR_RADIUS, PILLARS, ROOM, place_people

RAYS = make_rays()


def body(*positions: tuple[float, float]) -> Bodies:
    """People who stand still and look at the sensor."""
    n = len(positions)
    return Bodies(np.array(positions), np.full(n, -np.pi / 2), np.zeros(n), np.zeros(n), np.ones(n))


def slow_range(direction: np.ndarray, start: np.ndarray, end: np.ndarray, radius: float) -> float:
    """March along a ray until it is within a radius of a segment: slow and obvious."""
    for far in np.arange(0.5, 12.0, 0.002):
        point = SENSOR + far * direction
        axis = end - start
        along = np.clip((point - start) @ axis / (axis @ axis), 0.0, 1.0)
        if np.linalg.norm(point - start - along * axis) <= radius:
            return float(far)
    return np.inf


def test_equal_seeds_give_equal_streams_and_every_point_has_a_person() -> None:
    one, two, other = (walking_people(3, n_people=5, random_state=seed) for seed in (1, 1, 2))
    for a, b in zip(one.batches, two.batches, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(one.batches[0], other.batches[0])
    for points, labels, centers in zip(*one, strict=True):
        assert points.shape == (len(labels), 3)
        assert set(labels) <= set(range(5))
        assert centers.shape == (len(np.unique(labels)), 3)


def test_points_lie_on_their_person() -> None:
    stream = walking_people(5, n_people=6, noise=0.0, random_state=4)
    for points, labels, centers in zip(*stream, strict=True):
        middle = centers[np.searchsorted(np.unique(labels), labels)]
        assert np.linalg.norm(points[:, :2] - middle[:, :2], axis=1).max() < 0.75
        assert points[:, 2].min() > -0.1
        assert points[:, 2].max() < 2.0


def test_the_background_changes_no_person_and_is_floor_wall_or_pillar() -> None:
    people, all_rays = (
        walking_people(2, n_people=4, noise=0.0, background=shown, random_state=3) for shown in (False, True)
    )
    for few, many, labels in zip(people.batches, all_rays.batches, all_rays.labels, strict=True):
        order = [np.lexsort(points.T) for points in (few, many[labels >= 0])]
        np.testing.assert_allclose(few[order[0]], many[labels >= 0][order[1]])
        rest = many[labels < 0]
        on_pillar = np.min(np.linalg.norm(rest[:, None, :2] - PILLARS, axis=2), axis=1) < PILLAR_RADIUS + 1e-6
        box = np.array([*ROOM, 3.0])
        on_wall = np.minimum(rest, box - rest).min(axis=1) < 1e-6
        assert (on_pillar | on_wall).all()


def test_rays_meet_the_nearest_capsule_where_a_slow_march_meets_it() -> None:
    bodies = body((6.4, 3.0))
    ranges, who = cast(RAYS, bodies)
    shapes = _capsules(bodies)
    rows = np.flatnonzero(who == 0)[::60]
    assert len(rows) > 5
    for row in rows:
        slow = min(slow_range(RAYS.directions[row], *shape) for shape in zip(*shapes[:3], strict=True))
        assert ranges[row] == pytest.approx(slow, abs=0.004)


def test_people_behind_others_or_pillars_are_hidden() -> None:
    behind = tuple(PILLARS[1] + 0.8 * (PILLARS[1] - SENSOR[:2]) / np.linalg.norm(PILLARS[1] - SENSOR[:2]))
    _, alone = cast(RAYS, body(behind))
    _, free = cast(RAYS, body((5.0, 6.0)))
    _, both = cast(RAYS, body((5.0, 6.0), (5.6, 2.4)))
    assert (alone == 0).sum() < 0.5 * (free == 0).sum()
    assert (both == 0).sum() < 0.7 * (free == 0).sum()
    assert (both == 1).sum() > (free == 0).sum()  # nearer, so more rays hit the body


def test_people_walk_at_the_speed_of_people_and_keep_apart() -> None:
    stream = walking_people(60, n_people=9, frame_rate=10.0, random_state=6)
    for before, after in zip(stream.centers, stream.centers[1:], strict=False):
        if len(before) == len(after):
            assert np.linalg.norm(after - before, axis=1).max() < 0.25
        distances = np.linalg.norm(after[:, None, :2] - after[None, :, :2], axis=2) + 9.0 * np.eye(len(after))
        assert distances.min() > 0.25


def test_there_is_room_for_the_largest_crowd() -> None:
    assert all(
        len(place_people(MAX_PEOPLE, np.random.default_rng(seed)).position) == 50 for seed in range(20)
    )


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"n_steps": 0}, ValueError, "n_steps is 0"),
        ({"n_people": 2.5}, TypeError, "n_people is 2.5"),
        ({"n_people": 51}, ValueError, "n_people is 51; it must be between 1 and 50"),
        ({"frame_rate": "30"}, TypeError, "frame_rate is '30'; it must be a number"),
        ({"noise": -1.0}, ValueError, "noise is -1.0"),
        ({"frame_rate": 0.0}, ValueError, "frame_rate is 0.0"),
    ],
)
def test_invalid_numbers_are_refused(wrong: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        walking_people(**{"n_steps": 1, **wrong})
