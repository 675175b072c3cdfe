"""Methods of an estimator that predict and do not change it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dynmeans._algorithms.batch import Rows
from dynmeans._algorithms.birth_cost import pooled_birth_cost
from dynmeans._model.costs import Costs
from dynmeans._model.forecast import Forecast
from dynmeans._model.state import ClusterState, next_time
from dynmeans._model.types import IntArray
from dynmeans.estimators.parameters.step_rules import StepRules


class ForecastMethods:
    """Mixin with `forecast` and `predict`."""

    _state: Any
    _birth_cost_estimates: tuple[float, ...]
    _seed: int

    @abstractmethod
    def _clusters(self, state: Any) -> ClusterState:
        """Return the remembered clusters of a state."""

    @abstractmethod
    def _costs(self, estimate: float | None) -> Costs:
        """Return the costs of a step."""

    @abstractmethod
    def _read(self, X: Any, *, reset: bool, min_rows: int = 1) -> Rows:
        """Validate rows."""

    @abstractmethod
    def _rules(self, state: Any, seed: int) -> StepRules:
        """Return the parameters of a step, validated."""

    @abstractmethod
    def _forecast(self, state: Any, rules: StepRules, now: float) -> Forecast:
        """Predict the remembered clusters to a time."""

    @abstractmethod
    def _cheapest(self, state: Any, rows: Rows, rules: StepRules, now: float) -> IntArray:
        """Return the id of the cluster of least cost for every row; there are rows and living clusters."""

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
        return self._forecast(state, self._rules(state, self._seed), next_time(self._clusters(state), t))

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
        rules, now = self._rules(state, self._seed), next_time(self._clusters(state), t)
        return self._assigned(state, rows, rules, now)

    def _assigned(self, state: Any, rows: Rows, rules: StepRules, now: float) -> IntArray:
        ages = now - self._clusters(state).last_seen
        if len(rows) == 0 or not (ages <= rules.costs.lifetime).any():
            return np.full(len(rows), -1, dtype=np.int64)
        return self._cheapest(state, rows, rules, now)

    def _row_costs(self, state: Any) -> Costs:
        """Return the costs of a step with a single row."""
        return self._costs(pooled_birth_cost(self._birth_cost_estimates))
