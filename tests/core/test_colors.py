from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dynmeans._core import distinct_colors

pixels = st.integers(0, 60).flatmap(
    lambda n: arrays(np.uint8, (n, 3), elements=st.sampled_from([0, 1, 127, 255]))
)


@given(pixels)
def test_colors_and_counts_are_those_of_a_sort(rows: np.ndarray) -> None:
    colors, counts, of = distinct_colors(rows)
    expected, sizes = np.unique(rows, axis=0, return_counts=True)
    order = np.lexsort(colors.T[::-1])
    np.testing.assert_array_equal(colors[order], expected.reshape(-1, 3))
    np.testing.assert_array_equal(counts[order], sizes)
    np.testing.assert_array_equal(colors[of], rows)


@given(pixels)
def test_colors_come_in_the_order_of_their_first_pixels(rows: np.ndarray) -> None:
    of = distinct_colors(rows)[2]
    first = [int(np.argmax(of == k)) for k in range(int(of.max(initial=-1)) + 1)]
    assert first == sorted(first)


def test_a_picture_with_more_colors_than_the_table_begins_with_is_counted_right() -> None:
    numbers = np.random.default_rng(0).permutation(40_000)
    rows = np.column_stack([numbers & 255, numbers >> 8, numbers % 7]).astype(np.uint8)
    colors, counts, of = distinct_colors(np.concatenate([rows, rows]))
    assert len(colors) == 40_000
    assert (counts == 2).all()
    np.testing.assert_array_equal(colors[of[40_000:]], rows)
