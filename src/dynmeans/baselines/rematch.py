"""Cluster every batch separately, then match its centers with those of the previous batch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, clone

from dynmeans._algorithms.batch import Rows
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.baselines._base import Baseline, Moment
from dynmeans.estimators._validation import valid_number

NOISE = -1


class _RematchMemory(NamedTuple):
    centers: FloatArray  # (K, d) of the last batch
    ids: IntArray  # (K,)
    next_id: int


class ReclusterAndMatch(Baseline):
    """Cluster every batch separately, and reuse the ids of the nearest clusters of the previous batch.

    Pairs minimize the total squared distance between centers (Hungarian matching). A pair beyond ``gate``
    costs as much as the gate and is not made, so a distant new cluster does not distort the other pairs.
    Unpaired clusters get new ids. Only the previous batch counts: a cluster that is absent from one batch
    returns under a new id. The noise label -1 is kept.

    A step costs one fit of the clusterer, plus O(K^3) for the matching.

    Parameters
    ----------
    clusterer : object with fit_predict
        Cloned for every batch: ``KMeans(5)``, ``DBSCAN(0.1)``, ``HDBSCAN()``,
        ``BayesianGaussianMixture(10)``, :class:`DPMeans`, :class:`TrueLabels`, ...
    gate : float, optional
        Largest squared distance of a pair; by default unlimited.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Id of every row of the last batch, -1 for noise. Ids are never reused.
    cluster_ids_ : ndarray of shape (K,)
        Ids of the clusters of the last batch.
    cluster_centers_ : ndarray of shape (K, n_features)
        Their means.
    n_steps_ : int
        Number of batches so far.

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN
    >>> from dynmeans.baselines import ReclusterAndMatch
    >>> model = ReclusterAndMatch(DBSCAN(eps=1.0, min_samples=1), gate=4.0)
    >>> model.partial_fit([[0.0], [0.1], [5.0]]).labels_
    array([0, 0, 1])
    >>> model.partial_fit([[5.1], [9.0]]).labels_
    array([1, 2])
    """

    cluster_ids_: IntArray
    cluster_centers_: FloatArray

    def __init__(self, clusterer: Any, *, gate: float | None = None) -> None:
        self.clusterer = clusterer
        self.gate = gate

    def _begin(self, rows: Rows) -> _RematchMemory:
        return _RematchMemory(np.empty((0, rows.shape[1])), np.empty(0, dtype=np.int64), 0)

    def _advance(
        self, memory: _RematchMemory, rows: Rows, y: Any, moment: Moment
    ) -> tuple[_RematchMemory, Mapping[str, Any]]:
        gate = self._gate()
        found = np.asarray(clone(self.clusterer, safe=False).fit_predict(rows, y))
        names, which = np.unique(found, return_inverse=True)
        real = names != NOISE
        centers = np.array([rows[found == name].mean(axis=0) for name in names[real]])
        centers = centers.reshape(-1, rows.shape[1]).astype(np.float64)
        ids = _identify(centers, memory, gate)
        of_name = np.full(len(names), NOISE, dtype=np.int64)
        of_name[real] = ids
        fitted = {"labels_": of_name[which], "cluster_ids_": ids, "cluster_centers_": centers}
        return _RematchMemory(centers, ids, max(memory.next_id, int(ids.max(initial=-1)) + 1)), fitted

    def _gate(self) -> float:
        gate = valid_number("gate", self.gate)
        if gate is None:
            return math.inf
        if not gate >= 0:
            raise ValueError(f"gate must be a squared distance >= 0, got {self.gate!r}")
        return gate


def _identify(centers: FloatArray, memory: _RematchMemory, gate: float) -> IntArray:
    """Return the ids of the partners in the previous batch, and new ids for unpaired clusters."""
    ids = np.full(len(centers), NOISE, dtype=np.int64)
    distance = cdist(centers, memory.centers, "sqeuclidean")
    mine, before = linear_sum_assignment(np.minimum(distance, gate))
    near = distance[mine, before] <= gate
    ids[mine[near]] = memory.ids[before[near]]
    new = ids == NOISE
    ids[new] = memory.next_id + np.arange(np.count_nonzero(new))
    return ids


class TrueLabels(BaseEstimator):  # type: ignore[misc]
    """Oracle clusterer: its ``fit_predict(X, y)`` returns ``y``.

    In :class:`ReclusterAndMatch` it is the upper limit for methods that link clusters from batch to batch by
    their centers: the clusters are perfect, only the links are estimated.

    Examples
    --------
    >>> from dynmeans.baselines import ReclusterAndMatch, TrueLabels
    >>> ReclusterAndMatch(TrueLabels()).partial_fit([[0.0], [1.0]], [7, 7]).labels_
    array([0, 0])
    """

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Return the true labels.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,)
            True labels.
        """
        if y is None or len(y) != len(X):
            given = "none" if y is None else str(len(y))
            raise ValueError(f"TrueLabels needs a true label y for each of {len(X)} rows, got {given}")
        return np.asarray(y)
