"""Oracle selection: the true labels select among samples."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans.baselines._oracle_sample import UNNAMED, best_sample, lasting_pairs

labels = st.lists(st.integers(0, 3), min_size=6, max_size=6)


@given(st.lists(labels, min_size=1, max_size=6), labels)
def test_no_other_sample_has_more_points_right_under_any_pairing(samples, y):
    chosen = best_sample(np.array(samples), np.zeros(len(samples)), y, np.full(4, UNNAMED), {})

    def right(sample):
        return max(
            sum(p[k] == true for k, true in zip(sample, y, strict=True)) for p in permutations(range(4))
        )

    assert right(samples[chosen]) == max(map(right, samples))


def test_densest_wins_among_equals():
    samples = np.array([[0, 0, 1], [1, 1, 0], [0, 1, 2]])
    assert best_sample(samples, np.array([1.0, 2.0, 9.0]), [5, 5, 6], np.full(3, UNNAMED), {}) == 1


def test_pairs_once_made_decide_between_samples_that_group_alike():
    pairs = lasting_pairs({}, np.array([10, 10, 11]), [5, 5, 6])
    assert pairs == {5: 10, 6: 11}
    samples, ids = np.array([[1, 1, 0], [0, 0, 1]]), np.array([10, 11])
    assert best_sample(samples, np.array([9.0, 0.0]), [5, 5, 6], ids, pairs) == 1


def test_pairs_last_and_taken_ids_are_not_paired_again():
    pairs = lasting_pairs({5: 10}, np.array([11, 11, 10, 12]), [5, 5, 6, 6])
    assert pairs == {5: 10, 6: 12}


def test_truth_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match=r"y must have shape \(3,\), got \(2,\)"):
        best_sample(np.zeros((1, 3), dtype=int), np.zeros(1), [0, 1], np.array([UNNAMED]), {})
