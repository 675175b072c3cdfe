"""Base class of KD-Means and SD-Means."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dynmeans._algorithms.batch import Batch, Rows, SearchOptions
from dynmeans._algorithms.estimation.birth_cost import (
    N_ESTIMATION_BATCHES,
    estimate_birth_cost,
    pooled_birth_cost,
)
from dynmeans._algorithms.kernel_space.kernel_birth_cost import estimate_birth_share
from dynmeans._algorithms.kernel_space.kernel_fit import KernelFit
from dynmeans._algorithms.kernel_space.kernel_state import (
    KernelState,
    cheapest_slots,
    first_batch,
    forecast,
    initial_state,
    squared_distances,
)
from dynmeans._algorithms.kernel_space.kernel_step import KernelOptions, pass_time, step
from dynmeans._algorithms.kernel_space.support_selection import SELECTIONS, Selection
from dynmeans._model.costs import AgingDefaults, Costs, drift_from_reach
from dynmeans._model.forecast import Forecast
from dynmeans._model.prior import Prior
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.estimators._parameters.cost_parameters import is_birth_cost_final, search_options, step_costs
from dynmeans.estimators._parameters.estimates import Estimates, updated_birth_costs
from dynmeans.estimators._parameters.resolved_parameters import ResolvedParameters
from dynmeans.estimators._shell.base import BatchClusterer, StepOutput
from dynmeans.estimators._validation import valid_count, valid_flag, valid_rows, valid_threads
from dynmeans.kernels import Kernel, Similarity, get_kernel

MOTIONS = ("walk", "align")

# Under a bounded kernel, even the points of a cluster lie at a distance from its center, and the old center
# may be as far away.
KERNEL_AGING = AgingDefaults(lifetime=12.0, reach=5.0)


class KernelClusterer(BatchClusterer):
    """A clusterer of batches in the space of a kernel; a subclass implements the clustering of one batch."""

    kernel: Any
    birth_cost: float | str
    reach: float | None
    aging_cost: float | None
    drift: float | None
    relative: bool | None
    motion: str
    budget: int
    selection: Selection
    n_jobs: int | None
    history_size: int

    @abstractmethod
    def _cluster(
        self, similarity: Similarity, prior: Prior, costs: Costs, search: SearchOptions, n_steps: int
    ) -> KernelFit:
        """Cluster one batch, given its similarities."""

    def transform(self, X: Any) -> FloatArray:
        """Return the distances to all remembered clusters in kernel space, in the order of their ids."""
        check_is_fitted(self)
        state = self._state  # read once: another thread may run a step meanwhile
        return np.sqrt(self._squared_distances(state, self._read(X, reset=False)))

    @property
    def kept_rows_(self) -> IntArray:
        """Step and row of every support point (M, 2), in the order of the columns of the next kernel matrix.

        Without rows for kernels that are not precomputed.
        """
        self._require_fitted()
        origins: IntArray = self._state.origins
        return origins

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = _is_pairwise(self.kernel)
        return tags

    def _initial_state(self, n_features: int) -> KernelState:
        return initial_state(self._kernel(), n_features)

    def _resolve(
        self, state: KernelState | None, estimates: Estimates | None, seed: int
    ) -> ResolvedParameters:
        history_size = valid_count("history_size", self.history_size, 0)
        self._check_parameters()
        births = () if estimates is None else estimates.birth_costs
        costs = step_costs(self, pooled_birth_cost(births), KERNEL_AGING)
        if self._is_relative():
            costs = costs.scaled_to_batch(1.0)
        return ResolvedParameters(costs, search_options(self, seed), history_size, self._is_final(births))

    def _learn(self, old: Estimates | None, batch: Batch, seed: int) -> Estimates:
        known = Estimates() if old is None else old
        births = updated_birth_costs(
            known.birth_costs,
            batch,
            lambda rows: self._estimate_birth_cost(rows, seed),
            is_final=self._is_final(known.birth_costs),
        )
        return known if births is known.birth_costs else Estimates(births)

    def _cluster_batch(self, state: KernelState, batch: Batch, resolved: ResolvedParameters) -> StepOutput:
        if len(batch.rows) == 0:
            return self._pass_time(state, batch.time, resolved.costs)
        options = KernelOptions(self._cluster, self.budget, self.selection, self.motion == "align")
        costs = self._with_reach(resolved.costs, state.kernel, _mass(batch))
        if self._is_relative():
            costs = costs.scaled_to_batch(_mass(batch))
        memory, result = step(state, batch, costs, resolved.search, options)
        return memory, result.report, result.events

    def _forecast(self, state: KernelState, resolved: ResolvedParameters, now: float) -> Forecast:
        return forecast(state, resolved.costs, now)

    def _cheapest(self, state: KernelState, rows: Rows, resolved: ResolvedParameters, now: float) -> IntArray:
        which = cheapest_slots(state, self._squared_distances(state, rows), resolved.costs, now)
        ids: IntArray = state.clusters.ids[which]
        return ids

    def _read(self, X: Any, *, reset: bool, min_rows: int = 1) -> Rows:
        """Validate rows; a precomputed kernel may have a different number of columns in every step."""
        is_pairwise = self._kernel().is_pairwise()
        if is_pairwise and not reset and min_rows == 0 and np.shape(X) == (0, 0):
            return np.empty((0, 0))  # no rows, and no support points to compare them with
        return valid_rows(self, X, reset=reset or is_pairwise, min_rows=min_rows)

    def _read_weights(self, X: Any, sample_weight: Any, rows: Rows) -> FloatArray | None:
        weights = super()._read_weights(X, sample_weight, rows)
        if weights is not None and not weights.all() and self._kernel().is_pairwise():
            row = int(np.argmin(weights))
            raise ValueError(
                f"sample_weight is 0 in row {row}: remove it and its column from the kernel matrix"
            )
        return weights

    def _kernel(self) -> Kernel:
        return get_kernel(self.kernel)

    def _check_parameters(self) -> None:
        kernel = self._kernel()
        valid_count("budget", self.budget, 1)
        valid_flag("relative", self.relative, None)
        valid_flag("certify", getattr(self, "certify", False))
        if self.selection not in SELECTIONS:
            raise ValueError(f"selection must be one of {list(SELECTIONS)}, got {self.selection!r}")
        if self.motion not in MOTIONS:
            raise ValueError(f"motion must be one of {list(MOTIONS)}, got {self.motion!r}")
        if self.motion == "align" and kernel.is_pairwise():
            raise ValueError("motion='align' shifts rows, and a precomputed kernel has no rows: use 'walk'")

    def _pass_time(self, state: KernelState, now: float, costs: Costs) -> StepOutput:
        if self._is_relative():  # no rows give no scale: report the costs of the last batch
            costs = costs._replace(birth=getattr(self, "birth_cost_", costs.birth))
        memory, result = pass_time(state, costs, now)
        return memory, result.report, result.events

    def _with_reach(self, costs: Costs, kernel: Kernel, mass: float) -> Costs:
        """Apply the default reach of the kernel, if the birth cost is estimated and no reach is given."""
        given = self.reach, self.aging_cost, self.drift
        if self.birth_cost != "auto" or any(value is not None for value in given):
            return costs
        reach = kernel.default_reach(costs.birth if self._is_relative() else costs.birth / mass)
        return costs if reach is None else costs._replace(drift=drift_from_reach(costs.lifetime, reach))

    def _is_relative(self) -> bool:
        """Return whether costs are relative to the batch: by default if the birth cost is estimated."""
        if self.relative is not None:
            return bool(self.relative)
        return self.birth_cost == "auto" and self._kernel().birth_share() is not None

    def _is_final(self, birth_costs: tuple[float, ...]) -> bool:
        """Return whether the birth cost is final; relative ones are scale-free, so one batch suffices."""
        n_batches = N_ESTIMATION_BATCHES if self._kernel().birth_share() is None else 1
        return is_birth_cost_final(self, birth_costs, n_batches)

    def _estimate_birth_cost(self, batch: Batch, seed: int) -> float | None:
        kernel, mass = self._kernel(), _mass(batch)
        if kernel.birth_share() is None:
            estimate = estimate_birth_cost(batch.rows, batch.weights, seed)
            return estimate if estimate is None or not self._is_relative() else estimate / mass
        share = estimate_birth_share(kernel, first_batch(kernel, batch, valid_threads(self.n_jobs)))
        return share if share is None or self._is_relative() else share * mass

    def _squared_distances(self, state: KernelState, rows: Rows) -> FloatArray:
        batch = Batch(rows, None, state.clusters.clock)
        return squared_distances(state, batch, valid_threads(self.n_jobs))


def _is_pairwise(kernel: Any) -> bool:
    """Return whether the parameter ``kernel``, which may be invalid, is a pairwise kernel."""
    return kernel == "precomputed" if isinstance(kernel, str) else getattr(kernel, "is_pairwise", bool)()


def _mass(batch: Batch) -> float:
    return float(len(batch.rows) if batch.weights is None else batch.weights.sum())
