"""The scalar product, with which kernel algorithms minimize the cost of D-Means."""

from __future__ import annotations

from dataclasses import dataclass

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels._common import from_features, pick
from dynmeans.kernels.base import Kernel, KernelInput, Similarity


@dataclass(frozen=True)
class Linear(Kernel):
    """K(x, y) = x'y, with the rows themselves as features.

    The kernelized cost is then the cost of D-Means. No matrix of size (n, n) is formed.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels import Linear, first_input
    >>> similarity = Linear().compare(first_input(np.array([[1.0, 2.0], [3.0, 0.0]])))
    >>> similarity.features @ similarity.features.T
    array([[5., 3.],
           [3., 9.]])
    """

    def fitted(self, inputs: KernelInput) -> Linear:
        """Return the kernel itself: it has no estimated parameters."""
        return self

    def is_euclidean(self) -> bool:
        """Return True: similarities are those of rows under the Euclidean distance."""
        return True

    def birth_share(self) -> None:
        """Return None: similarities have units, so the birth cost is estimated from the rows."""

    def compare(self, inputs: KernelInput) -> Similarity:
        """Compute the similarities of one step, as features."""
        return from_features(inputs, inputs.rows, inputs.kept)

    def gram(self, inputs: KernelInput, members: IntArray, kept: IntArray) -> FloatArray:
        """Return W of support points, then rows."""
        points = pick(inputs, members, kept)
        product: FloatArray = points @ points.T
        return product
