"""Similarities given by the user, as a matrix or a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels._common import MatrixKernel, from_matrices
from dynmeans.kernels.base import Kernel, KernelInput, Similarity

ROUNDING = 1e-6  # relative to the largest entry: asymmetry or negativity that single precision may cause


@dataclass(frozen=True)
class Precomputed(Kernel):
    """The batch is the kernel matrix itself.

    For n rows and M support points of earlier batches, the user gives a matrix (n, n + M): K_YY, which must
    be symmetric and positive semidefinite, then the kernel between rows and support points in their order.
    The similarities among support points were given when they were rows, and are stored as a matrix (M, M).
    In a `KernelInput`, ``rows`` is the matrix (n, n + M) of the user and ``kept`` is the stored matrix (M,
    M).

    ``compare`` and ``gram`` work as for any kernel. ``submatrix`` returns the matrix (M', M') of the points
    that are kept for the next step.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels import KernelInput, Precomputed
    >>> kernel, matrix = Precomputed(), np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> empty = np.empty((0, 0)), np.empty(0), np.empty(0, dtype=np.int64)
    >>> inputs = KernelInput(matrix, np.ones(2), *empty, n_old=0)
    >>> kernel.check_input(inputs)
    >>> kernel.compare(inputs).matrix
    array([[1. , 0.5],
           [0.5, 1. ]])
    >>> kernel.submatrix(inputs, np.array([1]))  # only the second row is kept
    array([[1.]])
    """

    def fitted(self, inputs: KernelInput) -> Precomputed:
        """Return the kernel itself: it has no estimated parameters."""
        return self

    def is_pairwise(self) -> bool:
        """Return True: batches are matrices of similarities."""
        return True

    def check_input(self, inputs: KernelInput) -> None:
        """Check the matrix (n, n + M) of the user.

        Raises
        ------
        ValueError
            If the matrix has another shape, is not finite, or K_YY is not symmetric or not positive
            semidefinite beyond rounding.
        """
        _check_shape(inputs.rows, len(inputs.kept))
        _check_kernel(inputs.rows[:, : len(inputs.rows)])

    def compare(self, inputs: KernelInput) -> Similarity:
        """Compute the similarities of one step."""
        n = len(inputs.rows)
        return from_matrices(inputs, _symmetric(inputs.rows[:, :n]), inputs.rows[:, n:], inputs.kept)

    def gram(self, inputs: KernelInput, members: IntArray, kept: IntArray) -> FloatArray:
        """Return W of support points, then rows."""
        return self.submatrix(inputs, np.concatenate([kept, len(inputs.kept) + members]))

    def submatrix(self, inputs: KernelInput, chosen: IntArray) -> FloatArray:
        """Return the similarities of chosen points (M', M'): j < M is support point j, M + i is row i."""
        n, n_kept = len(inputs.rows), len(inputs.kept)
        kept = chosen < n_kept
        rows = chosen[~kept] - n_kept
        matrix = np.empty((len(chosen), len(chosen)))
        across = inputs.rows[np.ix_(rows, n + chosen[kept])]
        matrix[np.ix_(kept, kept)] = inputs.kept[np.ix_(chosen[kept], chosen[kept])]
        matrix[np.ix_(~kept, kept)] = across
        matrix[np.ix_(kept, ~kept)] = across.T
        matrix[np.ix_(~kept, ~kept)] = _symmetric(inputs.rows[np.ix_(rows, rows)])
        return matrix


@dataclass(frozen=True)
class Custom(MatrixKernel):
    """Any function of two sets of points, (n, d) and (m, d), that returns their similarities (n, m).

    It is called once per step, with the rows and the support points together, and the result is symmetrized.
    It should be positive semidefinite. A function cannot be written to a state file.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels import Custom, first_input
    >>> cubic = Custom(lambda a, b: (1.0 + a @ b.T) ** 3)
    >>> cubic.compare(first_input(np.array([[1.0], [2.0]]))).matrix
    array([[  8.,  27.],
           [ 27., 125.]])
    """

    function: Callable[[FloatArray, FloatArray], FloatArray]

    def _square(self, points: FloatArray) -> FloatArray:
        result = np.asarray(self.function(points, points), dtype=np.float64)
        expected = (len(points), len(points))
        if result.shape != expected:
            raise ValueError(
                f"the kernel function returned shape {result.shape}; "
                f"for {len(points)} points against themselves it must return {expected}"
            )
        _check_finite(result, "the result of the kernel function")
        return _symmetric(result)


def _symmetric(square: FloatArray) -> FloatArray:
    return 0.5 * (square + square.T)


def _check_finite(values: FloatArray, what: str) -> None:
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        i, j = bad[0]
        raise ValueError(f"{what} holds {values[i, j]} at ({i}, {j}); every similarity must be finite")


def _check_shape(matrix: FloatArray, n_kept: int) -> None:
    if matrix.ndim != 2 or matrix.shape[1] != len(matrix) + n_kept:
        n = len(matrix)
        kept = f" and {n_kept} for the support points of earlier batches" if n_kept else ""
        raise ValueError(
            f"the kernel matrix has shape {matrix.shape}; "
            f"it must have a column for each of its {n} rows{kept}: ({n}, {n + n_kept})"
        )
    _check_finite(matrix, "the kernel matrix")


def _check_kernel(square: FloatArray) -> None:
    """Raise if K_YY is not symmetric and positive semidefinite, up to rounding."""
    largest = float(np.abs(square).max(initial=0.0))
    asymmetry = np.abs(square - square.T)
    if asymmetry.max(initial=0.0) > ROUNDING * largest:
        i, j = np.unravel_index(int(asymmetry.argmax()), asymmetry.shape)
        raise ValueError(
            f"the kernel matrix holds {square[i, j]:g} at ({i}, {j}) and {square[j, i]:g} at ({j}, {i}); "
            "it must be symmetric"
        )
    slack = ROUNDING * largest * np.sqrt(len(square))
    if not _is_positive_definite(square, slack):
        lowest = float(np.linalg.eigvalsh(_symmetric(square))[0])
        raise ValueError(
            f"the kernel matrix has the eigenvalue {lowest:g}; it must be positive semidefinite "
            f"(no eigenvalue below {-slack:.1g})"
        )


def _is_positive_definite(square: FloatArray, slack: float) -> bool:
    """Return whether the matrix plus slack on its diagonal has a Cholesky factor, which is fast."""
    if not square.any():
        return True
    lifted = _symmetric(square)
    lifted[np.diag_indices_from(lifted)] += slack
    try:
        np.linalg.cholesky(lifted)
    except np.linalg.LinAlgError:
        return False
    return True
