"""SD-Means: the algorithm box of the paper for one batch, and a bound on what any clustering of it costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynmeans.algorithms.batch import Search
from dynmeans.algorithms.kdmeans import descend_kernel
from dynmeans.algorithms.kernel_objective import kernel_cost
from dynmeans.algorithms.matching import link
from dynmeans.algorithms.rounding import Embedding, Rounded, embed, largest_row, random_row, round_to_labels
from dynmeans.algorithms.spectrum import relaxed
from dynmeans.kernels.base import Similarity
from dynmeans.model.costs import Costs
from dynmeans.model.prior import Prior
from dynmeans.model.types import FloatArray, IntArray

CLEAR = 0.98  # mean cosine of rows with their axes above which other first rows lead to the same axes


class SpectralFit(NamedTuple):
    """One clustering of one batch, with a certificate."""

    labels: IntArray  # (R,) slots of the representatives: 0..K-1 are the prior's clusters, then newborn
    cost: float  # Eq. krnmin at these labels, the lowest of all restarts
    lower_bound: float  # no labels cost less
    n_iter: int  # alternations of the rounding and sweeps of the refinement, of the restart that won
    restart_costs: FloatArray  # (n_restarts,)
    n_eigenvectors: int  # above the birth cost, at least 1


class _Trial(NamedTuple):
    """One restart."""

    labels: IntArray  # (R,) slots
    cost: float
    n_iter: int


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
    >>> from dynmeans.algorithms.batch import Search
    >>> from dynmeans.kernels.base import Similarity
    >>> from dynmeans.model.costs import Costs
    >>> from dynmeans.model.prior import Prior
    >>> none = np.empty(0)
    >>> blocks = np.kron(np.eye(2), np.ones((3, 3)))  # two groups of three equal points
    >>> alike = Similarity(np.ones(6), np.ones(6), np.empty((6, 0)), none, matrix=blocks)
    >>> nobody = Prior(np.empty((0, 1)), none, none, none, None)
    >>> costs, search = Costs(birth=0.5, lifetime=3.0, drift=1.0), Search(0, 1, 100, 1)
    >>> fit = cluster_spectral(alike, nobody, costs, search, n_steps=0)
    >>> fit.labels, round(fit.cost, 6), round(fit.lower_bound, 6)
    (array([0, 0, 0, 1, 1, 1]), 1.0, 1.0)
    """
    spectrum = relaxed(similarity, prior, costs)
    embedding = embed(spectrum.vectors, similarity.weights, prior.gammas)
    roundings = _roundings(embedding, search, n_steps)

    def finish(rounded: Rounded) -> _Trial:
        slots = link(rounded.labels, similarity, prior, costs)
        if not refine:
            return _Trial(slots, kernel_cost(similarity, slots, prior, costs), rounded.n_iter)
        fit = descend_kernel(similarity, prior, costs, search, n_steps, start=slots)
        return _Trial(fit.labels, fit.cost, rounded.n_iter + fit.n_iter)

    trials = _once_each(roundings, finish)
    best = min(trials, key=lambda trial: trial.cost)
    return SpectralFit(
        labels=best.labels,
        cost=best.cost,
        lower_bound=min(spectrum.lower_bound, best.cost),  # equal ones may differ by rounding
        n_iter=best.n_iter,
        restart_costs=np.array([trial.cost for trial in trials]),
        n_eigenvectors=len(spectrum.values),
    )


def _roundings(embedding: Embedding, search: Search, n_steps: int) -> list[Rounded]:
    """Round from the safest row first, then from random ones, unless the first leaves nothing to improve."""
    first = round_to_labels(embedding, largest_row(embedding), search.max_iter)
    if first.clarity > CLEAR:
        return [first] * search.n_restarts
    rngs = [np.random.default_rng([search.seed, n_steps, restart]) for restart in range(1, search.n_restarts)]
    rows = [random_row(embedding, rng) for rng in rngs]
    return [first, *(round_to_labels(embedding, row, search.max_iter) for row in rows)]


def _once_each(roundings: list[Rounded], finish: Callable[[Rounded], _Trial]) -> list[_Trial]:
    """Finish every restart; many round to the same partition, which is worked on only once."""
    trials: dict[bytes, _Trial] = {}
    for rounded in roundings:
        key = rounded.labels.tobytes()
        if key not in trials:
            trials[key] = finish(rounded)
    return [trials[rounded.labels.tobytes()] for rounded in roundings]
