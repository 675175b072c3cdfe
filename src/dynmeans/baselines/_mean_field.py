"""Mean-field variational inference for one batch of a Dirichlet process mixture with memory.

Given the past, the weights of the K remembered clusters and of all others together are Dirichlet(m_1, ...,
m_K, alpha), and the others are a Dirichlet process with Beta(1, alpha) sticks. This is the posterior of a
Dirichlet process after m_k points in each cluster. Of the infinitely many new clusters, the first T may take
points in the variational distribution. The rest keep their prior and add no divergence, so the result bounds
the evidence of the full process.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import betaln, digamma, gammaln

from dynmeans._model.types import FloatArray
from dynmeans.baselines._mcgmm import McgmmState, ModelParams


class MeanField(NamedTuple):
    """Fitted responsibilities, and the bound after each iteration."""

    responsibilities: FloatArray  # (n, K + T)
    elbo: FloatArray  # (n_iter,) lower bound of log p(batch | past), after each iteration


def fit_mean_field(
    rows: FloatArray, prior: McgmmState, start: FloatArray, params: ModelParams, tol: float, max_iter: int
) -> MeanField:
    """Run coordinate ascent until the relative gain of the bound is at most ``tol``.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
    prior : McgmmState of K + T clusters
        The remembered clusters, then the new ones with weight 0.
    start : ndarray of shape (n, K + T)
        Initial responsibilities.
    """
    n_old = int(np.count_nonzero(prior.weights))
    responsibilities, elbo = start, [-np.inf]
    for _ in range(max_iter):
        taken = responsibilities.sum(axis=0)
        log_weights, weight_divergence = _weights(taken, prior.weights[:n_old], params.concentration)
        log_points, center_divergence = _centers(rows, responsibilities, taken, prior, params)
        logits = log_points + log_weights
        highest = logits.max(axis=1, keepdims=True)
        shares = np.exp(logits - highest)
        total = shares.sum(axis=1, keepdims=True)
        responsibilities = shares / total
        elbo.append(float((highest + np.log(total)).sum()) - weight_divergence - center_divergence)
        if elbo[-1] - elbo[-2] <= tol * abs(elbo[-1]):
            break
    return MeanField(responsibilities, np.array(elbo[1:]))


def _weights(taken: FloatArray, mass: FloatArray, concentration: float) -> tuple[FloatArray, float]:
    """Compute the expected log weights (K + T,) of the clusters, and the divergence from their prior."""
    n_old = len(mass)
    before = np.append(mass, concentration)
    after = before + np.append(taken[:n_old], taken[n_old:].sum())
    log_pieces = digamma(after) - digamma(after.sum())
    divergence = _log_beta(before) - _log_beta(after) + (after - before) @ log_pieces
    log_sticks, stick_divergence = _sticks(taken[n_old:], concentration)
    return np.append(log_pieces[:-1], log_pieces[-1] + log_sticks), float(divergence + stick_divergence)


def _log_beta(dirichlet: FloatArray) -> float:
    """Log normalizer of a Dirichlet distribution."""
    return float(gammaln(dirichlet).sum() - gammaln(dirichlet.sum()))


def _sticks(taken: FloatArray, concentration: float) -> tuple[FloatArray, float]:
    """Compute the expected log lengths (T,) of the stick pieces, and the divergence from the prior."""
    beyond = np.cumsum(taken[::-1])[::-1] - taken
    a, b = 1.0 + taken, concentration + beyond
    log_break, log_rest = digamma(a) - digamma(a + b), digamma(b) - digamma(a + b)
    divergence = betaln(1.0, concentration) - betaln(a, b) + taken * log_break + beyond * log_rest
    return log_break + np.cumsum(log_rest) - log_rest, float(divergence.sum())


def _centers(
    rows: FloatArray, responsibilities: FloatArray, taken: FloatArray, prior: McgmmState, params: ModelParams
) -> tuple[FloatArray, float]:
    """Compute the expected log densities (n, K + T) of the rows, and the divergence of the centers."""
    d = rows.shape[1]
    variances = 1.0 / (1.0 / prior.variances + taken / params.noise)
    pull = prior.centers / prior.variances[:, None] + responsibilities.T @ rows / params.noise
    centers = variances[:, None] * pull
    squares = cdist(rows, centers, "sqeuclidean")
    log_points = -0.5 * (d * np.log(2 * np.pi * params.noise) + (squares + d * variances) / params.noise)
    ratio = variances / prior.variances
    moved = ((centers - prior.centers) ** 2).sum(axis=1) / prior.variances
    return log_points, float(0.5 * (d * (ratio - 1.0 - np.log(ratio)) + moved).sum())
