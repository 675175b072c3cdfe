from __future__ import annotations

import numpy as np
import pytest

from benchmarks.rivals import MAKERS, NOISE, ReclusterAndMatch, oracle
from benchmarks.tracking import CHOSEN
from dynmeans.datasets import moving_gaussians

LEFT, RIGHT, FAR = [0.0, 0.0], [1.0, 0.0], [9.0, 0.0]


def follow(tracker: ReclusterAndMatch, *batches: tuple[list[list[float]], list[int]]) -> list[list[int]]:
    return [tracker.partial_fit(np.array(X), np.array(y)).labels_.tolist() for X, y in batches]


def test_ids_go_to_the_nearest_clusters_of_the_next_batch_whatever_their_names() -> None:
    first, second = follow(oracle(), ([LEFT, RIGHT], [0, 1]), ([[1.1, 0.0], [0.1, 0.0]], [0, 1]))
    assert second == first[::-1]


def test_matching_minimises_the_total_and_not_each_distance() -> None:
    found = follow(oracle(), ([LEFT, RIGHT], [0, 1]), ([[0.9, 0.0], [1.2, 0.0]], [0, 1]))
    assert found[1] == found[0]


def test_cluster_beyond_the_gate_gets_a_new_id() -> None:
    assert follow(oracle(gate=1.0), ([LEFT], [0]), ([FAR], [0]), ([FAR], [0])) == [[0], [1], [1]]
    assert follow(oracle(), ([LEFT], [0]), ([FAR], [0])) == [[0], [0]]


def test_cluster_without_a_partner_gets_an_id_never_used_before() -> None:
    found = follow(oracle(), ([LEFT, RIGHT], [0, 1]), ([LEFT], [0]), ([LEFT, RIGHT], [0, 1]))
    assert found == [[0, 1], [0], [0, 2]]


def test_noise_stays_noise_and_is_matched_with_nothing() -> None:
    found = follow(oracle(), ([LEFT, RIGHT], [0, NOISE]), ([RIGHT, LEFT], [NOISE, NOISE]), ([RIGHT], [0]))
    assert found == [[0, NOISE], [NOISE, NOISE], [1]]


@pytest.mark.parametrize("name", MAKERS)
def test_every_rival_labels_every_row_of_every_batch(name: str) -> None:
    stream = moving_gaussians(n_steps=3, random_state=0)
    tracker = MAKERS[name](**CHOSEN[name])
    for X, y in zip(stream.batches, stream.labels, strict=True):
        tracker.partial_fit(X, y)
        assert tracker.labels_.shape == (len(X),)
        assert tracker.labels_.dtype == np.int64
