"""Old centres in the space of a kernel: a few past points with coefficients, for each cluster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans.algorithms.selection import Selection, choose, length_of, thin
from dynmeans.kernels.base import Kernel, Scene
from dynmeans.model.types import BoolArray, FloatArray, IntArray

CANDIDATES = 1024  # points of one cluster that are compared with each other


class Support(NamedTuple):
    """phi of every remembered cluster: its rows, in the space of the kernel, times coefficients."""

    rows: FloatArray  # u (M, d)
    coefficients: FloatArray  # a (M,)
    ids: IntArray  # (M,)  cluster of each row, rising


def empty_support(n_features: int) -> Support:
    """Before the first batch: nothing is remembered."""
    return Support(np.empty((0, n_features)), np.empty(0), np.empty(0, dtype=np.int64))


def scene_of(support: Support, cluster_ids: IntArray, rows: FloatArray, weights: FloatArray) -> Scene:
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
    owner = np.searchsorted(cluster_ids, support.ids)
    return Scene(rows, weights, support.rows, support.coefficients, owner, len(cluster_ids))


def keep_ids(support: Support, cluster_ids: IntArray) -> Support:
    """What is left when all other clusters are forgotten."""
    return _take(support, np.isin(support.ids, cluster_ids))


def renew(
    support: Support,
    scene: Scene,
    kernel: Kernel,
    slots: IntArray,
    ids: IntArray,
    gammas: FloatArray,
    taken: FloatArray,
    budget: int,
    method: Selection = "greedy",
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
    order, bounds = _members(slots, len(ids))
    errors, seen = np.zeros(len(ids)), taken > 0
    parts = [_take(support, ~np.isin(support.ids, ids[seen]))]
    for k in np.flatnonzero(seen).tolist():
        gamma = float(gammas[k]) if k < scene.n_old else 0.0
        whole = _absorb(scene, order[bounds[k] : bounds[k + 1]], k, gamma, float(taken[k]))
        points, errors[k] = _reduce(whole, scene, kernel, budget, method)
        rows = np.concatenate([scene.kept[points.kept], scene.rows[points.members]])
        parts.append(Support(rows, points.coefficients, np.full(len(rows), ids[k])))
    joined = Support(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    return _take(joined, np.argsort(joined.ids, kind="stable")), errors


class _Expansion(NamedTuple):
    """A centre as a sum over kept points, then rows of the batch."""

    kept: IntArray  # indices into the scene's kept points
    members: IntArray  # indices into the scene's rows
    coefficients: FloatArray  # (kept + members,)


def _members(slots: IntArray, n_slots: int) -> tuple[IntArray, IntArray]:
    """Rows sorted by slot, and where each slot begins and ends among them."""
    order = np.argsort(slots, kind="stable")
    return order, np.searchsorted(slots[order], np.arange(n_slots + 1))


def _take(support: Support, which: BoolArray | IntArray) -> Support:
    return Support(support.rows[which], support.coefficients[which], support.ids[which])


def _absorb(scene: Scene, members: IntArray, k: int, gamma: float, taken: float) -> _Expansion:
    """Eq. (phiinitapprox): phi = (gamma phi + sum of m omega(y)) / (gamma + n), over all its points."""
    kept = np.flatnonzero(scene.owner == k)
    shares = np.concatenate([gamma * scene.coefficients[kept], scene.weights[members]])
    return _Expansion(kept, members, shares / (gamma + taken))


def _reduce(
    whole: _Expansion, scene: Scene, kernel: Kernel, budget: int, method: Selection
) -> tuple[_Expansion, float]:
    """At most ``budget`` points of an expansion, and the error that this makes."""
    if len(whole.coefficients) <= budget:
        return whole, 0.0
    some, thinned = _candidates(whole)
    gram = kernel.gram(scene, some.members, some.kept)
    if gram is None:
        chosen, coefficients = thin(whole.coefficients, budget)
        return _subset(whole, chosen, coefficients), np.nan
    found = choose(gram, some.coefficients, budget, method)
    error = found.error + (_thinning_error(gram, some) if thinned else 0.0)
    return _subset(some, found.chosen, found.coefficients), error


def _candidates(whole: _Expansion) -> tuple[_Expansion, bool]:
    """Few enough points to compare all pairs: all kept ones, and of many rows an even sample by weight.

    The rows lose nothing of their total weight. Systematic sampling in the order of the batch is
    deterministic, and each row stays with a chance in proportion to its weight.
    """
    n_kept = len(whole.kept)
    room = max(CANDIDATES - n_kept, CANDIDATES // 2)
    if len(whole.members) <= room:
        return whole, False
    rows, coefficients = thin(whole.coefficients[n_kept:], room)
    chosen = np.concatenate([np.arange(n_kept), n_kept + rows])
    return _subset(whole, chosen, np.concatenate([whole.coefficients[:n_kept], coefficients])), True


def _thinning_error(gram: FloatArray, some: _Expansion) -> float:
    """Estimate of what the sample of rows is away from all of them: half the distance between its two halves.

    Every other sampled row is one half. If the halves err independently, by e each in the square, they are
    2 e apart, and their mean errs by e / 2.
    """
    signs = np.where(np.arange(len(some.members)) % 2 == 0, 1.0, -1.0)
    n_kept = len(some.kept)
    return length_of(gram[n_kept:, n_kept:], signs * some.coefficients[n_kept:])


def _subset(whole: _Expansion, chosen: IntArray, coefficients: FloatArray) -> _Expansion:
    """Some points (rising indices) of an expansion, with other coefficients."""
    n_kept = len(whole.kept)
    old, new = chosen[chosen < n_kept], chosen[chosen >= n_kept]
    return _Expansion(whole.kept[old], whole.members[new - n_kept], coefficients)
