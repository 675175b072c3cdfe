"""DP-means as published (Kulis and Jordan, 2012): every pass compares every row with every center.

`dynmeans.baselines.DPMeans` has the same objective, and skips most comparisons by distance bounds. This
module measures the time of the published algorithm, with distances by matrix products.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from dynmeans._model.types import FloatArray, IntArray

MAX_PASSES = 100  # per order, as `max_iter` of DPMeans


def reference_dpmeans(rows: FloatArray, birth_cost: float, n_restarts: int, seed: int) -> IntArray:
    """Return the labels (n,) of the best of several row orders.

    Examples
    --------
    >>> reference_dpmeans(np.array([[0.0], [0.1], [5.0]]), 1.0, 1, 0)
    array([0, 0, 1])
    """
    rng = np.random.default_rng(seed)
    squares = np.einsum("ij,ij->i", rows, rows)
    found = [_descend(rows, squares, birth_cost, rng.permutation(len(rows))) for _ in range(n_restarts)]
    labels = min(found, key=lambda end: end[0])[1]
    first, which = np.unique(labels, return_index=True, return_inverse=True)[1:]
    return np.argsort(np.argsort(first))[which]


def _descend(rows: FloatArray, squares: FloatArray, birth: float, order: IntArray) -> tuple[float, IntArray]:
    """Return cost and labels at convergence; all rows start in one cluster."""
    rows, squares = rows[order], squares[order]
    labels, centers = np.zeros(len(rows), dtype=np.int64), rows.mean(axis=0)[None]
    for _ in range(MAX_PASSES):
        before = labels
        labels = _assign(rows, squares, centers, birth)
        labels = np.unique(labels, return_inverse=True)[1]
        centers = _means(rows, labels)
        if np.array_equal(labels, before):
            break
    cost = float(np.sum((rows - centers[labels]) ** 2) + birth * len(centers))
    labels_by_row = np.empty_like(labels)
    labels_by_row[order] = labels
    return cost, labels_by_row


def _assign(rows: FloatArray, squares: FloatArray, centers: FloatArray, birth: float) -> IntArray:
    """Assign rows sequentially to the nearest center, or to a new one if all are too far.

    Centers stay fixed during a pass, so all rows are compared with the existing centers at once, and the
    rows after a birth also with the new center.
    """
    squared = squares[:, None] - 2.0 * (rows @ centers.T) + np.einsum("kj,kj->k", centers, centers)
    labels: IntArray = squared.argmin(axis=1)
    nearest = squared[np.arange(len(rows)), labels]
    i, n_centers = 0, len(centers)
    while (nearest[i:] > birth).any():
        i += int(np.argmax(nearest[i:] > birth))
        to_new = squares[i:] - 2.0 * (rows[i:] @ rows[i]) + squares[i]
        to_new[0] = 0.0
        labels[i:] = np.where(to_new < nearest[i:], n_centers, labels[i:])
        nearest[i:] = np.minimum(to_new, nearest[i:])
        n_centers += 1
    return labels


def _means(rows: FloatArray, labels: IntArray) -> FloatArray:
    sizes = np.bincount(labels)
    members = csr_array((np.ones(len(rows)), (labels, np.arange(len(rows)))), shape=(len(sizes), len(rows)))
    means: FloatArray = (members @ rows) / sizes[:, None]
    return means
