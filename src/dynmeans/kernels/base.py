"""Interface of a kernel: its input, its output and its methods.

The old center phi of a cluster lies in the space of the kernel. It is represented by a few past points with
coefficients, phi = sum of a_j omega(u_j). These support points take part in the kernel of the next step.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.sparse import issparse

from dynmeans._model.types import FloatArray, IntArray

BIRTH_SHARE = 0.1  # birth cost relative to the weight of a batch without separated clusters, for diagonal 1


class KernelInput(NamedTuple):
    """The rows of a batch and the support points of earlier batches."""

    rows: FloatArray  # y (n, d)
    weights: FloatArray  # m (n,)
    kept: FloatArray  # u (M, d)  support points of all old clusters
    coefficients: FloatArray  # a (M,)
    owner: IntArray  # (M,)  old cluster, 0 .. K-1, of each support point
    n_old: int  # K
    n_threads: int = 0  # maximum number of threads of a compiled kernel; 0 for all cores


class DistinctPoints(NamedTuple):
    """Points whose similarities differ. Points are numbered: support points, then rows of the batch."""

    numbers: IntArray  # (M + n,)  distinct point 0 .. m-1 of each point
    matrix: Any  # (m, m)  kernel between distinct points, dense or a scipy.sparse array

    def gram(self, points: IntArray) -> FloatArray:
        """Return the kernel matrix W of some points."""
        index = self.numbers[points]
        block = self.matrix[index][:, index]
        return block.toarray() if issparse(block) else np.asarray(block)


class Similarity(NamedTuple):
    """K_YY, K_YPhi and the diagonal of K_PhiPhi, in the form that the kernel's structure allows.

    With ``group``, rows with equal similarities share one representative; without it, every row is a
    representative. Exactly one of ``matrix`` and ``features`` is given: K_YY of the representatives is the
    matrix, or features @ features.T.
    """

    weights: FloatArray  # (R,)  weight of the rows behind each representative
    diagonal: FloatArray  # (R,)  of K_YY
    y_phi: FloatArray  # (R, K)
    phi_phi: FloatArray  # (K,)  diagonal of K_PhiPhi
    matrix: Any = None  # (R, R) dense, or a scipy.sparse array
    features: FloatArray | None = None  # (R, f)
    phi_features: FloatArray | None = None  # (K, f)  with features: y_phi = features @ phi_features.T
    group: IntArray | None = None  # (n,)  representative of each row
    distinct: DistinctPoints | None = None  # with groups: distinct rows and support points

    def multiply(self, vectors: FloatArray) -> FloatArray:
        """Multiply K_YY by vectors (R, c), without forming the matrix if there are features."""
        if self.features is not None:
            product: FloatArray = self.features @ (self.features.T @ vectors)
            return product
        if issparse(self.matrix):
            return np.asarray(self.matrix @ vectors)
        # The matrix is symmetric; BLAS is faster in this order.
        return np.asarray((vectors.T @ self.matrix).T)

    def expand(self, labels: IntArray) -> IntArray:
        """Convert labels of the representatives to labels of the rows."""
        return labels if self.group is None else labels[self.group]


class Kernel(Protocol):
    """A similarity between points: an object with a few parameters and no data.

    A custom kernel needs ``fitted``, ``compare`` and ``gram``. Derive it from this class to override the
    other methods.
    """

    def fitted(self, inputs: KernelInput) -> Kernel:
        """Return the kernel with all estimated parameters filled in from a batch."""

    def compare(self, inputs: KernelInput) -> Similarity:
        """Compute the similarities of one step."""

    def gram(self, inputs: KernelInput, members: IntArray, kept: IntArray) -> FloatArray | None:
        """Return W of Eq. krnphiupdate for support points, then rows of the batch (indices into the inputs).

        None if the kernel cannot compare support points with each other; the support is then subsampled by
        weight.
        """

    def is_pairwise(self) -> bool:
        """Return whether batches are matrices of similarities instead of rows."""
        return False

    def is_euclidean(self) -> bool:
        """Return whether similarities are those of rows under the Euclidean distance."""
        return False

    def birth_share(self) -> float | None:
        """Return the default birth cost, relative to the weight of a batch without separated clusters.

        None if similarities have units; the birth cost is then estimated as in D-Means.
        """
        return BIRTH_SHARE

    def default_reach(self, birth_share: float) -> float | None:
        """Return the default reach for a birth cost relative to the batch; None for that of the estimator."""
        return None

    def check_input(self, inputs: KernelInput) -> None:
        """Raise ValueError if the kernel cannot be computed for these inputs."""
        return None


def combine(inputs: KernelInput, y_kept: FloatArray, kept_kept: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return K_YPhi (n, K) and diag K_PhiPhi (K,) from the kernels of rows and of support points."""
    mix = np.zeros((len(inputs.kept), inputs.n_old))
    mix[np.arange(len(inputs.kept)), inputs.owner] = inputs.coefficients
    return y_kept @ mix, np.einsum("jk,jk->k", mix, kept_kept @ mix)
