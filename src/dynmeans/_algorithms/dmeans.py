"""D-Means: the algorithm box of the paper."""

from __future__ import annotations

import numpy as np

from dynmeans._algorithms.batch import Batch, Search
from dynmeans._algorithms.relaxation import relaxed
from dynmeans._algorithms.split_merge_events import Places, add_split_merge_events
from dynmeans._core import descend
from dynmeans._model.costs import Costs
from dynmeans._model.lifecycle import StepResult, update_state
from dynmeans._model.motion import Motion
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior, predict_prior
from dynmeans._model.state import ClusterState
from dynmeans._model.types import FloatArray
from dynmeans.kernels.base import Similarity


def step(
    state: ClusterState, batch: Batch, costs: Costs, motion: Motion, search: Search, *, certify: bool = False
) -> StepResult:
    """Algorithm (dynmeans): one time step, from the memory and a batch to the next memory and a report."""
    prior = predict_prior(state, batch.time, costs, motion)
    fit = cluster(batch, prior, costs, search, state.n_steps)
    rolled = update_state(state, prior, fit, costs, motion, batch.time)
    rolled = add_split_merge_events(rolled, state, fit, batch.weights, Places(batch.rows, prior.centers))
    if not certify:
        return rolled
    bound = min(lower_bound(batch, prior, costs), fit.cost)
    return rolled._replace(report=rolled.report._replace(lower_bound=bound))


def cluster(batch: Batch, prior: Prior, costs: Costs, search: Search, n_steps: int) -> Fit:
    """Descend from several random orders; randomness comes from (seed, step number, restart)."""
    found = descend(
        batch.rows,
        batch.weights,
        prior.centers,
        prior.gammas,
        prior.revival,
        birth=costs.birth,
        seed=search.seed,
        step=n_steps,
        n_restarts=search.n_restarts,
        max_iter=search.max_iter,
        n_threads=search.n_threads,
        refine=search.refine,
    )
    return Fit(*found)


def lower_bound(batch: Batch, prior: Prior, costs: Costs) -> float:
    """No clustering of the batch costs less: the spectral relaxation with the linear kernel.

    The relaxation depends on the origin, the cost does not; the mean of the batch is a good one.
    """
    weights = np.ones(len(batch.rows)) if batch.weights is None else batch.weights
    rows: FloatArray = np.asarray(batch.rows, dtype=np.float64)
    middle = weights @ rows / weights.sum()
    rows, centers = rows - middle, prior.centers - middle
    similarity = Similarity(
        weights=weights,
        diagonal=np.einsum("ij,ij->i", rows, rows),
        y_phi=rows @ centers.T,
        phi_phi=np.einsum("kj,kj->k", centers, centers),
        features=rows,
        phi_features=centers,
    )
    return relaxed(similarity, prior, costs).lower_bound
