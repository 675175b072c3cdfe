"""KD-Means: coordinate descent on the kernelized cost.

The descent of single rows is compiled (src/core/kernel/kernel_descent.hpp). Alone it stops in poor local
minima: under a bounded kernel no row is farther from a center than a constant, so once all rows are in one
cluster, moving a single row never saves a birth cost. Moving a block of rows may. So the descent starts with
blocks. A low birth cost makes small blocks. The blocks are the rows of a smaller problem with a higher birth
cost, and so on up to the true birth cost, where the old clusters are included. Then the labels are refined
back to the rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from dynmeans._algorithms.batch import SearchOptions
from dynmeans._algorithms.kernel_space.coarsening import mean_squared_deviation, merge, sample, without_past
from dynmeans._algorithms.kernel_space.kernel_fit import KernelFit
from dynmeans._core import kernel_descend
from dynmeans._model.costs import Costs
from dynmeans._model.prior import Prior
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels.base import Similarity

LOWEST_SHARE = 0.25  # first birth cost, relative to the true one and to the mean squared deviation of a row
GROWTH = 4.0  # ratio of successive birth costs
SWEEPS = 3  # number of sweeps over the rows of a block problem: blocks need not be optimal
SAMPLE = 1024  # number of rows from which blocks are formed


class _Problem(NamedTuple):
    similarity: Similarity
    gammas: FloatArray  # (K,)
    revival: FloatArray  # (K,)
    birth: float


class _Descent(NamedTuple):
    seed: int
    step: int
    restart: int
    max_iter: int


def descend_kernel(
    similarity: Similarity,
    prior: Prior,
    costs: Costs,
    search: SearchOptions,
    n_steps: int,
    start: IntArray | None = None,
) -> KernelFit:
    """Minimize Eq. krnmin until moving any single representative would not lower the cost.

    Parameters
    ----------
    similarity : Similarity
        Of R representatives and K remembered clusters.
    prior, costs : Prior, Costs
        Weights and revival costs of the remembered clusters, and the birth cost.
    search : SearchOptions
        Seed, restarts and sweeps.
    n_steps : int
        Number of the time step; randomness comes from (seed, step number, restart).
    start : ndarray of shape (R,), optional
        Initial slots for a single descent; representatives with -1 are assigned first.

    Returns
    -------
    KernelFit
        The best clustering of all restarts. Its cost is at most that of a complete start.

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
    >>> fit = descend_kernel(similarity, empty_prior, Costs(0.5, 3.0, 1.0), SearchOptions(0, 1, 100, 1), 0)
    >>> len(set(fit.labels[:3])), len(set(fit.labels[3:])), fit.cost
    (1, 1, 1.0)
    """
    problem = _Problem(similarity, prior.gammas, prior.revival, costs.birth)
    if start is not None:
        found = [_descend(problem, _Descent(search.seed, n_steps, 0, search.max_iter), start)]
    else:
        found = [
            _restart(problem, _Descent(search.seed, n_steps, r, search.max_iter))
            for r in range(search.n_restarts)
        ]
    best = min(found, key=lambda one: one.cost)
    return best._replace(restart_costs=np.array([one.cost for one in found]))


def _restart(problem: _Problem, options: _Descent) -> KernelFit:
    """Run one descent from blocks; for large batches, from blocks of a sample."""
    n_rows = len(problem.similarity.weights)
    if n_rows <= SAMPLE:
        return _from_blocks(problem, _first_birth_cost(problem), options)
    rng = np.random.default_rng([options.seed, options.step, options.restart])
    rows = np.sort(rng.choice(n_rows, SAMPLE, replace=False))
    small = problem._replace(similarity=sample(problem.similarity, rows))
    start = np.full(n_rows, -1)
    start[rows] = _from_blocks(small, _first_birth_cost(small), options).labels
    return _descend(problem, options, start)


def _first_birth_cost(problem: _Problem) -> float:
    """Return a birth cost at which a typical row forms a block, and a block is a small part of a cluster."""
    return LOWEST_SHARE * min(mean_squared_deviation(problem.similarity), problem.birth)


def _from_blocks(problem: _Problem, birth: float, options: _Descent) -> KernelFit:
    """Form blocks at the birth cost ``birth``, cluster the blocks, then refine the labels of the rows."""
    if not 0.0 < birth < problem.birth:
        return _descend(problem, options)
    empty = np.empty(0)
    without_prior = _Problem(without_past(problem.similarity), empty, empty, birth)
    blocks = _descend(without_prior, options._replace(max_iter=SWEEPS)).labels
    if int(blocks.max()) + 1 == len(blocks):
        return _from_blocks(problem, GROWTH * birth, options)
    coarse = problem._replace(similarity=merge(problem.similarity, blocks))
    return _descend(problem, options, _from_blocks(coarse, GROWTH * birth, options).labels[blocks])


def _descend(problem: _Problem, options: _Descent, start: IntArray | None = None) -> KernelFit:
    similarity = problem.similarity
    labels, cost, n_iter = kernel_descend(
        similarity.weights,
        similarity.diagonal,
        similarity.y_phi,
        similarity.phi_phi,
        problem.gammas,
        problem.revival,
        birth=problem.birth,
        seed=options.seed,
        step=options.step,
        restart=options.restart,
        max_iter=options.max_iter,
        start=None if start is None else start.astype(np.int32),
        **kernel_form(similarity),
    )
    return KernelFit(labels.astype(np.int64), cost, n_iter, np.full(1, cost))


def kernel_form(similarity: Similarity) -> dict[str, Any]:
    """Return K_YY as arguments of the compiled functions: a matrix, features, or compressed sparse rows."""
    if similarity.features is not None:
        return {"features": similarity.features, "phi_features": similarity.phi_features}
    if isinstance(similarity.matrix, np.ndarray):
        return {"matrix": similarity.matrix}
    rows = csr_array(similarity.matrix)
    return {
        "begin": rows.indptr.astype(np.int64),
        "neighbors": rows.indices.astype(np.int32),
        "values": rows.data,
    }
