"""Similarities that the user brings, as a matrix or through a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels._common import from_matrices, pick
from dynmeans.kernels.base import KernelInput, Similarity

ROUNDING = 1e-6  # of the largest entry: single precision may be asymmetric or negative by as much


@dataclass(frozen=True)
class Precomputed:
    """The batch is the kernel matrix itself.

    For n rows while M points are kept from earlier batches, the user gives a matrix (n, n + M): K_YY,
    which must be symmetric and positive semidefinite, then the kernel between rows and kept points in the
    order in which they are kept. Similarities among kept points are known from when they were rows, and
    are carried as a matrix (M, M). In a scene, ``rows`` is the user's matrix (n, n + M) and ``kept`` is
    the carried one (M, M).

    A step with this kernel: ``scene`` checks and joins the two matrices; ``compare`` and ``gram`` work as
    for any kernel; ``carry`` forms the matrix (M', M') of the points that are kept for the next step.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels import Precomputed
    >>> nothing = np.empty((0, 0)), np.empty(0), np.empty(0, dtype=np.int64)
    >>> kernel, matrix = Precomputed(), np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> scene = kernel.scene(matrix, np.ones(2), *nothing, n_old=0)
    >>> kernel.compare(scene).matrix
    array([[1. , 0.5],
           [0.5, 1. ]])
    >>> kernel.carry(scene, np.array([1]))  # the second row is all that is kept
    array([[1.]])
    """

    def fitted(self, scene: KernelInput) -> Precomputed:
        """Itself: nothing is estimated."""
        return self

    def scene(
        self,
        matrix: FloatArray,
        weights: FloatArray,
        kept: FloatArray,
        coefficients: FloatArray,
        owner: IntArray,
        n_old: int,
    ) -> KernelInput:
        """The user's matrix (n, n + M) and the carried one (M, M) as a scene.

        Raises
        ------
        ValueError
            If the matrix has another shape, is not finite, or K_YY is not symmetric or not positive
            semidefinite beyond rounding.
        """
        _check_shape(matrix, len(kept))
        _check_kernel(matrix[:, : len(matrix)])
        return KernelInput(matrix, weights, kept, coefficients, owner, n_old)

    def compare(self, scene: KernelInput) -> Similarity:
        """Similarities of one step."""
        n = len(scene.rows)
        return from_matrices(scene, _symmetric(scene.rows[:, :n]), scene.rows[:, n:], scene.kept)

    def gram(self, scene: KernelInput, members: IntArray, kept: IntArray) -> FloatArray:
        """W over kept points, then rows."""
        return self.carry(scene, np.concatenate([kept, len(scene.kept) + members]))

    def carry(self, scene: KernelInput, chosen: IntArray) -> FloatArray:
        """Similarities among chosen points (M', M'), in this order: j < M is kept point j, M + i row i."""
        n, n_kept = len(scene.rows), len(scene.kept)
        kept = chosen < n_kept
        rows = chosen[~kept] - n_kept
        matrix = np.empty((len(chosen), len(chosen)))
        across = scene.rows[np.ix_(rows, n + chosen[kept])]
        matrix[np.ix_(kept, kept)] = scene.kept[np.ix_(chosen[kept], chosen[kept])]
        matrix[np.ix_(~kept, kept)] = across
        matrix[np.ix_(kept, ~kept)] = across.T
        matrix[np.ix_(~kept, ~kept)] = _symmetric(scene.rows[np.ix_(rows, rows)])
        return matrix


@dataclass(frozen=True)
class Custom:
    """Any function of two sets of points, (n, d) and (m, d), that returns their similarities (n, m).

    It is called once a step, with the rows and the kept points together, and the result is symmetrised.
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

    def fitted(self, scene: KernelInput) -> Custom:
        """Itself: nothing is estimated."""
        return self

    def compare(self, scene: KernelInput) -> Similarity:
        """Similarities of one step."""
        n = len(scene.rows)
        everything = self._square(np.concatenate([scene.rows, scene.kept]))
        return from_matrices(scene, everything[:n, :n], everything[:n, n:], everything[n:, n:])

    def gram(self, scene: KernelInput, members: IntArray, kept: IntArray) -> FloatArray:
        """W over kept points, then rows."""
        return self._square(pick(scene, members, kept))

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
        kept = f" and {n_kept} for the points kept from earlier batches" if n_kept else ""
        raise ValueError(
            f"the kernel matrix has shape {matrix.shape}; "
            f"it must have a column for each of its {n} rows{kept}: ({n}, {n + n_kept})"
        )
    _check_finite(matrix, "the kernel matrix")


def _check_kernel(square: FloatArray) -> None:
    """Refuse K_YY that is not symmetric or not positive semidefinite, beyond rounding."""
    largest = float(np.abs(square).max(initial=0.0))
    gap = np.abs(square - square.T)
    if gap.max(initial=0.0) > ROUNDING * largest:
        i, j = np.unravel_index(int(gap.argmax()), gap.shape)
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
    """Whether the matrix plus slack on its diagonal has a Cholesky factor: far quicker than eigenvalues."""
    if not square.any():
        return True
    lifted = _symmetric(square)
    lifted[np.diag_indices_from(lifted)] += slack
    try:
        np.linalg.cholesky(lifted)
    except np.linalg.LinAlgError:
        return False
    return True
