"""Gibbs sampling on the Markov chain Gaussian mixture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._core import gibbs
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
from dynmeans.baselines.oracle_sample import UNNAMED, best_sample, lasting_pairs
from dynmeans.estimators.validation import valid_count


class MCGMMGibbs(ChainBaseline):
    """Gibbs sampling on the full Markov chain Gaussian mixture of the paper, batch by batch.

    Clusters are born where the prior puts them, walk, die with a constant probability, and come back as
    long as they live. A sweep draws the label of every row given the centres (a current cluster, a
    sleeping one, or a new one), then the centres given the labels. One sample is kept, and its labels are
    the past of the next batch: the one of highest joint density of labels and data, centres integrated
    out. Where true labels ``y`` are given, it is the one that :func:`~dynmeans.metrics.tracking_accuracy`
    likes best instead: the handicap of the paper, which no real stream allows.

    A batch costs O(n_samples n K d), by far the most of all baselines; with ``y``, a pairing of labels for
    each distinct sample on top, and memory for all samples.

    Parameters
    ----------
    n_samples : int, default=1000
        Sweeps over each batch, each of which gives one sample. The paper takes 5,000.
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
    random_state : int, RandomState instance or None, default=None
        Seed of the samples.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Id of every row of the last batch, the same id for life.
    cluster_ids_ : ndarray of shape (K,)
        Ids of all remembered clusters, sorted; never reused. A cluster is forgotten when its return has
        become a thousand times less likely than a birth.
    cluster_centers_ : ndarray of shape (K, n_features)
        Posterior means of their centres, given the labels.
    log_densities_ : ndarray of shape (n_samples,)
        Log joint density of labels and data of every sample of the last batch, up to a constant.
    n_steps_ : int
        Batches seen.

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

    def _begin(self, rows: Rows) -> Memory:
        return Memory(self._prior_mean(rows), no_tracks(rows.shape[1]), 0, {})

    def _advance(
        self, memory: Memory, rows: Rows, y: Any, moment: Moment
    ) -> tuple[Memory, Mapping[str, Any]]:
        law = self._model_params(memory.prior_mean)
        points = np.asarray(rows, dtype=np.float64)
        prior = forecast(memory.tracks, moment.elapsed, law)
        best, log_densities, samples = self._sample(points, prior, law, moment, keep=y is not None)
        if y is not None:
            ids = np.full(int(samples.max()) + 1, UNNAMED)
            ids[: len(prior.ids)] = prior.ids[: len(ids)]
            best = samples[best_sample(samples, log_densities, y, ids, memory.pairs)]
        slots, n_new = _compact(best.astype(np.int64), len(prior.ids))
        tracks = _give(points, slots, with_newborn(prior, n_new, memory.next_id, law), law)
        labels = tracks.ids[slots]
        pairs = memory.pairs if y is None else lasting_pairs(memory.pairs, labels, y)
        fitted = {
            "labels_": labels,
            "cluster_ids_": tracks.ids,
            "cluster_centers_": tracks.centers,
            "log_densities_": log_densities,
        }
        return Memory(memory.prior_mean, tracks, memory.next_id + n_new, pairs), fitted

    def _sample(
        self, points: FloatArray, prior: Tracks, law: ModelParams, moment: Moment, *, keep: bool
    ) -> Any:
        """Slots of the densest sample, the log densities of all, and all slots if they are kept."""
        return gibbs(
            points,
            prior.centers,
            prior.variances,
            prior.counts,
            prior.weights,
            noise=law.noise,
            concentration=law.concentration,
            prior_variance=law.prior_variance,
            prior_mean=law.prior_mean,
            seed=moment.seed,
            step=moment.n_steps,
            n_samples=valid_count("n_samples", self.n_samples, 1),
            keep=keep,
        )


def _give(points: FloatArray, slots: IntArray, prior: Tracks, law: ModelParams) -> Tracks:
    """Return what is known of the clusters once the points (n, d) are in their slots (n,)."""
    sums = np.zeros_like(prior.centers)
    np.add.at(sums, slots, points)
    return absorb(prior, np.bincount(slots, minlength=len(sums)).astype(np.float64), sums, law)


def _compact(slots: IntArray, n_old: int) -> tuple[IntArray, int]:
    """Renumber the newborn slots without holes, the largest first, and count them."""
    newborn = largest_first(slots[slots >= n_old])
    number = np.arange(max(n_old, int(slots.max()) + 1))
    number[newborn] = n_old + np.arange(len(newborn))
    return number[slots], len(newborn)
