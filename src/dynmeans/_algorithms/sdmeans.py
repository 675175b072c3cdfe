"""SD-Means: the algorithm box of the paper for one batch, and a bound on what any clustering of it costs."""

from __future__ import annotations

from typing import NamedTuple

from dynmeans._algorithms.batch import Search
from dynmeans._algorithms.kdmeans import form_of
from dynmeans._algorithms.relaxation import has_small_matrix, parts_of, relaxed
from dynmeans._core import cluster_matrix, cluster_vectors
from dynmeans._model.costs import Costs
from dynmeans._model.prior import Prior
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels.base import Similarity


class SpectralFit(NamedTuple):
    """One clustering of one batch, with a certificate."""

    labels: IntArray  # (R,) slots of the representatives: 0..K-1 are the prior's clusters, then newborn
    cost: float  # Eq. krnmin at these labels, the lowest of all restarts
    lower_bound: float  # no labels cost less
    n_iter: int  # alternations of the rounding and sweeps of the refinement, of the restart that won
    restart_costs: FloatArray  # (n_restarts,)
    n_eigenvectors: int  # above the birth cost, at least 1


def cluster_spectral(
    similarity: Similarity, prior: Prior, costs: Costs, search: Search, n_steps: int, *, refine: bool = True
) -> SpectralFit:
    """Algorithm (spectraldynmeans): relax, round, link, refine; of all restarts, the lowest true cost wins.

    Parameters
    ----------
    similarity : Similarity
        Of R representatives and K remembered clusters.
    prior, costs : Prior, Costs
        Weights and revival prices of the remembered clusters, and the birth cost.
    search : Search
        Number of restarts, most alternations or sweeps, and the seed.
    n_steps : int
        Batches seen so far; with the seed it fixes the randomness of the step.
    refine : bool
        Descend on the true cost from each linked clustering, which can only lower it.

    Returns
    -------
    SpectralFit
        Slots of the representatives, their cost, and a bound that no clustering is below.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans._algorithms.batch import Search
    >>> from dynmeans.kernels.base import Similarity
    >>> from dynmeans._model.costs import Costs
    >>> from dynmeans._model.prior import Prior
    >>> none = np.empty(0)
    >>> blocks = np.kron(np.eye(2), np.ones((3, 3)))  # two groups of three equal points
    >>> alike = Similarity(np.ones(6), np.ones(6), np.empty((6, 0)), none, matrix=blocks)
    >>> nobody = Prior(np.empty((0, 1)), none, none, none)
    >>> costs, search = Costs(birth=0.5, lifetime=3.0, drift=1.0), Search(0, 1, 100, 1)
    >>> fit = cluster_spectral(alike, nobody, costs, search, n_steps=0)
    >>> fit.labels, round(fit.cost, 6), round(fit.lower_bound, 6)
    (array([0, 0, 0, 1, 1, 1]), 1.0, 1.0)
    """
    parts = parts_of(similarity, prior)
    how = search.seed, n_steps, search.n_restarts, search.max_iter, refine
    if has_small_matrix(similarity, prior):
        labels, n_iter, restart_costs, bound, n_vectors = cluster_matrix(
            *parts, costs.birth, similarity.matrix, *how
        )
    else:
        spectrum = relaxed(similarity, prior, costs)
        bound, n_vectors = spectrum.lower_bound, len(spectrum.values)
        labels, n_iter, restart_costs = cluster_vectors(
            spectrum.vectors, *parts, costs.birth, *how, **form_of(similarity)
        )
    cost = min(restart_costs.tolist())
    bound = min(bound, cost)  # equal ones may differ by rounding
    return SpectralFit(labels, cost, bound, n_iter, restart_costs, n_vectors)
