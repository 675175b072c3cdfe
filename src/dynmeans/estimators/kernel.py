"""What KD-Means and SD-Means share as scikit-learn estimators."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dynmeans._algorithms.batch import Batch, Rows, Search
from dynmeans._algorithms.birth_cost import estimate_birth_cost
from dynmeans._algorithms.kernel_step import (
    Clusterer,
    KernelOptions,
    KernelState,
    begin,
    squared_distances,
    step,
)
from dynmeans._algorithms.support_selection import SELECTIONS, Selection
from dynmeans._model.costs import Costs, Default
from dynmeans._model.events import Event, StepReport
from dynmeans._model.state import ClusterState
from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans.estimators.base import BatchClusterer
from dynmeans.estimators.validation import valid_count, valid_rows
from dynmeans.kernels import Kernel, Linear, Precomputed, get_kernel

BIRTH_SHARE = 0.1  # of the points of a batch: what a cluster must bring together to be worth its birth
MOTIONS = ("walk", "align")


class KernelClusterer(BatchClusterer):
    """A clusterer of batches in the space of a kernel; a subclass says how one batch is clustered."""

    # A kernel is bounded: even a point of its own lies at a distance from the centre of its cluster, and the
    # old centre must be allowed to be that far away.
    _default: ClassVar[Default] = Default(lifetime=12.0, reach=5.0)

    kernel: Any
    relative: bool | None
    motion: str
    budget: int
    selection: Selection

    @abstractmethod
    def _clusterer(self) -> Clusterer:
        """Return the function that clusters one batch."""

    def _nearest(self, state: KernelState, rows: Rows) -> IntArray:
        gaps = squared_distances(state, Batch(rows, None, state.clusters.clock))
        ids: IntArray = state.clusters.ids[gaps.argmin(axis=1)]
        return ids

    def transform(self, X: Any) -> FloatArray:
        """Return the distances to all remembered clusters in the space of the kernel, by id."""
        check_is_fitted(self)
        state = self._state  # once: another thread may make a step meanwhile
        rows = self._read(X, reset=False)
        return np.sqrt(squared_distances(state, Batch(rows, None, state.clusters.clock)))

    @property
    def kept_rows_(self) -> IntArray:
        """Step and row of every kept point, (M, 2), in the order of the columns that a precomputed kernel
        must have for them in the next batch; without lines for other kernels.
        """
        self._remembered  # noqa: B018
        origins: IntArray = self._state.origins
        return origins

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, Precomputed) or self.kernel == "precomputed"
        return tags

    def _kernel(self) -> Kernel:
        return get_kernel(self.kernel)

    def _is_precomputed(self) -> bool:
        return isinstance(self._kernel(), Precomputed)

    def _begin(self, n_features: int) -> KernelState:
        return begin(self._kernel(), n_features)

    def _clusters(self, state: KernelState) -> ClusterState:
        return state.clusters

    def _check(self) -> None:
        self._kernel()
        valid_count("budget", self.budget, 1)
        if self.selection not in SELECTIONS:
            raise ValueError(f"selection must be one of {list(SELECTIONS)}, got {self.selection!r}")
        if self.motion not in MOTIONS:
            raise ValueError(f"motion must be one of {list(MOTIONS)}, got {self.motion!r}")
        if self.motion == "align" and self._is_precomputed():
            raise ValueError("motion='align' moves rows, and a precomputed kernel has none: use 'walk'")

    def _advance(
        self, state: KernelState, batch: Batch, costs: Costs, search: Search
    ) -> tuple[KernelState, StepReport, tuple[Event, ...]]:
        options = KernelOptions(self._clusterer(), self.budget, self.selection, self.motion == "align")
        if self._is_relative():
            costs = costs.scaled_to_batch(_mass(batch))
        memory, rolled = step(state, batch, costs, search, options)
        return memory, rolled.report, rolled.events

    def _is_relative(self) -> bool:
        """Tell whether costs are shares of the batch: by default where the birth cost is ours to find."""
        if self.relative is not None:
            return bool(self.relative)
        return self.birth_cost == "auto" and not isinstance(self._kernel(), Linear)

    def _n_looks(self) -> int:
        """A share of the batch needs no second look: it has no units."""
        return super()._n_looks() if isinstance(self._kernel(), Linear) else 1

    def _guess_birth_cost(self, batch: Batch, seed: int) -> float | None:
        if isinstance(self._kernel(), Linear):
            found = estimate_birth_cost(batch.rows, batch.weights, seed)
            return found if found is None or not self._is_relative() else found / _mass(batch)
        return BIRTH_SHARE if self._is_relative() else BIRTH_SHARE * _mass(batch)

    def _read(self, X: Any, *, reset: bool) -> Rows:
        """Check rows; a precomputed kernel has another number of columns in every step."""
        return valid_rows(self, X, reset=reset or self._is_precomputed())

    def _drop(self, rows: Rows, present: BoolArray) -> Rows:
        if self._is_precomputed():
            row = int(np.argmin(present))
            raise ValueError(
                f"sample_weight is 0 in row {row}: leave it and its column out of the kernel matrix"
            )
        return super()._drop(rows, present)


def _mass(batch: Batch) -> float:
    return float(len(batch.rows) if batch.weights is None else batch.weights.sum())
