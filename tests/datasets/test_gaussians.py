from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans.datasets import Stream, moving_gaussians


@st.composite
def streams(draw: st.DrawFn) -> tuple[dict[str, Any], Stream]:
    shape = {
        "n_clusters": draw(st.integers(1, 6)),
        "n_steps": draw(st.integers(1, 12)),
        "points_per_cluster": draw(st.integers(1, 5)),
        "n_features": draw(st.integers(1, 4)),
        "random_state": draw(st.integers(0, 2**32)),
    }
    law = {
        "motion": draw(st.sampled_from([0.0, 0.05, 0.5, 40.0])),
        "death": draw(st.sampled_from([0.0, 0.05, 0.5, 1.0])),
        "displacement": draw(st.sampled_from(["isotropic", "radial"])),
    }
    return shape, moving_gaussians(**shape, **law)


def displacements(stream: Stream) -> np.ndarray:
    """Return the displacements of a stream without deaths, one row each."""
    return np.diff(np.stack(stream.centers), axis=0).reshape(-1, stream.centers[0].shape[1])


@given(streams())
def test_every_step_has_all_clusters_with_all_their_points(case: tuple[dict[str, Any], Stream]) -> None:
    shape, stream = case
    per_cluster, n_features = shape["points_per_cluster"], shape["n_features"]
    assert len(stream.batches) == len(stream.labels) == len(stream.centers) == shape["n_steps"]
    for batch, labels, centers in zip(*stream, strict=True):
        ids, counts = np.unique(labels, return_counts=True)
        assert counts.tolist() == [per_cluster] * shape["n_clusters"]
        assert labels.dtype == np.int64
        assert batch.shape == (labels.size, n_features)
        assert centers.shape == (ids.size, n_features)


@given(streams())
def test_ids_come_from_a_counter_and_never_return(case: tuple[dict[str, Any], Stream]) -> None:
    living = [set(labels.tolist()) for labels in case[1].labels]
    seen = living[0]
    assert seen == set(range(len(seen)))
    for before, now in pairwise(living):
        born = now - before
        assert born == set(range(len(seen), len(seen) + len(born)))
        seen = seen | born


@given(streams())
def test_reflected_centers_never_leave_the_unit_cube(case: tuple[dict[str, Any], Stream]) -> None:
    centers = np.concatenate(case[1].centers)
    assert centers.min() >= 0
    assert centers.max() <= 1


@given(st.integers(0, 2**32))
@settings(max_examples=10)
def test_a_seed_gives_the_same_stream_again(seed: int) -> None:
    first, second = (moving_gaussians(n_steps=5, random_state=seed) for _ in range(2))
    for left, right in zip(first, second, strict=True):
        np.testing.assert_array_equal(left, right)


def test_a_generator_is_used_as_it_is_and_moves_on() -> None:
    rng = np.random.default_rng(3)
    first, second = (moving_gaussians(n_steps=2, random_state=rng) for _ in range(2))
    np.testing.assert_array_equal(first.batches, moving_gaussians(n_steps=2, random_state=3).batches)
    assert not np.array_equal(first.batches, second.batches)


def test_without_a_seed_every_stream_is_another() -> None:
    assert not np.array_equal(moving_gaussians(n_steps=1).batches, moving_gaussians(n_steps=1).batches)


def test_labels_belong_to_the_center_that_their_point_was_drawn_around() -> None:
    stream = moving_gaussians(noise=0.0, n_steps=20, death=0.3, random_state=0)
    for batch, labels, centers in zip(*stream, strict=True):
        np.testing.assert_array_equal(batch, centers[np.searchsorted(np.unique(labels), labels)])


def test_points_scatter_by_noise_in_each_coordinate() -> None:
    stream = moving_gaussians(2, 3, points_per_cluster=4000, noise=0.2, n_features=3, random_state=0)
    for batch, labels, centers in zip(*stream, strict=True):
        scatter = batch - centers[np.searchsorted(np.unique(labels), labels)]
        np.testing.assert_allclose(scatter.std(axis=0), 0.2, rtol=0.05)
        np.testing.assert_allclose(scatter.mean(axis=0), 0.0, atol=0.02)


def test_rows_are_in_random_order() -> None:
    labels = moving_gaussians(random_state=0).labels
    assert all(np.count_nonzero(np.diff(step)) > 20 for step in labels)


@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_isotropic_displacements_have_the_given_spread_in_each_coordinate(n_features: int) -> None:
    stream = moving_gaussians(
        400,
        21,
        points_per_cluster=1,
        motion=0.1,
        death=0,
        boundary="free",
        n_features=n_features,
        random_state=0,
    )
    moves = displacements(stream)
    np.testing.assert_allclose(moves.std(axis=0), 0.1, rtol=0.05)
    np.testing.assert_allclose(moves.mean(axis=0), 0.0, atol=0.01)


