"""The graph of shared neighbors and its leading eigenpairs."""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh

from dynmeans._model.types import FloatArray
from dynmeans.kernels._geometry.neighbors import stretched_neighbors

_DENSE = 150  # up to this number of rows, LAPACK is faster than Lanczos
_LINK_WEIGHT = 1e-4  # weight of the edge from every row to its nearest neighbor
_TOLERANCE = 1e-6  # tolerance of an eigenvalue


def shared_neighbors(rows: FloatArray, k: int) -> sparse.csr_array:
    """Return the graph (n, n) of mutual k-nearest neighbors, weighted by squared neighborhood overlap.

    The overlap is the Jaccard index of the neighborhoods, each of which contains its own row. Where two
    shapes almost touch, neighborhoods overlap little; squaring weakens these edges further. An edge of small
    weight to the nearest neighbor keeps every row connected.
    """
    n = len(rows)
    if k < 1:
        return sparse.csr_array((n, n))
    near = stretched_neighbors(rows, k)
    starts = np.arange(0, near.size + 1, k + 1)
    sets = sparse.csr_array((np.ones(near.size), near.ravel(), starts), shape=(n, n))
    graph = (sets @ sets.T).multiply(sets.multiply(sets.T)).tocsr()
    graph.data = (graph.data / (2.0 * (k + 1) - graph.data)) ** 2
    links = sparse.csr_array((np.full(n, _LINK_WEIGHT), near[:, 1], np.arange(n + 1)), shape=(n, n))
    graph = (graph + links + links.T).tocsr()
    graph.setdiag(0.0)
    graph.eliminate_zeros()
    return graph


def leading_eigenpairs(
    graph: sparse.csr_array, weights: FloatArray, rank: int
) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues (r,) and vectors (n, r) of D^-1/2 A D^-1/2.

    A row of weight m counts as m rows. Each connected component has an eigenvector with eigenvalue 1, which
    is constructed directly: Lanczos from one start vector cannot find the multiplicity of an eigenvalue.
    """
    n = graph.shape[0]
    degree = graph @ weights
    scale = np.sqrt(np.divide(weights, degree, out=np.zeros(n), where=degree > 0))
    transition = (sparse.diags_array(scale) @ graph @ sparse.diags_array(scale)).tocsr()
    components = _component_vectors(graph, np.sqrt(weights * degree), rank)
    known = components.shape[1]
    if known >= min(rank, n):
        return np.ones(known), components
    values, vectors = _next_eigenpairs(transition, components, min(rank, n) - known)
    return np.concatenate([np.ones(known), values]), np.hstack([components, vectors])


def _component_vectors(graph: sparse.csr_array, root_degree: FloatArray, rank: int) -> FloatArray:
    """Return one unit vector per connected component; beyond `rank`, the smallest share the last one."""
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
    transition: sparse.csr_array, known: FloatArray, count: int
) -> tuple[FloatArray, FloatArray]:
    """Return the `count` largest eigenpairs besides the known ones, whose eigenvalue 1 is shifted to -1."""
    n = transition.shape[0]
    if n <= _DENSE or count >= n - 1:
        deflated = transition.toarray() - 2.0 * (known @ known.T)
        values, vectors = linalg.eigh(deflated, subset_by_index=[n - count, n - 1])
        return values, vectors

    def multiply(x: FloatArray) -> FloatArray:
        product: FloatArray = transition @ x - 2.0 * (known @ (known.T @ x))
        return product

    operator = LinearOperator((n, n), matvec=multiply, dtype=np.float64)
    start = np.random.default_rng(0).normal(size=n)
    values, vectors = eigsh(operator, k=count, which="LA", v0=start, tol=_TOLERANCE)
    return values, vectors
