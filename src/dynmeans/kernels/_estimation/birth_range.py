"""The range of birth costs under which given clusters are the best ones in the space of a kernel.

With n_l the weight of cluster l and W_l = (sum of the kernel over its pairs) / n_l, merging clusters a and b
costs W_a + W_b - W_ab and saves a birth cost. So it raises the total cost if the birth cost is smaller.
Splitting cluster l saves at most about the second eigenvalue of its block of the kernel matrix, and a new
cluster of rows from several clusters saves at most about the largest eigenvalue of the residual of the
clusters. Both raise the total cost if the birth cost is larger, and so does the birth of a single row.

On a grid, where clusters are similar to several neighbors, merging may raise the total cost for every pair,
and yet the spectral relaxation needs fewer directions than there are clusters. With S_ab the sum of the
kernel over the pairs of clusters a and b, the relaxation keeps the eigenvalues of S_ab / sqrt(n_a n_b) above
the birth cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from dynmeans._model.types import FloatArray, IntArray
from dynmeans._sampling import evenly_spaced
from dynmeans.kernels._estimation.threshold_range import widest_range

SMALLEST = 1e-6  # lower end of a range, relative to the upper one, if nothing bounds it from below
BLOCK = 64  # maximum number of rows of a cluster whose eigenvalues are computed
ACROSS = 1.1  # ratio of eigenvalues from which rows of several clusters are similar for another reason
LANCZOS = 24  # steps: the largest eigenvalue is needed to a few percent
STRATIFIED = 600  # number of rows from which a parameter of a kernel is chosen


class BirthRange(NamedTuple):
    """Birth costs, in units of the kernel."""

    low: float  # below, clusters are split
    high: float  # above, clusters are merged
    n_violated: int  # number of clusters that are split or merged nevertheless
    n_lost: int  # number of clusters that the spectral relaxation loses

    @property
    def middle(self) -> float:
        """The geometric mean."""
        return _middle(self.low, self.high)

    @property
    def rank(self) -> tuple[int, int, float]:
        """Sorts ranges: the fewest violations and lost clusters first, then the widest range by ratio."""
        return self.n_violated, self.n_lost, -self.high / self.low if self.low > 0 else 0.0


def birth_range(
    matrix: FloatArray, weights: FloatArray, labels: IntArray, totals: FloatArray | None = None
) -> BirthRange:
    """Return the range of birth costs that keeps most of these clusters.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        Kernel matrix.
    weights : ndarray of shape (n,)
        Weights of the rows, in units of a row.
    labels : ndarray of shape (n,)
        Clusters 0 .. L-1, at least two; -1 for outliers, which are ignored.
    totals : ndarray of shape (L,), optional
        Weights of the clusters, if the rows are a sample; by default the sums of the weights.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels._estimation.birth_range import birth_range
    >>> blocks = np.kron(np.eye(2), np.ones((3, 3)))  # two groups of three equal points
    >>> birth_range(blocks, np.ones(6), np.array([0, 0, 0, 1, 1, 1]))
    BirthRange(low=1.0, high=3.0, n_violated=0, n_lost=0)
    """
    members = _members(weights, labels)
    own = members.sum(axis=0)
    totals = own if totals is None else totals
    rows = [np.flatnonzero(column) for column in members.T]
    gains = [_split_gain(matrix, weights, some, total) for some, total in zip(rows, totals, strict=True)]
    residual = _residual_gain(matrix, members, totals / own)
    if residual > ACROSS * max(gains):  # no single cluster explains it: it concerns all of them
        gains = [residual] * len(gains)
    sums = _sums(matrix, members, totals / own)
    losses = _merge_losses(totals, sums).min(axis=1)
    low, high, n_violated = widest_range(gains, np.maximum(losses, 0.0).tolist())
    # A single row far from all others should not found a cluster.
    single = float(np.average(matrix.diagonal(), weights=weights))
    low = single if low <= single <= high else max(low, SMALLEST * high)
    n_lost = int(np.sum(_span_eigenvalues(totals, sums) < _middle(low, high)))
    return BirthRange(low, high, n_violated, n_lost)


def _middle(low: float, high: float) -> float:
    return math.sqrt(low) * math.sqrt(high)


def _members(weights: FloatArray, labels: IntArray) -> FloatArray:
    """Return the matrix (n, L) that holds the weight of every row in the column of its cluster."""
    members = np.zeros((len(labels), int(labels.max()) + 1))
    inside = np.flatnonzero(labels >= 0)
    members[inside, labels[inside]] = weights[inside]
    return members


def _sums(matrix: FloatArray, members: FloatArray, scale: FloatArray) -> FloatArray:
    """Return sums of the kernel over pairs (L, L); each row stands for ``scale`` different rows."""
    sums: FloatArray = members.T @ (matrix @ members)
    itself = matrix.diagonal() @ members**2
    sums *= np.outer(scale, scale)
    sums[np.diag_indices_from(sums)] += (scale - scale**2) * itself
    return sums


def stratified(labels: IntArray) -> IntArray:
    """Return about STRATIFIED rows, evenly spaced within every cluster."""
    order = np.argsort(labels, kind="stable")
    order = order[labels[order] >= 0]
    start = np.searchsorted(labels[order], np.arange(labels.max() + 2))
    each = max(8, STRATIFIED // (len(start) - 1))
    picks = [a + evenly_spaced(b - a, each) for a, b in pairwise(start.tolist())]
    return np.sort(order[np.concatenate(picks)])


def cluster_weights(weights: FloatArray, labels: IntArray) -> FloatArray:
    """Return the weight of every cluster."""
    return np.asarray(_members(weights, labels).sum(axis=0))


def rows_of_matrix(matrix: object, features: FloatArray | None, rows: IntArray) -> FloatArray:
    """Return the kernel matrix of some representatives, from a dense or sparse matrix or from features."""
    if features is not None:
        product: FloatArray = features[rows] @ features[rows].T
        return product
    block = matrix[rows][:, rows]  # type: ignore[index]
    return block.toarray() if issparse(block) else np.asarray(block)


def _merge_losses(mass: FloatArray, sums: FloatArray) -> FloatArray:
    """Return the loss of merging each pair (L, L), from sums of the kernel between clusters."""
    own = sums.diagonal()
    merged = (own[:, None] + own + 2.0 * sums) / (mass[:, None] + mass)
    losses = (own / mass)[:, None] + own / mass - merged
    np.fill_diagonal(losses, np.inf)
    return np.asarray(losses)


def _span_eigenvalues(mass: FloatArray, sums: FloatArray) -> FloatArray:
    """Return the eigenvalues (L,) of the kernel in the span of the clusters, from its sums between them."""
    root = np.sqrt(mass)
    return np.asarray(np.linalg.eigvalsh(sums / np.outer(root, root)))


def _residual_gain(matrix: FloatArray, members: FloatArray, scale: FloatArray) -> float:
    """Return the largest eigenvalue of the kernel matrix, without the span of the clusters."""
    inside = np.flatnonzero(members.any(axis=1))
    root = np.sqrt(members[inside])
    root /= np.linalg.norm(root, axis=0)  # orthonormal: each row has one cluster
    weight = np.sqrt(members[inside] @ scale)
    own = (members[inside].sum(axis=1) - weight**2) * matrix.diagonal()[inside]
    block = matrix[np.ix_(inside, inside)]

    def multiply(x: FloatArray) -> FloatArray:
        x = x - root @ (root.T @ x)
        x = weight * (block @ (weight * x)) + own * x
        return np.asarray(x - root @ (root.T @ x))

    return max(0.0, _largest_eigenvalue(multiply, len(inside)))


def _largest_eigenvalue(multiply: Callable[[FloatArray], FloatArray], n: int) -> float:
    """Run LANCZOS steps, with full orthogonalization, from a fixed start."""
    basis = np.zeros((min(n, LANCZOS), n))
    images = np.zeros_like(basis)
    step = np.random.default_rng(0).normal(size=n)
    for j in range(len(basis)):
        step -= basis[:j].T @ (basis[:j] @ step)
        length = float(np.linalg.norm(step))
        if length <= np.finfo(float).eps * n * float(np.abs(images).max(initial=0.0)):
            break
        basis[j] = step / length
        images[j] = multiply(basis[j])
        step = images[j] - basis[: j + 1].T @ (basis[: j + 1] @ images[j])
    return float(np.linalg.eigvalsh(basis @ images.T)[-1])


def _split_gain(matrix: FloatArray, weights: FloatArray, rows: IntArray, total: float) -> float:
    """Return the second eigenvalue of a cluster of weight ``total``, from at most BLOCK of its rows."""
    if len(rows) < 2:
        return 0.0
    rows = rows[evenly_spaced(len(rows), BLOCK)]
    root = np.sqrt(weights[rows])
    block = root[:, None] * matrix[np.ix_(rows, rows)] * root
    own = block.diagonal().copy()
    block *= total / float(weights[rows].sum())  # the rows stand for others, but not on the diagonal
    np.fill_diagonal(block, own)
    return max(0.0, float(np.linalg.eigvalsh(block)[-2]))
