"""Test whether clusters are separated by gaps, or are pieces of larger objects.

An object is cut into pieces somewhere. If each point of its spanning tree is equally likely, then the share
of the tree in edges that are shorter than the edge at the cut is uniformly distributed, with a mean of 1/2.
A descent prefers the wider of two gaps; the larger of two such shares has a mean of 2/3. Between separate
clusters, even if they touch, rows are sparse: the edges between them are among the longest of both clusters.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from dynmeans._codes.cloud_test import MIN_ROWS
from dynmeans._codes.significance import is_significant
from dynmeans._core import minimum_spanning_tree
from dynmeans._model.types import FloatArray, IntArray

WIDER_OF_TWO = 2.0 / 3.0  # mean of the larger of two uniform shares


def have_gaps(rows: FloatArray, ids: IntArray, trees: IntArray, starts: IntArray, shortest: float) -> bool:
    """Return whether the edges between clusters are significantly longer than those at cuts of an object.

    Parameters
    ----------
    rows : ndarray of shape (N, d)
    ids : ndarray of shape (N,)
        Cluster of every row; rows with a negative id are noise.
    trees : ndarray of shape (N,)
        Larger cluster of every row. Only edges within one of them are tested.
    starts : ndarray of shape (T + 1,)
        First row of each step.
    shortest : float
        Shorter edges count as equal.
    """
    found = [edge_shares(rows[a:b], ids[a:b], trees[a:b], shortest) for a, b in pairwise(starts)]
    return is_significant(np.array([shares.mean() for shares in found if len(shares)]), WIDER_OF_TWO)


def edge_shares(rows: FloatArray, ids: IntArray, trees: IntArray, shortest: float) -> FloatArray:
    """Return, for each edge between two clusters, the share of both in edges that are shorter.

    The share is by length, and half of the edge itself counts as shorter. Clusters of fewer than three rows
    have no typical edge, and are not tested.
    """
    edges, lengths = minimum_spanning_tree(np.ascontiguousarray(rows), 1)
    lengths = np.maximum(lengths, shortest)
    ends, larger = ids[edges], trees[edges]
    within = ends[:, 0] == ends[:, 1]
    names, of_row, sizes = np.unique(ids, return_inverse=True, return_counts=True)
    is_tested = (sizes >= MIN_ROWS) & (names >= 0)
    between = ~within & (larger[:, 0] == larger[:, 1]) & (larger[:, 0] >= 0)
    between &= is_tested[of_row[edges]].all(axis=1)
    shares = []
    for (a, b), length in zip(ends[between], lengths[between], strict=True):
        own = lengths[within & ((ends[:, 0] == a) | (ends[:, 0] == b))]
        shorter = own[own < length].sum() + 0.5 * own[own == length].sum() + 0.5 * length
        shares.append(shorter / (own.sum() + length))
    return np.array(shares)
