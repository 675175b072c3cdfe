"""KD-Means: coordinate descent on the kernelized cost.

The descent of single rows is compiled (src/core/kernel/kernel_descent.hpp). Alone it stops in poor local
minima: under a bounded kernel no row is farther from a center than a constant, so once all rows are in one
cluster, no single row can pay for a birth. Blocks of rows can. So the descent starts with blocks: a low
birth cost makes small blocks, the blocks are the rows of a smaller problem with a higher birth cost, and so
on up to the true birth cost, where the old clusters take part; then the labels are refined back to the rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from dynmeans._algorithms.batch import Search
from dynmeans._algorithms.coarsening import merge, sample, spread, without_past
from dynmeans._core import kernel_descend
from dynmeans._model.costs import Costs
from dynmeans._model.prior import Prior
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels.base import Similarity

LOWEST_RUNG = 0.25  # first birth cost, as a share of the true one, and of what a row is from the middle
RUNG = 4.0  # from one birth cost to the next
SWEEPS = 3  # over the rows of a block problem: blocks need not be the best ones
SAMPLE = 1024  # rows that blocks are made of


class KernelFit(NamedTuple):
    """One clustering of one batch in slots: 0 .. K-1 are the prior's clusters, those after are newborn."""

    labels: IntArray  # (R,) slot of every representative; newborn ones by weight, then by birth
    cost: float  # Eq. krnmin at these labels
    n_iter: int  # sweeps over the batch until nothing moved
    restart_costs: FloatArray


class _Problem(NamedTuple):
    similarity: Similarity
    gammas: FloatArray  # (K,)
    revival: FloatArray  # (K,)
    birth: float


class _Search(NamedTuple):
    seed: int
    step: int
    restart: int
    max_iter: int


class _Found(NamedTuple):
    labels: IntArray
    cost: float
    n_iter: int


def descend_kernel(
    similarity: Similarity,
    prior: Prior,
    costs: Costs,
    search: Search,
    n_steps: int,
    start: IntArray | None = None,
) -> KernelFit:
    """Descend on Eq. krnmin until no single representative can move and lower the cost.

    Parameters
    ----------
    similarity : Similarity
        Of R representatives and K remembered clusters.
    prior, costs : Prior, Costs
        Weights and revival prices of the remembered clusters, and the birth cost.
    search : Search
        Seed, restarts and sweeps.
    n_steps : int
        Number of the time step; randomness comes from (seed, step number, restart).
    start : ndarray of shape (R,), optional
        Slots to refine in a single descent; -1 for representatives without one, which join first.

    Returns
    -------
    KernelFit
        The cheapest clustering of all restarts. With a complete start it costs no more than that.

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
    >>> fit = descend_kernel(alike, nobody, Costs(0.5, 3.0, 1.0), Search(0, 1, 100, 1), 0)
    >>> len(set(fit.labels[:3])), len(set(fit.labels[3:])), fit.cost
    (1, 1, 1.0)
    """
    problem = _Problem(similarity, prior.gammas, prior.revival, costs.birth)
    if start is not None:
        found = [_descend(problem, _Search(search.seed, n_steps, 0, search.max_iter), start)]
    else:
        found = [
            _restart(problem, _Search(search.seed, n_steps, r, search.max_iter))
            for r in range(search.n_restarts)
        ]
    best = min(found, key=lambda one: one.cost)
    return KernelFit(
        best.labels.astype(np.int64), best.cost, best.n_iter, np.array([one.cost for one in found])
    )


def _restart(problem: _Problem, search: _Search) -> _Found:
    """A descent from blocks; of many rows, from blocks of a sample, which the others join."""
    n_rows = len(problem.similarity.weights)
    if n_rows <= SAMPLE:
        return _from_blocks(problem, _first_price(problem), search)
    rng = np.random.default_rng([search.seed, search.step, search.restart])
    rows = np.sort(rng.choice(n_rows, SAMPLE, replace=False))
    small = problem._replace(similarity=sample(problem.similarity, rows))
    start = np.full(n_rows, -1)
    start[rows] = _from_blocks(small, _first_price(small), search).labels
    return _descend(problem, search, start)


def _first_price(problem: _Problem) -> float:
    """Low enough that a typical row founds a block, and that a block is a small part of a cluster."""
    return LOWEST_RUNG * min(spread(problem.similarity), problem.birth)


def _from_blocks(problem: _Problem, price: float, search: _Search) -> _Found:
    """Cluster blocks that a birth cost of ``price`` makes, then the rows from there."""
    if not 0.0 < price < problem.birth:
        return _descend(problem, search)
    nobody = np.empty(0)
    young = _Problem(without_past(problem.similarity), nobody, nobody, price)
    blocks = _descend(young, search._replace(max_iter=SWEEPS)).labels
    if int(blocks.max()) + 1 == len(blocks):
        return _from_blocks(problem, RUNG * price, search)
    coarse = problem._replace(similarity=merge(problem.similarity, blocks))
    return _descend(problem, search, _from_blocks(coarse, RUNG * price, search).labels[blocks])


def _descend(problem: _Problem, search: _Search, start: IntArray | None = None) -> _Found:
    similarity = problem.similarity
    labels, cost, n_iter = kernel_descend(
        similarity.weights,
        similarity.diagonal,
        similarity.y_phi,
        similarity.phi_phi,
        problem.gammas,
        problem.revival,
        birth=problem.birth,
        seed=search.seed,
        step=search.step,
        restart=search.restart,
        max_iter=search.max_iter,
        start=None if start is None else start.astype(np.int32),
        **form_of(similarity),
    )
    return _Found(labels.astype(np.int64), cost, n_iter)


def form_of(similarity: Similarity) -> dict[str, Any]:
    """K_YY as the core takes it: a matrix, features, or compressed sparse rows."""
    if similarity.features is not None:
        return {"features": similarity.features, "phi_features": similarity.phi_features}
    if isinstance(similarity.matrix, np.ndarray):
        return {"matrix": similarity.matrix}
    rows = csr_array(similarity.matrix)
    return {
        "begin": rows.indptr.astype(np.int64),
        "neighbours": rows.indices.astype(np.int32),
        "values": rows.data,
    }
