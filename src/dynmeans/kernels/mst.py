"""The paper's kernel along the minimum spanning tree, which follows chains of points of any shape."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.sparse import csr_array

from dynmeans._core import component_similarity, minimum_spanning_tree
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels._common import check_positive, coefficient_matrix
from dynmeans.kernels._estimation.separated_clusters import separated_clusters
from dynmeans.kernels._geometry.forest import Forest, build_forest, near_distances
from dynmeans.kernels.base import DistinctPoints, Kernel, KernelInput, Similarity

MAX_DENSE = 3000  # maximum number of components with a dense matrix
NEGLIGIBLE = 1e-12  # similarities below this are omitted from a sparse matrix
TYPICAL_EDGES = 4.0  # estimated scale without separated clusters, in median edge lengths of the tree
WIDEST_GAP = 4.0  # maximum distance between separated clusters, in estimated scales: the kernel is 3e-4 there


@dataclass(frozen=True)
class MST(Kernel):
    """K(x, y) = exp(-d^2 / (2 scale^2)), d = sum of the edges longer than scale on the path from x to y.

    The path is that of the minimum Euclidean spanning tree of the rows of the batch and the support points.
    Cutting the long edges leaves components, between which the kernel is constant. Each component is one
    representative, and the size of the matrix is their number, not that of the rows. The matrix need not be
    positive semidefinite: a component surrounded by five others at slightly more than the scale gives a
    negative eigenvalue. The tree is computed on as many threads as ``n_jobs`` of the estimator allows.

    Parameters
    ----------
    scale : float or None
        The paper's omega, in units of the data. None estimates it from the first batch with different rows.
        If the batch has separated clusters, it is the geometric mean of the longest edge within and the
        shortest edge between them, and at least a quarter of the latter. Otherwise it is four times the
        median of the nonzero edge lengths of the tree.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels import MST, first_input
    >>> similarity = MST(scale=1.0).compare(first_input(np.array([[0.0], [0.9], [1.8], [3.8]])))
    >>> similarity.weights, similarity.group
    (array([3., 1.]), array([0, 0, 0, 1]))
    >>> similarity.matrix.round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    """

    scale: float | None = None

    def __post_init__(self) -> None:
        check_positive("scale", self.scale)

    def fitted(self, inputs: KernelInput) -> MST:
        """Return the kernel with the scale of this batch; itself if it is given or all rows are equal."""
        estimate = estimate_scale(inputs) if self.scale is None else None
        return self if estimate is None else replace(self, scale=estimate)

    def is_euclidean(self) -> bool:
        """Return True: similarities are those of rows under the Euclidean distance."""
        return True

    def compare(self, inputs: KernelInput) -> Similarity:
        """Compute the similarities of one step; a representative is a component with at least one row."""
        fitted = self.fitted(inputs).scale
        scale = 1.0 if fitted is None else fitted
        forest = build_forest(np.concatenate([inputs.kept, inputs.rows]), scale, inputs.n_threads)
        similarity = _dense_similarity if len(forest.parent) <= MAX_DENSE else _sparse_similarity
        return similarity(inputs, forest, scale)

    def gram(self, inputs: KernelInput, members: IntArray, kept: IntArray) -> FloatArray:
        """Return W of support points, then rows."""
        distinct = cast(DistinctPoints, self.compare(inputs).distinct)
        return distinct.gram(np.concatenate([kept, len(inputs.kept) + members]))


class _ComponentSimilarity(NamedTuple):
    """Similarities of the components of a forest, C in all, R of them with rows."""

    matrix: FloatArray  # (C, C)
    weights: FloatArray  # (R,)
    y_phi: FloatArray  # (R, K)
    phi_phi: FloatArray  # (K,)
    with_rows: FloatArray | None  # (R, R); None if R = C
    group: IntArray  # (n,)  component of each row, among those with rows


def _dense_similarity(inputs: KernelInput, forest: Forest, scale: float) -> Similarity:
    """Return the similarity with a dense matrix of components."""
    found = _ComponentSimilarity._make(
        component_similarity(
            parent=forest.parent,
            length=forest.length,
            scale=scale,
            components=forest.component,
            weights=inputs.weights,
            coefficients=inputs.coefficients,
            owner=inputs.owner,
            n_old=inputs.n_old,
        )
    )
    return Similarity(
        weights=found.weights,
        diagonal=np.ones(len(found.weights)),
        y_phi=found.y_phi,
        phi_phi=found.phi_phi,
        matrix=found.matrix if found.with_rows is None else found.with_rows,
        group=found.group,
        distinct=DistinctPoints(forest.component, found.matrix),
    )


def _sparse_similarity(inputs: KernelInput, forest: Forest, scale: float) -> Similarity:
    """Return the similarity with a sparse matrix of components."""
    distinct = DistinctPoints(forest.component, _near_kernel(forest, scale))
    kept, rows = distinct.numbers[: len(inputs.kept)], distinct.numbers[len(inputs.kept) :]
    mass: FloatArray = np.bincount(rows, inputs.weights, distinct.matrix.shape[0]).astype(np.float64)
    mix = coefficient_matrix(inputs, kept, len(mass))
    blend, seen = distinct.matrix @ mix, mass > 0
    return Similarity(
        mass[seen],
        np.ones(np.count_nonzero(seen)),
        blend[seen],
        np.einsum("ck,ck->k", mix, blend),
        matrix=distinct.matrix if seen.all() else distinct.matrix[seen][:, seen],
        group=(np.cumsum(seen) - 1)[rows],
        distinct=distinct,
    )


def _near_kernel(forest: Forest, scale: float) -> Any:
    """Return the kernel of all components as a scipy.sparse array."""
    source, target, distance = near_distances(forest, scale * np.sqrt(-2.0 * np.log(NEGLIGIBLE)))
    faded, m = np.exp(-0.5 * (distance / scale) ** 2), len(forest.parent)
    return csr_array((faded, (source, target)), shape=(m, m))


def estimate_scale(inputs: KernelInput) -> float | None:
    """Estimate the scale as described in `MST`; None if all rows are equal."""
    found = separated_clusters(inputs.rows, inputs.weights)
    if found.n_clusters > 1:
        return max(math.sqrt(found.within) * math.sqrt(found.between), found.between / WIDEST_GAP)
    lengths = minimum_spanning_tree(np.ascontiguousarray(inputs.rows), n_threads=inputs.n_threads)[1]
    apart = lengths[lengths > 0]
    return TYPICAL_EDGES * float(np.median(apart)) if len(apart) else None
