"""Base class of all baselines: one call is one time step; an error leaves the model unchanged."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from copy import copy
from typing import Any, NamedTuple, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from dynmeans._algorithms.batch import Rows
from dynmeans._model.state import next_time
from dynmeans._model.types import IntArray
from dynmeans.estimators._shell.locking import run_step, without_lock
from dynmeans.estimators._validation import adopt_columns, draw_seed, valid_rows

Self = TypeVar("Self", bound="Baseline")


class Moment(NamedTuple):
    """Time and seed of a step."""

    elapsed: float  # time since the last batch
    seed: int
    n_steps: int  # batches before this one


class StepClock(NamedTuple):
    """Time of the last batch, and the number of batches."""

    clock: float
    n_steps: int


class Baseline(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Clusterer of batches; a subclass defines its memory and its step."""

    random_state: Any = 0  # default for deterministic baselines

    labels_: IntArray
    n_features_in_: int

    _memory: Any  # everything the next step needs except the seed
    _clock: StepClock
    _seed: int

    @abstractmethod
    def _begin(self, rows: Rows) -> Any:
        """Validate the parameters and return the memory before the first batch."""

    @abstractmethod
    def _advance(self, memory: Any, rows: Rows, y: Any, moment: Moment) -> tuple[Any, Mapping[str, Any]]:
        """Process one batch; return the next memory and the fitted attributes by name."""

    def fit(self: Self, X: Any, y: Any = None) -> Self:
        """Reset the model and cluster one batch.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,), optional
            True labels, for baselines that use them; see the class.
        """
        return self._run(X, y, None, reset=True)

    def partial_fit(self: Self, X: Any, y: Any = None, *, t: float | None = None) -> Self:
        """Cluster the next batch.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,), optional
            True labels, for baselines that use them; see the class.
        t : float, optional
            Event time of the batch, by default 1 after the last. It must not decrease.
        """
        return self._run(X, y, t)

    @property
    def n_steps_(self) -> int:
        if not hasattr(self, "_clock"):
            raise AttributeError(
                f"this {type(self).__name__} is not fitted yet: call fit or partial_fit first"
            )
        return self._clock.n_steps

    def __getstate__(self) -> Any:
        """Leave out the lock: copies and unpickled models have a separate one."""
        return without_lock(super().__getstate__())

    def _run(self: Self, X: Any, y: Any, t: float | None, *, reset: bool = False) -> Self:
        """Run a step, serialized with those of other threads."""
        return run_step(self, self._step, X, y, t, reset)

    def _step(self: Self, X: Any, y: Any, t: float | None, reset: bool) -> Self:
        """Validate, step, publish; an error leaves the model unchanged."""
        first = reset or not hasattr(self, "_memory")
        columns = copy(self) if first else self  # a failure must not change the known columns
        rows = valid_rows(columns, X, reset=first)
        clock = StepClock(0.0, 0) if first else self._clock
        now = next_time(clock, t)
        memory = self._begin(rows) if first else self._memory
        seed = draw_seed(self.random_state) if first else self._seed
        memory, fitted = self._advance(memory, rows, y, Moment(now - clock.clock, seed, clock.n_steps))
        if first:
            adopt_columns(self, columns)
        updates = {"_memory": memory, "_seed": seed, "_clock": StepClock(now, clock.n_steps + 1)}
        self.__dict__.update(updates | dict(fitted))  # one update: a signal cannot interrupt it
        return self


def largest_first(labels: IntArray) -> IntArray:
    """Return the distinct labels sorted by size, then by first appearance: the order of new ids."""
    names, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    order: IntArray = names[np.lexsort((first, -sizes))]
    return order
