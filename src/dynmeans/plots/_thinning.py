"""Evenly spaced subsets of a run, which keep the report small."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from dynmeans._model.types import FloatArray, IntArray


def even_subset(n: int, limit: int) -> IntArray:
    """Choose at most `limit` evenly spaced indices of 0 .. n-1, with the first and the last.

    Examples
    --------
    >>> even_subset(9, 3).tolist()
    [0, 4, 8]
    """
    if limit == 1 < n:
        return np.array([n - 1])
    return np.unique(np.round(np.linspace(0, n - 1, min(n, limit))).astype(np.int64))


def largest_subset(sizes: FloatArray, limit: int) -> IntArray:
    """Return the indices of the `limit` largest sizes, in order; ties go to the first."""
    order = np.argsort(-sizes, kind="stable")[:limit]
    return np.sort(order)


def thin_groups(groups: IntArray, limit: int) -> NDArray[np.bool_]:
    """Keep at most `limit` rows, equally many per group if available, evenly spaced within it.

    Parameters
    ----------
    groups : int array of shape (n,)
        Group of every row, sorted.
    limit : int

    Returns
    -------
    bool array of shape (n,)

    Examples
    --------
    >>> thin_groups(np.array([1, 1, 1, 1, 2]), 3).tolist()
    [False, True, False, True, True]
    """
    _, first, owner, sizes = np.unique(groups, return_index=True, return_inverse=True, return_counts=True)
    quota = bisect_right(range(1, len(groups) + 1), limit, key=lambda q: int(np.minimum(sizes, q).sum()))
    rank = np.arange(len(groups)) - first[owner]
    share = np.minimum(sizes, quota)[owner]
    size = sizes[owner]
    kept: NDArray[np.bool_] = (rank + 1) * share // size > rank * share // size
    return kept
