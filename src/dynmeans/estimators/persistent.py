"""Persistent ids for the clusters of any clusterer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sklearn.utils.validation import check_is_fitted

from dynmeans._algorithms.batch import Batch, Rows, SearchOptions
from dynmeans._algorithms.linking.link_spaces import LinkState, LinkStep
from dynmeans._algorithms.linking.link_step import gather
from dynmeans._algorithms.linking.noise import noise_to_nearest
from dynmeans._algorithms.linking.shared_items import remember_items
from dynmeans._model.costs import Costs
from dynmeans._model.events import Event
from dynmeans._model.forecast import Forecast
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.estimators._parameters.estimates import Estimates
from dynmeans.estimators._parameters.link_parameters import check_link_parameters, link_costs, link_space
from dynmeans.estimators._parameters.resolved_parameters import ResolvedParameters
from dynmeans.estimators._shell.base import BatchClusterer, StepOutput
from dynmeans.estimators._shell.step import StepInput
from dynmeans.estimators._validation import refuse_time_as_y, valid_count, valid_labels
from dynmeans.estimators._validation.items import shared_items, valid_items
from dynmeans.estimators._wrapped_clusterer import fit_labels


class PersistentIds(BatchClusterer):
    """Give persistent ids to the clusters of any clusterer.

    Every batch is clustered independently, by ``estimator`` or by the caller of :meth:`update`. The clusters
    are linked to the remembered ones by a linear assignment of minimum cost: a cluster persists if its
    center has moved little, is revived under its id after an absence, and is new if a birth costs less. If
    batches overlap, pass ``items``: clusters are then linked by their common members, and by their centers
    only if they have none.

    Parameters
    ----------
    estimator : clusterer, optional
        An object with ``fit_predict``; a clone of it clusters each batch. Not needed for :meth:`update`.
        If a batch has fewer rows than the clusterer needs, all its rows are noise.
    birth_cost : float or "auto", default="auto"
        Squared distance from an old center, for a large cluster one step later, beyond which a cluster is
        new. ``"auto"`` estimates it from the motion of clusters and the distances between rows. With
        ``metric="cosine"``: 1 - cosine, and ``"auto"`` is half its mean between the clusters of a batch.
    lifetime : float, default=3
        Number of time steps without points after which a cluster dies (> 1).
    reach : float, default=1
        A cluster of large weight is revived in the next step up to a squared distance of
        ``reach * birth_cost`` from its predicted position (>= 1 - 1/lifetime).
    aging_cost, drift : float, optional
        The parameters Q and tau of the paper, instead of ``lifetime`` and ``reach``.
    motion : {"walk", "velocity", "align"}, default="walk"
        ``"velocity"`` estimates the velocity of each center and predicts its position. With a kernel,
        ``"align"`` replaces it: see :class:`SDMeans`.
    metric : {"euclidean", "cosine"}, default="euclidean"
        ``"cosine"`` compares the mean directions of clusters, for embeddings and texts: centers are unit
        vectors that do not move, apart from the average over all rows. ``estimator`` gets the rows as given.
    noise : {"keep", "nearest"}, default="keep"
        Rows that the clusterer labels -1 stay noise, or join the nearest cluster of their batch before it is
        linked: the one with the nearest mean or, with a kernel, of the nearest row. A batch of noise only is
        then one cluster.
    kernel : str, kernel or callable, optional
        Compare clusters in the space of a kernel instead of by their centers, for clusters that are not
        convex: any kernel of :class:`SDMeans` except ``"precomputed"``. ``birth_cost`` is then in its units,
        and ``"auto"`` is half the mean squared distance between the clusters of a batch.
    budget : int, default=80
        With a kernel: maximum number of support points per cluster.
    random_state : int, RandomState instance or None, default=None
        Seeds the clone of each step if the ``random_state`` of ``estimator`` is None.
    history_size, on_event
        As in :class:`DMeans`.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Id of every row of the last batch, -1 for noise.
    n_clusters_, cluster_ids_, cluster_centers_, cluster_weights_, cluster_ages_, step_, history_, n_steps_, \
    birth_cost_
        As in :class:`DMeans`.
    n_iter_ : int
        Always 1.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from dynmeans import PersistentIds
    >>> model = PersistentIds(KMeans(2), birth_cost=1.0, random_state=0)
    >>> sorted(set(model.partial_fit([[0.0], [0.1], [5.0], [5.1]]).labels_.tolist()))
    [0, 1]
    >>> known = model.predict([[5.0]])
    >>> model.partial_fit([[5.2], [9.0]]).labels_ == [*known, 2]
    array([ True,  True])
    >>> model.update([[9.1], [9.2], [0.0]], labels=[7, 7, -1]).labels_
    array([ 2,  2, -1])
    """

    def __init__(
        self,
        estimator: Any = None,
        birth_cost: float | str = "auto",
        lifetime: float | None = None,
        reach: float | None = None,
        *,
        aging_cost: float | None = None,
        drift: float | None = None,
        motion: str = "walk",
        metric: str = "euclidean",
        noise: str = "keep",
        kernel: Any = None,
        budget: int = 80,
        random_state: Any = None,
        history_size: int = 10_000,
        on_event: Callable[[Event], object] | None = None,
    ) -> None:
        self.estimator = estimator
        self.birth_cost = birth_cost
        self.lifetime = lifetime
        self.reach = reach
        self.aging_cost = aging_cost
        self.drift = drift
        self.motion = motion
        self.metric = metric
        self.noise = noise
        self.kernel = kernel
        self.budget = budget
        self.random_state = random_state
        self.history_size = history_size
        self.on_event = on_event

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        t: float | None = None,
        items: Any = None,
    ) -> PersistentIds:
        """Cluster the next batch with ``estimator``, and link its clusters.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A row of weight m counts as m copies; a row of weight 0 counts as absent.
        t : float, optional
            Event time of the batch; ages scale with the time since the last one. By default one unit after
            the last. Time must not go backwards.
        items : array-like of shape (n,), optional
            As in :meth:`update`.
        """
        refuse_time_as_y(y)
        return self._run(StepInput(X, sample_weight, t, items=valid_items(items)))

    def update(
        self,
        X: Any,
        labels: Any,
        sample_weight: Any = None,
        *,
        t: float | None = None,
        items: Any = None,
    ) -> PersistentIds:
        """Link the given clusters of the next batch.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            It may have no rows, as in :meth:`partial_fit`.
        labels : array-like of shape (n,)
            Cluster of each row, a whole number, valid for this batch only; -1 for noise.
        sample_weight : array-like of shape (n,), optional
            A row of weight m counts as m copies; a row of weight 0 counts as absent.
        t : float, optional
            Event time of the batch, as in :meth:`partial_fit`.
        items : array-like of shape (n,), optional
            Names of the rows that are the same in every batch, integers or strings, each once. Clusters that
            share members with remembered ones are linked by them, independent of their centers. The
            members of a remembered cluster are those of the last step in which it had rows.

        Examples
        --------
        >>> from dynmeans import PersistentIds
        >>> model = PersistentIds(birth_cost=1.0)
        >>> model.update([[0.0], [5.0]], ["a" == name for name in "ab"]).labels_
        array([0, 1])
        >>> model.update([[5.1], [0.1]], [0, 1]).labels_
        array([1, 0])
        >>> model.update([[70.0], [71.0], [0.2]], [0, 0, 1], items=["x", "y", "z"]).labels_
        array([2, 2, 0])
        >>> model.update([[1.0], [2.0]], [0, 0], items=["y", "x"]).labels_
        array([2, 2])
        """
        return self._run(StepInput(X, sample_weight, t, valid_labels(labels), valid_items(items)))

    def transform(self, X: Any) -> FloatArray:
        """Return the distances of every row to all remembered clusters, in the order of their ids.

        With ``metric="cosine"``: 1 - cosine.
        """
        check_is_fitted(self)
        state, space = self._state, link_space(self)  # read once: another thread may run a step meanwhile
        return space.distances(state, space.embed(self._read(X, reset=False)))

    def _initial_state(self, n_features: int) -> LinkState:
        return link_space(self).initial_state(n_features)

    def _resolve(self, state: LinkState | None, estimates: Estimates | None, seed: int) -> ResolvedParameters:
        history_size = valid_count("history_size", self.history_size, 0)
        check_link_parameters(self)
        costs = link_costs(self, 1.0 if state is None else state.scale.birth_cost())
        is_final = self.birth_cost != "auto"  # it is estimated in every step
        return ResolvedParameters(costs, SearchOptions(seed, 1, 1, 0), history_size, is_final)

    def _learn(self, old: Estimates | None, batch: Batch, seed: int) -> Estimates:
        """Learn nothing: the birth cost is estimated after the batch is clustered, in its `LinkSpace`."""
        return Estimates() if old is None else old

    def _cluster_batch(self, state: LinkState, batch: Batch, resolved: ResolvedParameters) -> StepOutput:
        if len(batch.rows) == 0:
            return self._pass_time(state, batch.time, resolved.costs)
        costs, labels = resolved.costs, batch.labels
        if labels is None:
            labels = fit_labels(self.estimator, batch, resolved.search.seed, state.clusters.n_steps)
        space = link_space(self)
        batch = batch._replace(rows=space.embed(batch.rows))
        if self.noise == "nearest":
            labels = noise_to_nearest(batch, labels, by_row=space.by_row)
        groups = gather(batch, labels, merged=self.kernel is not None)
        shared = shared_items(state, batch.items, groups)
        estimated = partial(link_costs, self) if self.birth_cost == "auto" else lambda _: costs
        link = LinkStep(groups, costs, estimated, shared)
        state_after, result = space.link(state, link)
        memory = remember_items(state.memory, batch.items, result.report.labels, result.state.ids)
        return state_after._replace(memory=memory), result.report, result.events

    def _pass_time(self, state: LinkState, now: float, costs: Costs) -> StepOutput:
        remembered, result = link_space(self).pass_time(state, costs, now)
        memory = remember_items(state.memory, None, result.report.labels, result.state.ids)
        return state._replace(remembered=remembered, memory=memory), result.report, result.events

    def _forecast(self, state: LinkState, resolved: ResolvedParameters, now: float) -> Forecast:
        return link_space(self).forecast(state, resolved.costs, now)

    def _cheapest(self, state: LinkState, rows: Rows, resolved: ResolvedParameters, now: float) -> IntArray:
        space = link_space(self)
        ids: IntArray = state.clusters.ids[space.cheapest(state, space.embed(rows), resolved.costs, now)]
        return ids
