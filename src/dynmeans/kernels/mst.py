"""The paper's kernel along the minimum spanning tree, which follows chains of points of any shape."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from scipy.sparse import csr_array

from dynmeans._core import component_similarity, minimum_spanning_tree
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels._common import check_positive, mixing
from dynmeans.kernels.base import KernelInput, Places, Similarity
from dynmeans.kernels.forest import Forest, grow_forest, near_distances

MAX_DENSE = 3000  # components with a dense matrix
NEGLIGIBLE = 1e-12  # similarities that a sparse matrix leaves out
TYPICAL_EDGES = 4.0  # an estimated scale, in median edges of the tree


@dataclass(frozen=True)
class MST:
    """K(x, y) = exp(-d^2 / (2 scale^2)), d = sum of the edges longer than scale on the path from x to y.

    The path is that of the minimum Euclidean spanning tree over the rows of the batch and the points kept
    from earlier ones. The kernel is constant between the components that are left when the long edges are
    cut; each component is one representative, and the matrix has their number, not that of the rows. It
    need not be positive semidefinite: a component with five others at barely more than the scale around
    it has a negative eigenvalue.

    Parameters
    ----------
    scale : float or None
        The paper's omega, in units of the data. None estimates it: four times the median length of the edges
        of the tree that are not 0, in a batch.

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

    def fitted(self, scene: KernelInput) -> MST:
        """The kernel with the scale of this batch; itself if it has one or all rows are equal."""
        estimate = estimate_scale(scene.rows) if self.scale is None else None
        return self if estimate is None else replace(self, scale=estimate)

    def compare(self, scene: KernelInput) -> Similarity:
        """Similarities of one step; a representative is a component with at least one row of the batch."""
        fitted = self.fitted(scene).scale
        scale = 1.0 if fitted is None else fitted
        forest = grow_forest(np.concatenate([scene.kept, scene.rows]), scale)
        compared = _of_few if len(forest.parent) <= MAX_DENSE else _of_many
        return compared(scene, forest, scale)

    def gram(self, scene: KernelInput, members: IntArray, kept: IntArray) -> FloatArray:
        """W over kept points, then rows."""
        places = cast(Places, self.compare(scene).places)
        return places.gram(np.concatenate([kept, len(scene.kept) + members]))


def _of_few(scene: KernelInput, forest: Forest, scale: float) -> Similarity:
    """Through a dense matrix of components."""
    matrix, weights, y_phi, phi_phi, seen, group = component_similarity(
        forest.parent,
        forest.length,
        scale,
        forest.component,
        scene.weights,
        scene.coefficients,
        scene.owner,
        scene.n_old,
    )
    return Similarity(
        weights,
        np.ones(len(weights)),
        y_phi,
        phi_phi,
        matrix=matrix if seen is None else seen,
        group=group,
        places=Places(forest.component, matrix),
    )


def _of_many(scene: KernelInput, forest: Forest, scale: float) -> Similarity:
    """The same through a sparse matrix."""
    places = Places(forest.component, _near_kernel(forest, scale))
    kept, rows = places.all[: len(scene.kept)], places.all[len(scene.kept) :]
    mass: FloatArray = np.bincount(rows, scene.weights, places.matrix.shape[0]).astype(np.float64)
    mix = mixing(scene, kept, len(mass))
    blend, seen = places.matrix @ mix, mass > 0
    return Similarity(
        mass[seen],
        np.ones(np.count_nonzero(seen)),
        blend[seen],
        np.einsum("ck,ck->k", mix, blend),
        matrix=places.matrix if seen.all() else places.matrix[seen][:, seen],
        group=(np.cumsum(seen) - 1)[rows],
        places=places,
    )


def _near_kernel(forest: Forest, scale: float) -> Any:
    """Kernel of all components as a scipy.sparse array."""
    source, target, distance = near_distances(forest, scale * np.sqrt(-2.0 * np.log(NEGLIGIBLE)))
    faded, m = np.exp(-0.5 * (distance / scale) ** 2), len(forest.parent)
    return csr_array((faded, (source, target)), shape=(m, m))


def estimate_scale(rows: FloatArray) -> float | None:
    """Multiple of the median edge of the tree, edges between equal rows aside; None if all rows are equal."""
    lengths = minimum_spanning_tree(np.ascontiguousarray(rows))[1]
    apart = lengths[lengths > 0]
    return TYPICAL_EDGES * float(np.median(apart)) if len(apart) else None
