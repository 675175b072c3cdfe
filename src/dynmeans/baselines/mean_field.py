"""Mean-field variational inference for one batch of a Dirichlet process mixture that remembers.

Given the past, the weights of the K remembered clusters and of all others together are Dirichlet(m_1, ...,
m_K, alpha), and the others are a Dirichlet process of their own: sticks that are Beta(1, alpha). So the
posterior of a Dirichlet process looks after m_k points in each cluster. Of the infinitely many new
clusters the first T may take points in the variational law; the rest keep their prior and cost nothing, so
that the bound is one on the evidence of the full process.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import betaln, digamma, gammaln

from dynmeans._model.types import FloatArray
from dynmeans.baselines.mcgmm import ModelParams, Tracks


class MeanField(NamedTuple):
    """The fitted law, and the bound on the way to it."""

    responsibilities: FloatArray  # (n, K + T)
    elbo: FloatArray  # (n_iter,) lower bound of log p(batch | past), after each round


def fit_mean_field(
    rows: FloatArray, prior: Tracks, start: FloatArray, law: ModelParams, tol: float, max_iter: int
) -> MeanField:
    """Coordinate ascent until the bound gains no more than ``tol`` of its size.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
    prior : Tracks of K + T clusters
        The remembered, then the new ones with weight 0.
    start : ndarray of shape (n, K + T)
        Responsibilities to begin with.
    """
    n_old = int(np.count_nonzero(prior.weights))
    responsibilities, elbo = start, [-np.inf]
    for _ in range(max_iter):
        taken = responsibilities.sum(axis=0)
        log_weights, weight_gap = _weights(taken, prior.weights[:n_old], law.concentration)
        log_points, center_gap = _centers(rows, responsibilities, taken, prior, law)
        logits = log_points + log_weights
        highest = logits.max(axis=1, keepdims=True)
        shares = np.exp(logits - highest)
        total = shares.sum(axis=1, keepdims=True)
        responsibilities = shares / total
        elbo.append(float((highest + np.log(total)).sum()) - weight_gap - center_gap)
        if elbo[-1] - elbo[-2] <= tol * abs(elbo[-1]):
            break
    return MeanField(responsibilities, np.array(elbo[1:]))


def _weights(taken: FloatArray, mass: FloatArray, concentration: float) -> tuple[FloatArray, float]:
    """Expected log weights (K + T,) of the clusters, and the divergence from their prior."""
    n_old = len(mass)
    before = np.append(mass, concentration)
    after = before + np.append(taken[:n_old], taken[n_old:].sum())
    log_pieces = digamma(after) - digamma(after.sum())
    gap = _log_beta(before) - _log_beta(after) + (after - before) @ log_pieces
    log_sticks, stick_gap = _sticks(taken[n_old:], concentration)
    return np.append(log_pieces[:-1], log_pieces[-1] + log_sticks), float(gap + stick_gap)


def _log_beta(dirichlet: FloatArray) -> float:
    """Log normaliser of a Dirichlet law."""
    return float(gammaln(dirichlet).sum() - gammaln(dirichlet.sum()))


def _sticks(taken: FloatArray, concentration: float) -> tuple[FloatArray, float]:
    """Expected log lengths (T,) of the pieces of a stick, and the divergence from the prior."""
    beyond = np.cumsum(taken[::-1])[::-1] - taken
    a, b = 1.0 + taken, concentration + beyond
    log_break, log_rest = digamma(a) - digamma(a + b), digamma(b) - digamma(a + b)
    gap = betaln(1.0, concentration) - betaln(a, b) + taken * log_break + beyond * log_rest
    return log_break + np.cumsum(log_rest) - log_rest, float(gap.sum())


def _centers(
    rows: FloatArray, responsibilities: FloatArray, taken: FloatArray, prior: Tracks, law: ModelParams
) -> tuple[FloatArray, float]:
    """Expected log densities (n, K + T) of the rows, and the divergence of the centres from their prior."""
    d = rows.shape[1]
    variances = 1.0 / (1.0 / prior.variances + taken / law.noise)
    pull = prior.centers / prior.variances[:, None] + responsibilities.T @ rows / law.noise
    centers = variances[:, None] * pull
    squares = cdist(rows, centers, "sqeuclidean")
    log_points = -0.5 * (d * np.log(2 * np.pi * law.noise) + (squares + d * variances) / law.noise)
    ratio = variances / prior.variances
    moved = ((centers - prior.centers) ** 2).sum(axis=1) / prior.variances
    return log_points, float(0.5 * (d * (ratio - 1.0 - np.log(ratio)) + moved).sum())
