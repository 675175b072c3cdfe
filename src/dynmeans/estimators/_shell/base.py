"""Base class of all estimators: one call is one time step, and an error leaves the model unchanged."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, TypeAlias, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from dynmeans._algorithms.batch import Batch, Rows
from dynmeans._model.events import Event, StepReport
from dynmeans._model.forecast import Forecast
from dynmeans._model.state import ClusterState, next_time
from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans.estimators._parameters.estimates import Estimates
from dynmeans.estimators._parameters.resolved_parameters import ResolvedParameters
from dynmeans.estimators._shell.locking import lock_of, run_step, without_lock
from dynmeans.estimators._shell.step import StepInput, advance
from dynmeans.estimators._state_files.encoding import save_model
from dynmeans.estimators._state_files.model_bytes import encode_model
from dynmeans.estimators._validation import (
    refuse_one_table,
    refuse_time_as_y,
    valid_balance,
    valid_rows,
    valid_weights,
)

Self = TypeVar("Self", bound="BatchClusterer")
StepOutput: TypeAlias = tuple[Any, StepReport, tuple[Event, ...]]  # (state, report, events)


class BatchClusterer(ClusterMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A clusterer of batches.

    A subclass implements the abstract methods; `advance` calls them in each step. They do not change the
    model. A state has the remembered clusters as ``state.clusters``.
    """

    random_state: Any
    on_event: Callable[[Event], object] | None

    step_: StepReport
    labels_: IntArray
    n_iter_: int
    birth_cost_: float
    n_features_in_: int
    feature_names_in_: np.ndarray[Any, np.dtype[np.object_]]

    _state: Any  # everything that the next step needs, except the seed and the estimates
    _estimates: Estimates
    _seed: int
    _history: deque[Event]

    @abstractmethod
    def _initial_state(self, n_features: int) -> Any:
        """Return the state before the first batch."""

    @abstractmethod
    def _resolve(self, state: Any, estimates: Estimates | None, seed: int) -> ResolvedParameters:
        """Validate the parameters and convert them; state and estimates are None before the first batch."""

    @abstractmethod
    def _learn(self, old: Estimates | None, batch: Batch, seed: int) -> Estimates:
        """Return the estimates after a batch; the same object if nothing changes."""

    @abstractmethod
    def _cluster_batch(self, state: Any, batch: Batch, resolved: ResolvedParameters) -> StepOutput:
        """Run one step and return (state, report, events); without rows, only time passes."""

    @abstractmethod
    def _forecast(self, state: Any, resolved: ResolvedParameters, now: float) -> Forecast:
        """Predict the remembered clusters to a time."""

    @abstractmethod
    def _cheapest(self, state: Any, rows: Rows, resolved: ResolvedParameters, now: float) -> IntArray:
        """Return the id of the cluster of least cost for every row; there are rows and living clusters."""

    def fit(self: Self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Reset the model and cluster one batch.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A row of weight m counts as m copies; a row of weight 0 counts as absent.
        """
        return self._run(StepInput(X, sample_weight), reset=True)

    def partial_fit(
        self: Self, X: Any, y: Any = None, sample_weight: Any = None, *, t: float | None = None
    ) -> Self:
        """Cluster the next batch.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            It may have no rows, shape (0, n_features): time passes, clusters fall asleep and die. After the
            first batch, an empty list is enough.
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A row of weight m counts as m copies; a row of weight 0 counts as absent.
        t : float, optional
            Event time of the batch; ages and motion scale with the time since the last one. By default
            one unit after the last. Time must not go backwards.
        """
        refuse_time_as_y(y)
        return self._run(StepInput(X, sample_weight, t))

    def stream(self, batches: Iterable[Any]) -> Iterator[StepReport]:
        """Cluster one batch after another, and yield the report of each step, which has the labels.

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
        refuse_one_table(batches)
        for item in batches:
            arguments = item if isinstance(item, Mapping) else {"X": item}
            yield self.partial_fit(**arguments).step_

    def forecast(self, t: float | None = None) -> Forecast:
        """Predict all remembered clusters to a time, without changing the model.

        Parameters
        ----------
        t : float, optional
            Event time; by default that of the next step, one unit after the last. It must not be before the
            last step.

        Returns
        -------
        Forecast
            Ids, positions, velocities, variances of the positions, and ages of the clusters that are
            remembered at that time.

        Examples
        --------
        >>> from dynmeans import DMeans
        >>> model = DMeans(birth_cost=4.0, motion="velocity")
        >>> for x in range(9):
        ...     model = model.partial_fit([[float(x)]])
        >>> model.forecast(t=11.0).positions.round(1)
        array([[10.]])
        """
        check_is_fitted(self)
        state = self._state  # read once: another thread may run a step meanwhile
        now = next_time(state.clusters, t)
        return self._forecast(state, self._resolved_at(state, now), now)

    def predict(self, X: Any, *, t: float | None = None) -> IntArray:
        """Return the id of the cheapest remembered cluster for each row, without changing the model.

        It is the label that :meth:`partial_fit` would give to the row in a batch of its own if it founded no
        cluster: of all clusters at their predicted positions, the one of least cost. See :meth:`forecast`.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        t : float, optional
            Event time, as in :meth:`forecast`.

        Returns
        -------
        ndarray of shape (n,)
            -1 if no cluster is remembered at that time.
        """
        check_is_fitted(self)
        state = self._state  # read once: another thread may run a step meanwhile
        rows = self._read(X, reset=False, min_rows=0)
        now = next_time(state.clusters, t)
        return self._assigned(state, rows, self._resolved_at(state, now), now)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, np.dtype[np.object_]]:
        """Name the columns of :meth:`transform` by the ids of the clusters."""
        check_is_fitted(self)
        return np.array([f"cluster{k}" for k in self._remembered.ids], dtype=object)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file, from which :func:`dynmeans.load` continues.

        The file holds arrays and JSON, no pickle, and is written atomically. ``on_event`` is not saved, and
        neither are ``labels_`` and ``step_``, which belong to the last batch.
        """
        check_is_fitted(self)
        with lock_of(self).mutex:
            save_model(self, path)

    def to_bytes(self) -> bytes:
        """Return the model as bytes, from which :func:`dynmeans.from_bytes` continues.

        They are shorter than the file that :meth:`save` writes, quicker to read, and have the same content.
        Written to a file, they are a state file too.
        """
        if not hasattr(self, "_state"):
            check_is_fitted(self)  # takes 15 microseconds
        with lock_of(self).mutex:
            return encode_model(self)

    @property
    def n_clusters_(self) -> int:
        """Number of remembered clusters, sleeping ones included."""
        return len(self._remembered.ids)

    @property
    def cluster_ids_(self) -> IntArray:
        """Ids of the remembered clusters (K,), ascending."""
        return self._remembered.ids

    @property
    def cluster_centers_(self) -> FloatArray:
        """Positions of the remembered clusters (K, n_features) when they were last seen."""
        return self._remembered.centers

    @property
    def cluster_weights_(self) -> FloatArray:
        """Evidence for each center (K,), in points."""
        return self._remembered.weights

    @property
    def cluster_ages_(self) -> FloatArray:
        """Time since each cluster was last seen (K,), 0 for active clusters."""
        return self._remembered.clock - self._remembered.last_seen

    @property
    def n_steps_(self) -> int:
        """Number of time steps so far."""
        return self._remembered.n_steps

    @property
    def history_(self) -> tuple[Event, ...]:
        """The latest events, at most ``history_size``, in order of time."""
        self._require_fitted()
        return tuple(self._history)

    @property
    def _remembered(self) -> ClusterState:
        self._require_fitted()
        clusters: ClusterState = self._state.clusters
        return clusters

    def _require_fitted(self) -> None:
        """Raise unless the model has a state; `check_is_fitted` has another error, which is a ValueError."""
        if not hasattr(self, "_state"):
            raise AttributeError(
                f"this {type(self).__name__} is not fitted yet: call fit or partial_fit first"
            )

    def __getstate__(self) -> Any:
        """Leave out the lock: copies and unpickled models have a separate one."""
        return without_lock(super().__getstate__())

    def _run(self: Self, given: StepInput, *, reset: bool = False) -> Self:
        """Run a step after those of other threads, then call ``on_event``."""
        events = run_step(self, advance, self, given, reset)
        if self.on_event is not None:
            for event in events:
                self.on_event(event)
        return self

    def _resolved_at(self, state: Any, now: float) -> ResolvedParameters:
        """Return the parameters of a step at a time."""
        return self._resolve(state, self._estimates, self._seed).at(now, state.clusters)

    def _assigned(self, state: Any, rows: Rows, resolved: ResolvedParameters, now: float) -> IntArray:
        """Return the id of the cheapest cluster for every row, -1 if none is remembered."""
        ages = now - state.clusters.last_seen
        if len(rows) == 0 or not (ages <= resolved.costs.lifetime).any():
            return np.full(len(rows), -1, dtype=np.int64)
        return self._cheapest(state, rows, resolved, now)

    # Defaults that a subclass may replace.

    def _read(self, X: Any, *, reset: bool, min_rows: int = 1) -> Rows:
        """Validate rows."""
        return valid_rows(self, X, reset=reset, min_rows=min_rows)

    def _read_weights(self, X: Any, sample_weight: Any, rows: Rows) -> FloatArray | None:
        """Validate the weights of rows that were read from X."""
        if sample_weight is None:
            return None
        weights = valid_weights(sample_weight, len(rows))
        valid_balance(rows, weights)
        return weights

    def _label_absent(
        self, state: Any, rows: Rows, present: BoolArray, report: StepReport, resolved: ResolvedParameters
    ) -> IntArray:
        """Return labels for all rows: an absent row gets that of its cheapest cluster after the step."""
        labels = self._assigned(state, rows, resolved, report.time)
        labels[present] = report.labels
        return labels

    def _warn(self, batch: Batch, report: StepReport, resolved: ResolvedParameters) -> None:
        """Warn if the result of the last step cannot be trusted; the report has the labels of the batch."""
