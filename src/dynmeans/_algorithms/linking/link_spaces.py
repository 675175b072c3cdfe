"""Spaces in which `PersistentIds` compares clusters: rows, directions, and the features of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from scipy.spatial.distance import cdist

from dynmeans._algorithms.batch import Batch, Rows
from dynmeans._algorithms.kernel_space import kernel_state, kernel_step
from dynmeans._algorithms.kernel_space.kernel_state import (
    KernelState,
    cheapest_slots,
    initial_state,
    squared_distances,
)
from dynmeans._algorithms.linking.link_birth_cost import (
    KernelScale,
    RowScale,
    empty_row_scale,
    update_kernel_scale,
    update_row_scale,
)
from dynmeans._algorithms.linking.link_step import (
    BatchClusters,
    link_kernel,
    link_rows,
)
from dynmeans._algorithms.linking.shared_items import ItemMemory, SharedItems, empty_item_memory
from dynmeans._algorithms.linking.sphere_linking import (
    AngleScale,
    link_directions,
    update_angle_scale,
)
from dynmeans._algorithms.sphere import unit_rows
from dynmeans._core import cheapest_clusters
from dynmeans._model.costs import Costs
from dynmeans._model.forecast import Forecast, forecast_clusters, prior_of_living
from dynmeans._model.lifecycle import StepResult, pass_time
from dynmeans._model.motion import WALK, Motion
from dynmeans._model.state import ClusterState, empty_state
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels.base import Kernel

RememberedState: TypeAlias = ClusterState | KernelState
Scale: TypeAlias = RowScale | AngleScale | KernelScale


class LinkState(NamedTuple):
    """The state of `PersistentIds` that is carried from step to step."""

    remembered: RememberedState
    scale: Scale
    memory: ItemMemory

    @property
    def clusters(self) -> ClusterState:
        """The remembered clusters."""
        return self.remembered.clusters if isinstance(self.remembered, KernelState) else self.remembered


class LinkStep(NamedTuple):
    """One batch to be linked."""

    groups: BatchClusters
    costs: Costs
    estimated: Callable[[float | None], Costs]  # costs, given an estimate of the birth cost
    shared: SharedItems | None


class LinkSpace(Protocol):
    """Space in which clusters are compared."""

    @property
    def by_row(self) -> bool:
        """Whether noise joins the cluster of the nearest row, rather than that of the nearest mean."""

    def initial_state(self, n_features: int) -> LinkState:
        """Return the state before the first batch."""

    def embed(self, rows: Rows) -> Rows:
        """Return the rows (n, d) of the space."""

    def link(self, state: Any, step: LinkStep) -> tuple[LinkState, StepResult]:
        """Run one time step."""

    def pass_time(self, state: Any, costs: Costs, now: float) -> tuple[RememberedState, StepResult]:
        """Run one time step without rows."""

    def forecast(self, state: Any, costs: Costs, now: float) -> Forecast:
        """Predict the clusters to a time."""

    def cheapest(self, state: Any, rows: Rows, costs: Costs, now: float) -> IntArray:
        """Return the cluster (n,) of least cost for each single embedded row."""

    def distances(self, state: Any, rows: Rows) -> FloatArray:
        """Return the distances (n, K) of embedded rows to the remembered clusters."""


class RowLinks(NamedTuple):
    """Compare means by squared distance."""

    motion: Motion
    by_row: bool = False

    def initial_state(self, n_features: int) -> LinkState:
        """Return the state before the first batch."""
        return LinkState(empty_state(n_features), empty_row_scale(n_features), empty_item_memory())

    def embed(self, rows: Rows) -> Rows:
        """Return the rows."""
        return rows

    def link(self, state: Any, step: LinkStep) -> tuple[LinkState, StepResult]:
        """Run one time step."""
        scale = update_row_scale(state.scale, step.groups, state.remembered, self.motion)
        costs = step.estimated(scale.birth_cost())
        result = link_rows(state.remembered, step.groups, costs, self.motion, step.shared)
        return state._replace(remembered=result.state, scale=scale), result

    def pass_time(self, state: Any, costs: Costs, now: float) -> tuple[RememberedState, StepResult]:
        """Run one time step without rows."""
        result = pass_time(state.remembered, costs, self.motion, now)
        return result.state, result

    def forecast(self, state: Any, costs: Costs, now: float) -> Forecast:
        """Predict the clusters to a time."""
        return forecast_clusters(state.remembered, now, costs, self.motion)

    def cheapest(self, state: Any, rows: Rows, costs: Costs, now: float) -> IntArray:
        """Return the cluster of least cost for each row that comes alone."""
        prior = prior_of_living(state.remembered, now, costs, self.motion)
        slots = cheapest_clusters(rows, prior.centers, prior.gammas, prior.revival, 1)
        return slots.astype(np.int64)

    def distances(self, state: Any, rows: Rows) -> FloatArray:
        """Return Euclidean distances."""
        found: FloatArray = cdist(rows, state.remembered.centers).astype(rows.dtype, copy=False)
        return found


class CosineLinks(NamedTuple):
    """Compare mean directions by 1 - cos."""

    scale: float  # g, weight of 1 - cos in the cost of a link
    by_row: bool = False

    def initial_state(self, n_features: int) -> LinkState:
        """Return the state before the first batch."""
        return LinkState(empty_state(n_features), AngleScale(0.0, 0.0), empty_item_memory())

    def embed(self, rows: Rows) -> Rows:
        """Return the rows as unit vectors."""
        return unit_rows(rows)

    def link(self, state: Any, step: LinkStep) -> tuple[LinkState, StepResult]:
        """Run one time step."""
        scale = update_angle_scale(state.scale, step.groups)
        costs = step.estimated(scale.birth_cost())
        result = link_directions(state.remembered, step.groups, costs, self.scale, step.shared)
        return state._replace(remembered=result.state, scale=scale), result

    def pass_time(self, state: Any, costs: Costs, now: float) -> tuple[RememberedState, StepResult]:
        """Run one time step without rows."""
        result = pass_time(state.remembered, costs, WALK, now)
        return result.state, result

    def forecast(self, state: Any, costs: Costs, now: float) -> Forecast:
        """Predict the clusters to a time."""
        return forecast_clusters(state.remembered, now, costs, WALK)

    def cheapest(self, state: Any, rows: Rows, costs: Costs, now: float) -> IntArray:
        """Return the cluster of least cost Q dt + g (1 - cos) for each single row."""
        prior = prior_of_living(state.remembered, now, costs, WALK)
        cost = self.scale * (1.0 - rows @ prior.centers.T) + prior.revival
        slots: IntArray = cost.argmin(axis=1)
        return slots

    def distances(self, state: Any, rows: Rows) -> FloatArray:
        """Return 1 - cos."""
        found: FloatArray = np.maximum(1.0 - rows @ state.remembered.centers.T, 0.0)
        return found.astype(rows.dtype, copy=False)


class KernelLinks(NamedTuple):
    """Compare clusters in the space of a kernel."""

    kernel: Kernel
    budget: int
    is_aligned: bool
    by_row: bool = True

    def initial_state(self, n_features: int) -> LinkState:
        """Return the state before the first batch."""
        return LinkState(initial_state(self.kernel, n_features), KernelScale(0.0, 0.0), empty_item_memory())

    def embed(self, rows: Rows) -> Rows:
        """Return the rows."""
        return rows

    def link(self, state: Any, step: LinkStep) -> tuple[LinkState, StepResult]:
        """Run one time step."""
        groups = step.groups
        if len(groups.rows) == 0:
            costs = step.estimated(state.scale.birth_cost())
            remembered, result = kernel_step.pass_time(state.remembered, costs, groups.time)
            return state._replace(remembered=remembered), groups.labeled(result)
        batch = Batch(groups.rows, groups.weights, groups.time)
        comparison = kernel_step.compare_batch(state.remembered, batch, step.costs, self.is_aligned)
        scale = update_kernel_scale(state.scale, groups, comparison)
        costs = step.estimated(scale.birth_cost())
        remembered, result = link_kernel(
            state.remembered, groups, comparison, costs, self.budget, step.shared
        )
        return state._replace(remembered=remembered, scale=scale), result

    def pass_time(self, state: Any, costs: Costs, now: float) -> tuple[RememberedState, StepResult]:
        """Run one time step without rows."""
        return kernel_step.pass_time(state.remembered, costs, now)

    def forecast(self, state: Any, costs: Costs, now: float) -> Forecast:
        """Predict the clusters to a time."""
        return kernel_state.forecast(state.remembered, costs, now)

    def cheapest(self, state: Any, rows: Rows, costs: Costs, now: float) -> IntArray:
        """Return the cluster of least cost for each row that comes alone."""
        return cheapest_slots(state.remembered, self.distances(state, rows) ** 2, costs, now)

    def distances(self, state: Any, rows: Rows) -> FloatArray:
        """Return distances in the space of the kernel."""
        return np.sqrt(squared_distances(state.remembered, Batch(rows, None, state.clusters.clock)))
