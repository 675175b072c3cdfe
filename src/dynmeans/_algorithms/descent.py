"""The descent of D-Means on one batch, which is compiled (`src/core/dmeans/descent.hpp`)."""

from __future__ import annotations

from dynmeans._algorithms.batch import Batch, SearchOptions
from dynmeans._core import descend
from dynmeans._model.costs import Costs
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior


def descend_batch(batch: Batch, prior: Prior, costs: Costs, search: SearchOptions, n_steps: int) -> Fit:
    """Minimize the cost from several random orders; randomness comes from (seed, step number, restart)."""
    fields = descend(
        X=batch.rows,
        weights=batch.weights,
        centers=prior.centers,
        gammas=prior.gammas,
        revival=prior.revival,
        birth=costs.birth,
        seed=search.seed,
        step=n_steps,
        n_restarts=search.n_restarts,
        max_iter=search.max_iter,
        n_threads=search.n_threads,
        refine=search.refine,
    )
    return Fit._make(fields)
