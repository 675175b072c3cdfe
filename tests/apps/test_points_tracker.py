from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans._model.events import Event
from dynmeans.apps.points import TRACKER_PARAMETERS, Tracker
from dynmeans.apps.points._segmentation import segment
from dynmeans.apps.points._tracks import bounding_boxes
from dynmeans.apps.points._voxels import bin_points, even_weights
from dynmeans.datasets import walking_people
from dynmeans.metrics import identity_f1, per_step_accuracy


@given(st.integers(1, 200), st.floats(0.05, 3.0), st.integers(0, 99))
def test_cells_hold_all_points_and_their_means(n: int, size: float, seed: int) -> None:
    points = np.random.default_rng(seed).normal(0.0, 2.0, (n, 2))
    cells = bin_points(points, size)
    assert cells.counts.sum() == n
    for k in range(len(cells.counts)):
        mine = points[cells.cell == k]
        assert len({tuple(cell) for cell in np.floor(mine / size)}) == 1
        np.testing.assert_allclose(cells.centers[k], mine.mean(axis=0))
    assert len(cells.counts) == len({tuple(cell) for cell in np.floor(points / size)})


@pytest.mark.parametrize("far", [1e300, -1e308, 1e16])
def test_a_point_beyond_all_cells_is_named(far: float) -> None:
    with pytest.raises(ValueError, match="too far away for cells of 0.1"):
        bin_points(np.array([[far, 0.0, 0.0], [0.0, 0.0, 0.0]]), 0.1)


def test_a_person_near_the_sensor_weighs_as_much_as_one_far_away() -> None:
    rng = np.random.default_rng(0)
    near, far = rng.normal(0.0, 0.1, (900, 2)), rng.normal(8.0, 0.1, (30, 2))
    cells = bin_points(np.concatenate([near, far]), 0.1)
    weights = even_weights(cells.centers, cells.counts)
    is_far = cells.centers[:, 0] > 4.0
    assert weights[is_far].sum() == pytest.approx(weights[~is_far].sum(), rel=0.1)


def test_the_weights_of_many_cells_are_those_of_all_pairs() -> None:
    rng = np.random.default_rng(2)
    centers, counts = rng.uniform(0.0, 9.0, (2500, 2)), rng.integers(1, 50, 2500).astype(float)
    gaps = np.linalg.norm(centers[:, None] - centers, axis=2)
    local_mass = np.exp(-0.5 * (gaps / 0.28) ** 2) @ np.sqrt(counts)
    np.testing.assert_allclose(even_weights(centers, counts, 0.28), np.sqrt(counts) / local_mass, rtol=1e-11)


@given(st.integers(1, 5), st.integers(0, 99))
def test_separate_people_are_one_piece_each(n_people: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    spots = np.stack([np.arange(n_people) * 1.5, rng.uniform(0.0, 9.0, n_people)], axis=1)
    true = rng.permutation(np.repeat(np.arange(n_people), 40))
    points = spots[true] + rng.uniform(-0.2, 0.2, (len(true), 2))
    pieces = segment(bin_points(points, 0.15), 0.28, 0.35)
    assert len(pieces.counts) == n_people
    np.testing.assert_array_equal(pieces.counts, np.full(n_people, 40))
    for k in range(n_people):
        assert len(set(true[pieces.cell == k])) == 1
        np.testing.assert_allclose(pieces.centers[k], spots[true[pieces.cell == k][0]], atol=0.2)


def test_few_points_beside_a_person_join_and_many_are_another_person() -> None:
    rng = np.random.default_rng(0)

    def stand(x: float, n: int) -> np.ndarray:
        return np.column_stack([rng.normal(x, 0.08, n), rng.normal(0.0, 0.08, n), rng.uniform(0.0, 1.8, n)])

    follower, person = Tracker(), stand(0.0, 100)
    for step, n in enumerate((0, 2, 60)):
        labels = follower.take(np.concatenate([person, stand(0.7, n)]), step / 30).labels
        assert set(labels[:100]) == {0}
        assert set(labels[100:]) == ({0} if n == 2 else {1} if n else set())


@pytest.mark.parametrize("algorithm", ["dmeans", "sdmeans"])
def test_people_keep_their_ids(algorithm: str) -> None:
    stream = walking_people(20, n_people=5, random_state=2)
    follower = Tracker(TRACKER_PARAMETERS[algorithm])
    found = [follower.take(points, i / 30).labels for i, points in enumerate(stream.batches)]
    assert per_step_accuracy(stream.labels, found) > 0.97
    assert identity_f1(stream.labels, found) > 0.95


def test_points_that_are_not_kept_have_no_id() -> None:
    class LeftHalf:
        def is_foreground(self, points: np.ndarray) -> np.ndarray:
            return points[:, 0] < 6.0

    stream = walking_people(1, n_people=6, random_state=5)
    points = np.concatenate([stream.batches[0], [[np.nan, 0.0, 0.0]]])
    labels = Tracker(background=LeftHalf()).take(points, 0.0).labels
    np.testing.assert_array_equal(labels >= 0, points[:, 0] < 6.0)


def test_a_frame_without_points_has_no_people() -> None:
    follower = Tracker()
    assert len(follower.take(np.empty((0, 3)), 0.0).report.active) == 0
    assert follower.take(np.zeros((2, 3)), 1.0).labels.tolist() == [0, 0]


def test_people_sleep_and_die_while_frames_have_no_points() -> None:
    events: list[Event] = []
    follower = Tracker(on_event=events.append)
    follower.take(np.zeros((2, 3)), 0.0)
    for time in (0.5, 3.0, 60.0):
        follower.take(np.empty((0, 3)), time)
    assert [(event.kind, event.time) for event in events] == [("birth", 0.0), ("sleep", 0.5), ("death", 6.0)]


def test_tracks_are_boxes_around_the_points_of_each_id() -> None:
    rng = np.random.default_rng(3)
    points, labels = rng.normal(size=(50, 3)), rng.integers(-1, 4, 50)
    tracks = bounding_boxes(points, labels)
    assert tracks.ids.tolist() == [0, 1, 2, 3]
    for k, center, extent, count in zip(*tracks, strict=True):
        mine = points[labels == k]
        np.testing.assert_allclose(center, (mine.min(axis=0) + mine.max(axis=0)) / 2)
        np.testing.assert_allclose(extent, np.ptp(mine, axis=0))
        assert count == len(mine)
    assert len(bounding_boxes(points, np.full(50, -1)).ids) == 0


def test_pieces_with_few_points_are_noise() -> None:
    rng = np.random.default_rng(0)
    person = rng.normal(0.0, 0.1, (50, 3))
    frames = [np.vstack([person, rng.uniform(2.0, 9.0, (20, 3))]) for _ in range(20)]
    for min_points, expected in ((1, False), (5, True)):
        tracker = Tracker(TRACKER_PARAMETERS["sdmeans"]._replace(min_points=min_points))
        labels = [tracker.take(points, i / 10).labels for i, points in enumerate(frames)]
        assert (np.concatenate([y[:50] for y in labels]) >= 0).all()
        assert (len(np.unique(np.concatenate(labels))) == 2) == expected  # the person and noise
    only_noise = tracker.take(frames[0][50:], 3.0)
    assert (only_noise.labels == -1).all()
    assert len(only_noise.report.active) == 0
    with pytest.raises(ValueError, match="min_points needs algorithm='sdmeans'"):
        Tracker(TRACKER_PARAMETERS["dmeans"]._replace(min_points=5))
