"""SD-Means: the algorithm box of the paper for one batch, and a lower bound on the cost of any clustering."""

from __future__ import annotations

from typing import TypedDict

from dynmeans._algorithms.batch import SearchOptions
from dynmeans._algorithms.kernel_space.kdmeans import kernel_form
from dynmeans._algorithms.kernel_space.kernel_fit import KernelFit
from dynmeans._algorithms.kernel_space.relaxation import core_arguments, has_small_matrix, relaxed
from dynmeans._core import cluster_matrix, cluster_vectors
from dynmeans._model.costs import Costs
from dynmeans._model.prior import Prior
from dynmeans.kernels.base import Similarity


class _Options(TypedDict):
    seed: int
    step: int
    n_restarts: int
    max_iter: int
    refine: bool


def cluster_spectral(
    similarity: Similarity,
    prior: Prior,
    costs: Costs,
    search: SearchOptions,
    n_steps: int,
    *,
    refine: bool = True,
) -> KernelFit:
    """Algorithm (spectraldynmeans): relax, round, link and refine; keep the restart of lowest cost.

    Parameters
    ----------
    similarity : Similarity
        Of R representatives and K remembered clusters.
    prior, costs : Prior, Costs
        Weights and revival costs of the remembered clusters, and the birth cost.
    search : SearchOptions
        Number of restarts, maximum number of alternations or sweeps, and the seed.
    n_steps : int
        Number of batches so far; together with the seed, it determines the randomness of the step.
    refine : bool
        Minimize the true cost from each linked clustering, which can only lower it.

    Returns
    -------
    KernelFit
        Slots of the representatives, their cost, and a lower bound on the cost of any clustering.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans._algorithms.batch import SearchOptions
    >>> from dynmeans.kernels.base import Similarity
    >>> from dynmeans._model.costs import Costs
    >>> from dynmeans._model.prior import Prior
    >>> empty = np.empty(0)
    >>> blocks = np.kron(np.eye(2), np.ones((3, 3)))  # two groups of three equal points
    >>> similarity = Similarity(np.ones(6), np.ones(6), np.empty((6, 0)), empty, matrix=blocks)
    >>> empty_prior = Prior(np.empty((0, 1)), empty, empty, empty)
    >>> costs, search = Costs(birth=0.5, lifetime=3.0, drift=1.0), SearchOptions(0, 1, 100, 1)
    >>> fit = cluster_spectral(similarity, empty_prior, costs, search, n_steps=0)
    >>> fit.labels, round(fit.cost, 6), round(fit.lower_bound, 6)
    (array([0, 0, 0, 1, 1, 1]), 1.0, 1.0)
    """
    arguments = core_arguments(similarity, prior, costs.birth)
    options = _Options(
        seed=search.seed,
        step=n_steps,
        n_restarts=search.n_restarts,
        max_iter=search.max_iter,
        refine=refine,
    )
    if has_small_matrix(similarity, prior):
        labels, n_iter, restart_costs, bound, n_vectors = cluster_matrix(
            **arguments, matrix=similarity.matrix, **options
        )
    else:
        spectrum = relaxed(similarity, prior, costs)
        bound, n_vectors = spectrum.lower_bound, len(spectrum.values)
        labels, n_iter, restart_costs = cluster_vectors(
            vectors=spectrum.vectors, **arguments, **options, **kernel_form(similarity)
        )
    cost = min(restart_costs.tolist())
    bound = min(bound, cost)  # equal values may differ by rounding
    return KernelFit(labels, cost, n_iter, restart_costs, lower_bound=bound, n_eigenvectors=n_vectors)
