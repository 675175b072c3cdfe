"""What all baselines share: one call is one time step, and an error leaves the model as it was."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from copy import copy
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from dynmeans._algorithms.batch import Rows
from dynmeans._model.state import next_time
from dynmeans._model.types import IntArray
from dynmeans.estimators.locking import Locked, run_step
from dynmeans.estimators.validation import adopt_columns, draw_seed, valid_rows

Self = TypeVar("Self", bound="Baseline")


class Moment(NamedTuple):
    """When a batch arrives, and where its randomness comes from."""

    elapsed: float  # time since the last batch
    seed: int
    n_steps: int  # batches before this one


class Clock(NamedTuple):
    """When the last batch was, and how many there were."""

    clock: float
    n_steps: int


class Baseline(Locked, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """A clusterer of batches; a subclass says what it remembers and how it takes the next batch."""

    random_state: Any = 0  # for those that draw nothing

    labels_: IntArray
    n_features_in_: int

    _memory: Any  # all that the next step depends on, but for the seed
    _clock: Clock
    _seed: int

    @abstractmethod
    def _begin(self, rows: Rows) -> Any:
        """Check the parameters and return what is remembered before the first batch."""

    @abstractmethod
    def _advance(self, memory: Any, rows: Rows, y: Any, moment: Moment) -> tuple[Any, Mapping[str, Any]]:
        """Take one batch: what is remembered next, and the fitted attributes by name."""

    def fit(self: Self, X: Any, y: Any = None) -> Self:
        """Forget everything and cluster one batch.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,), optional
            True labels, for those that are told to look at them: see the class.
        """
        return self._take(X, y, None, anew=True)

    def partial_fit(self: Self, X: Any, y: Any = None, *, t: float | None = None) -> Self:
        """Cluster the next batch.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,), optional
            True labels, for those that are told to look at them: see the class.
        t : float, optional
            Event time of the batch, by default one unit later. Time must not go backwards.
        """
        return self._take(X, y, t)

    @property
    def n_steps_(self) -> int:  # noqa: D102
        if not hasattr(self, "_clock"):
            raise AttributeError(
                f"this {type(self).__name__} has seen no batch yet: call fit or partial_fit first"
            )
        return self._clock.n_steps

    def _take(self: Self, X: Any, y: Any, t: float | None, *, anew: bool = False) -> Self:
        """Make a step after those of other threads."""
        return run_step(self, partial(self._step, X, y, t, anew))

    def _step(self: Self, X: Any, y: Any, t: float | None, anew: bool) -> Self:
        """Validate, step, publish; an error on the way leaves the model as it was."""
        first = anew or not hasattr(self, "_memory")
        columns = copy(self) if first else self  # a failure must not change what we know of the columns
        rows = valid_rows(columns, X, reset=first)
        clock = Clock(0.0, 0) if first else self._clock
        now = next_time(clock, t)
        memory = self._begin(rows) if first else self._memory
        seed = draw_seed(self.random_state) if first else self._seed
        memory, fitted = self._advance(memory, rows, y, Moment(now - clock.clock, seed, clock.n_steps))
        if first:
            adopt_columns(self, columns)
        news = {"_memory": memory, "_seed": seed, "_clock": Clock(now, clock.n_steps + 1)}
        self.__dict__.update(news | dict(fitted))  # at once: no signal leaves half of a step
        return self


def largest_first(labels: IntArray) -> IntArray:
    """Return the distinct labels by size, then by who comes first: a good order for new ids."""
    names, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    order: IntArray = names[np.lexsort((first, -sizes))]
    return order
