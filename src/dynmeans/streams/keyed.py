"""One D-Means model per key, all in one process."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from copy import copy
from os import PathLike, fspath
from typing import Any

import numpy as np

from dynmeans._files.snapshot import SnapshotError, read_snapshot, write_snapshot
from dynmeans._model.costs import Costs
from dynmeans._model.state import next_time
from dynmeans._model.types import IntArray
from dynmeans.estimators import DMeans
from dynmeans.estimators._diagnostics.result_warnings import give_warnings
from dynmeans.estimators._diagnostics.row_checks import check_scales
from dynmeans.estimators._parameters.estimates import Estimates
from dynmeans.estimators._parameters.feature_scales import scales_as_tuple
from dynmeans.estimators._parameters.metric_choice import uses_cosine
from dynmeans.estimators._validation import (
    adopt_columns,
    valid_balance,
    valid_weights,
)
from dynmeans.streams._common_parameters import NO_ESTIMATES, BirthCosts, CommonParameters
from dynmeans.streams._grouping import Key, group_rows
from dynmeans.streams._packed import unpack
from dynmeans.streams.key_steps import (
    KeyCallback,
    KeyedBatch,
    KeyedResult,
    KeyEvent,
    label_absent,
    step_keys,
)
from dynmeans.streams.keyed_report import Clock, KeyedStep


class KeyedDMeans:
    """One D-Means model per key.

    Each key has separate clusters and ids. The labels are those of one :class:`dynmeans.DMeans` per key, bit
    for bit. A step updates only the keys that have rows. Time also passes for the others: their next step
    reports sleeps and deaths with the times at which they happened. The memory is proportional to the number
    of keys and remembered clusters.

    Parameters
    ----------
    birth_cost : float or "auto", default="auto"
        As in `DMeans`. ``"auto"`` estimates one birth cost for all keys from the first five steps, in each as
        the median over the 100 keys with the most rows. If each key has one row per step, the rows of the
        first 8, 16 and 32 steps are one batch; before, all rows of a key are one cluster. No other parameter
        is estimated.
    random_state : int, default=0
        Seed of all keys.
    **params
        Other parameters of `DMeans`, except ``on_event``, ``history_size`` and ``n_jobs``.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Id of every row of the last step.
    events_ : list of KeyEvent
        Events of the last step, each with its key.
    step_ : KeyedStep
        Report of the last step.
    n_steps_ : int
        Number of steps so far.
    birth_cost_ : float
        The common birth cost.
    n_clusters_ : int
        Number of remembered clusters of all keys.
    n_features_in_ : int
        Number of features.
    warnings_ : dict of str
        Warnings about the rows of the first step, by kind. They are not saved.

    Examples
    --------
    >>> from dynmeans.streams import KeyedDMeans
    >>> model = KeyedDMeans(birth_cost=1.0)
    >>> model.partial_fit([[0.0], [7.0], [0.1], [3.0]], ["a", "b", "a", "a"]).labels_
    array([0, 0, 0, 1])
    >>> model.partial_fit([[3.1], [0.2]], ["a", "b"]).labels_
    array([1, 1])
    >>> model.model("a").cluster_ids_
    array([0, 1])
    """

    labels_: IntArray
    events_: list[KeyEvent]
    step_: KeyedStep
    birth_cost_: float
    n_clusters_: int
    n_features_in_: int
    warnings_: dict[str, str]

    def __init__(self, birth_cost: float | str = "auto", *, random_state: int = 0, **params: Any) -> None:
        self.birth_cost = birth_cost
        self._parameters = CommonParameters(birth_cost, random_state, params)
        self._states: dict[Key, bytes] = {}
        self._now = Clock()
        self._estimates = NO_ESTIMATES
        self.birth_cost_ = self._parameters.resolve(NO_ESTIMATES).resolved.costs.birth
        self.n_clusters_ = 0
        self.warnings_ = {}

    @property
    def n_steps_(self) -> int:
        """Number of steps so far."""
        return self._now.n_steps

    @property
    def keys_(self) -> list[Key]:
        """All keys, in the order of their first rows."""
        return list(self._states)

    def partial_fit(
        self,
        X: Any,
        keys: Any,
        *,
        sample_weight: Any = None,
        t: float | None = None,
        on_key: KeyCallback | None = None,
    ) -> KeyedDMeans:
        """Cluster the next batch of all keys; an error leaves the model unchanged.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        keys : array-like of shape (n,)
            Key of every row: text or whole numbers.
        sample_weight : array-like of shape (n,), optional
            A row of weight m counts as m copies; a row of weight 0 counts as absent.
        t : float, optional
            Event time of the batch, by default one unit after the last. Time must not go backwards.
        on_key : callable, optional
            Called for each key with the key, the numbers of its rows, and the result of its step. If it
            raises an error, the model is unchanged.
        """
        columns = copy(self._parameters.template)
        rows = columns._read(X, reset=self.n_steps_ == 0, min_rows=0).astype(np.float64, copy=False)
        weights = valid_weights(sample_weight, len(rows))
        valid_balance(rows, weights)
        everyone = group_rows(keys, len(rows))
        present = None if weights is None or weights.all() else weights > 0
        groups = everyone if present is None else everyone.restricted(present)
        batch = KeyedBatch(rows, weights, next_time(self._now, t), groups)
        estimates = self._parameters.updated(self._estimates, batch)
        parameters = self._parameters.resolve(estimates)
        result = step_keys(parameters, self._states, batch, on_key)
        if present is not None:
            absent, ids = label_absent(parameters, self._states | result.states, batch, everyone, present)
            result.labels[absent] = ids
        self._publish(batch, result, parameters.resolved.costs, estimates)
        adopt_columns(self._parameters.template, columns)
        self.n_features_in_ = rows.shape[1]
        if self.n_steps_ == 1 and self._parameters.template.metric != "cosine":
            self.warnings_ = check_scales(rows, getattr(columns, "feature_names_in_", None))
            give_warnings(self.warnings_.values())
        return self

    def model(self, key: Key) -> DMeans:
        """Return the model of one key, a `DMeans` that is independent of this one.

        It predicts, forecasts and continues. It has no history, and no labels before its next step.

        Raises
        ------
        KeyError
            If the key has never had rows.
        """
        state = unpack(self._states[key], self.n_features_in_)
        model = self._parameters.model(self._estimates)
        del model._is_silent
        model.__dict__ |= {
            "_state": state,
            "birth_cost_": self.birth_cost_,
            "_history": deque(maxlen=0),
            "_estimates": Estimates(
                metric="cosine" if uses_cosine(model, None) else "euclidean",
                feature_scales=scales_as_tuple(model.feature_scales),
            ),
        }
        return model

    def save(self, path: str | PathLike[str]) -> None:
        """Write all states to one file, atomically and without pickle."""
        from dynmeans.streams._keyed_files import keyed_to_snapshot

        write_snapshot(path, keyed_to_snapshot(self))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> KeyedDMeans:
        """Read a saved model. It continues as if it had never stopped, bit for bit.

        Raises
        ------
        SnapshotError
            If the file is damaged, or inconsistent.
        """
        from dynmeans.streams._keyed_files import keyed_model_of

        try:
            return keyed_model_of(read_snapshot(path))
        except SnapshotError as error:
            message = str(error) if fspath(path) in str(error) else f"{fspath(path)!r}: {error}"
            raise SnapshotError(message) from error

    def drop(self, keys: Iterable[Key]) -> None:
        """Forget keys. If a forgotten key has rows again, its clusters and ids start again.

        Parameters
        ----------
        keys : iterable of str or int
            Unknown ones are ignored.
        """
        for key in keys:
            packed = self._states.pop(key, None)
            if packed is not None:
                self.n_clusters_ -= len(unpack(packed, self.n_features_in_).ids)

    def count_active(self) -> int:
        """Return the number of clusters that had rows in the last step."""
        states = (unpack(packed, self.n_features_in_) for packed in self._states.values())
        return sum(int(np.count_nonzero(state.last_seen == self._now.clock)) for state in states)

    def _publish(self, batch: KeyedBatch, result: KeyedResult, costs: Costs, estimates: BirthCosts) -> None:
        self._states.update(result.states)
        self.n_clusters_ += result.totals.born - result.totals.died
        self._now = Clock(batch.time, self._now.n_steps + 1)
        self._estimates, self.birth_cost_ = estimates, costs.birth
        self.labels_, self.events_ = result.labels, result.events
        self.step_ = KeyedStep(
            self._now.n_steps,
            batch.time,
            result.labels,
            len(result.states),
            *result.totals,
            birth_cost=self.birth_cost_,
            birth_cost_final=self._parameters.is_final(estimates),
        )
