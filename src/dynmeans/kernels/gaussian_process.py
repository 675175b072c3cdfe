"""The paper's kernel between sets of observations: how probably one latent function made both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels._common import check_positive, from_matrices, pick
from dynmeans.kernels.base import KernelInput, Similarity
from dynmeans.kernels.landmarks import choose_landmarks, landmark_features
from dynmeans.kernels.rbf import RBF

BLOCK = 1 << 20  # numbers in the matrices that are worked on at a time: they stay in the cache
LARGEST_RATIO = 1e100  # of noise to signal, either way: its square must be a finite double
EXACT = 1e-9  # variance that features may miss, in units of that of the noise


class _Sets(NamedTuple):
    """Sets of observations, and what can be said of each one alone."""

    x: FloatArray  # (s, p)
    y: FloatArray  # (s, p)
    covariance: FloatArray  # A (s, p, p)  of the outputs, noise included
    whitener: FloatArray  # (s, p, p)  inverse of the Cholesky factor of A
    white: FloatArray  # (s, p)  whitened outputs
    evidence: FloatArray  # (s,)  log density of the outputs; the constant is left out


class _Summaries(NamedTuple):
    """Sets of observations of a smooth function: what is left of them in its few coordinates.

    With features F of the inputs, in units of the noise, the outputs y have the covariance I + F F', and
    their evidence depends on F'F and F'y alone. Summaries of two sets add up to that of both.
    """

    precision: FloatArray  # F'F (s, f, f)
    pull: FloatArray  # F'y (s, f)
    evidence: FloatArray  # (s,)  log density of the outputs; what cancels in a ratio is left out


@dataclass(frozen=True)
class GaussianProcess:
    """Probability, at even prior odds, that one Gaussian process made both sets of observations.

    A row holds p inputs, then their p outputs: 2p numbers. The process has mean 0 and the covariance
    signal^2 exp(-(x - x')^2 / (2 length_scale^2)), and outputs carry independent noise. With the evidence
    E of a set, K(i, j) = E(i and j) / (E(i and j) + E(i) E(j)), computed from logarithms. Sets that say
    little about each other have similarity 1/2. The matrix need not be positive semidefinite.

    Parameters
    ----------
    length_scale : float
        Distance of inputs over which a function keeps its value.
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

    def fitted(self, scene: KernelInput) -> GaussianProcess:
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

    def _square(self, rows: FloatArray) -> FloatArray:
        """Kernel of every row with every other (s, s), each pair once."""
        if rows.shape[1] % 2:
            raise ValueError(
                f"a row has {rows.shape[1]} columns; it must hold p inputs, then their p outputs"
            )
        x, y = np.split(rows, 2, axis=1)
        features = self._features(x)
        sets = self._factored(x, y) if features is None else self._summarised(features, y)
        first, second = np.triu_indices(len(rows))
        step = max(1, BLOCK // (x.shape[1] if features is None else features.shape[2]) ** 2)
        kernel = np.empty((len(rows), len(rows)))
        for begin in range(0, len(first), step):
            i, j = first[begin : begin + step], second[begin : begin + step]
            ratio = self._joint_ratio(sets, i, j) if isinstance(sets, _Sets) else _summed_ratio(sets, i, j)
            kernel[i, j] = kernel[j, i] = expit(ratio)
        return kernel

    def _features(self, x: FloatArray) -> FloatArray | None:
        """Coordinates (s, p, f) of the function at the inputs, f < p; None if so few are not exact.

        A function that is smooth on the scale of its domain has few coordinates, and pairs of sets are then
        compared through matrices (f, f) in place of (p, p).
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

    def _summarised(self, features: FloatArray, y: FloatArray) -> _Summaries:
        across = features.transpose(0, 2, 1)
        precision = across @ features
        pull = np.einsum("sfp,sp->sf", across, y / self.noise)
        return _Summaries(precision, pull, _summary_evidence(precision, pull))

    def _factored(self, x: FloatArray, y: FloatArray) -> _Sets:
        """Factor each set's own covariance once."""
        covariance: FloatArray = self._covariance(x, x) + self.noise**2 * np.eye(x.shape[1])
        factor, white = _factor_and_whiten(covariance, y, self.noise**2)
        whitener = np.asarray(np.linalg.inv(factor), dtype=np.float64)
        return _Sets(x, y, covariance, whitener, white, _log_density(factor, white))

    def _covariance(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Between the values of the function at inputs a (s, p) and b (s, q): (s, p, q)."""
        gap = (a[:, :, None] - b[:, None, :]) / self.length_scale
        gap *= gap
        gap *= -0.5
        return self.signal**2 * np.exp(gap, out=gap)

    def _joint_ratio(self, sets: _Sets, i: IntArray, j: IntArray) -> FloatArray:
        """Logarithm of E(i and j) / (E(i) E(j)) for pairs of sets.

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
    """Logarithm of E(i and j) / (E(i) E(j)) for pairs of sets, from their summaries."""
    joint = _summary_evidence(sets.precision[i] + sets.precision[j], sets.pull[i] + sets.pull[j])
    return joint - sets.evidence[i] - sets.evidence[j]


def _summary_evidence(precision: FloatArray, pull: FloatArray) -> FloatArray:
    """Log density of outputs by their summary: (b' (I + G)^-1 b - log det(I + G)) / 2."""
    factor, white = _factor_and_whiten(precision + np.eye(pull.shape[1]), pull, 1.0)
    evidence: FloatArray = _log_density(factor, white) + np.einsum("sf,sf->s", white, white)
    return evidence


def _log_density(factor: FloatArray, white: FloatArray) -> FloatArray:
    """Of Gaussian vectors with Cholesky factors (s, p, p), whitened (s, p), up to a constant."""
    scale = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    density: FloatArray = -0.5 * np.einsum("sp,sp->s", white, white) - scale
    return density


def _factor_and_whiten(
    covariance: FloatArray, vector: FloatArray, smallest: float
) -> tuple[FloatArray, FloatArray]:
    """Cholesky factors (s, p, p) and whitened vectors (s, p) by one factorization and no solve.

    With the vector as one more row and column, the last row of the factor is the whitened vector. The new
    corner only has to be large enough; no eigenvalue of the covariances is below the smallest one given.
    """
    s, p = vector.shape
    bordered = np.empty((s, p + 1, p + 1))
    bordered[:, :p, :p] = covariance
    bordered[:, p, :p] = bordered[:, :p, p] = vector
    bordered[:, p, p] = 1.0 + 2.0 * np.einsum("sp,sp->s", vector, vector) / smallest
    factor: FloatArray = np.linalg.cholesky(bordered)
    return factor[:, :p, :p], factor[:, p, :p]
