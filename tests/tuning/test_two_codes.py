from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans._codes.forest_code import forest_parts, forest_up_to, make_forest_reference
from dynmeans._codes.gaussian_code import make_reference
from dynmeans._codes.two_codes import STRONG_EVIDENCE, TwoCodes, separate_noise, single_row_evidence
from dynmeans.datasets import moving_gaussians
from forest_twin import forecast_likelihoods
from forest_twin import forest_parts as slow_parts
from strategies import seeds, streams


def forest_length(batches: list[np.ndarray], labels: list[np.ndarray]) -> float:
    reference = make_reference(batches, np.arange(len(batches), dtype=np.float64))
    return float(forest_parts(make_forest_reference(reference, 1000), labels).sum())


def walkers(seed: int, rows: int, n_steps: int = 20) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Eight walking people, with some rows each."""
    rng = np.random.default_rng(seed)
    start, speed = rng.uniform(0, 20, (8, 2)), rng.normal(0, 0.5, (8, 2))
    ids = np.repeat(np.arange(8), rows)
    batches = [(start + t * speed)[ids] + rng.normal(0, 0.1, (len(ids), 2)) for t in range(n_steps)]
    return batches, [ids] * n_steps


def angles(seed: int, spacing: float = 12.0) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Eight moving angle pieces, 4 by 2 units: the visible sides of vehicles."""
    rng = np.random.default_rng(seed)
    start = spacing * np.array([(k % 3, k // 3) for k in range(8)]) + rng.uniform(0, 2, (8, 2))
    speed, ids = rng.normal(0, 0.2, (8, 2)), np.repeat(np.arange(8), 20)
    batches = []
    for t in range(20):
        u = rng.random(len(ids))
        piece = np.where((u < 0.7)[:, None], np.c_[6 * u, 0 * u], np.c_[0 * u + 4.2, 6 * (u - 0.7)])
        batches.append((start + t * speed)[ids] + piece + rng.normal(0, 0.05, (len(ids), 2)))
    return batches, [ids] * 20


def bisected(batches: list[np.ndarray], labels: list[np.ndarray]) -> list[np.ndarray]:
    """Cut every cluster in two at its mean."""
    cut = []
    for X, ids in zip(batches, labels, strict=True):
        means = np.array([X[ids == k].mean(axis=0) for k in ids])
        cut.append(2 * ids + (X[:, 0] > means[:, 0]))
    return cut


@settings(max_examples=40, deadline=None)
@given(streams(), seeds, st.integers(1, 5), st.booleans())
def test_compiled_forest_code_equals_the_slow_version(
    batches: list[np.ndarray], seed: int, n_ids: int, timed: bool
) -> None:
    rng = np.random.default_rng(seed)
    labels = [rng.integers(-1, n_ids, size=len(batch)) for batch in batches]
    times = np.cumsum(rng.choice([0.5, 1.0, 700.0], len(batches))) if timed else np.arange(len(batches)) * 1.0
    reference = make_forest_reference(make_reference(batches, times), 1000)
    up_to, likelihoods = forest_up_to(reference, labels)
    np.testing.assert_allclose(up_to[-1], slow_parts(reference, labels), rtol=1e-7, atol=1e-6)
    np.testing.assert_allclose(
        likelihoods.ravel(), forecast_likelihoods(reference, labels), rtol=1e-7, atol=1e-6
    )


@settings(max_examples=20, deadline=None)
@given(streams(), seeds)
def test_steps_of_the_forest_code_are_differences_of_shorter_streams(
    batches: list[np.ndarray], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    labels = [rng.integers(-1, 4, size=len(batch)) for batch in batches]
    codes = TwoCodes(batches, np.arange(len(batches)) * 1.0, max_rows=1000)
    whole, found = codes._forest, codes.lengths(labels)
    for by_forest in (False, True):
        assert found.steps(by_forest).sum() == pytest.approx(found.of(by_forest))
    for n in range(1, len(batches) + 1):
        start = whole._replace(
            picked=whole.picked[:n],
            rows=whole.rows[: whole.starts[n]],
            starts=whole.starts[: n + 1],
            times=whole.times[:n],
            background=whole.background[: whole.starts[n]],
        )
        nats = len(start.rows) * forest_parts(start, labels[:n]).sum()
        assert found.steps(True)[:n].sum() == pytest.approx(nats / len(whole.rows), abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(streams(), seeds)
def test_scale_translation_and_id_values_change_nothing(batches: list[np.ndarray], seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = [rng.integers(4, size=len(batch)) for batch in batches]
    length = forest_length(batches, labels)
    assert forest_length([1000 * batch for batch in batches], labels) == pytest.approx(length, abs=1e-6)
    assert forest_length([batch + 1e4 for batch in batches], labels) == pytest.approx(length, abs=1e-4)
    assert forest_length(batches, [90 - 7 * ids for ids in labels]) == pytest.approx(length, abs=1e-9)


@pytest.mark.parametrize("rows", [1, 5])
def test_the_truth_is_shorter_than_merging_splitting_or_renaming(rows: int) -> None:
    batches, truth = walkers(0, rows)
    length = forest_length(batches, truth)
    merged = [ids // 2 for ids in truth]
    renamed = [100 * (t // 5) + ids for t, ids in enumerate(truth)]
    for worse in (merged, renamed, *([bisected(batches, truth)] if rows > 1 else [])):
        assert length < forest_length(batches, worse)


def test_only_the_gaussian_code_rewards_cutting_an_angle() -> None:
    batches, truth = angles(0)
    codes = TwoCodes(batches, np.arange(20.0), max_rows=200)
    whole, cut = codes.lengths(truth), codes.lengths(bisected(batches, truth))
    assert whole.forest < cut.forest
    assert whole.gaussian > cut.gaussian
    assert codes.prefers_forest([whole, cut])


@pytest.mark.parametrize(("seed", "spacing"), [(0, 5.5), (1, 6.0), (0, 7.0)])
def test_vehicles_side_by_side_are_scored_by_the_forest_code(seed: int, spacing: float) -> None:
    """Each vehicle saves hardly a nat per step, as the gaps are not much wider than those within."""
    batches, truth = angles(seed, spacing)
    codes = TwoCodes(batches, np.arange(20.0), max_rows=200)
    whole, cut = codes.lengths(truth), codes.lengths(bisected(batches, truth))
    assert whole.gaussian > cut.gaussian
    assert codes.prefers_forest([whole, cut])


def test_clusters_that_are_neither_clouds_nor_pieces() -> None:
    """Clusters of similar pairs, with gaps between them, are no pieces of a larger cluster."""
    rng = np.random.default_rng(0)
    centers, ids = np.array([(0, 0), (7, 0), (3.5, 6)]), np.repeat(np.arange(3), 50)
    pairs = [np.repeat(rng.normal(size=(75, 2)), 2, axis=0) for _ in range(20)]
    batches = [centers[ids] + rows + rng.normal(0, 0.01, (150, 2)) for rows in pairs]
    codes = TwoCodes(batches, np.arange(20.0), max_rows=200)
    clusters, one = np.tile(ids, 20), np.zeros(20 * 150, int)
    halves = np.concatenate([ids + 3 * (X[:, 1] > centers[ids, 1]) for X in batches])
    assert not codes._are_pieces(clusters, one)
    assert codes._are_pieces(halves, clusters)


def test_points_without_extent_are_scored_by_the_forest_code() -> None:
    batches, truth = walkers(1, 1)
    codes = TwoCodes(batches, np.arange(20.0), max_rows=200)
    results = [codes.lengths(truth), codes.lengths([ids // 2 for ids in truth])]
    assert codes.prefers_forest(results)
    assert results[0].forest < results[1].forest


def test_touching_clouds_are_scored_by_the_gaussian_code() -> None:
    stream = moving_gaussians(10, 20, random_state=3)
    codes = TwoCodes(stream.batches, np.arange(20.0), max_rows=200)
    results = [codes.lengths(stream.labels), codes.lengths([0 * ids for ids in stream.labels])]
    assert not codes.prefers_forest(results)
    assert results[0].gaussian < results[1].gaussian


@pytest.mark.parametrize("noise", [0.01, 0.1, 0.3])
def test_forecasts_show_a_velocity_that_is_hidden_by_noise(noise: float) -> None:
    """Displacements of 0.1 per step. If the noise is as large, the best filter averages over many steps."""
    rng = np.random.default_rng(0)
    start, angle = rng.uniform(0, 20, (8, 2)), rng.uniform(0, 2 * np.pi, 8)
    speed = 0.1 * np.column_stack([np.cos(angle), np.sin(angle)])
    ids = [np.arange(8)] * 32
    walking = [start + t * speed + rng.normal(0, noise, (8, 2)) for t in range(32)]
    standing = [start + rng.normal(0, noise, (8, 2)) for t in range(32)]
    found = TwoCodes(walking, np.arange(32.0), max_rows=100).lengths(ids)
    assert found.motion == "velocity"
    assert found.velocity_drift <= 0.1 or noise < 0.1
    assert TwoCodes(standing, np.arange(32.0), max_rows=100).lengths(ids).motion == "walk"


def test_evidence_of_single_rows_is_the_probability_of_no_collision() -> None:
    """Three known ids in a step of three rows, drawn at random, differ with a probability of 3! / 3^3."""
    assert single_row_evidence([np.array([0, 1, 2])] * 2) == pytest.approx(-np.log(6 / 27))
    assert single_row_evidence([np.array([0]), np.array([1])]) == 0.0
    assert single_row_evidence([np.array([0, 1, 2]), np.array([4, 4])]) == 0.0
    assert single_row_evidence([np.arange(5) + 5 * t for t in range(10)]) == 0.0  # always new
    assert single_row_evidence([np.array([0, 1, 2, -1, -1])] * 2) == pytest.approx(-np.log(6 / 27))
    assert single_row_evidence([np.arange(5)] * 4) >= STRONG_EVIDENCE


def test_every_row_of_noise_gets_its_own_id() -> None:
    separate = separate_noise([np.array([-1, 3, -1]), np.array([3, -1])])
    assert [ids.tolist() for ids in separate] == [[4, 3, 5], [3, 6]]


def test_gaussian_clouds_of_which_only_some_touch_are_scored_by_the_gaussian_code() -> None:
    """The forest code has evidence for the clouds that it separates, and merges the others."""
    stream = moving_gaussians(5, 33, random_state=500)
    codes = TwoCodes(stream.batches, np.arange(33.0), max_rows=200)
    pairs = [_merged_where_they_touch(X, ids) for X, ids in zip(stream.batches, stream.labels, strict=True)]
    results = [codes.lengths(stream.labels), codes.lengths(pairs)]
    assert results[1].forest < min(results[0].forest, codes._one_tree)
    assert not codes.prefers_forest(results)


def _merged_where_they_touch(X: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Give clusters whose centers are near the same id."""
    names = np.unique(ids)
    centers = np.array([X[ids == k].mean(axis=0) for k in names])
    near = np.linalg.norm(centers[:, None] - centers, axis=2) < 0.3
    for _ in names:
        near = near @ near > 0
    return names[near.argmax(axis=1)][np.searchsorted(names, ids)]
