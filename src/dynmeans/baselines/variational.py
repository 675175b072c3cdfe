"""Variational inference for a Dirichlet process Gaussian mixture that is carried from batch to batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import softmax

from dynmeans._algorithms.batch import Rows
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.baselines.base import Moment, largest_first
from dynmeans.baselines.mcgmm import (
    ChainBaseline,
    Memory,
    ModelParams,
    Tracks,
    absorb,
    forecast,
    no_tracks,
    with_newborn,
)
from dynmeans.baselines.mean_field import MeanField, fit_mean_field
from dynmeans.estimators.validation import valid_count, valid_number


class VariationalDP(ChainBaseline):
    """Mean-field variational inference (Blei and Jordan, 2006), the posterior being the next prior.

    Each batch is a Dirichlet process mixture of Gaussians with a past. What is known of a cluster is the
    mean and the variance of its centre and its expected number of points; between batches the variance
    grows by ``transition_variance`` and the number shrinks by ``survival``, for each unit of time. In a
    batch, coordinate ascent on the evidence bound gives every row a share in every remembered cluster and
    in up to ``max_new`` new ones. A row's label is the cluster with the largest share. New clusters that
    are nobody's first choice are dropped.

    A round costs O(n K d), with K counting remembered clusters and ``max_new``; a batch takes tens to
    hundreds of rounds, more for a smaller ``tol``.

    Parameters
    ----------
    observation_variance : float, default=0.0025
        Variance of points around their centre, in each coordinate (sigma). The defaults of the model are
        those of the moving Gaussians in the paper.
    transition_variance : float, default=0.0025
        Variance of the motion of a centre in one unit of time (xi).
    prior_variance : float, default=1/12
        Variance of newborn centres (rho); a twelfth is that of a uniform place in the unit square.
    prior_mean : float or array-like of shape (n_features,), optional
        Mean of newborn centres (phi); by default the mean of the first batch.
    concentration : float, default=1.0
        Weight of a birth, in points (alpha).
    survival : float, default=0.95
        Probability that a cluster lives on for one unit of time (q).
    max_new : int, default=20
        Most clusters that can be born in one batch: the truncation.
    tol : float, default=1e-8
        The ascent ends when the bound gains no more than this share of its size. The paper takes 1e-16.
    max_iter : int, default=10_000
        Most rounds for a batch.
    random_state : int, RandomState instance or None, default=None
        Seed of the rows where new clusters begin.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Id of every row of the last batch, the same id for life.
    responsibilities_ : ndarray of shape (n, K)
        Share of every remembered cluster in every row, columns as in ``cluster_ids_``. What is missing to 1
        went to new clusters that were dropped.
    elbo_ : ndarray of shape (n_iter,)
        Lower bound on the log density of the last batch given those before it, after each round; it never
        falls.
    n_iter_ : int
        Rounds for the last batch.
    cluster_ids_ : ndarray of shape (K,)
        Ids of all remembered clusters, sorted; never reused.
    cluster_centers_ : ndarray of shape (K, n_features)
        Posterior means of their centres.
    n_steps_ : int
        Batches seen.

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

    def _begin(self, rows: Rows) -> Memory:
        return Memory(self._prior_mean(rows), no_tracks(rows.shape[1]), 0, {})

    def _advance(
        self, memory: Memory, rows: Rows, y: Any, moment: Moment
    ) -> tuple[Memory, Mapping[str, Any]]:
        law = self._model_params(memory.prior_mean)
        points = np.asarray(rows, dtype=np.float64)
        old = forecast(memory.tracks, moment.elapsed, law)
        fit = self._fit(points, old, law, moment)
        slots = fit.responsibilities.argmax(axis=1)
        newborn = largest_first(slots[slots >= len(old.ids)])
        kept = np.append(np.arange(len(old.ids)), newborn)
        shares = fit.responsibilities[:, kept]
        grown = with_newborn(old, len(newborn), memory.next_id, law)
        tracks = absorb(grown, shares.sum(axis=0), shares.T @ points, law)
        fading = grown.weights + shares.sum(axis=0)
        tracks = tracks._replace(counts=fading, weights=fading)
        fitted = {
            "labels_": tracks.ids[shares.argmax(axis=1)],
            "responsibilities_": shares,
            "elbo_": fit.elbo,
            "n_iter_": len(fit.elbo),
            "cluster_ids_": tracks.ids,
            "cluster_centers_": tracks.centers,
        }
        return memory._replace(tracks=tracks, next_id=memory.next_id + len(newborn)), fitted

    def _fit(self, points: FloatArray, old: Tracks, law: ModelParams, moment: Moment) -> MeanField:
        n_new = min(valid_count("max_new", self.max_new, 1), len(points))
        tol = valid_number("tol", self.tol)
        if tol is None or not tol >= 0:
            raise ValueError(f"tol must be a number >= 0, got {self.tol!r}")
        max_iter = valid_count("max_iter", self.max_iter, 1)
        rng = np.random.default_rng([moment.seed, moment.n_steps])
        start = _start(points, old, n_new, law, rng)
        return fit_mean_field(points, with_newborn(old, n_new, 0, law), start, law, tol, max_iter)


def _start(
    points: FloatArray, old: Tracks, n_new: int, law: ModelParams, rng: np.random.Generator
) -> FloatArray:
    """Shares (n, K + n_new) to begin with: new clusters begin at rows far from all others (k-means++)."""
    variances = np.append(law.noise + old.variances, np.full(n_new, 2 * law.noise))
    centers = np.concatenate([old.centers, np.empty((n_new, points.shape[1]))])
    far = (cdist(points, old.centers, "sqeuclidean") / variances[: len(old.ids)]).min(axis=1, initial=np.inf)
    for k in range(len(old.ids), len(centers)):
        odds = far if np.isfinite(far).all() and far.any() else np.ones(len(points))
        centers[k] = points[rng.choice(len(points), p=odds / odds.sum())]
        far = np.minimum(far, cdist(points, centers[k : k + 1], "sqeuclidean")[:, 0] / variances[k])
    logits = -0.5 * cdist(points, centers, "sqeuclidean") / variances
    shares: FloatArray = softmax(logits - 0.5 * points.shape[1] * np.log(variances), axis=1)
    return shares
