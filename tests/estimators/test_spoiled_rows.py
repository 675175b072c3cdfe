"""`DMeans()` on streams with copies of rows, values far away from all others, and clusters far apart."""

from __future__ import annotations

import numpy as np
import pytest

from dynmeans import DMeans, tune
from dynmeans._codes.equal_values import distinct_rows, spread_over_grid, total_weights
from dynmeans._codes.two_codes import TwoCodes
from dynmeans.metrics import identity_f1

CENTERS = np.array([(0.0, 0.0), (5.0, 0.0), (0.0, 5.0)])
Stream = tuple[list[np.ndarray], list[np.ndarray]]  # batches, true ids


def blobs(n_rows: int, n_steps: int = 40, seed: int = 0) -> Stream:
    rng = np.random.default_rng(seed)
    ids = [rng.integers(0, 3, n_rows) for _ in range(n_steps)]
    return [CENTERS[k] + rng.normal(0, 0.3, (n_rows, 2)) for k in ids], ids


def score(batches: list[np.ndarray], truth: list[np.ndarray]) -> float:
    found = [step.labels for step in DMeans(random_state=0).stream(batches)]
    return identity_f1(truth, found)


@pytest.mark.parametrize("n_copies", [2, 5])
def test_copies_of_rows_change_no_cluster(n_copies: int) -> None:
    batches, truth = blobs(30)
    copied = [np.repeat(rows, n_copies, axis=0) for rows in batches]
    assert score(copied, [np.repeat(ids, n_copies) for ids in truth]) == 1.0


def test_most_rows_may_have_a_copy() -> None:
    batches, truth = blobs(30)
    copied = [np.vstack([rows, rows[:24]]) for rows in batches]
    assert score(copied, [np.append(ids, ids[:24]) for ids in truth]) > 0.95


@pytest.mark.parametrize("n_rows", [100, 300])
def test_rows_that_are_nearly_copies_are_no_clusters(n_rows: int) -> None:
    """With the estimate of the first batch, every pair is a cluster: its ids do not last."""
    rng = np.random.default_rng(0)
    batches, truth = blobs(n_rows)
    half = n_rows // 2
    near = [np.vstack([rows, rows[:half] + rng.normal(0, 1e-3, (half, 2))]) for rows in batches]
    assert score(near, [np.append(ids, ids[:half]) for ids in truth]) > 0.8


@pytest.mark.parametrize("value", [-9999.0, 1e6])
def test_rare_values_far_away_hide_no_clusters(value: float) -> None:
    """A value for missing data in 1% of the rows is most of the variance."""
    rng = np.random.default_rng(1)
    batches, truth = blobs(60)
    for rows, ids in zip(batches, truth, strict=True):
        wrong = rng.random(60) < 0.01
        rows[wrong, 0], ids[wrong] = value, 3
    assert score(batches, truth) > 0.9


@pytest.mark.parametrize("step", [1, 20])
def test_a_single_row_far_away_hides_no_clusters(step: int) -> None:
    batches, truth = blobs(60)
    batches[step][7], truth[step][7] = 1e6, 3
    assert score(batches, truth) > 0.95


def test_objects_that_are_small_compared_with_their_distances_are_found() -> None:
    """Vehicles of 4 m, 170 m apart, at six sites in a country."""
    rng = np.random.default_rng(0)
    sites = rng.uniform(0, 200_000, (6, 1, 2))
    corners = 100.0 * np.array([(1.0, 0.0), (-0.5, 0.9), (-0.5, -0.9)])
    centers = (sites + corners).reshape(-1, 2)
    truth = [rng.integers(0, 18, 180) for _ in range(40)]
    batches = [centers[ids] + rng.normal(0, 4, (180, 2)) for ids in truth]
    assert score(batches, truth) > 0.9


def test_tune_ignores_copies_too() -> None:
    batches, truth = blobs(30, n_steps=12)
    copied = [np.repeat(rows, 2, axis=0) for rows in batches]
    found = tune(copied, budget=20, random_state=0)
    labels = [step.labels for step in DMeans(**found.best_params_, random_state=0).stream(copied)]
    assert identity_f1([np.repeat(ids, 2) for ids in truth], labels) == 1.0


def test_codes_of_copies_are_those_of_distinct_rows_with_weights() -> None:
    batches, labels = blobs(30, n_steps=6)
    times = np.arange(6.0)
    plain = TwoCodes(batches, times, max_rows=100)
    copied = TwoCodes([np.repeat(rows, 3, axis=0) for rows in batches], times, max_rows=100)
    expected, found = plain.lengths(labels), copied.lengths([np.repeat(ids, 3) for ids in labels])
    assert copied.has_copies
    assert not plain.has_copies
    assert found.gaussian == pytest.approx(expected.gaussian)
    assert found.forest == pytest.approx(expected.forest, rel=0.02)  # the order of the rows differs


def test_equal_rows_on_a_grid_are_observations() -> None:
    """They are equal in other batches too."""
    batches, _ = blobs(100)
    assert distinct_rows([np.round(rows * 2) for rows in batches]) is None
    assert distinct_rows(batches) is None


def test_the_weight_of_a_distinct_row_is_that_of_all_copies() -> None:
    rows = np.array([(1.0, 2.0), (0.0, 1.0), (1.0, 2.0), (0.0, 1.0), (5.0, 5.0)])
    weights = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    first = distinct_rows([rows])
    assert first is not None
    assert first[0].tolist() == [0, 1, 4]
    assert total_weights([rows], first, None)[0].tolist() == [2.0, 2.0, 1.0]
    assert total_weights([rows], first, [weights])[0].tolist() == [5.0, 10.0, 16.0]


@pytest.mark.parametrize("n_flags", [1, 3])
def test_flags_beside_numbers_are_no_clusters(n_flags: int) -> None:
    """Rows with equal flags have no distance in these columns, but are not infinitely dense."""
    rng = np.random.default_rng(0)
    batches, truth = blobs(100)
    flagged = [np.hstack([rows, rng.integers(0, 2, (len(rows), n_flags))]) for rows in batches]
    assert score(flagged, truth) > 0.95


def test_values_on_a_grid_are_spread_over_their_intervals() -> None:
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=400), 2.0 * rng.integers(0, 5, 400), np.full(400, 7.0)])
    found = np.concatenate(spread_over_grid([rows[:100], rows[100:]]))
    assert np.array_equal(found[:, [0, 2]], rows[:, [0, 2]])  # continuous, and constant
    difference = found[:, 1] - rows[:, 1]
    assert np.abs(difference).max() <= 1.0 < 4 * np.abs(difference).mean()
