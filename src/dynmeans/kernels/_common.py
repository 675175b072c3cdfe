"""Helper functions of several kernels: parameter checks, point selection and assembly of similarities."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral

import numpy as np

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels.base import Kernel, KernelInput, Similarity, combine

MAX_COUNT = 2**31 - 1  # the core counts in 32-bit integers


def check_positive(name: str, value: float | None) -> None:
    """Raise if a number is not finite and positive; None stands for a value to be estimated."""
    if value is not None and not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name} is {value!r}; it must be finite and above 0")


def check_count(name: str, value: int | None) -> None:
    """Raise if a number is not a count; None stands for a value to be estimated."""
    if value is None:
        return
    if not isinstance(value, Integral) or not 1 <= value <= MAX_COUNT:
        raise ValueError(f"{name} is {value!r}; it must be an integer from 1 to {MAX_COUNT}")


def first_input(rows: FloatArray, weights: FloatArray | None = None) -> KernelInput:
    """Return the input of a first batch, without support points."""
    return KernelInput(
        rows,
        np.ones(len(rows)) if weights is None else weights,
        np.empty((0, rows.shape[1])),
        np.empty(0),
        np.empty(0, dtype=np.int64),
        0,
    )


def pick(inputs: KernelInput, members: IntArray, kept: IntArray) -> FloatArray:
    """Return some support points, then some rows of the batch: the order of W."""
    return np.concatenate([inputs.kept[kept], inputs.rows[members]])


def coefficient_matrix(inputs: KernelInput, index: IntArray, n_points: int) -> FloatArray:
    """Return the coefficients of the old clusters (n_points, K), where support point j is point index[j]."""
    size = n_points * inputs.n_old
    cells = np.bincount(index * inputs.n_old + inputs.owner, weights=inputs.coefficients, minlength=size)
    return cells.astype(np.float64).reshape(n_points, inputs.n_old)


def from_matrices(
    inputs: KernelInput, matrix: FloatArray, y_kept: FloatArray, kept_kept: FloatArray
) -> Similarity:
    """Return the similarity of a dense kernel, from K_YY and the kernels with support points."""
    y_phi, phi_phi = combine(inputs, y_kept, kept_kept)
    return Similarity(inputs.weights, matrix.diagonal().copy(), y_phi, phi_phi, matrix=matrix)


def from_features(inputs: KernelInput, features: FloatArray, kept_features: FloatArray) -> Similarity:
    """Return the similarity of a low-rank kernel, from features of rows (n, f) and support points (M, f)."""
    n_kept = len(inputs.kept)
    phi = coefficient_matrix(inputs, np.arange(n_kept), n_kept).T @ kept_features
    return Similarity(
        inputs.weights,
        np.einsum("ij,ij->i", features, features),
        features @ phi.T,
        np.einsum("kj,kj->k", phi, phi),
        features=features,
        phi_features=phi,
    )


class MatrixKernel(Kernel):
    """Base of kernels without estimated parameters that compute the matrix of all points at once."""

    def fitted(self, inputs: KernelInput) -> Kernel:
        """Return the kernel itself: it has no estimated parameters."""
        return self

    def compare(self, inputs: KernelInput) -> Similarity:
        """Compute the similarities of one step."""
        n = len(inputs.rows)
        everything = self._square(np.concatenate([inputs.rows, inputs.kept]))
        return from_matrices(inputs, everything[:n, :n], everything[:n, n:], everything[n:, n:])

    def gram(self, inputs: KernelInput, members: IntArray, kept: IntArray) -> FloatArray:
        """Return W of support points, then rows."""
        return self._square(pick(inputs, members, kept))

    @abstractmethod
    def _square(self, rows: FloatArray) -> FloatArray:
        """Return the kernel of all pairs of rows (s, s)."""
