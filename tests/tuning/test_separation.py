from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from dynmeans.kernels import RBF, Custom, Diffusion
from dynmeans.tuning._separation import (
    id_consistency,
    kernel_distances,
    make_separation_reference,
    minimax_distances,
    separation,
    step_qualities,
)
from dynmeans.tuning._stream import read_stream

seeds = st.integers(0, 2**31 - 1)


def slow_distances(distances: np.ndarray) -> np.ndarray:
    """Compute minimax distances by the Floyd-Warshall recursion."""
    n = len(distances)
    rank = min(max(1, round(np.sqrt(n) / 3)), n - 1)
    least = [sorted(row)[rank] for row in distances.tolist()]
    distances = [[max(distances[i, j], least[i], least[j]) * (i != j) for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if i != j and k not in (i, j):
                    distances[i][j] = min(distances[i][j], max(distances[i][k], distances[k][j]))
    return np.array(distances)


def slow_separation(distances: np.ndarray, ids: np.ndarray, weights: np.ndarray) -> float:
    """Compute the silhouette one row at a time."""
    total = 0.0
    for i in range(len(ids)):
        mean = {
            k: np.average(distances[i, here], weights=weights[here])
            for k in set(ids.tolist())
            if (here := (ids == k) & (np.arange(len(ids)) != i)).any()
        }
        other = [mean[k] for k in mean if k != ids[i]]
        if ids[i] in mean and other and max(mean[ids[i]], min(other)) > 0:
            total += weights[i] * (min(other) - mean[ids[i]]) / max(mean[ids[i]], min(other))
    return total / weights.sum()


@given(seeds, st.integers(2, 14))
def test_distances_and_separation_equal_slow_versions(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    rows, ids, weights = rng.normal(size=(n, 2)), rng.integers(3, size=n), rng.uniform(0.5, 2.0, n)
    distances = minimax_distances(cdist(rows, rows))
    np.testing.assert_allclose(distances, slow_distances(cdist(rows, rows)), rtol=1e-12)
    assert separation(distances, ids, weights) == pytest.approx(
        slow_separation(distances, ids, weights), abs=1e-12
    )


def ring_and_disc(seed: int, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    ids = np.arange(n) % 2
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return ids[:, None] * circle + rng.normal(0.0, 0.05, (n, 2)), ids


def test_a_ring_and_its_disc_beat_pieces_one_cluster_and_single_rows() -> None:
    rows, ids = ring_and_disc(0)
    distances, even = minimax_distances(cdist(rows, rows)), np.ones(len(rows))
    quarters = ids * (1 + 2 * (rows[:, 0] > 0) + (rows[:, 1] > 0))
    truth = separation(distances, ids, even)
    assert truth > 0.5
    assert separation(distances, quarters, even) < truth - 0.2
    assert separation(distances, 1 * (rows[:, 0] > 0), even) < 0.1
    assert separation(distances, np.zeros(len(rows), int), even) == 0.0
    assert separation(distances, np.arange(len(rows)), even) == 0.0


def walk(n_steps: int = 4) -> tuple[Any, list[np.ndarray]]:
    made = [ring_and_disc(seed) for seed in range(n_steps)]
    return read_stream([rows + 0.3 * t for t, (rows, _) in enumerate(made)]), [ids for _, ids in made]


def test_ids_that_move_with_their_shapes_are_consistent_and_others_are_not() -> None:
    stream, ids = walk()
    reference = make_separation_reference(stream, RBF())
    assert id_consistency(reference, ids, 0) == 1.0
    assert id_consistency(reference, ids, 2) > 0.95
    swapped = [*ids[:2], 1 - ids[2], ids[3]]
    assert id_consistency(reference, swapped, 2) < 0.05
    broken = [*ids[:2], ids[2] + 2, ids[3]]
    assert id_consistency(reference, broken, 2) == 0.0


def test_an_id_that_was_absent_for_a_step_is_consistent() -> None:
    rng = np.random.default_rng(0)
    both = np.arange(40) % 2
    ids = [both, both, np.zeros(20, int), both]
    stream = read_stream([9.0 * here[:, None] + rng.normal(size=(len(here), 2)) for here in ids])
    reference = make_separation_reference(stream, RBF())
    assert id_consistency(reference, ids, 3) == 1.0
    assert id_consistency(reference, [*ids[:3], 2 * both], 3) == 0.5


@pytest.mark.parametrize("change", [lambda X: 1000 * X, lambda X: X + 1e6])
def test_scale_and_translation_change_no_score(change: Any) -> None:
    stream, ids = walk()
    moved = read_stream([change(X) for X in stream.batches])
    here, there = (step_qualities(make_separation_reference(s, RBF()), ids) for s in (stream, moved))
    np.testing.assert_allclose(here, there, atol=1e-6)


def test_rows_that_are_not_vectors_are_scored_by_kernel_distances() -> None:
    stream, ids = walk()
    table = np.concatenate(stream.batches)
    numbers = np.split(np.arange(len(table), dtype=float)[:, None], len(ids))

    def look_up(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return RBF(0.2).between(table[a[:, 0].astype(int)], table[b[:, 0].astype(int)])

    reference = make_separation_reference(read_stream(numbers), Custom(look_up))
    near = np.sqrt(2.0 - 2.0 * RBF(0.2).between(stream.batches[1], stream.batches[1]))
    np.testing.assert_allclose(reference.paths[1], minimax_distances(near), atol=1e-7)
    pieces = [np.arange(len(batch)) // 10 for batch in ids]
    assert step_qualities(reference, ids)[0] > max(step_qualities(reference, pieces)[0], 0.2)


def test_a_kernel_that_does_not_compare_single_rows_is_rejected() -> None:
    with pytest.raises(ValueError, match="does not compare single rows"):
        kernel_distances(Diffusion(), np.ones((3, 2)))


def test_single_rows_have_no_separation() -> None:
    reference = make_separation_reference(read_stream([np.ones((1, 2))] * 2), RBF())
    assert step_qualities(reference, [np.zeros(1, int)] * 2).tolist() == [0.0, 0.0]
