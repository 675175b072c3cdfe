"""One time step in the space of a kernel, shared by KD-Means and SD-Means."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, cast

import numpy as np

from dynmeans._algorithms.batch import Batch, SearchOptions
from dynmeans._algorithms.cluster_stats import fit_slots
from dynmeans._algorithms.kernel_space.align import align
from dynmeans._algorithms.kernel_space.kernel_fit import KernelFit
from dynmeans._algorithms.kernel_space.kernel_state import KernelState, build_input, distinct_rows
from dynmeans._algorithms.kernel_space.numbered_kernel import number_points
from dynmeans._algorithms.kernel_space.support import (
    Support,
    keep_ids,
    update_support,
)
from dynmeans._algorithms.kernel_space.support_selection import Selection
from dynmeans._algorithms.split_merge_events import KernelSpace, add_split_merge_events
from dynmeans._model.costs import Costs
from dynmeans._model.lifecycle import StepDiagnostics, StepResult, slot_ids, update_state
from dynmeans._model.lifecycle import pass_time as pass_time_of_clusters
from dynmeans._model.motion import WALK
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior, predict_prior
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels import Kernel, KernelInput, Precomputed, Similarity

Clusterer = Callable[[Similarity, Prior, Costs, SearchOptions, int], KernelFit]


class KernelOptions(NamedTuple):
    """Options of a step."""

    cluster: Clusterer
    budget: int  # maximum number of support points per cluster
    selection: Selection
    aligned: bool  # support points are shifted to the batch first


class BatchComparison(NamedTuple):
    """A batch compared with the remembered clusters."""

    inputs: KernelInput
    kernel: Kernel  # with the parameters that were estimated from this batch
    similarity: Similarity
    prior: Prior
    shifts: FloatArray | None  # (K, d) of the support points, if they were aligned


def step(
    memory: KernelState, batch: Batch, costs: Costs, search: SearchOptions, options: KernelOptions
) -> tuple[KernelState, StepResult]:
    """Run one time step and return the next state and the result."""
    batch, row_index = distinct_rows(memory.kernel, batch)
    comparison = compare_batch(memory, batch, costs, options.aligned, search.n_threads)
    fit = options.cluster(comparison.similarity, comparison.prior, costs, search, memory.clusters.n_steps)
    return finalize_step(
        memory,
        comparison,
        fit,
        costs,
        batch.time,
        budget=options.budget,
        selection=options.selection,
        row_index=row_index,
    )


def pass_time(memory: KernelState, costs: Costs, now: float) -> tuple[KernelState, StepResult]:
    """Run one time step without rows; see `dynmeans._model.lifecycle.pass_time`."""
    result = pass_time_of_clusters(memory.clusters, costs, WALK, now)
    if len(result.report.died) == 0:
        return memory._replace(clusters=result.state), result
    support, origins = keep_ids(memory.support, result.state.ids), memory.origins
    if memory.kernel.is_pairwise():
        left = np.isin(memory.support.ids, result.state.ids)
        support, origins = support._replace(rows=np.ascontiguousarray(support.rows[:, left])), origins[left]
    return KernelState(result.state, support, memory.kernel, origins), result


def compare_batch(
    memory: KernelState, batch: Batch, costs: Costs, aligned: bool, n_threads: int = 0
) -> BatchComparison:
    """Compare a batch with the remembered clusters; with ``aligned``, shift their support points first."""
    prior = predict_prior(memory.clusters, batch.time, costs, WALK)
    inputs = build_input(memory, batch, n_threads)
    kernel = memory.kernel.fitted(inputs)
    inputs, shifts = align(inputs) if aligned else (inputs, None)
    prior = prior if shifts is None else prior._replace(centers=prior.centers + shifts)
    return BatchComparison(inputs, kernel, kernel.compare(inputs), prior, shifts)


def finalize_step(
    memory: KernelState,
    comparison: BatchComparison,
    kernel_fit: KernelFit,
    costs: Costs,
    now: float,
    *,
    budget: int,
    selection: Selection = "greedy",
    row_index: IntArray | None = None,
) -> tuple[KernelState, StepResult]:
    """Update the state after the clustering of a batch.

    Parameters
    ----------
    memory, comparison : KernelState, BatchComparison
        The state before the step, and its comparison with the batch.
    kernel_fit : KernelFit
        Labels of the representatives or of the rows.
    costs, now : Costs, float
        Costs and event time of the step.
    budget, selection : int, Selection
        Maximum number of support points per cluster, and how they are selected.
    row_index : ndarray of shape (n,), optional
        See `update_state`.
    """
    inputs, prior, similarity = comparison.inputs, comparison.prior, comparison.similarity
    slots = kernel_fit.labels
    if len(slots) != len(inputs.rows):
        slots = similarity.expand(slots)
    rows = inputs.rows[:, : memory.clusters.centers.shape[1]]
    fit = fit_slots(slots, rows, inputs.weights, prior)._replace(
        cost=kernel_fit.cost, n_iter=kernel_fit.n_iter, restart_costs=kernel_fit.restart_costs
    )
    support, errors = _updated_support(memory, comparison, fit, budget, selection)
    diagnostics = StepDiagnostics(kernel_fit.lower_bound, comparison.shifts, errors)
    result = update_state(
        state=memory.clusters,
        prior=prior,
        fit=fit,
        costs=costs,
        motion=WALK,
        now=now,
        row_index=row_index,
        diagnostics=diagnostics,
    )
    result = add_split_merge_events(result, memory.clusters, fit, inputs.weights, KernelSpace(similarity))
    return _next_state(memory, comparison, support, result), result


def _updated_support(
    memory: KernelState, comparison: BatchComparison, fit: Fit, budget: int, selection: Selection
) -> tuple[Support, FloatArray]:
    """Return the support points of all slots after the step, and the errors of the active slots.

    For a pairwise kernel, each support row holds the number of a point: support points, then rows of the
    batch.
    """
    support, inputs, kernel = memory.support, comparison.inputs, comparison.kernel
    if kernel.is_pairwise():
        support, inputs, kernel = number_points(kernel, support, inputs)
    updated, errors = update_support(
        support,
        inputs,
        kernel,
        slots=fit.slots,
        ids=slot_ids(memory.clusters, len(fit.slot_weights)),
        gammas=comparison.prior.gammas,
        slot_weights=fit.slot_weights,
        budget=budget,
        method=selection,
        distinct=comparison.similarity.distinct,
    )
    return updated, errors[fit.slot_weights.nonzero()]


def _next_state(
    memory: KernelState, comparison: BatchComparison, support: Support, result: StepResult
) -> KernelState:
    """Return the state for the next step, with the support points of the surviving clusters."""
    if len(result.report.died) > 0:
        support = keep_ids(support, result.state.ids)
    kernel = comparison.kernel
    if not kernel.is_pairwise():
        return KernelState(result.state, support, kernel, memory.origins)
    chosen = support.rows[:, 0].astype(np.int64)
    n = len(comparison.inputs.rows)
    rows = np.stack([np.full(n, result.report.step), np.arange(n)], axis=1)
    return KernelState(
        result.state,
        support._replace(rows=cast(Precomputed, kernel).submatrix(comparison.inputs, chosen)),
        kernel,
        np.concatenate([memory.origins, rows])[chosen],
    )
