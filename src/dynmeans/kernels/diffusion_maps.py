"""How heat spreads over a graph of shared neighbours: the leading eigenpairs of the graph."""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh

from dynmeans._model.types import FloatArray
from dynmeans.kernels.neighbours import stretched_neighbours

_DENSE = 150  # up to this many rows LAPACK is quicker than Lanczos
_THREAD = 1e-4  # weight of the edge that ties every row to its nearest neighbour
_TOLERANCE = 1e-6  # of an eigenvalue


def shared_neighbours(rows: FloatArray, k: int) -> sparse.csr_array:
    """Graph (n, n) of mutual k-nearest neighbours, weighed by the squared overlap of their neighbourhoods.

    The overlap is that of Jaccard: the rows near both over the rows near either, a row being near itself.
    Where two shapes almost touch, neighbourhoods overlap little, and the square makes that a lot less. A
    thin edge to the nearest neighbour keeps every row connected to something.
    """
    n = len(rows)
    if k < 1:
        return sparse.csr_array((n, n))
    near = stretched_neighbours(rows, k)
    starts = np.arange(0, near.size + 1, k + 1)
    sets = sparse.csr_array((np.ones(near.size), near.ravel(), starts), shape=(n, n))
    graph = (sets @ sets.T).multiply(sets.multiply(sets.T)).tocsr()
    graph.data = (graph.data / (2.0 * (k + 1) - graph.data)) ** 2
    thread = sparse.csr_array((np.full(n, _THREAD), near[:, 1], np.arange(n + 1)), shape=(n, n))
    graph = (graph + thread + thread.T).tocsr()
    graph.setdiag(0.0)
    graph.eliminate_zeros()
    return graph


def leading_eigenpairs(
    graph: sparse.csr_array, weights: FloatArray, rank: int
) -> tuple[FloatArray, FloatArray]:
    """Top eigenvalues (r,) and vectors (n, r) of D^-1/2 A D^-1/2, a row of weight m counting as m rows.

    Each connected piece of the graph has a vector with eigenvalue 1, which is written down rather than
    searched for: Lanczos from one start cannot tell how often an eigenvalue is repeated.
    """
    n = graph.shape[0]
    degree = graph @ weights
    scale = np.sqrt(np.divide(weights, degree, out=np.zeros(n), where=degree > 0))
    spread = (sparse.diags_array(scale) @ graph @ sparse.diags_array(scale)).tocsr()
    pieces = _piece_vectors(graph, np.sqrt(weights * degree), rank)
    known = pieces.shape[1]
    if known >= min(rank, n):
        return np.ones(known), pieces
    values, vectors = _next_eigenpairs(spread, pieces, min(rank, n) - known)
    return np.concatenate([np.ones(known), values]), np.hstack([pieces, vectors])


def _piece_vectors(graph: sparse.csr_array, root_degree: FloatArray, rank: int) -> FloatArray:
    """Unit vector of every connected piece (n, pieces); of more than `rank`, the smallest share the last."""
    n = graph.shape[0]
    count, piece = connected_components(graph, directed=False)
    by_size = np.argsort(-np.bincount(piece), kind="stable")
    column = np.empty(count, dtype=np.int64)
    column[by_size] = np.minimum(np.arange(count), rank - 1)
    vectors = np.zeros((n, min(count, rank)))
    vectors[np.arange(n), column[piece]] = np.where(root_degree > 0, root_degree, 1.0)
    unit: FloatArray = vectors / np.linalg.norm(vectors, axis=0)
    return unit


def _next_eigenpairs(
    spread: sparse.csr_array, known: FloatArray, count: int
) -> tuple[FloatArray, FloatArray]:
    """The `count` largest eigenpairs after the known ones, which have eigenvalue 1 and are moved to -1."""
    n = spread.shape[0]
    if n <= _DENSE or count >= n - 1:
        deflated = spread.toarray() - 2.0 * (known @ known.T)
        values, vectors = linalg.eigh(deflated, subset_by_index=[n - count, n - 1])
        return values, vectors

    def multiply(x: FloatArray) -> FloatArray:
        product: FloatArray = spread @ x - 2.0 * (known @ (known.T @ x))
        return product

    operator = LinearOperator((n, n), matvec=multiply, dtype=np.float64)
    start = np.random.default_rng(0).normal(size=n)
    values, vectors = eigsh(operator, k=count, which="LA", v0=start, tol=_TOLERANCE)
    return values, vectors
