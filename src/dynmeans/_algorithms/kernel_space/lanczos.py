"""Block Lanczos: all eigenvalues of a symmetric operator above a threshold, and their vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr

from dynmeans._model.types import FloatArray

BLOCK = 8  # the number of vectors in a product is a multiple of it, for which BLAS is fast
MIN_BLOCK = 12  # minimum number of vectors in a block; a product with fewer takes about as long
SPARE = 4  # vectors in a block beyond the number of eigenpairs to find
PERTURBATION = 0.02  # relative size of the noise in a start vector, so that a block has all directions
MAX_BLOCKS = 24  # maximum number of blocks; then a wider block starts from the best vectors so far
TOLERANCE = 1e-6  # residual relative to the largest eigenvalue; the error of an eigenvalue is its square


class Eigenpairs(NamedTuple):
    """Eigenvalues in descending order, with their unit vectors."""

    values: FloatArray  # (c,)
    vectors: FloatArray  # (n, c)


class Operator(NamedTuple):
    """A symmetric matrix, given by its product with a block of vectors (n, b)."""

    size: int
    multiply: Callable[[FloatArray], FloatArray]


class _Ritz(NamedTuple):
    """Eigenpairs of the operator within a subspace, and their residuals."""

    values: FloatArray  # (m,) descending
    weights: FloatArray  # (m, m) of the basis vectors
    residuals: FloatArray  # (m,) length of A v - value v


def lanczos_pairs(
    operator: Operator, threshold: float, at_least: int, initial: FloatArray | None = None
) -> Eigenpairs | None:
    """Compute all eigenpairs above the threshold by block Lanczos; None if they are too many for this method.

    A block must have more vectors than there are eigenvalues to find. A random block then finds all of them,
    also repeated ones, of which a single vector would find one only. So a bound that is computed from them is
    valid. Initial estimates (n, g) of some vectors save products; a small perturbation makes them as general
    as random vectors.
    """
    rng = np.random.default_rng(0)
    known = np.empty((operator.size, 0)) if initial is None else _perturbed(initial, rng)
    block = max(MIN_BLOCK, -(-(max(at_least, known.shape[1]) + SPARE) // BLOCK) * BLOCK)
    while 8 * block <= operator.size:
        fresh = rng.standard_normal((operator.size, block - known.shape[1]))
        pairs, done = _krylov(operator, np.hstack([known, fresh]), threshold, at_least)
        if done:
            return pairs
        block, known = 2 * max(block, len(pairs.values)), pairs.vectors
    return None


def _perturbed(initial: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return vectors of about unit length with some noise."""
    lengths = np.maximum(np.linalg.norm(initial, axis=0), np.finfo(float).tiny)
    noise = rng.standard_normal(initial.shape) * (PERTURBATION / np.sqrt(len(initial)))
    perturbed: FloatArray = initial / lengths + noise
    return perturbed


def _krylov(
    operator: Operator, start: FloatArray, threshold: float, at_least: int
) -> tuple[Eigenpairs, bool]:
    """Extend a Krylov basis block by block until it has the wanted eigenpairs, or its maximum size."""
    size, width = start.shape
    blocks = min(MAX_BLOCKS, size // width - 1)
    basis = np.empty((size, width * (blocks + 1)), order="F")
    inside = np.zeros((width * blocks, width * blocks))  # the operator within the basis
    basis[:, :width] = qr(start, mode="economic", check_finite=False)[0]
    for end in range(width, width * blocks + 1, width):
        product = operator.multiply(basis[:, end - width : end])
        inside[:end, end - width : end] = basis[:, :end].T @ product
        inside[end - width : end, :end] = inside[:end, end - width : end].T
        product = product - basis[:, :end] @ inside[:end, end - width : end]
        ritz = _ritz(inside[:end, :end], product)
        wanted = _wanted(ritz, threshold, at_least)
        done = wanted < width and bool(np.all(ritz.residuals[:wanted] <= TOLERANCE * np.abs(ritz.values[0])))
        if done or np.count_nonzero(ritz.values > threshold) >= width:
            break
        basis[:, end : end + width] = _orthonormal(product, basis[:, :end])
    found = max(at_least, int(np.count_nonzero(ritz.values > threshold)))
    return Eigenpairs(ritz.values[:found], basis[:, :end] @ ritz.weights[:, :found]), done


def _orthonormal(block: FloatArray, basis: FloatArray) -> FloatArray:
    """Return orthonormal vectors, orthogonal to the basis, that span the block together with it.

    Orthogonalizes twice, because a block within the basis leaves only rounding errors.
    """
    first: FloatArray = qr(block, mode="economic", check_finite=False)[0]
    second: FloatArray = qr(first - basis @ (basis.T @ first), mode="economic", check_finite=False)[0]
    return second


def _ritz(inside: FloatArray, outside: FloatArray) -> _Ritz:
    """Solve within the basis; ``outside`` is the part of the product that the basis does not contain."""
    values, weights = np.linalg.eigh(inside)
    values, weights = values[::-1], weights[:, ::-1]
    last = weights[-outside.shape[1] :]
    squares = np.einsum("bm,bm->m", last, (outside.T @ outside) @ last)
    return _Ritz(values, weights, np.sqrt(np.maximum(squares, 0.0)))


def _wanted(ritz: _Ritz, threshold: float, at_least: int) -> int:
    """Return how many eigenpairs must converge: ``at_least``, and all that may be above the threshold."""
    near = np.flatnonzero(ritz.values + ritz.residuals > threshold)
    return max(at_least, int(near[-1]) + 1 if len(near) else 0)
