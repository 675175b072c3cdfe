"""D-Means: the algorithm box of the paper."""

from __future__ import annotations

import numpy as np

from dynmeans._algorithms.batch import Batch, SearchOptions
from dynmeans._algorithms.descent import descend_batch
from dynmeans._algorithms.exclusive import assign_rows, assign_with_duplicates
from dynmeans._algorithms.kernel_space.relaxation import relaxed
from dynmeans._algorithms.split_merge_events import RowSpace, add_split_merge_events
from dynmeans._model.costs import Costs
from dynmeans._model.lifecycle import NO_DIAGNOSTICS, StepDiagnostics, StepResult, update_state
from dynmeans._model.motion import Motion
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior, predict_prior
from dynmeans._model.state import ClusterState
from dynmeans._model.types import FloatArray
from dynmeans.kernels.base import Similarity


def step(
    state: ClusterState,
    batch: Batch,
    costs: Costs,
    motion: Motion,
    search: SearchOptions,
    *,
    certify: bool = False,
) -> StepResult:
    """Algorithm (dynmeans): one time step, from a state and a batch to the next state and a report."""
    prior = predict_prior(state, batch.time, costs, motion)
    fit = cluster(batch, prior, costs, search, state.n_steps)
    is_optimal = search.exclusive and not search.duplicates
    known = NO_DIAGNOSTICS
    if is_optimal or certify:
        bound = fit.cost if is_optimal else min(lower_bound(batch, prior, costs), fit.cost)
        known = StepDiagnostics(lower_bound=bound)
    result = update_state(state, prior, fit, costs, motion, batch.time, diagnostics=known)
    if is_optimal or not result.events:  # a single row neither splits nor merges
        return result
    return add_split_merge_events(result, state, fit, batch.weights, RowSpace(batch.rows, prior.centers))


def cluster(batch: Batch, prior: Prior, costs: Costs, search: SearchOptions, n_steps: int) -> Fit:
    """Minimize the cost: by descent from several random orders, or exactly for one row per cluster."""
    if search.exclusive and search.duplicates:
        return assign_with_duplicates(batch, prior, costs, search, n_steps)
    if search.exclusive:
        return assign_rows(batch, prior, costs)
    return descend_batch(batch, prior, costs, search, n_steps)


def lower_bound(batch: Batch, prior: Prior, costs: Costs) -> float:
    """Return a lower bound on the cost of any clustering: the spectral relaxation with the linear kernel.

    Unlike the cost, the relaxation depends on the origin. The mean of the batch is a good origin.
    """
    weights = np.ones(len(batch.rows)) if batch.weights is None else batch.weights
    rows: FloatArray = np.asarray(batch.rows, dtype=np.float64)
    mean = weights @ rows / weights.sum()
    rows, centers = rows - mean, prior.centers - mean
    similarity = Similarity(
        weights=weights,
        diagonal=np.einsum("ij,ij->i", rows, rows),
        y_phi=rows @ centers.T,
        phi_phi=np.einsum("kj,kj->k", centers, centers),
        features=rows,
        phi_features=centers,
    )
    return relaxed(similarity, prior, costs).lower_bound
