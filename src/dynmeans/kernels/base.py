"""What a kernel sees of a step, and what it gives back.

A cluster's old centre phi lies in the space of the kernel. It is kept as a few past points with
coefficients, phi = sum of a_j omega(u_j), and these points take part in the kernel of the next step.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.sparse import issparse

from dynmeans._model.types import FloatArray, IntArray


class KernelInput(NamedTuple):
    """The rows of a batch and the points kept from earlier ones."""

    rows: FloatArray  # y (n, d)
    weights: FloatArray  # m (n,)
    kept: FloatArray  # u (M, d)  kept points of all old clusters
    coefficients: FloatArray  # a (M,)
    owner: IntArray  # (M,)  which old cluster, 0 .. K-1, a kept point belongs to
    n_old: int  # K


class Places(NamedTuple):
    """Points that a kernel cannot tell apart share a place. Points are kept ones, then rows of the batch."""

    all: IntArray  # (M + n,)  place 0 .. m-1 of each point
    matrix: Any  # (m, m)  kernel between places, dense or a scipy.sparse array

    def gram(self, points: IntArray) -> FloatArray:
        """W between some points."""
        places = self.all[points]
        block = self.matrix[places][:, places]
        return block.toarray() if issparse(block) else np.asarray(block)


class Similarity(NamedTuple):
    """K_YY, K_YPhi and the diagonal of K_PhiPhi, in the form that the kernel's structure allows.

    Rows of the batch with equal kernels are one representative r (with ``group``); without groups, every
    row represents itself. Of ``matrix`` and ``features`` exactly one is given: K_YY is the matrix, or
    features @ features.T, over the representatives.
    """

    weights: FloatArray  # (R,)  weight of the rows behind each representative
    diagonal: FloatArray  # (R,)  of K_YY
    y_phi: FloatArray  # (R, K)
    phi_phi: FloatArray  # (K,)  diagonal of K_PhiPhi
    matrix: Any = None  # (R, R) dense, or a scipy.sparse array
    features: FloatArray | None = None  # (R, f)
    phi_features: FloatArray | None = None  # (K, f)  with features: y_phi = features @ phi_features.T
    group: IntArray | None = None  # (n,)  representative of each row
    places: Places | None = None  # with groups: where rows and kept points are

    def multiply(self, vectors: FloatArray) -> FloatArray:
        """K_YY times vectors (R, c), without forming the matrix where there are features."""
        if self.features is not None:
            product: FloatArray = self.features @ (self.features.T @ vectors)
            return product
        if issparse(self.matrix):
            return np.asarray(self.matrix @ vectors)
        return np.asarray((vectors.T @ self.matrix).T)  # it is symmetric, and so BLAS is quicker

    def expand(self, labels: IntArray) -> IntArray:
        """Labels of the representatives as labels of the rows."""
        return labels if self.group is None else labels[self.group]


class Kernel(Protocol):
    """A similarity between points; an object with a name and a few parameters, never with data."""

    def fitted(self, scene: KernelInput) -> Kernel:
        """The same kernel with every parameter that is estimated, from the first batch."""

    def compare(self, scene: KernelInput) -> Similarity:
        """Similarities of one step."""

    def gram(self, scene: KernelInput, members: IntArray, kept: IntArray) -> FloatArray | None:
        """W of Eq. krnphiupdate over kept points, then rows of the batch (indices into the scene).

        None if the kernel cannot compare kept points with each other; the support is then thinned by weight.
        """


def combine(scene: KernelInput, y_kept: FloatArray, kept_kept: FloatArray) -> tuple[FloatArray, FloatArray]:
    """K_YPhi (n, K) and diag K_PhiPhi (K,) from the kernels of rows and kept points, and of kept points."""
    mix = np.zeros((len(scene.kept), scene.n_old))
    mix[np.arange(len(scene.kept)), scene.owner] = scene.coefficients
    return y_kept @ mix, np.einsum("jk,jk->k", mix, kept_kept @ mix)
