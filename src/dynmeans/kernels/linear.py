"""The plain scalar product: kernel algorithms on it see what D-Means sees."""

from __future__ import annotations

from dataclasses import dataclass

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels._common import from_features, pick
from dynmeans.kernels.base import KernelInput, Similarity


@dataclass(frozen=True)
class Linear:
    """K(x, y) = x'y, with the rows themselves as features.

    The kernelized cost is then the cost of D-Means, and nothing of size (n, n) is formed.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels import Linear, first_input
    >>> similarity = Linear().compare(first_input(np.array([[1.0, 2.0], [3.0, 0.0]])))
    >>> similarity.features @ similarity.features.T
    array([[5., 3.],
           [3., 9.]])
    """

    def fitted(self, scene: KernelInput) -> Linear:
        """Itself: nothing is estimated."""
        return self

    def compare(self, scene: KernelInput) -> Similarity:
        """Similarities of one step, as features."""
        return from_features(scene, scene.rows, scene.kept)

    def gram(self, scene: KernelInput, members: IntArray, kept: IntArray) -> FloatArray:
        """W over kept points, then rows."""
        points = pick(scene, members, kept)
        product: FloatArray = points @ points.T
        return product
