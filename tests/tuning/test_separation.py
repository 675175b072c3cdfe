from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from dynmeans.kernels import RBF, Custom, Diffusion
from dynmeans.tuning.separation import (
    expected,
    kernel_distances,
    longest_hops,
    make_separation_reference,
    merits,
    separation,
)
from dynmeans.tuning.stream import read_stream

seeds = st.integers(0, 2**31 - 1)


def slow_hops(distances: np.ndarray) -> np.ndarray:
    """All ways through one more row at a time."""
    n = len(distances)
    rank = min(max(1, round(np.sqrt(n) / 3)), n - 1)
    least = [sorted(row)[rank] for row in distances.tolist()]
    hops = [[max(distances[i, j], least[i], least[j]) * (i != j) for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if i != j and k not in (i, j):
                    hops[i][j] = min(hops[i][j], max(hops[i][k], hops[k][j]))
    return np.array(hops)


def slow_separation(hops: np.ndarray, ids: np.ndarray, weights: np.ndarray) -> float:
    """One row at a time."""
    total = 0.0
    for i in range(len(ids)):
        mean = {
            k: np.average(hops[i, here], weights=weights[here])
            for k in set(ids.tolist())
            if (here := (ids == k) & (np.arange(len(ids)) != i)).any()
        }
        other = [mean[k] for k in mean if k != ids[i]]
        if ids[i] in mean and other and max(mean[ids[i]], min(other)) > 0:
            total += weights[i] * (min(other) - mean[ids[i]]) / max(mean[ids[i]], min(other))
    return total / weights.sum()


@given(seeds, st.integers(2, 14))
def test_hops_and_separation_are_those_of_their_slow_twins(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    rows, ids, weights = rng.normal(size=(n, 2)), rng.integers(3, size=n), rng.uniform(0.5, 2.0, n)
    hops = longest_hops(cdist(rows, rows))
    np.testing.assert_allclose(hops, slow_hops(cdist(rows, rows)), rtol=1e-12)
    assert separation(hops, ids, weights) == pytest.approx(slow_separation(hops, ids, weights), abs=1e-12)


def ring_and_disc(seed: int, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    ids = np.arange(n) % 2
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return ids[:, None] * circle + rng.normal(0.0, 0.05, (n, 2)), ids


def test_a_ring_and_its_disc_beat_pieces_one_cluster_and_single_rows() -> None:
    rows, ids = ring_and_disc(0)
    hops, even = longest_hops(cdist(rows, rows)), np.ones(len(rows))
    quarters = ids * (1 + 2 * (rows[:, 0] > 0) + (rows[:, 1] > 0))
    truth = separation(hops, ids, even)
    assert truth > 0.5
    assert separation(hops, quarters, even) < truth - 0.2
    assert separation(hops, 1 * (rows[:, 0] > 0), even) < 0.1
    assert separation(hops, np.zeros(len(rows), int), even) == 0.0
    assert separation(hops, np.arange(len(rows)), even) == 0.0


def walk(n_steps: int = 4) -> tuple[Any, list[np.ndarray]]:
    made = [ring_and_disc(seed) for seed in range(n_steps)]
    return read_stream([rows + 0.3 * t for t, (rows, _) in enumerate(made)]), [ids for _, ids in made]


def test_ids_that_move_with_their_shapes_are_expected_and_others_are_not() -> None:
    stream, ids = walk()
    ground = make_separation_reference(stream, RBF())
    assert expected(ground, ids, 0) == 1.0
    assert expected(ground, ids, 2) > 0.95
    swapped = [*ids[:2], 1 - ids[2], ids[3]]
    assert expected(ground, swapped, 2) < 0.05
    broken = [*ids[:2], ids[2] + 2, ids[3]]
    assert expected(ground, broken, 2) == 0.0


def test_an_id_that_was_away_for_a_step_is_expected_back() -> None:
    rng = np.random.default_rng(0)
    both = np.arange(40) % 2
    ids = [both, both, np.zeros(20, int), both]
    stream = read_stream([9.0 * here[:, None] + rng.normal(size=(len(here), 2)) for here in ids])
    ground = make_separation_reference(stream, RBF())
    assert expected(ground, ids, 3) == 1.0
    assert expected(ground, [*ids[:3], 2 * both], 3) == 0.5


@pytest.mark.parametrize("change", [lambda X: 1000 * X, lambda X: X + 1e6])
def test_units_and_place_do_not_matter(change: Any) -> None:
    stream, ids = walk()
    moved = read_stream([change(X) for X in stream.batches])
    here, there = (merits(make_separation_reference(s, RBF()), ids) for s in (stream, moved))
    np.testing.assert_allclose(here, there, atol=1e-6)


def test_rows_that_are_no_places_are_judged_through_their_kernel() -> None:
    stream, ids = walk()
    table = np.concatenate(stream.batches)
    numbers = np.split(np.arange(len(table), dtype=float)[:, None], len(ids))

    def look_up(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return RBF(0.2).between(table[a[:, 0].astype(int)], table[b[:, 0].astype(int)])

    ground = make_separation_reference(read_stream(numbers), Custom(look_up))
    near = np.sqrt(2.0 - 2.0 * RBF(0.2).between(stream.batches[1], stream.batches[1]))
    np.testing.assert_allclose(ground.hops[1], longest_hops(near), atol=1e-7)
    pieces = [np.arange(len(batch)) // 10 for batch in ids]
    assert merits(ground, ids)[0] > max(merits(ground, pieces)[0], 0.2)


def test_a_kernel_that_compares_no_single_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="compares no single rows"):
        kernel_distances(Diffusion(), np.ones((3, 2)))


def test_a_single_row_has_nothing_to_be_apart_from() -> None:
    ground = make_separation_reference(read_stream([np.ones((1, 2))] * 2), RBF())
    assert merits(ground, [np.zeros(1, int)] * 2).tolist() == [0.0, 0.0]
