"""Gibbs sampling on the Markov chain Gaussian mixture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._core import gibbs
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
from dynmeans.baselines._oracle_sample import UNNAMED, best_sample, lasting_pairs
from dynmeans.estimators._validation import valid_count


class MCGMMGibbs(MCGMMBaseline):
    """Gibbs sampling on the full Markov chain Gaussian mixture of the paper, batch by batch.

    Clusters are born from the prior, move by a random walk, die with a constant probability, and may
    return until they die. A sweep draws the label of every row given the centers (a current cluster, a
    sleeping one, or a new one), then the centers given the labels. One sample is kept for
    the next batch: the one of highest joint density of labels and data, with centers integrated out. With
    true labels ``y`` it is the sample of highest :func:`~dynmeans.metrics.tracking_accuracy` instead. This
    oracle selection of the paper is not available on real streams.

    A batch costs O(n_samples n K d), the highest of all baselines. With ``y`` it also pairs the labels of
    each distinct sample and needs memory for all samples.

    Parameters
    ----------
    n_samples : int, default=1000
        Sweeps over each batch, one sample each. The paper uses 5,000.
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
    random_state : int, RandomState instance or None, default=None
        Seed of the samples.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Id of every row of the last batch, the same id for life.
    cluster_ids_ : ndarray of shape (K,)
        Ids of all remembered clusters, sorted; never reused. A cluster is deleted when its return is
        a thousand times less likely than a birth.
    cluster_centers_ : ndarray of shape (K, n_features)
        Posterior means of their centers, given the labels.
    log_densities_ : ndarray of shape (n_samples,)
        Log joint density of labels and data of every sample of the last batch, up to a constant.
    n_steps_ : int
        Number of batches so far.

    Examples
    --------
    >>> from dynmeans.baselines import MCGMMGibbs
    >>> model = MCGMMGibbs(100, prior_variance=4.0, random_state=0)
    >>> model.partial_fit([[0.0, 0.0], [0.05, 0.0], [1.0, 1.0]]).labels_
    array([0, 0, 1])
    >>> model.partial_fit([[1.0, 0.95], [-1.0, 0.0]]).labels_
    array([1, 2])
    """

    cluster_ids_: IntArray
    cluster_centers_: FloatArray
    log_densities_: FloatArray

    def __init__(
        self,
        n_samples: int = 1000,
        *,
        observation_variance: float = 0.0025,
        transition_variance: float = 0.0025,
        prior_variance: float = 1 / 12,
        prior_mean: Any = None,
        concentration: float = 1.0,
        survival: float = 0.95,
        random_state: Any = None,
    ) -> None:
        self.n_samples = n_samples
        super().__init__(
            observation_variance=observation_variance,
            transition_variance=transition_variance,
            prior_variance=prior_variance,
            prior_mean=prior_mean,
            concentration=concentration,
            survival=survival,
            random_state=random_state,
        )

    def _advance(
        self, memory: Memory, rows: Rows, y: Any, moment: Moment
    ) -> tuple[Memory, Mapping[str, Any]]:
        params = self._model_params(memory.prior_mean)
        points = np.asarray(rows, dtype=np.float64)
        prior = forecast(memory.clusters, moment.elapsed, params)
        best, log_densities, samples = self._sample(points, prior, params, moment, keep=y is not None)
        if y is not None:
            ids = np.full(int(samples.max()) + 1, UNNAMED)
            ids[: len(prior.ids)] = prior.ids[: len(ids)]
            best = samples[best_sample(samples, log_densities, y, ids, memory.pairs)]
        slots, n_new = _compact(best.astype(np.int64), len(prior.ids))
        clusters = _update(points, slots, with_newborn(prior, n_new, memory.next_id, params), params)
        labels = clusters.ids[slots]
        pairs = memory.pairs if y is None else lasting_pairs(memory.pairs, labels, y)
        fitted = {
            "labels_": labels,
            "cluster_ids_": clusters.ids,
            "cluster_centers_": clusters.centers,
            "log_densities_": log_densities,
        }
        return Memory(memory.prior_mean, clusters, memory.next_id + n_new, pairs), fitted

    def _sample(
        self, points: FloatArray, prior: McgmmState, params: ModelParams, moment: Moment, *, keep: bool
    ) -> Any:
        """Return the slots of the sample of highest density, all log densities, and all slots if `keep`."""
        return gibbs(
            X=points,
            centers=prior.centers,
            variances=prior.variances,
            counts=prior.counts,
            weights=prior.weights,
            noise=params.noise,
            concentration=params.concentration,
            prior_variance=params.prior_variance,
            prior_mean=params.prior_mean,
            seed=moment.seed,
            step=moment.n_steps,
            n_samples=valid_count("n_samples", self.n_samples, 1),
            keep=keep,
        )


def _update(points: FloatArray, slots: IntArray, prior: McgmmState, params: ModelParams) -> McgmmState:
    """Update the clusters with the points (n, d) in their slots (n,)."""
    sums = np.zeros_like(prior.centers)
    np.add.at(sums, slots, points)
    return absorb(prior, np.bincount(slots, minlength=len(sums)).astype(np.float64), sums, params)


def _compact(slots: IntArray, n_old: int) -> tuple[IntArray, int]:
    """Renumber the newborn slots consecutively, the largest first, and count them."""
    newborn = largest_first(slots[slots >= n_old])
    number = np.arange(max(n_old, int(slots.max()) + 1))
    number[newborn] = n_old + np.arange(len(newborn))
    return number[slots], len(newborn)
