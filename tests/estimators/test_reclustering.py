"""Clusters of the first steps are corrected when the estimate of the parameters contradicts them."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dynmeans
from dynmeans import DMeans
from dynmeans._algorithms.estimation.candidates import DescentParameters
from dynmeans._algorithms.estimation.first_batches import FirstBatches
from dynmeans._algorithms.estimation.reclustering import correct_state
from dynmeans._model.costs import AgingParameters, make_costs
from dynmeans._model.state import ClusterState
from dynmeans.estimators import from_snapshot
from dynmeans.estimators._state_files.encoding import to_snapshot


def rods(seed: int, n_steps: int = 14) -> list[np.ndarray]:
    """Four thin rods, six rows of each: in a single batch, each looks like several clusters."""
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [4.0, 4.0, 0.0]])
    directions = rng.normal(size=(4, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    batches = []
    for _ in range(n_steps):
        which = rng.integers(0, 4, 24)
        along = rng.uniform(-1.2, 1.2, (24, 1)) * directions[which]
        batches.append(centers[which] + along + rng.normal(0, 0.05, (24, 3)))
    return batches


def blobs(seed: int, n_rows: int, n_steps: int = 10) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    centers = rng.uniform(0, 10, (6, 2))
    batches = []
    for _ in range(n_steps):
        centers = centers + rng.normal(0, 0.05, centers.shape)
        batches.append(centers[rng.integers(0, 6, n_rows)] + rng.normal(0, 0.3, (n_rows, 2)))
    return batches


@pytest.mark.parametrize("seed", range(4))
def test_wrong_splits_of_the_first_steps_do_not_stay(seed: int) -> None:
    model = DMeans(random_state=0)
    steps = list(model.stream(rods(seed)))
    assert len(steps[0].active) > 4
    assert len(steps[-1].active) == 4


@pytest.mark.parametrize("seed", range(4))
def test_large_batches_have_the_clusters_of_small_ones(seed: int) -> None:
    steps = list(DMeans(random_state=0).stream(blobs(seed, 3000)))
    assert len(steps[-1].active) == 6


@pytest.mark.parametrize("seed", range(4))
def test_events_account_for_corrected_clusters(seed: int) -> None:
    model = DMeans(random_state=0, history_size=100_000)
    alive: set[int] = set()
    for step in model.stream(rods(seed)):
        assert alive.isdisjoint(step.born)
        alive |= set(step.born.tolist())
        assert alive >= set(step.died.tolist())
        alive -= set(step.died.tolist())
        assert alive == set(model.cluster_ids_.tolist())
    ended = {k for step in model.history_ if step.kind == "merge" for k in step.others}
    assert ended <= {event.id for event in model.history_ if event.kind == "death"}
    kinds = [event.kind for event in model.history_]
    assert kinds.count("birth") - kinds.count("death") == model.n_clusters_


@pytest.mark.parametrize("cut", [1, 5, 7, 8, 9])
@pytest.mark.parametrize("make", [rods, lambda seed: blobs(seed, 300)])
def test_save_load_continue_equals_never_stopping(tmp_path: Any, cut: int, make: Any) -> None:
    batches = make(2)
    whole, first = DMeans(random_state=0), DMeans(random_state=0)
    expected = [step.labels for step in whole.stream(batches)]
    found = [step.labels for step in first.stream(batches[:cut])]
    first.save(tmp_path / "model")
    second = dynmeans.load(tmp_path / "model")
    found += [step.labels for step in second.stream(batches[cut:])]
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_array_equal(a, b)
    assert second.to_bytes() == whole.to_bytes()


def test_a_state_file_without_labels_is_continued_without_correction() -> None:
    model = DMeans(random_state=0)
    for X in rods(0)[:4]:
        model.partial_fit(X)
    snapshot = to_snapshot(model)
    del snapshot.arrays["first_labels"]
    del snapshot.header["first_batches"]["shares"]
    old = from_snapshot(snapshot)
    steps = list(old.stream(rods(0)[4:]))
    assert all(len(step.merges) == 0 or len(step.died) == 0 for step in steps)
    assert from_snapshot(to_snapshot(old)).n_steps_ == 14


OLD = -1000.0  # coordinate of all clusters before the correction


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_ids_go_to_the_clusters_with_most_common_rows(pairs: list[tuple[int, int]]) -> None:
    """Rows lie at four positions, far from each other, and have any ids."""
    positions, ids = np.array(pairs).T
    known = np.unique(ids)
    first, state = one_batch(positions, ids)
    found = correct_state(state, first, make_costs(0.25, AgingParameters(3.0, 1.5)))
    kept = found.state.ids.tolist()
    assert sorted([*kept, *found.ended]) == known.tolist()
    assert found.state.hits.tolist() == [10 * k for k in kept]
    assert found.state[7:] == state[7:]  # next id, clock and number of steps

    def common_rows(k: int, position: float) -> int:
        return int(np.count_nonzero((ids == k) & (positions == position)))

    shared = 0
    for k, (x,) in zip(kept, found.state.centers.tolist(), strict=True):
        if x == OLD:  # unchanged: all of its rows are at one position, without others
            (x,) = np.unique(positions[ids == k])
            assert (ids[positions == x] == k).all()
        shared += common_rows(k, round(x))
    choices = permutations([*np.unique(positions), *[np.nan] * len(known)], len(known))
    assert shared == max(sum(map(common_rows, known, each)) for each in choices)
    for k, successor in found.ended.items():
        assert successor is None or any(common_rows(k, x) and common_rows(successor, x) for x in range(4))


def one_batch(positions: np.ndarray, ids: np.ndarray) -> tuple[FirstBatches, ClusterState]:
    """Return the sample of two equal batches, of which the first had these ids, and the state after it."""
    rows, known = positions[:, None].astype(float), np.unique(ids)
    parameters, shares = DescentParameters(0.25), (1.0, 1.0)
    times = {"clocks": (1.0, 1.0), "clock": 2.0}
    first = FirstBatches((rows, rows), None, (1.0, 2.0), 2, 1.0, parameters, shares, (ids,), **times)
    n = len(known)
    columns = (np.full((n, 1), OLD), np.ones(n), np.empty((n, 0)), np.zeros((n, 2)), np.ones(n))
    return first, ClusterState(*columns, known, 10 * known, next_id=4, clock=1.0, n_steps=1)
