"""Overlap of true and found ids, and the one-to-one pairing of maximum overlap."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from dynmeans.metrics._runs import NOISE, FloatArray, IntArray, LabeledRun

# Dense assignment is faster up to this many entries; sparse assignment needs memory linear in the pairs.
_DENSE_TABLE = 10_000


class Overlap(NamedTuple):
    """All pairs of a true and a found id with common points, sorted by true, then by found id."""

    true: IntArray  #     (pairs,)
    found: IntArray  #    (pairs,)
    weight: FloatArray  # (pairs,)  points in common, or the sum of their weights; above 0

    def take(self, keep: NDArray[Any] | slice) -> Overlap:
        """Select pairs."""
        return Overlap(self.true[keep], self.found[keep], self.weight[keep])


def overlap_of_run(run: LabeledRun, weight: FloatArray | None = None) -> Overlap:
    """Compute the overlap over all steps, in points or in their weights."""
    return _tally(run, np.zeros_like(run.true), weight)[0]


def overlap_by_step(run: LabeledRun) -> Iterator[Overlap]:
    """Yield the overlap within each step, in order of time."""
    n_steps = run.bounds.size - 1
    pairs, step = _tally(run, np.repeat(np.arange(n_steps), np.diff(run.bounds)))
    for start, stop in pairwise(np.searchsorted(step, np.arange(n_steps + 1)).tolist()):
        yield pairs.take(slice(start, stop))


def _tally(run: LabeledRun, step: IntArray, weight: FloatArray | None = None) -> tuple[Overlap, IntArray]:
    """Compute the overlap within each step, and the step of each pair; skip noise, clutter and weight 0."""
    weight = np.ones(run.true.size) if weight is None else weight
    rows = np.flatnonzero((run.true != NOISE) & (run.found != NOISE) & (weight > 0))
    rows = rows[np.lexsort((run.found[rows], run.true[rows], step[rows]))]
    keys = np.stack([step[rows], run.true[rows], run.found[rows]])
    begins = np.ones(rows.size, dtype=bool)
    begins[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    step, true, found = keys[:, begins]
    return Overlap(true, found, np.add.reduceat(weight[rows], np.flatnonzero(begins))), step


def best_pairs(shared: Overlap) -> IntArray:
    """Return the indices of a one-to-one pairing with the largest total weight."""
    if not shared.weight.size:
        return np.empty(0, dtype=np.int64)
    rows = np.zeros(shared.true.size, dtype=np.int64)
    np.cumsum(shared.true[1:] != shared.true[:-1], out=rows[1:])
    columns = np.unique(shared.found, return_inverse=True)[1]
    small = (rows[-1] + 1) * (columns.max() + 1) <= _DENSE_TABLE
    solve = _dense_partners if small else _sparse_partners
    return np.flatnonzero(solve(rows, columns, shared.weight)[rows] == columns)


def _dense_partners(rows: IntArray, columns: IntArray, weight: FloatArray) -> IntArray:
    """Return the column of each row; -1, or a column of weight 0, for unpaired rows."""
    table = np.zeros((rows[-1] + 1, columns.max() + 1))
    table[rows, columns] = weight
    partner = np.full(table.shape[0], -1, dtype=np.int64)
    chosen, column = linear_sum_assignment(table, maximize=True)
    partner[chosen] = column
    return partner


def _sparse_partners(rows: IntArray, columns: IntArray, weight: FloatArray) -> IntArray:
    """Pair rows in memory linear in the pairs; an extra column per row stands for "unpaired"."""
    n_rows, n_columns = rows[-1] + 1, columns.max() + 1
    unpaired = np.arange(n_rows)
    max_cost = 2 * weight.max()  # no cost may be zero: the solver would treat it as a missing edge
    cost = np.concatenate([max_cost - weight, np.full(n_rows, max_cost)])
    edges = np.concatenate([rows, unpaired]), np.concatenate([columns, n_columns + unpaired])
    graph = csr_array((cost, edges), shape=(n_rows, n_columns + n_rows))
    # Every row is matched, and the solver returns the rows in order.
    partner: IntArray = min_weight_full_bipartite_matching(graph)[1].astype(np.int64)
    return partner
