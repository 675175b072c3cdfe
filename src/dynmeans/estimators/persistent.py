"""Lasting ids for the clusters of any clusterer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from dynmeans._algorithms.batch import Batch, Rows, Search
from dynmeans._algorithms.kernel_step import KernelState, begin, squared_distances
from dynmeans._algorithms.link_birth_cost import (
    KernelScale,
    LinkState,
    empty_row_scale,
    update_kernel_scale,
    update_row_scale,
)
from dynmeans._algorithms.linking import NOISE, Groups, compare, gather, link_kernel, link_nothing, link_rows
from dynmeans._model.costs import Costs, Default
from dynmeans._model.events import Event, StepReport
from dynmeans._model.lifecycle import StepResult
from dynmeans._model.motion import get_motion
from dynmeans._model.state import ClusterState, empty_state
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.estimators.base import BatchClusterer
from dynmeans.estimators.validation import valid_count, valid_labels
from dynmeans.kernels import Kernel, Precomputed, get_kernel

KERNEL_MOTIONS = ("walk", "align")


class PersistentIds(BatchClusterer):
    """Give ids that last to the clusters of any clusterer.

    Every batch is clustered afresh, by ``estimator`` or by whoever calls :meth:`update`. The clusters found
    are linked to the remembered ones, all at once and at the least cost: a cluster goes on where its centre
    has moved little, comes back under its id after an absence, and is new where being new is cheaper. Rows
    that the clusterer calls noise (-1) stay noise.

    Parameters
    ----------
    estimator : clusterer, optional
        Anything with ``fit_predict``; a clone of it clusters each batch. Not needed for :meth:`update`.
    birth_cost : float or "auto", default="auto"
        Squared distance from an old centre, as of a large cluster one step later, at which a cluster counts
        as new. ``"auto"`` learns it from the stream: how far clusters move from step to step, against how far
        all rows are apart.
    lifetime : float, default=3
        Time steps that a cluster may go unseen before it is forgotten (> 1).
    reach : float, default=1
        A well-known cluster is found again in the next step up to a squared distance of
        ``reach * birth_cost`` from where it should be (>= 1).
    aging_cost, drift : float, optional
        The paper's raw pair Q and tau, instead of ``lifetime`` and ``reach``.
    motion : {"walk", "velocity", "align"}, default="walk"
        ``"velocity"`` learns how fast each centre moves, and looks for it where it should be by now. With a
        kernel, ``"align"`` takes its place: see :class:`SDMeans`.
    kernel : str, kernel or callable, optional
        Compare clusters in the space of a kernel instead of by their centres, for odd shapes: one of those
        that :class:`SDMeans` takes, but ``"precomputed"``. ``birth_cost`` is then in its units, and
        ``"auto"`` is half of what the clusters of a batch are apart there.
    budget : int, default=80
        With a kernel: most past points that stand for a cluster.
    random_state : int, RandomState instance or None, default=None
        Seeds the clones of an ``estimator`` whose own ``random_state`` is None, in each step anew.
    history_size, on_event
        As in :class:`DMeans`.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Id of every row of the last batch, -1 for noise.
    cluster_ids_, cluster_centers_, cluster_weights_, cluster_ages_, step_, history_, n_steps_, birth_cost_
        As in :class:`DMeans`.
    n_iter_ : int
        1: the clusters are taken as they come.

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

    _default: ClassVar[Default] = Default(lifetime=3.0, reach=1.0)

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
        self.kernel = kernel
        self.budget = budget
        self.random_state = random_state
        self.history_size = history_size
        self.on_event = on_event

    def update(
        self, X: Any, labels: Any, sample_weight: Any = None, *, t: float | None = None
    ) -> PersistentIds:
        """Take the next batch with the clusters that somebody else found in it.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        labels : array-like of shape (n,)
            Cluster of each row, a whole number that means nothing beyond this batch; -1 for noise.
        sample_weight : array-like of shape (n,), optional
            A row of weight m counts as m copies of it; of weight 0, as absent.
        t : float, optional
            Event time of the batch, as in :meth:`partial_fit`.

        Examples
        --------
        >>> from dynmeans import PersistentIds
        >>> model = PersistentIds(birth_cost=1.0)
        >>> model.update([[0.0], [5.0]], ["a" == name for name in "ab"]).labels_
        array([0, 1])
        >>> model.update([[5.1], [0.1]], [0, 1]).labels_
        array([1, 0])
        """
        return self._take(X, sample_weight, t, labels=valid_labels(labels))

    def _nearest(self, state: LinkState, rows: Rows) -> IntArray:
        """Return -1 if there is no cluster."""
        gaps = self._distances(state, rows)
        if gaps.shape[1] == 0:
            return np.full(len(gaps), NOISE)
        ids: IntArray = state.clusters.ids[gaps.argmin(axis=1)]
        return ids

    def transform(self, X: Any) -> FloatArray:
        """Return the distances of every row to all remembered clusters, in the order of their ids."""
        check_is_fitted(self)
        state = self._state  # once: another thread may make a step meanwhile
        return np.sqrt(self._distances(state, self._read(X, reset=False)))

    def _distances(self, state: LinkState, rows: Rows) -> FloatArray:
        """Squared, (n, K)."""
        past = state.past
        if isinstance(past, KernelState):
            return squared_distances(past, Batch(rows, None, state.clusters.clock))
        gaps: FloatArray = cdist(rows, past.centers, "sqeuclidean").astype(rows.dtype, copy=False)
        return gaps

    def _begin(self, n_features: int) -> LinkState:
        if self.kernel is None:
            return LinkState(empty_state(n_features), empty_row_scale(n_features))
        return LinkState(begin(self._kernel(), n_features), KernelScale(0.0, 0.0))

    def _clusters(self, state: LinkState) -> ClusterState:
        return state.clusters

    def _kernel(self) -> Kernel:
        return get_kernel(self.kernel)

    def _check(self) -> None:
        if self.estimator is not None and not hasattr(self.estimator, "fit_predict"):
            raise ValueError(f"estimator must have a method fit_predict, got {self.estimator!r}")
        if self.kernel is None:
            get_motion(self.motion)
            return
        valid_count("budget", self.budget, 1)
        if isinstance(self._kernel(), Precomputed):
            raise ValueError("kernel must compare rows, got 'precomputed': use SDMeans or KDMeans for that")
        if self.motion not in KERNEL_MOTIONS:
            raise ValueError(
                f"motion must be one of {list(KERNEL_MOTIONS)} with a kernel, got {self.motion!r}"
            )

    def _search(self, seed: int) -> Search:
        return Search(seed, 1, 1, 0)

    def _costs(self, estimate: float | None) -> Costs:
        costs = super()._costs(estimate)
        raw = self.aging_cost is not None or self.drift is not None
        return costs if raw else costs.for_groups()

    def _guess_birth_cost(self, batch: Batch, seed: int) -> None:
        """Nothing can be learned before the batch is clustered: see `_learned`."""
        return

    def _advance(
        self, state: LinkState, batch: Batch, costs: Costs, search: Search
    ) -> tuple[LinkState, StepReport, tuple[Event, ...]]:
        labels = self._found(batch, search.seed, state) if batch.labels is None else batch.labels
        if len(labels) != len(batch.rows):
            raise ValueError(f"labels must have one entry for each of {len(batch.rows)} rows: {len(labels)}")
        is_place = isinstance(state.past, ClusterState)
        step = self._link if is_place else self._link_alike
        state, rolled = step(state, gather(batch, labels, merged=not is_place), costs)
        return state, rolled.report, rolled.events

    def _found(self, batch: Batch, seed: int, state: LinkState) -> IntArray:
        """Labels from a clone, whose randomness depends on the seed and the step number."""
        if self.estimator is None:
            raise ValueError("there is no estimator to cluster with: set it, or hand labels to update")
        clusterer, n_steps = clone(self.estimator), state.clusters.n_steps
        whim = int(np.random.default_rng([seed, n_steps]).integers(2**31))
        free = {
            name: whim
            for name, value in clusterer.get_params().items()
            if value is None and (name == "random_state" or name.endswith("__random_state"))
        }
        weighted = batch.weights is not None and has_fit_parameter(clusterer, "sample_weight")
        extra = {"sample_weight": batch.weights} if weighted else {}
        return valid_labels(clusterer.set_params(**free).fit_predict(batch.rows, **extra))

    def _learned(self, scale: Any, costs: Costs) -> Costs:
        """Return the costs after what a batch told, where the birth cost is ours to find."""
        return self._costs(scale.birth_cost()) if self.birth_cost == "auto" else costs

    def _link(self, state: Any, groups: Groups, costs: Costs) -> tuple[LinkState, StepResult]:
        motion = get_motion(self.motion)
        scale = update_row_scale(state.scale, groups, state.past, motion)
        rolled = link_rows(state.past, groups, self._learned(scale, costs), motion)
        return LinkState(rolled.state, scale), rolled

    def _link_alike(self, state: Any, groups: Groups, costs: Costs) -> tuple[LinkState, StepResult]:
        if len(groups.rows) == 0:
            past, rolled = link_nothing(state.past, groups, self._learned(state.scale, costs))
            return state._replace(past=past), rolled
        meeting = compare(state.past, groups, costs, self.motion == "align")
        scale = update_kernel_scale(state.scale, groups, meeting)
        past, rolled = link_kernel(state.past, groups, meeting, self._learned(scale, costs), self.budget)
        return LinkState(past, scale), rolled
