from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans.datasets import moving_gaussians
from dynmeans.tuning import code_length
from dynmeans.tuning.code_length import code_parts, make_reference
from strategies import seeds, streams
from tuning_twins import code_parts as slow_parts


def random_ids(batches: list[np.ndarray], seed: int, n_ids: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(n_ids, size=len(batch)) for batch in batches]


@settings(max_examples=40, deadline=None)
@given(streams(), seeds, st.integers(1, 6), st.booleans(), st.booleans())
def test_compiled_code_length_equals_the_slow_version(
    batches: list[np.ndarray], seed: int, n_ids: int, weighted: bool, timed: bool
) -> None:
    rng = np.random.default_rng(seed)
    labels = random_ids(batches, seed, n_ids)
    times = np.cumsum(rng.choice([0.5, 1.0, 700.0], len(batches))) if timed else np.arange(len(batches)) * 1.0
    weights = [rng.choice([0.5, 1.0, 3.0], len(batch)) for batch in batches] if weighted else None
    reference = make_reference(batches, times, weights)
    found = code_parts(reference, labels)
    np.testing.assert_allclose(found, slow_parts(reference, labels), rtol=1e-7, atol=1e-7)


@settings(max_examples=20, deadline=None)
@given(streams(), seeds)
def test_scale_translation_and_id_values_change_nothing(batches: list[np.ndarray], seed: int) -> None:
    labels = random_ids(batches, seed, 4)
    length = code_length(batches, labels)
    assert code_length([1000 * batch for batch in batches], labels) == pytest.approx(length, abs=1e-6)
    assert code_length([batch + 1e4 for batch in batches], labels) == pytest.approx(length, abs=1e-4)
    assert code_length(batches, [90 - 7 * ids for ids in labels]) == pytest.approx(length, abs=1e-9)


@pytest.mark.parametrize("n_features", [2, 10, 40])
def test_the_truth_is_shorter_than_merging_splitting_or_swapping(n_features: int) -> None:
    stream = moving_gaussians(4, 20, noise=0.02, motion=0.02, n_features=n_features, random_state=1)
    truth = code_length(stream.batches, stream.labels)
    rng = np.random.default_rng(0)
    merged = [ids // 2 for ids in stream.labels]
    split = [2 * ids + rng.integers(2, size=len(ids)) for ids in stream.labels]
    renamed = [100 * t + ids for t, ids in enumerate(stream.labels)]
    for worse in (merged, split, renamed):
        assert truth < code_length(stream.batches, worse)


def test_ids_that_keep_their_speed_are_cheaper_than_ids_that_swap_at_a_crossing() -> None:
    rng = np.random.default_rng(0)
    positions = [np.array([[t, 0.0], [20.0 - t, 0.5]]) for t in range(21)]
    batches = [(np.repeat(p, 10, axis=0) + 0.3 * rng.normal(size=(20, 2))) for p in positions]
    kept = [np.repeat([0, 1], 10) for _ in positions]
    swapped = [ids if t <= 10 else 1 - ids for t, ids in enumerate(kept)]
    assert code_length(batches, kept) < code_length(batches, swapped)


def test_copies_of_points_do_not_make_tiny_clusters_free() -> None:
    rng = np.random.default_rng(0)
    batches = [np.round(rng.normal([0, 0], 2.0, (200, 2))) for _ in range(8)]
    cells = [(batch[:, 0] * 100 + batch[:, 1]).astype(int) for batch in batches]
    assert code_length(batches, [0 * ids for ids in cells]) < code_length(batches, cells)


def test_equal_rows_have_a_finite_length() -> None:
    assert np.isfinite(code_length([np.ones((5, 2))] * 3, [np.zeros(5, int)] * 3))


def test_a_few_misplaced_points_and_outliers_do_not_make_a_long_cluster_look_like_many_short_ones() -> None:
    rng = np.random.default_rng(0)
    batches, truth = [], []
    for _ in range(12):
        ids = np.repeat([0, 1], 80)
        X = rng.normal(size=(160, 2)) * [1.0, 0.03] + 2.0 * np.stack([0 * ids, ids], axis=1)
        batches.append(X)
        truth.append(ids)
    few = [np.where(rng.random(160) < 0.04, 1 - ids, ids) for ids in truth]
    pieces = [
        10 * ids + np.digitize(X[:, 0], [-1, -0.3, 0.3, 1]) for X, ids in zip(batches, truth, strict=True)
    ]
    assert code_length(batches, truth) < code_length(batches, few) < code_length(batches, pieces)


def test_outliers_cost_the_same_as_newborns_and_inside_of_clusters() -> None:
    stream = moving_gaussians(4, 20, noise=0.02, motion=0.02, death=0.0, random_state=0)
    rng = np.random.default_rng(0)
    batches, lost = [], []
    for X, ids in zip(stream.batches, stream.labels, strict=True):
        outlier = rng.random(len(X)) < 0.08
        batches.append(np.where(outlier[:, None], rng.uniform(-1, 2, X.shape), X))
        lost.append((ids, outlier))
    inside = [ids for ids, _ in lost]
    born = [
        np.where(outlier, 1000 * (t + 1) + np.arange(len(ids)), ids) for t, (ids, outlier) in enumerate(lost)
    ]
    lengths = [code_length(batches, labels) for labels in (inside, born)]
    assert np.ptp(lengths) < 0.01
    assert max(lengths) + 0.3 < code_length(batches, [ids // 2 for ids in inside])


def test_one_outlier_far_away_hides_no_cluster() -> None:
    stream = moving_gaussians(3, 10, noise=0.02, motion=0.01, death=0.0, random_state=0)
    merged = [ids // 2 for ids in stream.labels]
    far = [X.copy() for X in stream.batches]
    far[4][0] = 1e3
    gain = code_length(stream.batches, merged) - code_length(stream.batches, stream.labels)
    assert code_length(far, merged) - code_length(far, stream.labels) > 0.5 * gain > 0


def test_an_id_that_walks_on_is_cheaper_than_one_that_is_born_again_and_again() -> None:
    rng = np.random.default_rng(0)
    batches, kept, broken = [], [], []
    starts = np.append(0.0, rng.uniform(0, 20, 30))
    for t in range(40):
        there = np.flatnonzero((starts <= t) & (t < starts + 20))
        X = np.repeat(np.stack([t - starts[there], 3.0 * (there % 5)], axis=1), 6, axis=0)
        batches.append(X + rng.normal(size=X.shape) * [0.3, 0.02])
        kept.append(np.repeat(there, 6))
        broken.append(kept[-1] + 100 * (t // 3))
    assert code_length(batches, kept) < code_length(batches, broken)


@pytest.mark.parametrize("seed", range(5))
def test_ids_that_move_farther_than_their_size_are_cheaper_than_new_ids(seed: int) -> None:
    """The first displacements are unexpected: they count as jumps, from which the drift is learned."""
    rng = np.random.default_rng(seed)
    start, speed, ids = rng.uniform(0, 12, (6, 2)), rng.normal(size=(6, 2)), np.repeat(np.arange(6), 5)
    batches = [(start + t * speed)[ids] + rng.normal(0, 0.1, (30, 2)) for t in range(12)]
    kept, renamed = [ids] * 12, [ids + 10 * t for t in range(12)]
    assert code_length(batches, kept) < code_length(batches, renamed)
