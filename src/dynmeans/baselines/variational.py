"""Variational inference for a Dirichlet process Gaussian mixture over batches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import softmax

from dynmeans._algorithms.batch import Rows
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.baselines._base import Moment, largest_first
from dynmeans.baselines._mcgmm import (
    MCGMMBaseline,
    McgmmState,
    Memory,
    ModelParams,
    absorb,
    forecast,
    with_newborn,
)
from dynmeans.baselines._mean_field import MeanField, fit_mean_field
from dynmeans.estimators._validation import valid_count, valid_number


class VariationalDP(MCGMMBaseline):
    """Mean-field variational inference (Blei and Jordan, 2006); each posterior is the next prior.

    Each batch is a Dirichlet process mixture of Gaussians. The memory of a cluster is the mean and the
    variance of its center and its expected number of points. Between batches the variance
    grows by ``transition_variance`` and the number shrinks by ``survival``, per unit of time. In a
    batch, coordinate ascent on the evidence lower bound computes the responsibility of every remembered
    cluster, and of up to ``max_new`` new ones, for every row. The label of a row is the cluster with the
    largest responsibility. New clusters without a row are dropped.

    An iteration costs O(n K d), where K includes ``max_new``. A batch takes tens to hundreds of iterations,
    more for a smaller ``tol``.

    Parameters
    ----------
    observation_variance : float, default=0.0025
        Variance of points around their center, in each coordinate (sigma). The defaults of the model are
        those of the moving Gaussians in the paper.
    transition_variance : float, default=0.0025
        Variance of the motion of a center in one unit of time (xi).
    prior_variance : float, default=1/12
        Variance of newborn centers (rho); 1/12 is that of a uniform distribution on [0, 1].
    prior_mean : float or array-like of shape (n_features,), optional
        Mean of newborn centers (phi); by default the mean of the first batch.
    concentration : float, default=1.0
        Weight of a birth, in points (alpha).
    survival : float, default=0.95
        Probability that a cluster survives one unit of time (q).
    max_new : int, default=20
        Maximum number of births per batch: the truncation.
    tol : float, default=1e-8
        The ascent stops when the relative gain of the bound is at most this. The paper uses 1e-16.
    max_iter : int, default=10_000
        Maximum number of iterations per batch.
    random_state : int, RandomState instance or None, default=None
        Seed of the initial centers of new clusters.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Id of every row of the last batch, the same id for life.
    responsibilities_ : ndarray of shape (n, K)
        Responsibility of every remembered cluster for every row, columns as in ``cluster_ids_``. The
        remainder to 1 belongs to new clusters that were dropped.
    elbo_ : ndarray of shape (n_iter,)
        Lower bound on the log density of the last batch given those before it, after each iteration; it never
        decreases.
    n_iter_ : int
        Iterations for the last batch.
    cluster_ids_ : ndarray of shape (K,)
        Ids of all remembered clusters, sorted; never reused.
    cluster_centers_ : ndarray of shape (K, n_features)
        Posterior means of their centers.
    n_steps_ : int
        Number of batches so far.

    Examples
    --------
    >>> from dynmeans.baselines import VariationalDP
    >>> model = VariationalDP(prior_variance=4.0, random_state=0)
    >>> model.partial_fit([[0.0, 0.0], [0.05, 0.0], [1.0, 1.0]]).labels_
    array([0, 0, 1])
    >>> model.partial_fit([[1.0, 0.95], [-1.0, 0.0]]).labels_
    array([1, 2])
    """

    responsibilities_: FloatArray
    elbo_: FloatArray
    n_iter_: int
    cluster_ids_: IntArray
    cluster_centers_: FloatArray

    def __init__(
        self,
        *,
        observation_variance: float = 0.0025,
        transition_variance: float = 0.0025,
        prior_variance: float = 1 / 12,
        prior_mean: Any = None,
        concentration: float = 1.0,
        survival: float = 0.95,
        max_new: int = 20,
        tol: float = 1e-8,
        max_iter: int = 10_000,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            observation_variance=observation_variance,
            transition_variance=transition_variance,
            prior_variance=prior_variance,
            prior_mean=prior_mean,
            concentration=concentration,
            survival=survival,
            random_state=random_state,
        )
        self.max_new = max_new
        self.tol = tol
        self.max_iter = max_iter

    def _advance(
        self, memory: Memory, rows: Rows, y: Any, moment: Moment
    ) -> tuple[Memory, Mapping[str, Any]]:
        params = self._model_params(memory.prior_mean)
        points = np.asarray(rows, dtype=np.float64)
        old = forecast(memory.clusters, moment.elapsed, params)
        fit = self._fit(points, old, params, moment)
        slots = fit.responsibilities.argmax(axis=1)
        newborn = largest_first(slots[slots >= len(old.ids)])
        kept = np.append(np.arange(len(old.ids)), newborn)
        shares = fit.responsibilities[:, kept]
        grown = with_newborn(old, len(newborn), memory.next_id, params)
        clusters = absorb(grown, shares.sum(axis=0), shares.T @ points, params)
        fading = grown.weights + shares.sum(axis=0)
        clusters = clusters._replace(counts=fading, weights=fading)
        fitted = {
            "labels_": clusters.ids[shares.argmax(axis=1)],
            "responsibilities_": shares,
            "elbo_": fit.elbo,
            "n_iter_": len(fit.elbo),
            "cluster_ids_": clusters.ids,
            "cluster_centers_": clusters.centers,
        }
        return memory._replace(clusters=clusters, next_id=memory.next_id + len(newborn)), fitted

    def _fit(self, points: FloatArray, old: McgmmState, params: ModelParams, moment: Moment) -> MeanField:
        n_new = min(valid_count("max_new", self.max_new, 1), len(points))
        tol = valid_number("tol", self.tol)
        if tol is None or not tol >= 0:
            raise ValueError(f"tol must be a number >= 0, got {self.tol!r}")
        max_iter = valid_count("max_iter", self.max_iter, 1)
        rng = np.random.default_rng([moment.seed, moment.n_steps])
        start = _start(points, old, n_new, params, rng)
        return fit_mean_field(points, with_newborn(old, n_new, 0, params), start, params, tol, max_iter)


def _start(
    points: FloatArray, old: McgmmState, n_new: int, params: ModelParams, rng: np.random.Generator
) -> FloatArray:
    """Initialize responsibilities (n, K + n_new); new clusters start at distant rows (k-means++)."""
    variances = np.append(params.noise + old.variances, np.full(n_new, 2 * params.noise))
    centers = np.concatenate([old.centers, np.empty((n_new, points.shape[1]))])
    far = (cdist(points, old.centers, "sqeuclidean") / variances[: len(old.ids)]).min(axis=1, initial=np.inf)
    for k in range(len(old.ids), len(centers)):
        odds = far if np.isfinite(far).all() and far.any() else np.ones(len(points))
        centers[k] = points[rng.choice(len(points), p=odds / odds.sum())]
        far = np.minimum(far, cdist(points, centers[k : k + 1], "sqeuclidean")[:, 0] / variances[k])
    logits = -0.5 * cdist(points, centers, "sqeuclidean") / variances
    shares: FloatArray = softmax(logits - 0.5 * points.shape[1] * np.log(variances), axis=1)
    return shares
