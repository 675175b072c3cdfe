from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans.datasets import Stream, moving_rings


def displacements(stream: Stream) -> np.ndarray:
    """(steps, rings, 2)"""
    return np.diff(np.stack(stream.centers), axis=0)


def residuals(stream: Stream, radii: np.ndarray) -> np.ndarray:
    """How far each point lies outside its ring, along the radius."""
    rows = zip(*stream, strict=True)
    return np.concatenate([np.linalg.norm(y - centers[z], axis=1) - radii[z] for y, z, centers in rows])


@given(st.integers(1, 5), st.integers(1, 40), st.integers(1, 4), st.sampled_from(["random", "equal"]))
def test_every_step_has_all_points_with_ids_of_rings(
    n_steps: int, n_points: int, n_rings: int, split: Any
) -> None:
    stream = moving_rings(n_steps, n_points=n_points, radii=[1.0] * n_rings, split=split, random_state=1)
    assert len(stream.batches) == len(stream.labels) == len(stream.centers) == n_steps
    for batch, labels, centers in zip(*stream, strict=True):
        assert batch.shape == (n_points, 2)
        assert labels.dtype == np.int64
        assert set(labels.tolist()) <= set(range(n_rings))
        assert centers.shape == (n_rings, 2)


@given(st.integers(1, 60), st.integers(1, 5))
def test_an_equal_split_differs_by_at_most_one(n_points: int, n_rings: int) -> None:
    stream = moving_rings(3, n_points=n_points, radii=[0.1] * n_rings, split="equal", random_state=n_points)
    for labels in stream.labels:
        counts = np.bincount(labels, minlength=n_rings)
        assert counts.max() - counts.min() <= 1


def test_the_rest_of_an_equal_split_favours_no_ring() -> None:
    stream = moving_rings(600, n_points=1, split="equal", random_state=0)
    counts = np.bincount(np.concatenate(stream.labels), minlength=3)
    np.testing.assert_allclose(counts / 600, 1 / 3, atol=0.07)


def test_points_choose_their_ring_at_random_by_default() -> None:
    counts = np.stack([np.bincount(z, minlength=3) for z in moving_rings(200, random_state=0).labels])
    np.testing.assert_allclose(counts.mean(axis=0), 400 / 3, rtol=0.05)
    np.testing.assert_allclose(counts.std(axis=0), np.sqrt(400 * 2 / 9), rtol=0.2)


def test_points_lie_on_their_rings_when_there_is_no_noise() -> None:
    radii = np.array([0.4, 0.2, 0.0])
    np.testing.assert_allclose(residuals(moving_rings(5, noise=0, random_state=0), radii), 0, atol=1e-12)


def test_noise_has_the_asked_spread_in_each_coordinate() -> None:
    stream = moving_rings(50, radii=(0.0,), noise=0.07, random_state=0)
    offsets = np.concatenate([y - c for y, c in zip(stream.batches, stream.centers, strict=True)])
    np.testing.assert_allclose(offsets.std(axis=0), 0.07, rtol=0.03)
    ring = residuals(moving_rings(50, radii=(5.0,), noise=0.07, random_state=0), np.array([5.0]))
    assert ring.std() == pytest.approx(0.07, rel=0.03)


def test_points_are_spread_evenly_around_a_ring() -> None:
    stream = moving_rings(50, radii=(1.0,), random_state=0)
    offsets = np.concatenate([y - c for y, c in zip(stream.batches, stream.centers, strict=True)])
    shares = np.histogram(np.arctan2(*offsets.T), bins=8, range=(-np.pi, np.pi))[0] / len(offsets)
    np.testing.assert_allclose(shares, 1 / 8, atol=0.01)


def test_rings_stay_concentric_unless_each_moves_on_its_own() -> None:
    together = displacements(moving_rings(300, random_state=0))
    assert np.ptp(together, axis=1).max() < 1e-12
    apart = displacements(moving_rings(300, together=False, random_state=0))
    correlation = np.corrcoef(apart.transpose(1, 0, 2).reshape(3, -1))
    np.testing.assert_allclose(correlation, np.eye(3), atol=0.15)


@pytest.mark.parametrize("together", [True, False])
def test_steps_are_isotropic_with_the_asked_spread(together: bool) -> None:
    moves = displacements(moving_rings(1500, n_points=1, motion=0.2, together=together, random_state=0))
    covariance = np.cov(moves[:, 0].T)
    np.testing.assert_allclose(covariance, 0.04 * np.eye(2), atol=0.004)


def test_rings_start_in_the_middle_and_may_leave_the_square() -> None:
    stream = moving_rings(400, n_points=1, random_state=0)
    np.testing.assert_array_equal(stream.centers[0], np.full((3, 2), 0.5))
    assert np.abs(np.stack(stream.centers) - 0.5).max() > 0.5


def test_walls_mirror_the_centers_and_change_nothing_inside() -> None:
    free, kept = (
        moving_rings(2, radii=[0.1] * 200, motion=0.4, together=False, boundary=b, random_state=0).centers[1]
        for b in ("free", "reflect")
    )
    assert (free < 0).any()
    assert (free > 1).any()
    np.testing.assert_allclose(
        kept, np.where(free < 0, -free, np.where(free > 1, 2 - free, free)), atol=1e-12
    )


def test_a_seed_gives_the_same_stream_again() -> None:
    one, same, other = (moving_rings(3, random_state=s) for s in (5, 5, 6))
    np.testing.assert_array_equal(np.stack(one.batches), np.stack(same.batches))
    assert not np.array_equal(one.batches[0], other.batches[0])


def test_the_defaults_are_the_experiment_of_the_paper() -> None:
    stream = moving_rings(random_state=0)
    assert len(stream.batches) == 100
    assert {batch.shape for batch in stream.batches} == {(400, 2)}
    assert residuals(stream, np.array([0.4, 0.2, 0.0]))[
        np.concatenate(stream.labels) < 2
    ].std() == pytest.approx(0.03, rel=0.03)
    assert displacements(moving_rings(3000, n_points=1, random_state=0)).std() == pytest.approx(
        0.05, rel=0.05
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_steps": 0}, "n_steps is 0; it must be at least 1"),
        ({"n_points": -3}, "n_points is -3; it must be at least 1"),
        ({"radii": ()}, "radii is empty; there must be at least one ring"),
        ({"radii": (0.4, -1)}, "radius is -1; it must be finite and at least 0"),
        ({"noise": np.nan}, "noise is nan; it must be finite and at least 0"),
        ({"motion": -0.1}, "motion is -0.1; it must be finite and at least 0"),
        ({"split": "half"}, "split is 'half'; it must be one of 'random', 'equal'"),
        ({"boundary": "wrap"}, "boundary is 'wrap'; it must be one of 'free', 'reflect'"),
        ({"random_state": -1}, "random_state is -1; a seed must be at least 0"),
    ],
)
def test_a_value_out_of_range_is_named_with_its_rule(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        moving_rings(**parameters)
