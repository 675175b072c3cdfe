"""D-Means as a scikit-learn estimator."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from dynmeans.algorithms.batch import Batch, Search
from dynmeans.algorithms.dmeans import step
from dynmeans.algorithms.scale import estimate_birth_cost
from dynmeans.core import nearest
from dynmeans.estimators.saving import save_model
from dynmeans.estimators.validation import valid_count, valid_number, valid_rows, valid_threads, valid_weights
from dynmeans.model.costs import Costs, Lifespan, costs_from
from dynmeans.model.events import Event, StepReport
from dynmeans.model.motion import motion_named
from dynmeans.model.state import ClusterState, empty_state, next_time
from dynmeans.model.types import FloatArray, IntArray


class DMeans(ClusterMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster batches that arrive one after another, keeping the ids of clusters for life.

    Every call of :meth:`partial_fit` is one time step. Clusters are born where points are far from
    everything known, move with their points, fall asleep when nothing is left of them, wake up under the
    same id when points return, and are forgotten after ``lifetime`` steps of absence.

    Parameters
    ----------
    birth_cost : float or "auto", default="auto"
        Squared distance at which a point founds a new cluster (the paper's lambda). ``"auto"``
        estimates it from the first batch whose rows are not all equal; see ``birth_cost_``.
    lifetime : float, default=3
        Time steps that a cluster may go unseen before it is forgotten (T_Q, > 1).
    reach : float, default=1.5
        A well-known cluster missed for one step is found again up to a squared distance of
        ``reach * birth_cost`` (k_tau, >= 1).
    aging_cost, drift : float, optional
        The paper's raw pair Q and tau, instead of ``lifetime`` and ``reach``. One of them given
        alone leaves the other at 0.
    motion : {"walk", "velocity"}, default="walk"
        ``"walk"`` is the paper's random walk. ``"velocity"`` also learns how fast each cluster moves,
        and looks for it where it should be by now.
    n_restarts : int, default=3
        Random assignment orders that are tried in each step; the lowest cost wins.
    max_iter : int, default=100
        Most passes over a batch in each restart.
    n_jobs : int, optional
        Threads for large batches; by default as many as there are. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the assignment orders.
    history_size : int, default=10_000
        Most events that ``history_`` remembers.
    on_event : callable, optional
        Called with every :class:`~dynmeans.model.events.Event`, also those that ``history_`` forgets.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Id of every row of the last batch.
    cluster_ids_ : ndarray of shape (K,)
        Ids of all remembered clusters, sleeping ones too, sorted. Ids are never reused.
    cluster_centers_ : ndarray of shape (K, n_features)
        Where each of them was when last seen.
    cluster_weights_ : ndarray of shape (K,)
        Evidence behind each centre, in points.
    cluster_ages_ : ndarray of shape (K,)
        Time since each was last seen, 0 for the active ones.
    step_ : StepReport
        What happened in the last step: cost, born, revived, asleep, died, ...
    birth_cost_ : float
        The birth cost in force.
    history_ : tuple of Event
        The newest births, revivals, falls asleep and deaths.
    n_steps_ : int
        Time steps seen.
    n_iter_ : int
        Passes over the last batch.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans import DMeans
    >>> model = DMeans(birth_cost=1.0, random_state=0)
    >>> model.partial_fit([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0]]).labels_
    array([0, 0, 1])
    >>> model.partial_fit([[5.1, 5.0], [9.0, 0.0]]).labels_
    array([1, 2])
    >>> model.partial_fit([[0.1, 0.1]]).labels_
    array([0])
    """

    _state: ClusterState  # all that the next step depends on, but for the seed and the estimate
    _seed: int
    _estimate: float | None  # the birth cost, if it is ours to find and was found
    _history: deque[Event]

    def __init__(
        self,
        birth_cost: float | str = "auto",
        lifetime: float | None = None,
        reach: float | None = None,
        *,
        aging_cost: float | None = None,
        drift: float | None = None,
        motion: str = "walk",
        n_restarts: int = 3,
        max_iter: int = 100,
        n_jobs: int | None = None,
        random_state: Any = None,
        history_size: int = 10_000,
        on_event: Callable[[Event], object] | None = None,
    ) -> None:
        self.birth_cost = birth_cost
        self.lifetime = lifetime
        self.reach = reach
        self.aging_cost = aging_cost
        self.drift = drift
        self.motion = motion
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.history_size = history_size
        self.on_event = on_event

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> DMeans:
        """Forget everything and cluster one batch.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A row of weight m counts as m copies of it; of weight 0, as absent.
        """
        return self._take(X, sample_weight, None, first=True)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, t: float | None = None) -> DMeans:
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
        return self._take(X, sample_weight, t, first=not hasattr(self, "_state"))

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

    def predict(self, X: Any) -> IntArray:
        """Return the id of the nearest remembered cluster for every row; nothing is learned."""
        check_is_fitted(self)
        rows = valid_rows(self, X, reset=False)
        which = nearest(rows, self._state.centers, valid_threads(self.n_jobs))
        return self._state.ids[which]

    def transform(self, X: Any) -> FloatArray:
        """Return the distances of every row to all remembered clusters, in the order of their ids."""
        check_is_fitted(self)
        rows = valid_rows(self, X, reset=False)
        distances: FloatArray = cdist(rows, self._state.centers).astype(rows.dtype, copy=False)
        return distances

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, np.dtype[np.object_]]:
        """Name the columns of :meth:`transform` by the ids of the clusters."""
        check_is_fitted(self)
        return np.array([f"cluster{k}" for k in self._state.ids], dtype=object)

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything that is needed to go on to one file; :func:`dynmeans.load` reads it.

        Arrays and JSON, no pickle, written atomically. ``on_event`` is not saved, and neither are
        ``labels_`` and ``step_``, which belong to the last batch.
        """
        check_is_fitted(self)
        save_model(self, path)

    @property
    def cluster_ids_(self) -> IntArray:  # noqa: D102
        return self._fitted_state.ids

    @property
    def cluster_centers_(self) -> FloatArray:  # noqa: D102
        return self._fitted_state.centers

    @property
    def cluster_weights_(self) -> FloatArray:  # noqa: D102
        return self._fitted_state.weights

    @property
    def cluster_ages_(self) -> FloatArray:  # noqa: D102
        return self._fitted_state.clock - self._fitted_state.last_seen

    @property
    def n_steps_(self) -> int:  # noqa: D102
        return self._fitted_state.n_steps

    @property
    def history_(self) -> tuple[Event, ...]:  # noqa: D102
        self._fitted_state  # noqa: B018
        return tuple(self._history)

    @property
    def _fitted_state(self) -> ClusterState:
        if not hasattr(self, "_state"):
            raise AttributeError("this DMeans has seen no batch yet: call fit or partial_fit first")
        return self._state

    def _take(self, X: Any, sample_weight: Any, t: float | None, *, first: bool) -> DMeans:
        """Validate, step, publish; an error on the way leaves the model as it was."""
        rows = valid_rows(self, X, reset=first)
        weights = valid_weights(sample_weight, len(rows))
        present = None
        if weights is not None and not weights.all():
            present = weights > 0
            rows, weights = rows[present], weights[present]
        state = empty_state(rows.shape[1]) if first else self._state
        seed = _draw_seed(self.random_state) if first else self._seed
        batch = Batch(rows, weights, next_time(state, t))
        costs, estimated = self._costs(batch, seed, None if first else self._estimate)
        rolled = step(state, batch, costs, motion_named(self.motion), self._search(seed))
        if first:
            self._history = deque(maxlen=valid_count("history_size", self.history_size, 0))
        self._state, self._seed, self._estimate = rolled.state, seed, estimated
        self._publish(rolled.report, rolled.events, X, present)
        return self

    def _costs(self, batch: Batch, seed: int, estimate: float | None) -> tuple[Costs, float | None]:
        """Return the costs of this step, and the estimated birth cost to be kept, if any.

        While all rows are equal there is nothing to estimate from, and any birth cost gives one cluster.
        """
        span = Lifespan(
            valid_number("lifetime", self.lifetime),
            valid_number("reach", self.reach),
            valid_number("aging_cost", self.aging_cost),
            valid_number("drift", self.drift),
        )
        if self.birth_cost != "auto":
            return costs_from(valid_number("birth_cost", self.birth_cost) or 0.0, span), None
        if estimate is None:
            estimate = estimate_birth_cost(batch.rows, batch.weights, seed)
        return costs_from(1.0 if estimate is None else estimate, span), estimate

    def _search(self, seed: int) -> Search:
        return Search(
            seed,
            valid_count("n_restarts", self.n_restarts, 1),
            valid_count("max_iter", self.max_iter, 1),
            valid_threads(self.n_jobs),
        )

    def _publish(self, report: StepReport, events: tuple[Event, ...], X: Any, present: Any) -> None:
        if present is not None:
            labels = np.empty(len(present), dtype=np.int64)
            labels[present] = report.labels
            labels[~present] = self.predict(X)[~present]
            report = report._replace(labels=labels)
        self.step_ = report
        self.labels_ = report.labels
        self.n_iter_ = report.n_iter
        self.birth_cost_ = report.birth_cost
        self._history.extend(events)
        if self.on_event is not None:
            for event in events:
                self.on_event(event)


def _draw_seed(random_state: Any) -> int:
    """Return the seed of the whole run; after that, randomness depends on it and the step number."""
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(0, 2**63 - 1, dtype=np.int64))
