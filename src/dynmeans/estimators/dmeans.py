"""D-Means as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from dynmeans._algorithms.batch import Batch, Rows
from dynmeans._algorithms.dmeans import step
from dynmeans._algorithms.estimation.birth_cost import N_ESTIMATION_BATCHES
from dynmeans._algorithms.estimation.reclustering import correct_state, report_ended
from dynmeans._algorithms.sphere import cheapest_directions, unit_rows
from dynmeans._algorithms.sphere import step as sphere_step
from dynmeans._core import cheapest_clusters
from dynmeans._model.confirmation import mark_tentative
from dynmeans._model.events import Event, StepParameters, StepReport
from dynmeans._model.forecast import Forecast, forecast_clusters, prior_of_living
from dynmeans._model.lifecycle import StepResult, pass_time
from dynmeans._model.state import ClusterState, empty_state
from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans.estimators._diagnostics.result_warnings import (
    NO_WARNINGS,
    update_warnings,
    warn_of_rows,
)
from dynmeans.estimators._parameters.automatic import learn
from dynmeans.estimators._parameters.dmeans_parameters import parameters_of
from dynmeans.estimators._parameters.estimates import Estimates
from dynmeans.estimators._parameters.feature_scales import divided, in_units_of_rows
from dynmeans.estimators._parameters.metric_choice import metric_for, uses_cosine
from dynmeans.estimators._parameters.resolve_dmeans import resolve_dmeans
from dynmeans.estimators._parameters.resolved_parameters import ResolvedParameters
from dynmeans.estimators._shell.base import BatchClusterer
from dynmeans.estimators._validation import valid_rows


class DMeans(BatchClusterer):
    """Cluster batches that arrive one after another, with permanent cluster ids.

    Every call of :meth:`partial_fit` is one time step. Clusters are born where points are far from all known
    clusters and move with their points. Clusters without points fall asleep. They are revived under the same
    id when points return, and die after ``lifetime`` steps of absence.

    Parameters
    ----------
    birth_cost : float or "auto", default="auto"
        Squared distance, or 1 - cosine, at which a point founds a new cluster (the paper's lambda).
        ``"auto"`` estimates it from the first batches, together with all parameters below that are not set;
        see ``parameters_`` and ``step_.birth_cost_final``. Clusters that contradict the later estimate are
        corrected; see the events "merge" and "death".
    lifetime : float or "auto", optional
        Time without points after which a cluster dies, in units of ``t`` (T_Q, > ``interval``; > 0 if
        ``reach`` is estimated). The default is 3 intervals, or 5 median intervals between batches if the
        birth cost is estimated. It is 8 of them with ``metric="cosine"``.
    reach : float or "auto", optional
        A cluster of large weight is revived in the next step up to a squared distance of ``reach *
        birth_cost`` from its predicted position (k_tau, >= 1 - interval/lifetime). The default is 1.5,
        or estimated with the birth cost. With ``metric="cosine"`` it is 1 - interval/lifetime: clusters do
        not drift.
    aging_cost, drift : float, optional
        The parameters Q and tau of the paper, instead of ``lifetime`` and ``reach``. If only one is given,
        the other is 0.
    interval : float, optional
        Usual time between batches, in units of ``t``, to which ``reach`` and the change of a velocity refer.
        The default is 1, or the median interval if the lifetime or the reach is estimated with the birth
        cost.
    motion : {"walk", "velocity", "auto"}, optional
        ``"walk"`` is the paper's random walk. ``"velocity"`` also estimates the velocity of each cluster and
        predicts its position. The default is ``"walk"``, or an estimate if the birth cost is estimated.
    metric : {"auto", "euclidean", "cosine"}, default="auto"
        ``"cosine"`` clusters the directions of the rows, such as embeddings of texts: the length of a row
        does not matter, centers are unit vectors, and costs are in units of 1 - cosine. It does not
        allow ``motion="velocity"`` and ``exclusive``. ``"auto"`` is ``"cosine"`` if the first rows are unit
        vectors with 32 features or more, the birth cost is estimated, and no other parameter needs squared
        distances; see ``metric_``. Otherwise it is ``"euclidean"``.
    feature_scales : sequence of float of shape (n_features,), optional
        Every feature is divided by its scale before distances are computed, so that birth cost, reach and
        ``transform`` are in scaled units. Centers and forecasts are in the units of the rows. Set it if
        clusters are wider in some features than in others. :func:`~dynmeans.tune` estimates it if it is not
        set. Not with ``metric="cosine"``.
    exclusive : bool or "auto", optional
        At most one row per cluster and step, for detections: every object gives one row. The result of a
        step is then the exact optimum, found by linear assignment; ``refine``, ``n_restarts``, ``max_iter``
        and ``n_jobs`` have no effect. The birth cost of a single batch is then the square of half the
        distance between neighboring rows. The default is False, or an estimate if the birth cost is
        estimated.
    duplicates : bool, default=False
        With ``exclusive=True``: the detector may report an object more than once. Each remembered
        cluster is still linked to at most one row first. The remaining rows are then clustered as without
        ``exclusive``: a row within the birth cost of a cluster that has a row joins it.
    min_hits : int, default=1
        Number of steps in which a cluster must have rows before its id is confirmed. Until then the id is
        tentative. ``labels_`` has tentative ids too; ``step_.confirmed_labels`` has -1 instead, and events
        have the flag ``tentative``.
    refine : bool or "auto", optional
        After each restart, split, merge and re-link whole clusters while this lowers the cost. The points of
        a cluster then share its birth cost, so a suitable birth cost is larger and grows with the number of
        points per cluster and batch. It takes as long as a few restarts, and usually finds a lower cost than
        many restarts do. The default is False, or an estimate if the birth cost is estimated. With
        ``metric="cosine"`` the default is False, and the cost of a whole cluster is derived from the batch,
        so the birth cost keeps its meaning.
    merge : bool or "auto", optional
        After the descent, merge each cluster that is not worth a birth into an older one: the rows of both
        would cost less than the birth cost more as one cluster. The younger cluster falls asleep. Otherwise
        a cluster that was founded by mistake keeps its rows, and a sleeping cluster takes rows of another
        one that comes near. The cost of the step may be higher. The default is False, or an estimate if the
        birth cost is estimated. It has no effect with ``exclusive`` and ``metric="cosine"``.
    certify : bool, default=False
        Also compute ``step_.lower_bound``, a lower bound on the cost of any clustering of the batch. It is
        tightest when there are more features than clusters.
    n_restarts : int, optional
        Number of random assignment orders per step; the result of lowest cost is used. Default 3, or 1 with
        ``metric="cosine"``: a birth cost that suits single rows is small for a broad cluster of many rows, so
        the lowest cost of many restarts would split such a cluster.
    max_iter : int, default=100
        Maximum number of passes over a batch per restart.
    n_jobs : int, optional
        Maximum number of threads for large batches; by default all cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the assignment orders.
    history_size : int, default=10_000
        Maximum number of events kept in ``history_``.
    on_event : callable, optional
        Called with every :class:`~dynmeans.Event`.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Id of every row of the last batch.
    n_clusters_ : int
        Number K of remembered clusters, sleeping ones included.
    cluster_ids_ : ndarray of shape (K,)
        Their ids, ascending. Ids are never reused.
    cluster_centers_ : ndarray of shape (K, n_features)
        Position of each cluster when it was last seen.
    cluster_weights_ : ndarray of shape (K,)
        Evidence for each center, in points.
    cluster_ages_ : ndarray of shape (K,)
        Time since each cluster was last seen, 0 for active clusters.
    cluster_hits_ : ndarray of shape (K,)
        Number of steps in which each cluster had rows.
    cluster_confirmed_ : ndarray of shape (K,)
        Whether each id is confirmed, that is, not tentative.
    step_ : StepReport
        Report of the last step: cost, born, revived, asleep, died, splits, merges, ...
    birth_cost_ : float
        The birth cost that was used, given or estimated.
    metric_ : str
        The metric that was used, given or chosen; None until the first rows.
    parameters_ : StepParameters
        Birth cost, lifetime, reach, motion and mode that were used, given or estimated; also in ``step_``.
        ``DMeans(**parameters_._asdict())`` clusters another stream with them.
    warnings_ : dict of str
        Warnings about parameters that do not suit the data, by kind.
    history_ : tuple of Event
        The latest births, revivals, sleeps, deaths, splits, merges and confirmations.
    n_steps_ : int
        Number of time steps so far.
    n_iter_ : int
        Number of passes over the last batch.
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

    _is_silent = False  # gives no warnings
    _warnings = NO_WARNINGS  # also in models from state files

    def __init__(
        self,
        birth_cost: float | str = "auto",
        lifetime: float | str | None = None,
        reach: float | str | None = None,
        *,
        aging_cost: float | None = None,
        drift: float | None = None,
        interval: float | None = None,
        motion: str | None = None,
        metric: str = "auto",
        feature_scales: Sequence[float] | None = None,
        exclusive: bool | str | None = None,
        duplicates: bool = False,
        min_hits: int = 1,
        refine: bool | str | None = None,
        merge: bool | str | None = None,
        certify: bool = False,
        n_restarts: int | None = None,
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
        self.interval = interval
        self.motion = motion
        self.metric = metric
        self.feature_scales = feature_scales
        self.exclusive = exclusive
        self.duplicates = duplicates
        self.min_hits = min_hits
        self.refine = refine
        self.merge = merge
        self.certify = certify
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.history_size = history_size
        self.on_event = on_event

    @property
    def cluster_centers_(self) -> FloatArray:
        """Positions of the remembered clusters (K, n_features) when they were last seen."""
        return in_units_of_rows(self._remembered.centers, self.feature_scales)

    @property
    def cluster_hits_(self) -> IntArray:
        """Number of steps in which each remembered cluster had rows (K,)."""
        return self._remembered.hits

    @property
    def cluster_confirmed_(self) -> BoolArray:
        """Whether each remembered id is confirmed (K,): its cluster had rows in ``min_hits`` steps."""
        confirmed: BoolArray = self._remembered.hits >= self.min_hits
        return confirmed

    @property
    def metric_(self) -> str | None:
        """The metric, given or chosen; None until the first rows."""
        self._require_fitted()
        return self._estimates.metric

    @property
    def parameters_(self) -> StepParameters:
        """Birth cost, lifetime, reach, motion and mode after the last step, given or estimated."""
        used = self._resolve(self._remembered, self._estimates, self._seed).used
        assert used is not None
        return used

    @property
    def warnings_(self) -> dict[str, str]:
        """Warnings about results that cannot be trusted, by kind, of the last check. They are not saved."""
        return dict(self._warnings.current)

    def transform(self, X: Any) -> FloatArray:
        """Return the distances of every row to all remembered clusters, in the order of their ids.

        They are distances to ``cluster_centers_``, where the clusters were last seen; with
        ``metric="cosine"`` they are 1 - cosine, and with ``feature_scales`` they are in scaled units.
        """
        check_is_fitted(self)
        rows = self._read(X, reset=False)
        metric = "cosine" if uses_cosine(self, self._estimates) else "euclidean"
        distances: FloatArray = cdist(rows, self._state.centers, metric).astype(rows.dtype, copy=False)
        return distances

    def _initial_state(self, n_features: int) -> ClusterState:
        return empty_state(n_features)

    def _resolve(
        self, state: ClusterState | None, estimates: Estimates | None, seed: int
    ) -> ResolvedParameters:
        return resolve_dmeans(self, estimates, seed)

    def _learn(self, old: Estimates | None, batch: Batch, seed: int) -> Estimates:
        return learn(parameters_of(self), old, batch, seed)

    def _cluster_batch(self, state: ClusterState, batch: Batch, resolved: ResolvedParameters) -> StepResult:
        if len(batch.rows) == 0:
            result = pass_time(state, resolved.costs, resolved.motion, batch.time)
        elif resolved.contradiction is None:
            result = self._cluster_rows(state, batch, resolved)
        else:
            correction = correct_state(state, resolved.contradiction, resolved.costs)
            result = report_ended(self._cluster_rows(correction.state, batch, resolved), correction)
        return mark_tentative(result, state, self.min_hits)

    def _cluster_rows(self, state: ClusterState, batch: Batch, resolved: ResolvedParameters) -> StepResult:
        costs, search, certify = resolved.costs, resolved.search, bool(self.certify)
        if resolved.is_cosine:
            result = sphere_step(state, batch, costs, search, certify=certify)
        else:
            result = step(state, batch, costs, resolved.motion, search, certify=certify)
        if state.n_steps < N_ESTIMATION_BATCHES and not self._is_silent:
            warn_of_rows(state, batch, resolved, self.__dict__.get("_history", ()))
        return result

    def _forecast(self, state: ClusterState, resolved: ResolvedParameters, now: float) -> Forecast:
        found = forecast_clusters(state, now, resolved.costs, resolved.motion)
        return found._replace(
            positions=in_units_of_rows(found.positions, self.feature_scales),
            velocities=in_units_of_rows(found.velocities, self.feature_scales),
        )

    def _cheapest(
        self, state: ClusterState, rows: Rows, resolved: ResolvedParameters, now: float
    ) -> IntArray:
        prior = prior_of_living(state, now, resolved.costs, resolved.motion)
        ids: IntArray = state.ids
        if resolved.is_cosine:
            return ids[cheapest_directions(rows, prior)]
        n_threads = resolved.search.n_threads
        return ids[cheapest_clusters(rows, prior.centers, prior.gammas, prior.revival, n_threads)]

    def _read(self, X: Any, *, reset: bool, min_rows: int = 1) -> Rows:
        rows = valid_rows(self, X, reset=reset, min_rows=min_rows)
        if self.feature_scales is not None:
            rows = divided(rows, self.feature_scales)
        known = None if reset else self.__dict__.get("_estimates")
        return unit_rows(rows) if metric_for(self, known, rows) == "cosine" else rows

    def _warn(self, batch: Batch, report: StepReport, resolved: ResolvedParameters) -> None:
        update_warnings(self, batch, report, resolved)