@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_radial_displacements_have_gaussian_length_in_a_uniform_direction(n_features: int) -> None:
    stream = moving_gaussians(
        400,
        21,
        points_per_cluster=1,
        motion=0.1,
        death=0,
        displacement="radial",
        boundary="free",
        n_features=n_features,
        random_state=0,
    )
    moves = displacements(stream)
    length = np.linalg.norm(moves, axis=1)
    assert np.sqrt(np.mean(length**2)) == pytest.approx(0.1, rel=0.05)
    assert length.mean() == pytest.approx(0.1 * np.sqrt(2 / np.pi), rel=0.05)
    direction = moves / length[:, None]
    np.testing.assert_allclose(
        direction.T @ direction / len(moves), np.eye(n_features) / n_features, atol=0.03
    )


def test_centers_that_reflect_move_like_free_ones_until_they_meet_a_wall() -> None:
    free, kept = (
        moving_gaussians(50, 2, death=0, motion=0.2, boundary=boundary, random_state=0)
        for boundary in ("free", "reflect")
    )
    inside = ((free.centers[1] >= 0) & (free.centers[1] <= 1)).all(axis=1)
    assert 0 < inside.sum() < 50
    np.testing.assert_array_equal(kept.centers[1][inside], free.centers[1][inside])
    left = free.centers[1] < 0
    np.testing.assert_allclose(kept.centers[1][left], -free.centers[1][left])
    right = free.centers[1] > 1
    np.testing.assert_allclose(kept.centers[1][right], 2 - free.centers[1][right])


def test_reflection_keeps_centers_spread_evenly() -> None:
    stream = moving_gaussians(2000, 100, points_per_cluster=1, death=0, random_state=0)
    shares = np.histogram2d(*stream.centers[-1].T, bins=3, range=[[0, 1], [0, 1]])[0] / 2000
    np.testing.assert_allclose(shares, 1 / 9, atol=0.03)


def test_clusters_die_and_are_replaced_as_often_as_asked() -> None:
    stream = moving_gaussians(200, 51, points_per_cluster=1, death=0.2, random_state=0)
    deaths = max(labels.max() for labels in stream.labels) + 1 - 200
    assert deaths / (200 * 50) == pytest.approx(0.2, rel=0.1)


def test_newborns_appear_anywhere_in_the_square() -> None:
    newborn = moving_gaussians(2000, 2, points_per_cluster=1, death=1.0, motion=0.0, random_state=0).centers[
        1
    ]
    shares = np.histogram2d(*newborn.T, bins=3, range=[[0, 1], [0, 1]])[0] / 2000
    np.testing.assert_allclose(shares, 1 / 9, atol=0.03)


def test_without_death_the_first_clusters_stay() -> None:
    stream = moving_gaussians(4, 50, death=0.0, random_state=0)
    assert all(set(labels.tolist()) == {0, 1, 2, 3} for labels in stream.labels)


def test_without_motion_survivors_stay_where_they_are() -> None:
    assert not displacements(moving_gaussians(4, 10, death=0.0, motion=0.0, random_state=0)).any()


def test_the_defaults_are_the_experiment_of_the_paper() -> None:
    stream = moving_gaussians(random_state=0)
    assert len(stream.batches) == 100
    assert {batch.shape for batch in stream.batches} == {(75, 2)}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters is 0; it must be at least 1"),
        ({"n_steps": -1}, "n_steps is -1; it must be at least 1"),
        ({"points_per_cluster": 0}, "points_per_cluster is 0; it must be at least 1"),
        ({"n_features": 0}, "n_features is 0; it must be at least 1"),
        ({"noise": -0.1}, "noise is -0.1; it must be finite and at least 0"),
        ({"noise": np.inf}, "noise is inf; it must be finite and at least 0"),
        ({"motion": np.nan}, "motion is nan; it must be finite and at least 0"),
        ({"death": 1.5}, "death is 1.5; it must be between 0 and 1"),
        ({"displacement": "polar"}, "displacement is 'polar'; it must be one of 'isotropic', 'radial'"),
        ({"boundary": "wrap"}, "boundary is 'wrap'; it must be one of 'reflect', 'free'"),
        ({"random_state": -1}, "random_state is -1; a seed must be at least 0"),
    ],
)
def test_a_value_out_of_range_is_named_with_its_rule(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        moving_gaussians(**parameters)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 2.5}, "n_clusters is 2.5; it must be an integer"),
        ({"n_steps": True}, "n_steps is True; it must be an integer"),
        ({"random_state": "seed"}, "random_state is 'seed'; it must be an int, a numpy Generator or None"),
    ],
)
def test_a_value_of_the_wrong_type_is_named_with_its_rule(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        moving_gaussians(**parameters)
