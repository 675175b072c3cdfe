from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans.metrics import _overlap, identity_f1, per_step_accuracy, tracking_accuracy, weighted_accuracy
from dynmeans.metrics._overlap import Overlap, best_pairs

overlaps = st.dictionaries(
    st.tuples(st.integers(0, 8), st.integers(0, 8)), st.integers(1, 20), min_size=1, max_size=30
)


@given(overlaps)
def test_dense_and_sparse_pairings_share_equally_much(shared: dict[tuple[int, int], int]) -> None:
    true, found = np.array(sorted(shared)).T
    pairs = Overlap(true, found, np.array([float(shared[key]) for key in sorted(shared)]))
    totals = []
    for largest_dense in (0, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_overlap, "_DENSE_TABLE", largest_dense)
            made = best_pairs(pairs)
        assert np.unique(true[made]).size == np.unique(found[made]).size == made.size
        totals.append(pairs.weight[made].sum())
    assert totals[0] == totals[1]


def test_thousands_of_ids_are_paired_without_a_table_of_all_of_them() -> None:
    n_ids = 5_000  # a dense table of them would take 200 MB
    true = np.repeat(np.arange(n_ids), 3)
    found = 10**12 - true
    wrong = np.arange(0, true.size, 3)
    found[wrong] = np.random.default_rng(0).permutation(found[wrong])
    expected = float(np.mean(found == 10**12 - true))
    for metric in (identity_f1, per_step_accuracy, tracking_accuracy):
        tracemalloc.start()
        result = metric([true], [found])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert result == pytest.approx(expected)
        assert peak < 20e6


@pytest.mark.parametrize("n_ids", [2, 200])
def test_weight_that_is_all_on_noise_leaves_nothing_right(n_ids: int) -> None:
    labels = np.arange(n_ids)
    weights = np.append(np.zeros(n_ids), 1.0)
    assert weighted_accuracy([np.append(labels, 0)], [np.append(labels, -1)], [weights]) == 0.0
