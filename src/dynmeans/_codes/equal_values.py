"""Equal values in a stream: copies of rows, and columns on a grid.

A code takes each row as an observation. Two equal rows have no distance, so that one cluster per pair would
have a short code. If most rows of a stream are copies, such as rows of a table that were joined twice, only
the distinct rows of each batch are encoded. A value of a grid, such as a flag, a count or a rounded number,
stands for an interval.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynmeans._model.types import FloatArray, IntArray


def distinct_rows(batches: Sequence[FloatArray]) -> list[IntArray] | None:
    """Return the numbers of the first copies in each batch, ascending; None if rows are no copies.

    Most rows of the stream have copies in their batch, and most distinct rows are in one batch only. Rows on
    a grid, such as counts, are equal in other batches too: they are observations, and not copies.
    """
    first, n_copied = [], 0
    for rows in batches:
        _, firsts, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
        first.append(np.sort(firsts))
        n_copied += int(counts[counts > 1].sum())
    if 2 * n_copied <= sum(map(len, batches)):
        return None
    distinct = np.concatenate([rows[firsts] for rows, firsts in zip(batches, first, strict=True)])
    return first if 2 * len(np.unique(distinct, axis=0)) > len(distinct) else None


def total_weights(
    batches: Sequence[FloatArray], first: Sequence[IntArray], weights: Sequence[FloatArray] | None
) -> list[FloatArray]:
    """Return the weight of all copies of each distinct row."""
    totals = []
    for i, (rows, firsts) in enumerate(zip(batches, first, strict=True)):
        which = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
        total = np.bincount(which, weights=None if weights is None else weights[i])
        totals.append(total[which[firsts]].astype(np.float64))
    return totals


def spread_over_grid(batches: Sequence[FloatArray]) -> list[FloatArray]:
    """Replace each value of a column on a grid by a random one of its interval.

    A column is on a grid if most of its values occur more than once. The intervals are as wide as the median
    difference of adjacent values. Otherwise rows with equal flags would be infinitely dense.
    """
    rows = np.concatenate(batches)
    random = np.random.default_rng(0)
    widths = np.array([_grid_width(column) for column in rows.T])
    if not widths.any():
        return list(batches)
    rows = rows + widths * random.uniform(-0.5, 0.5, rows.shape)
    return np.split(rows, np.cumsum([len(batch) for batch in batches])[:-1])


def _grid_width(column: FloatArray) -> float:
    """Return the difference of adjacent values; 0 if values do not recur, or are all equal."""
    values, counts = np.unique(column, return_counts=True)
    is_on_grid = len(values) > 1 and 2 * int(counts[counts > 1].sum()) > len(column)
    return float(np.median(np.diff(values))) if is_on_grid else 0.0
