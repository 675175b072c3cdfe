from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dynmeans.plots._thinning import even_subset, largest_subset, thin_groups


@given(st.integers(0, 300), st.integers(1, 50))
def test_an_even_subset_spans_everything_in_nearly_equal_strides(n: int, limit: int) -> None:
    chosen = even_subset(n, limit)
    assert len(chosen) == min(n, limit)
    if n:
        assert chosen[-1] == n - 1
    if n and limit > 1:
        assert chosen[0] == 0
        assert np.ptp(np.diff(chosen)) <= 1 if len(chosen) > 1 else True


@given(st.lists(st.integers(0, 9), max_size=40), st.integers(0, 40))
def test_the_largest_are_kept_in_their_order(sizes: list[int], limit: int) -> None:
    values = np.array(sizes, dtype=float)
    kept = largest_subset(values, limit)
    assert np.all(np.diff(kept) > 0)
    dropped = np.delete(values, kept)
    assert len(kept) == min(limit, len(sizes))
    if len(kept) and len(dropped):
        assert values[kept].min() >= dropped.max()


@given(st.lists(st.integers(1, 30), max_size=12), st.integers(0, 200))
def test_thinned_groups_are_within_the_limit_fair_and_no_smaller_than_needed(
    sizes: list[int], limit: int
) -> None:
    groups = np.repeat(np.arange(len(sizes)), sizes)
    kept = thin_groups(groups, limit)
    left = np.bincount(groups[kept], minlength=len(sizes))
    assert left.sum() <= limit or len(groups) <= limit
    for a, size_a in zip(left, sizes, strict=True):
        assert a == size_a or a == left.max()
    if left.sum() < len(groups):
        assert left.sum() + np.count_nonzero(left < sizes) > limit


def test_the_rows_kept_of_a_group_are_evenly_spaced() -> None:
    rows = np.flatnonzero(thin_groups(np.zeros(100, dtype=np.int64), 10))
    assert set(np.diff(rows)) == {10}
