"""DP-means on every batch separately."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Batch, Rows, SearchOptions
from dynmeans._algorithms.dmeans import cluster
from dynmeans._algorithms.estimation.birth_cost import estimate_birth_cost
from dynmeans._model.costs import AgingParameters, Costs, make_costs
from dynmeans._model.motion import WALK
from dynmeans._model.prior import predict_prior
from dynmeans._model.state import empty_state
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.baselines._base import Baseline, Moment
from dynmeans.estimators._validation import valid_count, valid_number, valid_threads


class _DPMeansMemory(NamedTuple):
    next_id: int
    estimate: float | None  # estimated birth cost, if any


class DPMeans(Baseline):
    """Cluster every batch separately with DP-means (Kulis and Jordan, 2012).

    The small-variance limit of a Dirichlet process mixture: k-means, except that a point farther than the
    root of ``birth_cost`` from every center creates a cluster. It is D-Means without memory, and uses the
    same compiled descent. Nothing is carried from batch to batch, so every batch has new ids; to link
    them, wrap it in :class:`ReclusterAndMatch`. All data at once is one call of :meth:`fit`.

    A step costs O(n K d) per pass and restart, like a step of D-Means.

    Parameters
    ----------
    birth_cost : float or "auto", default="auto"
        Squared distance at which a point creates a new cluster (lambda). ``"auto"`` estimates it from the
        first batch whose rows are not all equal.
    n_restarts : int, default=10
        Number of random orders of the rows; the result of lowest cost is kept.
    max_iter : int, default=100
        Maximum number of passes per restart.
    n_jobs : int, optional
        Threads for large batches; by default the number of cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Id of every row of the last batch. Ids are never reused.
    cluster_ids_ : ndarray of shape (K,)
        Ids of the clusters of the last batch.
    cluster_centers_ : ndarray of shape (K, n_features)
        Their means.
    cost_ : float
        Sum of squared distances plus ``birth_cost`` for each cluster.
    birth_cost_ : float
        The birth cost in use.
    n_iter_ : int
        Passes over the batch in the best restart.
    n_steps_ : int
        Number of batches so far.

    Examples
    --------
    >>> from dynmeans.baselines import DPMeans
    >>> model = DPMeans(birth_cost=1.0, random_state=0)
    >>> model.partial_fit([[0.0], [0.1], [5.0]]).labels_
    array([0, 0, 1])
    >>> model.partial_fit([[0.0], [0.1], [5.0]]).labels_
    array([2, 2, 3])
    """

    cluster_ids_: IntArray
    cluster_centers_: FloatArray
    cost_: float
    birth_cost_: float
    n_iter_: int

    def __init__(
        self,
        birth_cost: float | str = "auto",
        *,
        n_restarts: int = 10,
        max_iter: int = 100,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.birth_cost = birth_cost
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _begin(self, rows: Rows) -> _DPMeansMemory:
        return _DPMeansMemory(0, None)

    def _advance(
        self, memory: _DPMeansMemory, rows: Rows, y: Any, moment: Moment
    ) -> tuple[_DPMeansMemory, Mapping[str, Any]]:
        estimate = memory.estimate
        if self.birth_cost == "auto" and estimate is None:
            estimate = estimate_birth_cost(rows, None, moment.seed)
        costs = self._costs(estimate)
        empty = predict_prior(empty_state(rows.shape[1]), 0.0, costs, WALK)
        fit = cluster(Batch(rows, None, 0.0), empty, costs, self._search(moment.seed), moment.n_steps)
        ids = memory.next_id + np.arange(len(fit.slot_weights))
        fitted = {
            "labels_": ids[fit.slots],
            "cluster_ids_": ids,
            "cluster_centers_": fit.centers,
            "cost_": fit.cost,
            "birth_cost_": costs.birth,
            "n_iter_": fit.n_iter,
        }
        return _DPMeansMemory(memory.next_id + len(ids), estimate), fitted

    def _costs(self, estimate: float | None) -> Costs:
        """Return the costs; while all rows are equal, any birth cost gives one cluster."""
        if self.birth_cost == "auto":
            return make_costs(1.0 if estimate is None else estimate, AgingParameters())
        return make_costs(valid_number("birth_cost", self.birth_cost) or 0.0, AgingParameters())

    def _search(self, seed: int) -> SearchOptions:
        return SearchOptions(
            seed,
            valid_count("n_restarts", self.n_restarts, 1),
            valid_count("max_iter", self.max_iter, 1),
            valid_threads(self.n_jobs),
        )
