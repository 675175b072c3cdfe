"""The paper's kernel between sets of observations: the probability of a common latent function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels._common import MatrixKernel, check_positive
from dynmeans.kernels._geometry.landmarks import choose_landmarks, landmark_features
from dynmeans.kernels.rbf import RBF

BLOCK = 1 << 20  # numbers per block of matrices, so that a block stays in the cache
LARGEST_RATIO = 1e100  # largest ratio of noise to signal or signal to noise: its square must be finite
EXACT = 1e-9  # variance that features may leave unexplained, relative to that of the noise


class _Sets(NamedTuple):
    """Sets of observations, with the factorized covariance of each."""

    x: FloatArray  # (s, p)
    y: FloatArray  # (s, p)
    covariance: FloatArray  # A (s, p, p)  of the outputs, noise included
    whitener: FloatArray  # (s, p, p)  inverse of the Cholesky factor of A
    white: FloatArray  # (s, p)  whitened outputs
    evidence: FloatArray  # (s,)  log density of the outputs, up to a constant


class _Summaries(NamedTuple):
    """Sufficient statistics of sets of observations of a smooth function with few coordinates.

    With features F of the inputs, in units of the noise, the outputs y have the covariance I + F F', and
    their evidence depends on F'F and F'y alone. Summaries of two sets add up to that of both.
    """

    precision: FloatArray  # F'F (s, f, f)
    projection: FloatArray  # F'y (s, f)
    evidence: FloatArray  # (s,)  log density of the outputs, up to terms that cancel in a ratio


@dataclass(frozen=True)
class GaussianProcess(MatrixKernel):
    """Probability, at even prior odds, that both sets of observations come from one Gaussian process draw.

    A row holds p inputs, then their p outputs: 2p numbers. The process has mean 0 and covariance
    signal^2 exp(-(x - x')^2 / (2 length_scale^2)), and outputs carry independent noise. With the evidence
    E of a set, K(i, j) = E(i and j) / (E(i and j) + E(i) E(j)), computed from logarithms. Sets that carry
    little information about each other have similarity 1/2. The matrix need not be positive semidefinite.

    Parameters
    ----------
    length_scale : float
        Length scale of the functions: distance of inputs over which their values are strongly correlated.
    signal : float
        Standard deviation of the functions around 0.
    noise : float
        Standard deviation of an output around its function.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels import GaussianProcess, first_input
    >>> x = np.linspace(0, 1, 10)
    >>> rows = np.stack([np.r_[x, np.sin(x)], np.r_[x, np.cos(x)], np.r_[x, np.sin(x) + 0.01]])
    >>> GaussianProcess().compare(first_input(rows)).matrix.round(2)
    array([[0.99, 0.  , 0.99],
           [0.  , 0.99, 0.  ],
           [0.99, 0.  , 0.99]])
    """

    length_scale: float = 1.0
    signal: float = 1.0
    noise: float = 0.2

    def __post_init__(self) -> None:
        for name in ("length_scale", "signal", "noise"):
            check_positive(name, getattr(self, name))
        if not 1 / LARGEST_RATIO <= self.noise / self.signal <= LARGEST_RATIO:
            raise ValueError(
                f"noise / signal is {self.noise / self.signal!r}; it must lie within "
                f"{1 / LARGEST_RATIO:g} .. {LARGEST_RATIO:g}"
            )

    def _square(self, rows: FloatArray) -> FloatArray:
        """Return the kernel of all pairs of rows (s, s), each computed once."""
        if rows.shape[1] % 2:
            raise ValueError(
                f"a row has {rows.shape[1]} columns; it must hold p inputs, then their p outputs"
            )
        x, y = np.split(rows, 2, axis=1)
        features = self._features(x)
        sets = self._factored(x, y) if features is None else self._summarized(features, y)
        first, second = np.triu_indices(len(rows))
        step = max(1, BLOCK // (x.shape[1] if features is None else features.shape[2]) ** 2)
        kernel = np.empty((len(rows), len(rows)))
        for begin in range(0, len(first), step):
            i, j = first[begin : begin + step], second[begin : begin + step]
            ratio = self._joint_ratio(sets, i, j) if isinstance(sets, _Sets) else _summed_ratio(sets, i, j)
            kernel[i, j] = kernel[j, i] = expit(ratio)
        return kernel

    def _features(self, x: FloatArray) -> FloatArray | None:
        """Return coordinates (s, p, f) of the function at the inputs, f < p; None if these are not exact.

        A function that is smooth on the scale of its domain has few coordinates. Pairs of sets are then
        compared by matrices (f, f) instead of (p, p).
        """
        between = RBF(self.length_scale).between
        inputs = np.unique(x)[:, None]
        explained = EXACT * (self.noise / self.signal) ** 2
        if explained < np.finfo(float).eps * 1e3:
            return None
        chosen = choose_landmarks(between, inputs, np.ones(len(inputs)), x.shape[1], explained)
        if len(chosen) == x.shape[1]:
            return None
        features = landmark_features(between, inputs[chosen], x.reshape(-1, 1))
        return (self.signal / self.noise) * features.reshape(*x.shape, len(chosen))

    def _summarized(self, features: FloatArray, y: FloatArray) -> _Summaries:
        across = features.transpose(0, 2, 1)
        precision = across @ features
        projection = np.einsum("sfp,sp->sf", across, y / self.noise)
        return _Summaries(precision, projection, _summary_evidence(precision, projection))

    def _factored(self, x: FloatArray, y: FloatArray) -> _Sets:
        """Factorize the covariance of each set once."""
        covariance: FloatArray = self._covariance(x, x) + self.noise**2 * np.eye(x.shape[1])
        factor, white = _factor_and_whiten(covariance, y, self.noise**2)
        whitener = np.asarray(np.linalg.inv(factor), dtype=np.float64)
        return _Sets(
            x=x,
            y=y,
            covariance=covariance,
            whitener=whitener,
            white=white,
            evidence=_log_density(factor, white),
        )

    def _covariance(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the covariance (s, p, q) of the function values at inputs a (s, p) and b (s, q)."""
        exponent = (a[:, :, None] - b[:, None, :]) / self.length_scale
        exponent *= exponent
        exponent *= -0.5
        return self.signal**2 * np.exp(exponent, out=exponent)

    def _joint_ratio(self, sets: _Sets, i: IntArray, j: IntArray) -> FloatArray:
        """Return log E(i and j) / (E(i) E(j)) for pairs of sets.

        Given set i, the outputs of set j are Gaussian with the Schur complement as covariance, so that
        the joint evidence is E(i) E(j given i), and only matrices of one set's size are factored.
        """
        shared = sets.whitener[i] @ self._covariance(sets.x[i], sets.x[j])
        across = shared.transpose(0, 2, 1)
        complement = sets.covariance[j] - across @ shared
        surprise = sets.y[j] - np.einsum("spq,sq->sp", across, sets.white[i])
        factor, white = _factor_and_whiten(complement, surprise, self.noise**2)
        return _log_density(factor, white) - sets.evidence[j]


def _summed_ratio(sets: _Summaries, i: IntArray, j: IntArray) -> FloatArray:
    """Return log E(i and j) / (E(i) E(j)) for pairs of sets, from their summaries."""
    joint = _summary_evidence(sets.precision[i] + sets.precision[j], sets.projection[i] + sets.projection[j])
    return joint - sets.evidence[i] - sets.evidence[j]


def _summary_evidence(precision: FloatArray, projection: FloatArray) -> FloatArray:
    """Return the log density of outputs from their summary: (b' (I + G)^-1 b - log det(I + G)) / 2."""
    factor, white = _factor_and_whiten(precision + np.eye(projection.shape[1]), projection, 1.0)
    evidence: FloatArray = _log_density(factor, white) + np.einsum("sf,sf->s", white, white)
    return evidence


def _log_density(factor: FloatArray, white: FloatArray) -> FloatArray:
    """Return Gaussian log densities up to a constant, from Cholesky factors and whitened values."""
    scale = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    density: FloatArray = -0.5 * np.einsum("sp,sp->s", white, white) - scale
    return density


def _factor_and_whiten(
    covariance: FloatArray, vector: FloatArray, smallest: float
) -> tuple[FloatArray, FloatArray]:
    """Return Cholesky factors (s, p, p) and whitened vectors (s, p) by one factorization without a solve.

    The vector is appended as a row and a column; the last row of the factor is then the whitened vector. The
    new corner must be large enough, which follows from ``smallest``, a lower bound on the eigenvalues.
    """
    s, p = vector.shape
    bordered = np.empty((s, p + 1, p + 1))
    bordered[:, :p, :p] = covariance
    bordered[:, p, :p] = bordered[:, :p, p] = vector
    bordered[:, p, p] = 1.0 + 2.0 * np.einsum("sp,sp->s", vector, vector) / smallest
    factor: FloatArray = np.linalg.cholesky(bordered)
    return factor[:, :p, :p], factor[:, p, :p]
