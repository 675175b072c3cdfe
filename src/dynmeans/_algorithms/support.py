"""Old centres in the space of a kernel: a few past points with coefficients, for each cluster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynmeans._algorithms.support_selection import Selection, choose, length_of, thin
from dynmeans._core import expand_centers
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels.base import Kernel, KernelInput, Places

CANDIDATES = 1024  # points of one cluster that are compared with each other


class Support(NamedTuple):
    """phi of every remembered cluster: its rows, in the space of the kernel, times coefficients."""

    rows: FloatArray  # u (M, d)
    coefficients: FloatArray  # a (M,)
    ids: IntArray  # (M,)  cluster of each row, rising


def empty_support(n_features: int) -> Support:
    """Before the first batch: nothing is remembered."""
    return Support(np.empty((0, n_features)), np.empty(0), np.empty(0, dtype=np.int64))


def kernel_input(
    support: Support, cluster_ids: IntArray, rows: FloatArray, weights: FloatArray
) -> KernelInput:
    """A batch together with what is remembered.

    Parameters
    ----------
    support : Support
        Of K clusters.
    cluster_ids : ndarray of shape (K,)
        Their ids, rising.
    rows : ndarray of shape (n, d)
        The batch.
    weights : ndarray of shape (n,)
        Of its rows.

    Returns
    -------
    Scene
        Kept points in the order of the support, each with the position of its cluster among the ids.
    """
    owner = cluster_ids.searchsorted(support.ids)
    return KernelInput(rows, weights, support.rows, support.coefficients, owner, len(cluster_ids))


def keep_ids(support: Support, cluster_ids: IntArray) -> Support:
    """What is left when all other clusters are forgotten."""
    left = np.isin(support.ids, cluster_ids)
    return Support(support.rows[left], support.coefficients[left], support.ids[left])


def update_support(
    support: Support,
    scene: KernelInput,
    kernel: Kernel,
    slots: NDArray[np.int32],
    ids: IntArray,
    gammas: FloatArray,
    taken: FloatArray,
    budget: int,
    method: Selection = "greedy",
    places: Places | None = None,
) -> tuple[Support, FloatArray]:
    """Centres after a batch: those of active clusters move, and keep at most ``budget`` points.

    Parameters
    ----------
    support : Support
        Before the batch, of K clusters. Sleeping clusters keep theirs.
    scene : Scene
        The batch, and the kept points as it met them (moved, maybe, but in the order of the support).
    kernel : Kernel
        Gives W.
    slots : ndarray of shape (n,)
        Slot of each row: 0 .. K-1 for the remembered clusters, then newborn.
    ids : ndarray of shape (L,)
        Id of each slot, rising.
    gammas : ndarray of shape (K,)
        Weights of the old centres.
    taken : ndarray of shape (L,)
        Weight of the rows of each slot.
    budget : int
        Largest number of points that a cluster keeps.
    method : {"greedy", "l1"}
        See ``choose``.
    places : Places, optional
        Where the kernel says that points are, if it says so. Of a cluster that is over its budget, points at
        one place become one, at no error.

    Returns
    -------
    support : Support
        Of all slots that have a past or rows, sorted by id.
    errors : ndarray of shape (L,)
        Distance between each centre and its reapproximation, 0 where nothing was left out; NaN where
        the kernel cannot compare kept points, so that nobody knows.
    """
    if budget < 1:
        raise ValueError(f"budget must be at least 1, got {budget!r}")
    n_places = 0 if places is None else places.matrix.shape[0]
    where = None if places is None else places.all
    whole = _Expansion(
        *expand_centers(
            scene.kept,
            scene.rows,
            support.rows,
            ids,
            scene.owner,
            scene.coefficients,
            slots,
            scene.weights,
            gammas,
            taken,
            where,
            n_places,
            budget,
        )
    )
    errors = np.zeros(len(ids))
    if len(whole.crowded) == 0:
        return Support(whole.rows, whole.coefficients, whole.ids), errors
    stays = np.ones(len(whole.points), dtype=np.bool_)
    for k in whole.crowded.tolist():
        mine = slice(*whole.begin[k : k + 2].tolist())
        centre = _Centre(whole.points[mine], whole.coefficients[mine], len(scene.kept))
        chosen, coefficients, errors[k] = _reduce(centre, scene, kernel, places, budget, method)
        stays[mine] = False
        stays[mine.start + chosen] = True
        whole.coefficients[mine.start + chosen] = coefficients
    return Support(whole.rows[stays], whole.coefficients[stays], whole.ids[stays]), errors


class _Expansion(NamedTuple):
    """Centres as sums over points, sorted by slot: kept points, then rows, then points of the sleeping."""

    points: IntArray  # (P,)
    rows: FloatArray  # (P, d)
    coefficients: FloatArray  # (P,)
    ids: IntArray  # (P,)
    begin: IntArray  # (L + 1,)  where the points of each slot begin
    crowded: IntArray  # slots with rows and more points than the budget


class _Centre(NamedTuple):
    """One of them."""

    points: IntArray  # (p,) rising
    coefficients: FloatArray  # (p,)
    n_kept: int  # M

    @property
    def kept(self) -> IntArray:
        return self.points[self.points < self.n_kept]

    @property
    def members(self) -> IntArray:
        rows: IntArray = self.points[self.points >= self.n_kept] - self.n_kept
        return rows


def _reduce(
    centre: _Centre, scene: KernelInput, kernel: Kernel, places: Places | None, budget: int, method: Selection
) -> tuple[IntArray, FloatArray, float]:
    """Which of the points of a centre stay, with what coefficients, and the error that this makes."""
    some, among, thinned = _candidates(centre)
    gram = kernel.gram(scene, some.members, some.kept) if places is None else places.gram(some.points)
    if gram is None:
        return *thin(centre.coefficients, budget), np.nan
    found = choose(gram, some.coefficients, budget, method)
    error = found.error + (_thinning_error(gram, some) if thinned else 0.0)
    return among[found.chosen], found.coefficients, error


def _candidates(centre: _Centre) -> tuple[_Centre, IntArray, bool]:
    """Few enough points to compare all pairs, which they are, and whether some are missing.

    All kept ones, and of many rows an even sample by weight. The rows lose nothing of their total weight.
    Systematic sampling in the order of the batch is deterministic, and each row stays with a chance in
    proportion to its weight.
    """
    n_kept, n_points = len(centre.kept), len(centre.points)
    room = max(CANDIDATES - n_kept, CANDIDATES // 2)
    if n_points - n_kept <= room:
        return centre, np.arange(n_points), False
    rows, coefficients = thin(centre.coefficients[n_kept:], room)
    chosen = np.concatenate([np.arange(n_kept), n_kept + rows])
    shares = np.concatenate([centre.coefficients[:n_kept], coefficients])
    return _Centre(centre.points[chosen], shares, centre.n_kept), chosen, True


def _thinning_error(gram: FloatArray, some: _Centre) -> float:
    """Estimate of what the sample of rows is away from all of them: half the distance between its two halves.

    Every other sampled row is one half. If the halves err independently, by e each in the square, they are
    2 e apart, and their mean errs by e / 2.
    """
    signs = np.where(np.arange(len(some.members)) % 2 == 0, 1.0, -1.0)
    n_kept = len(some.kept)
    return length_of(gram[n_kept:, n_kept:], signs * some.coefficients[n_kept:])
