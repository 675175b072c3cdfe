"""Clusters of a new batch get the ids of those of the previous batch."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, KMeans

from dynmeans.baselines import ReclusterAndMatch, TrueLabels

NOISE = -1
LEFT, RIGHT, FAR = [0.0, 0.0], [1.0, 0.0], [9.0, 0.0]


def oracle(gate: float | None = None) -> ReclusterAndMatch:
    return ReclusterAndMatch(TrueLabels(), gate=gate)


def follow(tracker: ReclusterAndMatch, *batches: tuple[list[list[float]], list[int]]) -> list[list[int]]:
    return [tracker.partial_fit(np.array(X), np.array(y)).labels_.tolist() for X, y in batches]


def test_ids_go_to_the_nearest_clusters_of_the_next_batch_whatever_their_names() -> None:
    first, second = follow(oracle(), ([LEFT, RIGHT], [0, 1]), ([[1.1, 0.0], [0.1, 0.0]], [0, 1]))
    assert second == first[::-1]


def test_matching_minimises_the_total_and_not_each_distance() -> None:
    found = follow(oracle(), ([LEFT, RIGHT], [0, 1]), ([[0.9, 0.0], [1.2, 0.0]], [0, 1]))
    assert found[1] == found[0]


def test_cluster_beyond_the_gate_gets_a_new_id() -> None:
    assert follow(oracle(1.0), ([LEFT], [0]), ([FAR], [0]), ([FAR], [0])) == [[0], [1], [1]]
    assert follow(oracle(), ([LEFT], [0]), ([FAR], [0])) == [[0], [0]]


def test_cluster_without_a_partner_gets_an_id_never_used_before() -> None:
    found = follow(oracle(), ([LEFT, RIGHT], [0, 1]), ([LEFT], [0]), ([LEFT, RIGHT], [0, 1]))
    assert found == [[0, 1], [0], [0, 2]]


def test_noise_stays_noise_and_is_matched_with_nothing() -> None:
    found = follow(oracle(), ([LEFT, RIGHT], [0, NOISE]), ([RIGHT, LEFT], [NOISE, NOISE]), ([RIGHT], [0]))
    assert found == [[0, NOISE], [NOISE, NOISE], [1]]


def test_far_newborn_does_not_push_the_others_into_wrong_pairs() -> None:
    batches = ([[0.0], [5.0]], [0, 1]), ([[5.1], [9.0]], [0, 1])
    assert follow(oracle(4.0), *batches)[1] == [1, 2]
    assert follow(oracle(), *batches)[1] == [0, 1]  # without a gate, the total decides


def test_any_clusterer_is_cloned_and_never_fitted_itself() -> None:
    clusterer = KMeans(2, n_init=1, random_state=0)
    labels = ReclusterAndMatch(clusterer).fit([[0.0], [0.1], [5.0]]).labels_
    assert labels[0] == labels[1] != labels[2]
    assert not hasattr(clusterer, "labels_")


def test_noise_of_a_real_clusterer_stays_noise() -> None:
    model = ReclusterAndMatch(DBSCAN(eps=0.5, min_samples=2))
    assert model.fit([[0.0], [0.1], [5.0]]).labels_.tolist() == [0, 0, NOISE]
    assert model.cluster_centers_.tolist() == [[0.05]]


def test_true_labels_must_be_there_for_every_row() -> None:
    with pytest.raises(ValueError, match="each of 2 rows, got none"):
        oracle().partial_fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="each of 2 rows, got 3"):
        oracle().partial_fit([[0.0], [1.0]], [1, 2, 3])


def test_gate_below_zero_is_refused_and_changes_nothing() -> None:
    model = oracle(1.0).partial_fit([[0.0]], [0])
    model.set_params(gate=-1.0)
    with pytest.raises(ValueError, match="gate must be .* got -1.0"):
        model.partial_fit([[9.0]], [0])
    assert model.n_steps_ == 1
    assert model.labels_.tolist() == [0]
