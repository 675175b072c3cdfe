"""Alignment of support points to a new batch."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import ortho_group

from align_twins import scene_between
from dynmeans._algorithms.kernel_space import wide_align
from dynmeans._algorithms.kernel_space.align import align
from dynmeans._algorithms.kernel_space.wide_align import align_wide
from dynmeans._core import align_shifts
from dynmeans.datasets import moving_gaussians, moving_rings
from dynmeans.kernels import KernelInput, first_input
from kernel_twins import scenes
from strategies import seeds


def errors(together, **shape):
    """Distance between found and true shifts of every ring in every step, and the true lengths."""
    wrong, length = [], []
    for seed in range(4):
        stream = moving_rings(12, together=together, random_state=seed, **shape)
        for step in range(1, 12):
            true = stream.centers[step] - stream.centers[step - 1]
            wrong.append(np.linalg.norm(align(scene_between(stream, step))[1] - true, axis=1))
            length.append(np.linalg.norm(true, axis=1))
    return np.stack(wrong), np.stack(length)


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("shape", [{}, {"n_points": 200}, {"n_points": 800}, {"noise": 0.02}])
def test_shifts_of_rings_are_found_to_a_fraction_of_a_step(together, shape):
    wrong, length = errors(together, **shape)
    assert np.median(wrong) < 0.25 * np.median(length)


def test_noise_and_scale_are_estimated():
    stream = moving_rings(2, random_state=0)
    inputs = scene_between(stream, 1)
    shifts = align(inputs)[1]
    for scale in (1e-6, 1e6):
        larger = inputs._replace(rows=scale * inputs.rows, kept=scale * inputs.kept)
        np.testing.assert_allclose(align(larger)[1], scale * shifts, rtol=1e-6, atol=1e-9 * scale)


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_shifts_turn_with_the_data(seed):
    inputs = scene_between(moving_gaussians(4, 2, death=0, random_state=seed), 1)
    turn = ortho_group.rvs(2, random_state=seed % 2**32)
    offset = np.array([3.0, -2.0])
    turned = inputs._replace(rows=inputs.rows @ turn + offset, kept=inputs.kept @ turn + offset)
    np.testing.assert_allclose(align(turned)[1], align(inputs)[1] @ turn, atol=1e-4)


def test_support_points_move_with_their_cluster_and_nothing_else_changes():
    inputs = scene_between(moving_rings(2, together=False, random_state=1), 1)
    moved, shifts = align(inputs)
    np.testing.assert_array_equal(moved.kept, inputs.kept + shifts[inputs.owner])
    assert moved._replace(kept=inputs.kept) == inputs


@pytest.mark.parametrize("unseen", [0, 1, 2, 3, 4])
def test_a_cluster_that_does_not_appear_stays_where_it_was(unseen):
    away = []
    for seed in range(6):
        stream = moving_gaussians(5, 2, points_per_cluster=60, noise=0.03, death=0, random_state=seed)
        shifts = align(scene_between(stream, 1, unseen=unseen))[1]
        away.append(np.linalg.norm(shifts[unseen]))
    assert np.median(away) < 0.03
    assert max(away) < 0.3


def test_a_cluster_that_left_does_not_slide_onto_its_neighbor():
    rng = np.random.default_rng(0)
    left, right = rng.normal(0.0, 1.0, (80, 2)), rng.normal((5.0, 0.0), 1.0, (80, 2))
    rows = rng.normal((0.0, 1.0), 1.0, (80, 2))
    inputs = KernelInput(
        rows, np.ones(80), np.concatenate([left, right]), np.full(160, 1 / 80), np.repeat([0, 1], 80), 2
    )
    shifts = align(inputs)[1]
    np.testing.assert_allclose(shifts[0], [0.0, 1.0], atol=0.4)
    np.testing.assert_allclose(shifts[1], 0.0, atol=0.1)


def test_a_large_batch_is_aligned_on_a_part_of_its_rows_as_well_as_on_all(monkeypatch):
    inputs = scene_between(moving_rings(2, n_points=5000, random_state=0), 1)
    part = align(inputs)[1]
    monkeypatch.setattr("dynmeans._algorithms.kernel_space.align.MAX_ROWS", 5000)
    whole = align(inputs)[1]
    assert not np.array_equal(part, whole)
    np.testing.assert_allclose(part, whole, atol=0.01)


def test_before_anything_is_remembered_nothing_moves():
    inputs = first_input(np.random.default_rng(0).normal(size=(5, 3)))
    moved, shifts = align(inputs)
    assert moved is inputs
    assert shifts.shape == (0, 3)


@given(scenes())
@settings(max_examples=150, deadline=None)
def test_any_scene_gives_finite_shifts(inputs):
    assert np.isfinite(align(inputs)[1]).all()


@pytest.mark.parametrize("n", [1, 5])
@pytest.mark.parametrize("offset", [0.0, 4.0])
def test_equal_rows_work(n, offset):
    inputs = KernelInput(
        np.full((n, 2), offset), np.ones(n), np.zeros((3, 2)), np.full(3, 1 / 3), np.zeros(3, int), 1
    )
    assert np.isfinite(align(inputs)[1]).all()


@pytest.mark.parametrize("n_features", [2, 17, 64])
@pytest.mark.parametrize("bandwidth", [0.4, 1.5])
def test_matrix_products_give_the_shifts_of_the_loop_over_coordinates(n_features, bandwidth):
    rng = np.random.default_rng(n_features)
    centers, shifts = 9.0 * rng.normal(size=(5, n_features)), rng.normal(size=(5, n_features))
    owner = np.repeat(np.arange(5), 30)
    noise = 1.0
    kept = centers[owner] + noise * rng.normal(size=(150, n_features))
    rows = (centers + shifts)[owner[:120]] + noise * rng.normal(size=(120, n_features))  # one is not seen
    scene = (
        rows,
        rng.uniform(0.5, 2.0, 120),
        kept,
        np.full(150, 1 / 30),
        owner,
        5,
        bandwidth * noise,
        10.0**-n_features,
    )
    expected = align_shifts(*scene)
    assert np.abs(expected[:4]).max() > 0.1
    np.testing.assert_allclose(align_wide(*scene), expected, atol=1e-5)


def test_far_rows_give_no_subnormal_numbers():
    """Subnormal numbers would slow down every product."""
    kept = np.array([[0.0], [30.0], [38.0], [40.0], [1e6]])
    inputs = wide_align._AlignInput(
        rows=np.zeros((1, 1)),
        weights=np.ones(1),
        kept=kept,
        owner=np.zeros(5, int),
        shares=np.full((5, 1), 0.2),
        squares=kept.T**2,
        bandwidth=1.0,
        background=0.01,
    )
    gauss = wide_align._gaussians(inputs, np.zeros((1, 1)), 1.0)
    assert (gauss >= np.finfo(float).tiny).all()
    np.testing.assert_allclose(gauss[0, :2], [1.0, np.exp(-450.0)])
