"""Particle learning on the Markov chain Gaussian mixture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._core import particle_learning_step
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.baselines.base import Moment, largest_first
from dynmeans.baselines.mcgmm import ChainBaseline, ModelParams, Tracks, forecast
from dynmeans.baselines.oracle_sample import UNNAMED, best_sample, lasting_pairs
from dynmeans.estimators.validation import valid_count


class Particles(NamedTuple):
    """The clusters of every particle, one particle after another."""

    begin: IntArray  # (P + 1,)     where each particle begins
    founders: IntArray  # (M,)      number in the stream of the row that founded the cluster
    centers: FloatArray  # (M, d)
    variances: FloatArray  # (M,)   of the centre
    counts: FloatArray  # (M,)      c_k
    weights: FloatArray  # (M,)     c_k of those awake, q^dt c_k of those asleep
    log_densities: FloatArray  # (P,) log p(z, y) of the path of each particle


class _Memory(NamedTuple):
    prior_mean: FloatArray
    particles: Particles
    n_rows: int  # in the stream so far
    names: dict[int, int]  # id of each founder that was ever shown and is still remembered
    next_id: int
    pairs: dict[Any, int]  # found id of each true label, where the truth is told


class ParticleLearning(ChainBaseline):
    """Particle learning (Carvalho, Lopes, Polson and Taddy, 2010) on the model of :class:`MCGMMGibbs`.

    Every particle is a history of labels with its clusters, centres integrated out. Row by row the
    particles are resampled by how well they foretold the row, and each then draws a label for it. After
    the batch the particle whose whole path has the highest joint density is shown; where true labels ``y``
    are given, the one that :func:`~dynmeans.metrics.tracking_accuracy` likes best: the handicap of the
    paper. All particles go on either way. A cluster is known by the row that founded it, so that particles
    with a common past share its ids.

    A batch costs O(n_particles n K d), where K also counts sleeping clusters. Labels are never revised, and
    after some tens of rows the particles share most of their past: more of them help slowly.

    Parameters
    ----------
    n_particles : int, default=100
        As in the paper.
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
        Seed of resampling and labels.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Id of every row of the last batch in the particle shown.
    cluster_ids_ : ndarray of shape (K,)
        Ids of all clusters of the particle shown, sorted; never reused.
    cluster_centers_ : ndarray of shape (K, n_features)
        Posterior means of their centres.
    log_densities_ : ndarray of shape (n_particles,)
        Log joint density of the whole path of every particle.
    log_evidence_ : float
        Estimate of the log density of the last batch given those before it.
    n_steps_ : int
        Batches seen.

    Examples
    --------
    >>> from dynmeans.baselines import ParticleLearning
    >>> model = ParticleLearning(prior_variance=4.0, random_state=0)
    >>> model.partial_fit([[0.0, 0.0], [0.05, 0.0], [1.0, 1.0]]).labels_
    array([0, 0, 1])
    >>> model.partial_fit([[1.0, 0.95], [-1.0, 0.0]]).labels_
    array([1, 2])
    """

    cluster_ids_: IntArray
    cluster_centers_: FloatArray
    log_densities_: FloatArray
    log_evidence_: float

    def __init__(
        self,
        n_particles: int = 100,
        *,
        observation_variance: float = 0.0025,
        transition_variance: float = 0.0025,
        prior_variance: float = 1 / 12,
        prior_mean: Any = None,
        concentration: float = 1.0,
        survival: float = 0.95,
        random_state: Any = None,
    ) -> None:
        self.n_particles = n_particles
        super().__init__(
            observation_variance=observation_variance,
            transition_variance=transition_variance,
            prior_variance=prior_variance,
            prior_mean=prior_mean,
            concentration=concentration,
            survival=survival,
            random_state=random_state,
        )

    def _begin(self, rows: Rows) -> _Memory:
        n_particles, none = valid_count("n_particles", self.n_particles, 1), np.empty(0)
        begin, founders = np.zeros(n_particles + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
        centers = np.empty((0, rows.shape[1]))
        particles = Particles(begin, founders, centers, none, none, none, np.zeros(n_particles))
        return _Memory(self._prior_mean(rows), particles, 0, {}, 0, {})

    def _advance(
        self, memory: _Memory, rows: Rows, y: Any, moment: Moment
    ) -> tuple[_Memory, Mapping[str, Any]]:
        law = self._model_params(memory.prior_mean)
        found: Any = particle_learning_step(
            np.asarray(rows, dtype=np.float64),
            *age(memory.particles, moment.elapsed, law),
            noise=law.noise,
            concentration=law.concentration,
            prior_variance=law.prior_variance,
            prior_mean=law.prior_mean,
            first_number=memory.n_rows,
            seed=moment.seed,
            step=moment.n_steps,
        )
        particles, labels = Particles(*found[:-2]), found[-2]
        logs = particles.log_densities
        shown = int(logs.argmax()) if y is None else _agreeing(labels, logs, y, memory)
        mine = slice(particles.begin[shown], particles.begin[shown + 1])
        founders = particles.founders[mine]
        names, next_id = _name(memory, np.append(largest_first(labels[shown]), founders))
        ids, labels = _ids(names, founders), _ids(names, labels[shown])
        fitted = {
            "labels_": labels,
            "cluster_ids_": np.sort(ids),
            "cluster_centers_": particles.centers[mine][ids.argsort()],
            "log_densities_": logs,
            "log_evidence_": found[-1],
        }
        alive = set(particles.founders.tolist())
        return _Memory(
            memory.prior_mean,
            particles,
            memory.n_rows + len(rows),
            {founder: name for founder, name in names.items() if founder in alive},
            next_id,
            memory.pairs if y is None else lasting_pairs(memory.pairs, labels, y),
        ), fitted


def age(particles: Particles, elapsed: float, law: ModelParams) -> Particles:
    """Let time pass for the clusters of all particles."""
    everyone = Tracks(
        particles.centers,
        particles.variances,
        particles.counts,
        particles.weights,
        ids=np.arange(len(particles.founders)),
    )
    aged = forecast(everyone, elapsed, law)
    return Particles(
        np.searchsorted(aged.ids, particles.begin),
        particles.founders[aged.ids],
        aged.centers,
        aged.variances,
        aged.counts,
        aged.weights,
        particles.log_densities,
    )


def _agreeing(labels: IntArray, log_densities: FloatArray, y: Any, memory: _Memory) -> int:
    """Return the particle that agrees best with the truth."""
    founders, codes = np.unique(labels, return_inverse=True)
    ids = np.array([memory.names.get(founder, UNNAMED) for founder in founders.tolist()])
    return best_sample(codes.reshape(labels.shape), log_densities, y, ids, memory.pairs)


def _name(memory: _Memory, founders: IntArray) -> tuple[dict[int, int], int]:
    """Give ids to the clusters that are shown for the first time; also the next id that is free."""
    fresh = dict.fromkeys(founder for founder in founders.tolist() if founder not in memory.names)
    names = memory.names | {founder: memory.next_id + i for i, founder in enumerate(fresh)}
    return names, memory.next_id + len(fresh)


def _ids(names: dict[int, int], founders: IntArray) -> IntArray:
    return np.array([names[founder] for founder in founders.tolist()], dtype=np.int64)
