"""D-Means as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from dynmeans._algorithms.batch import Batch, Rows, Search
from dynmeans._algorithms.birth_cost import estimate_birth_cost
from dynmeans._algorithms.dmeans import step
from dynmeans._core import nearest_centers
from dynmeans._model.costs import Costs
from dynmeans._model.events import Event
from dynmeans._model.lifecycle import StepResult
from dynmeans._model.motion import get_motion
from dynmeans._model.state import ClusterState, empty_state
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.estimators.base import BatchClusterer
from dynmeans.estimators.validation import valid_rows, valid_threads


class DMeans(BatchClusterer):
    """Cluster batches that arrive one after another, keeping the ids of clusters for life.

    Every call of :meth:`partial_fit` is one time step. Clusters are born where points are far from
    everything known, move with their points, fall asleep when nothing is left of them, wake up under the
    same id when points return, and are forgotten after ``lifetime`` steps of absence.

    Parameters
    ----------
    birth_cost : float or "auto", default="auto"
        Squared distance at which a point founds a new cluster (the paper's lambda). ``"auto"``
        estimates it from the first five batches whose rows are not all equal; see ``birth_cost_``
        and ``step_.birth_cost_settled``.
    lifetime : float, default=3
        Time steps that a cluster may go unseen before it is forgotten (T_Q, > 1).
    reach : float, default=1.5
        A well-known cluster is found again in the next step up to a squared distance of
        ``reach * birth_cost`` from where it should be (k_tau, >= 1).
    aging_cost, drift : float, optional
        The paper's raw pair Q and tau, instead of ``lifetime`` and ``reach``. One of them given
        alone leaves the other at 0.
    motion : {"walk", "velocity"}, default="walk"
        ``"walk"`` is the paper's random walk. ``"velocity"`` also learns how fast each cluster moves,
        and looks for it where it should be by now.
    refine : bool, default=False
        End each restart with changes of whole clusters: they are parted, joined and linked to other old
        ones wherever that lowers the cost. Points then pay for a birth together, so a birth cost that suits
        is larger, and grows with the points that a cluster has in a batch. It takes as long as a few
        restarts, and mostly finds a lower cost than many.
    certify : bool, default=False
        Also compute ``step_.lower_bound``: no clustering of the batch costs less. It says most when there
        are more features than clusters.
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
        Called with every :class:`~dynmeans._model.events.Event`, also those that ``history_`` forgets.

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
        What happened in the last step: cost, born, revived, asleep, died, splits, merges, ...
    birth_cost_ : float
        The birth cost in force.
    history_ : tuple of Event
        The newest births, revivals, falls asleep, deaths, splits and merges.
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

    def __init__(
        self,
        birth_cost: float | str = "auto",
        lifetime: float | None = None,
        reach: float | None = None,
        *,
        aging_cost: float | None = None,
        drift: float | None = None,
        motion: str = "walk",
        refine: bool = False,
        certify: bool = False,
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
        self.refine = refine
        self.certify = certify
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.history_size = history_size
        self.on_event = on_event

    def _nearest(self, state: ClusterState, rows: Rows) -> IntArray:
        which = nearest_centers(rows, state.centers, valid_threads(self.n_jobs))
        ids: IntArray = state.ids[which]
        return ids

    def transform(self, X: Any) -> FloatArray:
        """Return the distances of every row to all remembered clusters, in the order of their ids."""
        check_is_fitted(self)
        rows = valid_rows(self, X, reset=False)
        distances: FloatArray = cdist(rows, self._state.centers).astype(rows.dtype, copy=False)
        return distances

    def _begin(self, n_features: int) -> ClusterState:
        return empty_state(n_features)

    def _clusters(self, state: ClusterState) -> ClusterState:
        return state

    def _check(self) -> None:
        get_motion(self.motion)

    def _refines(self) -> bool:
        return bool(self.refine)

    def _advance(self, state: ClusterState, batch: Batch, costs: Costs, search: Search) -> StepResult:
        return step(state, batch, costs, get_motion(self.motion), search, certify=bool(self.certify))

    def _guess_birth_cost(self, batch: Batch, seed: int) -> float | None:
        return estimate_birth_cost(batch.rows, batch.weights, seed)
