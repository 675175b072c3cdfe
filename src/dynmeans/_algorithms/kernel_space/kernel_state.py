"""The state in the space of a kernel: remembered clusters with support points, and predictions from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.kernel_space.support import Support, empty_support, kernel_input
from dynmeans._core import unique_rows
from dynmeans._model.costs import Costs
from dynmeans._model.forecast import Forecast, forecast_clusters, prior_of_living
from dynmeans._model.motion import WALK
from dynmeans._model.state import ClusterState, empty_state
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels import Kernel, KernelInput


class KernelState(NamedTuple):
    """The state that is carried from step to step."""

    clusters: ClusterState  # centers are means of rows, for display; without columns for pairwise kernels
    support: Support  # the centers in kernel space; its rows are similarities for a pairwise kernel
    kernel: Kernel  # with all parameters that could be estimated so far
    origins: IntArray  # (M, 2) step and row of each support point of a pairwise kernel; (0, 2) for others


def initial_state(kernel: Kernel, n_features: int) -> KernelState:
    """Return the state before the first batch."""
    columns = 0 if kernel.is_pairwise() else n_features
    return KernelState(empty_state(columns), empty_support(columns), kernel, np.empty((0, 2), dtype=np.int64))


def build_input(memory: KernelState, batch: Batch, n_threads: int = 0) -> KernelInput:
    """Combine a batch with the support points, in the form that the kernel expects."""
    rows = np.asarray(batch.rows, dtype=np.float64)
    weights = np.ones(len(rows)) if batch.weights is None else batch.weights
    inputs = kernel_input(memory.support, memory.clusters.ids, rows, weights)._replace(n_threads=n_threads)
    memory.kernel.check_input(inputs)
    return inputs


def first_batch(kernel: Kernel, batch: Batch, n_threads: int = 0) -> KernelInput:
    """Return the distinct rows of a batch as the input of a first step, without support points."""
    distinct, _ = distinct_rows(kernel, batch)
    return build_input(initial_state(kernel, distinct.rows.shape[1]), distinct, n_threads)


def distinct_rows(kernel: Kernel, batch: Batch) -> tuple[Batch, IntArray]:
    """Merge equal rows; return the distinct rows in lexical order, and the index of each row among them.

    So a row of weight n equals n copies of it, and the order of the rows does not matter.
    """
    if kernel.is_pairwise():
        return batch, np.arange(len(batch.rows))
    rows, weights, row_index = unique_rows(np.asarray(batch.rows, dtype=np.float64), batch.weights)
    return batch._replace(rows=rows, weights=weights), row_index


def squared_distances(memory: KernelState, batch: Batch, n_threads: int = 0) -> FloatArray:
    """Return |omega(y) - phi|^2 of every row and every remembered cluster, (n, K)."""
    similarity = memory.kernel.compare(build_input(memory, batch, n_threads))
    squared = similarity.diagonal[:, None] - 2.0 * similarity.y_phi + similarity.phi_phi
    rows: FloatArray = np.maximum(squared if similarity.group is None else squared[similarity.group], 0.0)
    return rows


def cheapest_slots(memory: KernelState, squared: FloatArray, costs: Costs, now: float) -> IntArray:
    """Return the clusters (n,) of least cost for single rows, from their squared distances (n, K)."""
    prior = prior_of_living(memory.clusters, now, costs, WALK)
    cost = prior.gammas / (prior.gammas + 1.0) * squared + prior.revival
    slots: IntArray = cost.argmin(axis=1)
    return slots


def forecast(memory: KernelState, costs: Costs, now: float) -> Forecast:
    """Predict the clusters to a time; their support points do not move before the next batch."""
    clusters = forecast_clusters(memory.clusters, now, costs, WALK)
    if memory.kernel.is_pairwise():
        return clusters
    support = tuple(memory.support.rows[memory.support.ids == k] for k in clusters.ids)
    return clusters._replace(support=support)
