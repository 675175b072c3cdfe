"""Parts of the estimation from the first batches: lifetime, window of single objects, widths of clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans._algorithms.estimation.better_features import are_unequal, widths_within
from dynmeans._algorithms.estimation.lifetime import age_of_end
from dynmeans._algorithms.estimation.window import (
    FIRST_ROWS,
    MAX_WINDOW_ROWS,
    Window,
    add_to_window,
    are_single_objects,
    place_window,
)


def sightings(share: float, n_objects: int, n_steps: int, seed: int) -> list[np.ndarray]:
    """Ids of objects that exist all the time, and are each seen in a share of the steps."""
    rng = np.random.default_rng(seed)
    return [np.flatnonzero(rng.random(n_objects) < share) for _ in range(n_steps)]


@pytest.mark.parametrize("share", [0.5, 0.7, 0.9])
def test_the_age_of_end_is_that_of_odds_of_20_to_1(share: float) -> None:
    n_steps, n_objects = 200, 50
    labels = sightings(share, n_objects, n_steps, seed=0)
    age = age_of_end(range(n_steps), labels, 1.0, lifetime=n_steps)
    ends = 0.5 / (n_steps * n_objects)  # per step, by Jeffreys' prior: none was seen
    odds = (1.0 - share) ** age * share / ends
    assert odds == pytest.approx(1.0 / 20.0, rel=0.35)


@given(st.integers(0, 2**32 - 1), st.floats(0.4, 0.8))
def test_objects_that_are_missed_more_often_end_later(seed: int, share: float) -> None:
    def age(share: float) -> float:
        return age_of_end(range(60), sightings(share, 30, 60, seed), 1.0, lifetime=60.0)

    assert age(share) > age(share + 0.15)


@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_the_age_of_end_does_not_depend_on_the_unit_of_time(seed: int, unit: float) -> None:
    labels = sightings(0.7, 10, 40, seed)
    times = np.arange(40.0)
    age = age_of_end(times.tolist(), labels, 1.0, lifetime=5.0)
    assert age_of_end((unit * times).tolist(), labels, unit, lifetime=5.0) == pytest.approx(age, rel=1e-9)


def test_ids_that_end_shorten_the_age_of_end() -> None:
    lasting = sightings(0.7, 20, 60, seed=0)
    ending = [ids[ids != t // 6] for t, ids in enumerate(lasting)]
    ending = [ids[ids > t // 6] for t, ids in enumerate(ending)]
    assert age_of_end(range(60), ending, 1.0, 5.0) < age_of_end(range(60), lasting, 1.0, 5.0)


def windows(batches: list[np.ndarray]) -> Window:
    window = place_window(batches[0])
    for rows in batches:
        window = add_to_window(window, rows, None)
    return window


def test_a_window_has_the_rows_around_its_center() -> None:
    rng = np.random.default_rng(0)
    batches = [rng.uniform(size=(300, 3)) for _ in range(4)]
    window = windows(batches)
    assert len(window.rows[0]) == FIRST_ROWS + 1
    for rows, kept in zip(batches, window.rows, strict=True):
        near = rows[np.linalg.norm(rows - window.center, axis=1) <= window.radius]
        np.testing.assert_array_equal(kept, near)


def test_a_window_keeps_the_nearest_of_too_many_rows() -> None:
    rng = np.random.default_rng(0)
    window = place_window(rng.uniform(size=(200, 2)))
    crowd = rng.uniform(size=(4000, 2))
    found = add_to_window(window, crowd, np.arange(1.0, 4001.0))
    (kept,), (weights,) = found.rows, found.weights
    away = np.linalg.norm(crowd - window.center, axis=1)
    nearest = np.sort(np.argsort(away)[:MAX_WINDOW_ROWS])
    np.testing.assert_array_equal(kept, crowd[nearest])
    np.testing.assert_array_equal(weights, nearest + 1.0)


@pytest.mark.parametrize("d", [1, 2, 4])
def test_rows_of_clouds_are_not_single_objects(d: int) -> None:
    rng = np.random.default_rng(d)
    centers = rng.uniform(0, 30, (5, d))
    clouds = [np.repeat(centers, 40, axis=0) + rng.normal(size=(200, d)) for _ in range(8)]
    assert not are_single_objects(windows(clouds))


@pytest.mark.parametrize("d", [1, 2, 4])
def test_objects_that_move_by_less_than_their_distance_are_single(d: int) -> None:
    rng = np.random.default_rng(d)
    rows = rng.permutation(np.arange(300.0))[:, None] + rng.uniform(0, 0.3, (300, d))
    batches = [rows + rng.normal(0, 0.1, rows.shape) for _ in range(8)]
    assert are_single_objects(windows(batches))


def test_widths_are_those_within_clusters() -> None:
    rng = np.random.default_rng(0)
    ids = np.repeat(np.arange(4), 500)
    rows = 100.0 * ids[:, None] + rng.normal(size=(2000, 3)) * [4.0, 1.0, 0.25]
    widths = widths_within([rows], [ids])
    assert widths is not None
    np.testing.assert_allclose(widths, [4.0, 1.0, 0.25], rtol=0.05)
    assert are_unequal(widths)
    assert not are_unequal((1.1, 0.9))
    assert widths_within([np.zeros((4, 2))], [np.zeros(4, dtype=int)]) is None
