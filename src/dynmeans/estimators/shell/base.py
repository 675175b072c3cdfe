"""Base class of all estimators: one call is one time step, and an error leaves the model unchanged."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from dynmeans._algorithms.batch import Batch, Rows, SearchOptions
from dynmeans._model.events import Event, StepReport
from dynmeans._model.state import next_time
from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans.estimators.parameters.cost_parameters import CostParameters
from dynmeans.estimators.parameters.step_rules import StepRules
from dynmeans.estimators.shell.fitted import FittedAttributes
from dynmeans.estimators.shell.forecasting import ForecastMethods
from dynmeans.estimators.shell.locking import Locked, run_step
from dynmeans.estimators.shell.saving import SavingMethods
from dynmeans.estimators.validation import (
    MAX_RESTARTS,
    columns_of,
    draw_seed,
    valid_balance,
    valid_count,
    valid_rows,
    valid_threads,
    valid_weights,
)

Self = TypeVar("Self", bound="BatchClusterer")


class StepInput(NamedTuple):
    """Arguments of one step, before the rows and their weights are validated."""

    X: Any
    sample_weight: Any
    t: float | None
    labels: IntArray | None  # of `PersistentIds.update`
    items: NDArray[Any] | None  # names of the rows


class BatchClusterer(
    Locked,
    CostParameters,
    FittedAttributes,
    ForecastMethods,
    SavingMethods,
    ClusterMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """A clusterer of batches; a subclass implements a step, a forecast and the cost of a row."""

    n_restarts: int | None
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

    _seed: int

    @abstractmethod
    def _initial_state(self, n_features: int) -> Any:
        """Return the state before the first batch."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise if a parameter of the subclass is invalid."""

    @abstractmethod
    def _cluster_batch(
        self, state: Any, batch: Batch, rules: StepRules
    ) -> tuple[Any, StepReport, tuple[Event, ...]]:
        """Run one step and return (state, report, events)."""

    @abstractmethod
    def _pass_time(
        self, state: Any, now: float, rules: StepRules
    ) -> tuple[Any, StepReport, tuple[Event, ...]]:
        """Run one step without rows and return (state, report, events)."""

    def fit(self: Self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Reset the model and cluster one batch.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A row of weight m counts as m copies; a row of weight 0 counts as absent.
        """
        return self._run(X, sample_weight, None, anew=True)

    def partial_fit(
        self: Self, X: Any, y: Any = None, sample_weight: Any = None, *, t: float | None = None
    ) -> Self:
        """Cluster the next batch.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            It may have no rows, shape (0, n_features): time passes, clusters fall asleep and die.
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A row of weight m counts as m copies; a row of weight 0 counts as absent.
        t : float, optional
            Event time of the batch; ages and motion scale with the time since the last one. By default
            one unit after the last. Time must not go backwards.
        """
        return self._run(X, sample_weight, t)

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
        for item in batches:
            arguments = item if isinstance(item, Mapping) else {"X": item}
            yield self.partial_fit(**arguments).step_

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, np.dtype[np.object_]]:
        """Name the columns of :meth:`transform` by the ids of the clusters."""
        check_is_fitted(self)
        return np.array([f"cluster{k}" for k in self._remembered.ids], dtype=object)

    def _run(
        self: Self,
        X: Any,
        sample_weight: Any,
        t: float | None,
        *,
        anew: bool = False,
        labels: IntArray | None = None,
        items: NDArray[Any] | None = None,
    ) -> Self:
        """Run a step after those of other threads, then call ``on_event``."""
        given = StepInput(X, sample_weight, t, labels, items)
        events = run_step(self, self._step, given, anew)
        if self.on_event is not None:
            for event in events:
                self.on_event(event)
        return self

    def _step(self, given: StepInput, anew: bool) -> tuple[Event, ...]:
        """Validate the input, run the step and publish the result; an error leaves the model unchanged."""
        first = anew or not hasattr(self, "_state")
        history_size = valid_count("history_size", self.history_size, 0)
        self._check_parameters()
        rules = self._first_rules() if first else self._rules(self._state, self._seed)  # before the data
        columns = copy(self) if first else self  # an error must not change the known columns
        rows = columns._read(given.X, reset=first, min_rows=1 if anew else 0)
        state = self._initial_state(rows.shape[1]) if first else self._state
        present, batch = self._present_rows(rows, given, next_time(self._clusters(state), given.t))
        seed = draw_seed(self.random_state) if first else self._seed
        learned = self._learn(batch, seed, first=first) if first or rules.learns else {}
        model = self._with(learned)
        if first or model is not self:  # there are new estimates
            rules = model._rules(state, seed)
        state, report, events = model._advance(state, batch, rules)
        attributes = {"_state": state, "_seed": seed, **learned}
        if first:
            attributes |= columns_of(columns) | {"_history": deque(maxlen=history_size)}
        published = report
        if present is not None:
            published = report._replace(labels=self._all_labels(attributes, rows, present, report))
        self._publish(attributes, published, events)
        self._warn(batch, report, rules)
        return events

    def _present_rows(self, rows: Rows, given: StepInput, now: float) -> tuple[BoolArray | None, Batch]:
        """Return which rows have a positive weight, None if all have, and the batch of these rows."""
        weights, labels, items = (
            self._read_weights(given.X, given.sample_weight, rows),
            given.labels,
            given.items,
        )
        for name, column in (("labels", labels), ("items", items)):
            if column is not None and len(column) != len(rows):
                raise ValueError(
                    f"{name} must have one entry for each of {len(rows)} rows, got {len(column)}"
                )
        if weights is None or weights.all():
            return None, Batch(rows, weights, now, labels, items)
        present = weights > 0
        return present, Batch(
            self._drop_absent(rows, present),
            weights[present],
            now,
            None if labels is None else labels[present],
            None if items is None else items[present],
        )

    def _advance(
        self, state: Any, batch: Batch, rules: StepRules
    ) -> tuple[Any, StepReport, tuple[Event, ...]]:
        """Run one step with the present estimates and return (state, report, events)."""
        if len(batch.rows) == 0:
            state, report, events = self._pass_time(state, batch.time, rules)
        else:
            state, report, events = self._cluster_batch(state, batch, rules)
        if rules.used is not None or not rules.is_final:
            report = report._replace(parameters=rules.used, birth_cost_final=rules.is_final)
        return state, report, events

    def _warn(self, batch: Batch, report: StepReport, rules: StepRules) -> None:
        """Warn if the result of the last step cannot be trusted; the report has the labels of the batch."""

    def _with(self: Self, learned: dict[str, Any]) -> Self:
        """Return the model with new estimates, without changing it: a step may still fail."""
        if not learned or all(self.__dict__.get(name) is value for name, value in learned.items()):
            return self
        model = copy(self)
        model.__dict__.update(learned)
        return model

    def _all_labels(
        self, attributes: dict[str, Any], rows: Rows, present: BoolArray, report: StepReport
    ) -> IntArray:
        """Return labels for all rows: an absent row gets that of its cheapest cluster."""
        after = copy(self)
        after.__dict__.update(attributes)
        rules = after._rules(after._state, after._seed)
        labels = after._assigned(after._state, rows, rules, report.time)
        labels[present] = report.labels
        return labels

    def _read(self, X: Any, *, reset: bool, min_rows: int = 1) -> Rows:
        return valid_rows(self, X, reset=reset, min_rows=min_rows)

    def _read_weights(self, X: Any, sample_weight: Any, rows: Rows) -> FloatArray | None:
        weights = valid_weights(sample_weight, len(rows))
        valid_balance(rows, weights)
        return weights

    def _drop_absent(self, rows: Rows, present: BoolArray) -> Rows:
        return rows[present]

    def _first_rules(self) -> StepRules:
        """Validate the parameters before the first batch; there are no estimates yet."""
        return StepRules(self._costs(1.0), self._search_options(0))

    def _rules(self, state: Any, seed: int) -> StepRules:
        return StepRules(self._row_costs(state), self._search_options(seed), self._is_final())

    def _search_options(self, seed: int) -> SearchOptions:
        given = self.n_restarts
        return SearchOptions(
            seed,
            self._default_restarts() if given is None else valid_count("n_restarts", given, 1, MAX_RESTARTS),
            valid_count("max_iter", self.max_iter, 1),
            valid_threads(self.n_jobs),
            *self._search_modes(),
        )

    def _search_modes(self) -> tuple[bool, ...]:
        """Return refine, exclusive and duplicates, if the algorithm has them."""
        return ()

    def _default_restarts(self) -> int:
        return 3

    def _publish(self, attributes: dict[str, Any], report: StepReport, events: tuple[Event, ...]) -> None:
        """Set all attributes at once, so that signals and other threads never see half of a step."""
        attributes["step_"] = report
        attributes["labels_"] = report.labels
        attributes["n_iter_"] = report.n_iter
        attributes["birth_cost_"] = report.birth_cost
        self.__dict__.update(attributes)
        self._history.extend(events)
        if "_history" in attributes and "feature_names_in_" not in attributes:
            self.__dict__.pop("feature_names_in_", None)
