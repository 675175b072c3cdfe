"""What all estimators share: one call is one time step, and an error leaves the model as it was."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from functools import partial
from os import PathLike
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from dynmeans._algorithms.batch import Batch, Rows, Search
from dynmeans._algorithms.birth_cost import pooled_birth_cost
from dynmeans._model.costs import Costs
from dynmeans._model.events import Event, StepReport
from dynmeans._model.state import ClusterState, next_time
from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans.estimators.locking import Locked, lock_of, run_step
from dynmeans.estimators.prices import Priced
from dynmeans.estimators.serialization import save_model
from dynmeans.estimators.validation import (
    MOST_RESTARTS,
    columns_of,
    draw_seed,
    valid_balance,
    valid_count,
    valid_rows,
    valid_threads,
    valid_weights,
)

Self = TypeVar("Self", bound="BatchClusterer")


class BatchClusterer(Locked, Priced, ClusterMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A clusterer of batches; a subclass says how one step is made and how near a row is to a cluster."""

    n_restarts: int
    max_iter: int
    n_jobs: int | None
    random_state: Any
    history_size: int
    on_event: Callable[[Event], object] | None

    step_: StepReport
    labels_: IntArray
    n_iter_: int
    birth_cost_: float
    n_features_in_: int
    feature_names_in_: np.ndarray[Any, np.dtype[np.object_]]

    _state: Any  # all that the next step depends on, but for the seed and the guesses
    _seed: int
    _guesses: tuple[float, ...]  # birth costs, one for each batch that was asked, if it is ours to find
    _history: deque[Event]

    @abstractmethod
    def _begin(self, n_features: int) -> Any:
        """Return what is carried before the first batch."""

    @abstractmethod
    def _clusters(self, state: Any) -> ClusterState:
        """Return the remembered clusters in what is carried."""

    @abstractmethod
    def _check(self) -> None:
        """Raise if a parameter of the subclass is impossible."""

    @abstractmethod
    def _advance(
        self, state: Any, batch: Batch, costs: Costs, search: Search
    ) -> tuple[Any, StepReport, tuple[Event, ...]]:
        """Make one step: what is carried on, what is told, and the turns."""

    @abstractmethod
    def _nearest(self, state: Any, rows: Rows) -> IntArray:
        """Return the id of the nearest cluster of a state for every row."""

    def predict(self, X: Any) -> IntArray:
        """Return the id of the nearest remembered cluster for every row; nothing is learned."""
        check_is_fitted(self)
        state = self._state  # once: another thread may make a step meanwhile
        return self._nearest(state, self._read(X, reset=False))

    def fit(self: Self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Forget everything and cluster one batch.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A row of weight m counts as m copies of it; of weight 0, as absent.
        """
        return self._take(X, sample_weight, None, anew=True)

    def partial_fit(
        self: Self, X: Any, y: Any = None, sample_weight: Any = None, *, t: float | None = None
    ) -> Self:
        """Cluster the next batch.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A row of weight m counts as m copies of it; of weight 0, as absent.
        t : float, optional
            Event time of the batch; ages and motion scale with the time since the last one. By default
            one unit later. Time must not go backwards.
        """
        return self._take(X, sample_weight, t)

    def stream(self, batches: Iterable[Any]) -> Iterator[StepReport]:
        """Cluster one batch after another, and yield what happened in each step, with its labels.

        Parameters
        ----------
        batches : iterable
            Each item is a batch X, or a mapping of the arguments of :meth:`partial_fit`
            (``{"X": X, "t": t}``).

        Examples
        --------
        >>> from dynmeans import DMeans
        >>> for step in DMeans(birth_cost=1.0).stream([[[0.0]], [[0.1], [7.0]]]):
        ...     print(step.labels, step.born)
        [0] [0]
        [0 1] [1]
        """
        for item in batches:
            arguments = item if isinstance(item, Mapping) else {"X": item}
            yield self.partial_fit(**arguments).step_

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, np.dtype[np.object_]]:
        """Name the columns of :meth:`transform` by the ids of the clusters."""
        check_is_fitted(self)
        return np.array([f"cluster{k}" for k in self._remembered.ids], dtype=object)

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything that is needed to go on to one file; :func:`dynmeans.load` reads it.

        Arrays and JSON, no pickle, written atomically. ``on_event`` is not saved, and neither are
        ``labels_`` and ``step_``, which belong to the last batch.
        """
        check_is_fitted(self)
        with lock_of(self).mutex:
            save_model(self, path)

    @property
    def cluster_ids_(self) -> IntArray:  # noqa: D102
        return self._remembered.ids

    @property
    def cluster_centers_(self) -> FloatArray:  # noqa: D102
        return self._remembered.centers

    @property
    def cluster_weights_(self) -> FloatArray:  # noqa: D102
        return self._remembered.weights

    @property
    def cluster_ages_(self) -> FloatArray:  # noqa: D102
        return self._remembered.clock - self._remembered.last_seen

    @property
    def n_steps_(self) -> int:  # noqa: D102
        return self._remembered.n_steps

    @property
    def history_(self) -> tuple[Event, ...]:  # noqa: D102
        self._remembered  # noqa: B018
        return tuple(self._history)

    @property
    def _remembered(self) -> ClusterState:
        if not hasattr(self, "_state"):
            raise AttributeError(
                f"this {type(self).__name__} has seen no batch yet: call fit or partial_fit first"
            )
        return self._clusters(self._state)

    def _take(
        self: Self,
        X: Any,
        sample_weight: Any,
        t: float | None,
        *,
        anew: bool = False,
        labels: IntArray | None = None,
    ) -> Self:
        """Make a step after those of other threads, then tell its events."""
        events = run_step(self, partial(self._step, X, sample_weight, t, anew, labels))
        if self.on_event is not None:
            for event in events:
                self.on_event(event)
        return self

    def _step(
        self, X: Any, sample_weight: Any, t: float | None, anew: bool, labels: IntArray | None
    ) -> tuple[Event, ...]:
        """Validate, step, publish; an error on the way leaves the model as it was."""
        first = anew or not hasattr(self, "_state")
        history_size = valid_count("history_size", self.history_size, 0)
        self._check()
        # Bad parameters are told before bad rows.
        search, costs = self._search(0 if first else self._seed), self._costs(1.0)
        columns = copy(self) if first else self  # a failure must not change what we know of the columns
        rows = every = columns._read(X, reset=first)
        weights = valid_weights(sample_weight, len(rows))
        valid_balance(rows, weights)
        if labels is not None and len(labels) != len(rows):
            raise ValueError(f"labels must have one entry for each of {len(rows)} rows: {len(labels)}")
        present = None
        if weights is not None and not weights.all():
            present = weights > 0
            rows, weights = self._drop(rows, present), weights[present]
            labels = None if labels is None else labels[present]
        state = self._begin(rows.shape[1]) if first else self._state
        if first:
            search = search._replace(seed=draw_seed(self.random_state))
        batch = Batch(rows, weights, next_time(self._clusters(state), t), labels)
        guesses = self._refined(() if first else self._guesses, batch, search.seed)
        if self.birth_cost == "auto":
            costs = self._costs(pooled_birth_cost(guesses))
        state, report, events = self._advance(state, batch, costs, search)
        if not self._is_settled(guesses):
            report = report._replace(birth_cost_settled=False)
        if present is not None:
            absent = self._nearest(state, every)
            absent[present] = report.labels
            report = report._replace(labels=absent)
        news: dict[str, Any] = columns_of(columns) | {"_history": deque(maxlen=history_size)} if first else {}
        news |= {"_state": state, "_seed": search.seed, "_guesses": guesses}
        self._publish(news, report, events)
        return events

    def _read(self, X: Any, *, reset: bool) -> Rows:
        return valid_rows(self, X, reset=reset)

    def _drop(self, rows: Rows, present: BoolArray) -> Rows:
        return rows[present]

    def _search(self, seed: int) -> Search:
        return Search(
            seed,
            valid_count("n_restarts", self.n_restarts, 1, MOST_RESTARTS),
            valid_count("max_iter", self.max_iter, 1),
            valid_threads(self.n_jobs),
            self._refines(),
        )

    def _refines(self) -> bool:
        """Whether each descent of D-Means ends with changes of whole clusters."""
        return False

    def _publish(self, news: dict[str, Any], report: StepReport, events: tuple[Event, ...]) -> None:
        """Change all attributes at once: neither a signal nor another thread sees half of a step."""
        news["step_"] = report
        news["labels_"] = report.labels
        news["n_iter_"] = report.n_iter
        news["birth_cost_"] = report.birth_cost
        self.__dict__.update(news)
        self._history.extend(events)
        if "_history" in news and "feature_names_in_" not in news:
            self.__dict__.pop("feature_names_in_", None)
