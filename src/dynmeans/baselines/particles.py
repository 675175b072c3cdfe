"""Particle learning on the Markov chain Gaussian mixture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._core import particle_learning_step
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.baselines._base import Moment, largest_first
from dynmeans.baselines._mcgmm import MCGMMBaseline, McgmmState, ModelParams, forecast
from dynmeans.baselines._oracle_sample import UNNAMED, best_sample, lasting_pairs
from dynmeans.estimators._validation import valid_count


class Particles(NamedTuple):
    """The clusters of every particle, one particle after another."""

    begin: IntArray  # (P + 1,)     first cluster of each particle
    founders: IntArray  # (M,)      stream index of the first row of the cluster
    centers: FloatArray  # (M, d)
    variances: FloatArray  # (M,)   of the center
    counts: FloatArray  # (M,)      c_k
    weights: FloatArray  # (M,)     c_k if active, q^dt c_k if asleep
    log_densities: FloatArray  # (P,) log p(z, y) of the path of each particle


class _ParticleMemory(NamedTuple):
    prior_mean: FloatArray
    particles: Particles
    n_rows: int  # in the stream so far
    names: dict[int, int]  # id of each founder that was reported and is still in memory
    next_id: int
    pairs: dict[Any, int]  # found id of each true label, with oracle selection


class ParticleLearning(MCGMMBaseline):
    """Particle learning (Carvalho, Lopes, Polson and Taddy, 2010) on the model of :class:`MCGMMGibbs`.

    Every particle is a history of labels with its clusters, with centers integrated out. For each row the
    particles are resampled by their predictive density of the row, and each then draws a label. After the
    batch the particle of highest joint density is reported; with true labels ``y``, the particle of highest
    :func:`~dynmeans.metrics.tracking_accuracy`, the oracle selection of the paper. All particles continue in
    both cases. A cluster is identified by its first row, so that particles with a common history share its
    ids.

    A batch costs O(n_particles n K d), where K also counts sleeping clusters. Labels are never revised, and
    after some tens of rows the particles share most of their history, so more particles help little.

    Parameters
    ----------
    n_particles : int, default=100
        Number of particles; the default is that of the paper.
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
        Seed of resampling and labels.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Id of every row of the last batch in the reported particle.
    cluster_ids_ : ndarray of shape (K,)
        Ids of all clusters of the reported particle, sorted; never reused.
    cluster_centers_ : ndarray of shape (K, n_features)
        Posterior means of their centers.
    log_densities_ : ndarray of shape (n_particles,)
        Log joint density of the whole path of every particle.
    log_evidence_ : float
        Estimate of the log density of the last batch given those before it.
    n_steps_ : int
        Number of batches so far.

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

    def _begin(self, rows: Rows) -> _ParticleMemory:
        n_particles, none = valid_count("n_particles", self.n_particles, 1), np.empty(0)
        begin, founders = np.zeros(n_particles + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
        centers = np.empty((0, rows.shape[1]))
        particles = Particles(
            begin=begin,
            founders=founders,
            centers=centers,
            variances=none,
            counts=none,
            weights=none,
            log_densities=np.zeros(n_particles),
        )
        return _ParticleMemory(
            prior_mean=self._prior_mean(rows), particles=particles, n_rows=0, names={}, next_id=0, pairs={}
        )

    def _advance(
        self, memory: _ParticleMemory, rows: Rows, y: Any, moment: Moment
    ) -> tuple[_ParticleMemory, Mapping[str, Any]]:
        params = self._model_params(memory.prior_mean)
        *fields, labels, log_evidence = particle_learning_step(
            X=np.asarray(rows, dtype=np.float64),
            **age(memory.particles, moment.elapsed, params)._asdict(),
            noise=params.noise,
            concentration=params.concentration,
            prior_variance=params.prior_variance,
            prior_mean=params.prior_mean,
            first_number=memory.n_rows,
            seed=moment.seed,
            step=moment.n_steps,
        )
        particles = Particles._make(fields)
        logs = particles.log_densities
        reported = int(logs.argmax()) if y is None else _best_particle(labels, logs, y, memory)
        mine = slice(particles.begin[reported], particles.begin[reported + 1])
        founders = particles.founders[mine]
        names, next_id = _name(memory, np.append(largest_first(labels[reported]), founders))
        ids, labels = _ids(names, founders), _ids(names, labels[reported])
        fitted = {
            "labels_": labels,
            "cluster_ids_": np.sort(ids),
            "cluster_centers_": particles.centers[mine][ids.argsort()],
            "log_densities_": logs,
            "log_evidence_": log_evidence,
        }
        alive = set(particles.founders.tolist())
        return _ParticleMemory(
            prior_mean=memory.prior_mean,
            particles=particles,
            n_rows=memory.n_rows + len(rows),
            names={founder: name for founder, name in names.items() if founder in alive},
            next_id=next_id,
            pairs=memory.pairs if y is None else lasting_pairs(memory.pairs, labels, y),
        ), fitted


def age(particles: Particles, elapsed: float, params: ModelParams) -> Particles:
    """Predict the clusters of all particles to the current time."""
    clusters = McgmmState(
        particles.centers,
        particles.variances,
        particles.counts,
        particles.weights,
        ids=np.arange(len(particles.founders)),
    )
    aged = forecast(clusters, elapsed, params)
    return Particles(
        begin=np.searchsorted(aged.ids, particles.begin),
        founders=particles.founders[aged.ids],
        centers=aged.centers,
        variances=aged.variances,
        counts=aged.counts,
        weights=aged.weights,
        log_densities=particles.log_densities,
    )


def _best_particle(labels: IntArray, log_densities: FloatArray, y: Any, memory: _ParticleMemory) -> int:
    """Return the particle that agrees best with the true labels."""
    founders, codes = np.unique(labels, return_inverse=True)
    ids = np.array([memory.names.get(founder, UNNAMED) for founder in founders.tolist()])
    return best_sample(codes.reshape(labels.shape), log_densities, y, ids, memory.pairs)


def _name(memory: _ParticleMemory, founders: IntArray) -> tuple[dict[int, int], int]:
    """Assign ids to newly reported clusters; also return the next free id."""
    fresh = dict.fromkeys(founder for founder in founders.tolist() if founder not in memory.names)
    names = memory.names | {founder: memory.next_id + i for i, founder in enumerate(fresh)}
    return names, memory.next_id + len(fresh)


def _ids(names: dict[int, int], founders: IntArray) -> IntArray:
    return np.array([names[founder] for founder in founders.tolist()], dtype=np.int64)
