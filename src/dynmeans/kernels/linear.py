"""The plain scalar product: kernel algorithms on it see what D-Means sees."""

from __future__ import annotations

from dataclasses import dataclass

from dynmeans.kernels._parts import from_features, pick
from dynmeans.kernels.base import Scene, Similarity
from dynmeans.model.types import FloatArray, IntArray


@dataclass(frozen=True)
class Linear:
    """K(x, y) = x'y, with the rows themselves as features.

    The kernelized cost is then the cost of D-Means, and nothing of size (n, n) is formed.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels import Linear, first_scene
    >>> similarity = Linear().compare(first_scene(np.array([[1.0, 2.0], [3.0, 0.0]])))
    >>> similarity.features @ similarity.features.T
    array([[5., 3.],
           [3., 9.]])
    """

    def fitted(self, scene: Scene) -> Linear:
        """Itself: nothing is estimated."""
        return self

    def compare(self, scene: Scene) -> Similarity:
        """Similarities of one step, as features."""
        return from_features(scene, scene.rows, scene.kept)

    def gram(self, scene: Scene, members: IntArray, kept: IntArray) -> FloatArray:
        """W over kept points, then rows."""
        points = pick(scene, members, kept)
        product: FloatArray = points @ points.T
        return product
