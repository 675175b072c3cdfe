"""Old centers in the space of a kernel: support points with coefficients for each cluster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._algorithms.kernel_space.support_selection import Selection, choose, length_of, subsample
from dynmeans._core import expand_centers
from dynmeans._model.types import FloatArray, IntArray, SlotArray
from dynmeans.kernels.base import DistinctPoints, Kernel, KernelInput

CANDIDATES = 1024  # maximum number of points of one cluster that are compared with each other


class Support(NamedTuple):
    """The center phi of every remembered cluster, as a linear combination of points in kernel space."""

    rows: FloatArray  # u (M, d)
    coefficients: FloatArray  # a (M,)
    ids: IntArray  # (M,)  cluster of each row, ascending


def empty_support(n_features: int) -> Support:
    """Return the support before the first batch, without points."""
    return Support(np.empty((0, n_features)), np.empty(0), np.empty(0, dtype=np.int64))


def kernel_input(
    support: Support, cluster_ids: IntArray, rows: FloatArray, weights: FloatArray
) -> KernelInput:
    """Combine a batch with the support points.

    Parameters
    ----------
    support : Support
        Of K clusters.
    cluster_ids : ndarray of shape (K,)
        Their ids, ascending.
    rows : ndarray of shape (n, d)
        The batch.
    weights : ndarray of shape (n,)
        Weights of its rows.

    Returns
    -------
    KernelInput
        Support points in their order, each with the position of its cluster among the ids.
    """
    owner = cluster_ids.searchsorted(support.ids)
    return KernelInput(rows, weights, support.rows, support.coefficients, owner, len(cluster_ids))


def keep_ids(support: Support, cluster_ids: IntArray) -> Support:
    """Keep only the support points of these clusters."""
    left = np.isin(support.ids, cluster_ids)
    return Support(support.rows[left], support.coefficients[left], support.ids[left])


def update_support(
    support: Support,
    inputs: KernelInput,
    kernel: Kernel,
    *,
    slots: SlotArray,
    ids: IntArray,
    gammas: FloatArray,
    slot_weights: FloatArray,
    budget: int,
    method: Selection = "greedy",
    distinct: DistinctPoints | None = None,
) -> tuple[Support, FloatArray]:
    """Update the centers of active clusters, and reduce each to at most ``budget`` points.

    Parameters
    ----------
    support : Support
        Before the batch, of K clusters. Sleeping clusters keep their points.
    inputs : KernelInput
        The batch and the support points, possibly aligned, in the order of the support.
    kernel : Kernel
        Computes W.
    slots : ndarray of shape (n,)
        Slot of each row: 0 .. K-1 for the remembered clusters, then newborn ones.
    ids : ndarray of shape (L,)
        Id of each slot, ascending.
    gammas : ndarray of shape (K,)
        Weights of the old centers.
    slot_weights : ndarray of shape (L,)
        Weight of the rows of each slot.
    budget : int
        Maximum number of support points per cluster.
    method : {"greedy", "l1"}
        See ``choose``.
    distinct : DistinctPoints, optional
        Distinct points of the kernel, if it has them. Equal points of a cluster over its budget are merged
        without error.

    Returns
    -------
    support : Support
        Support points of all remembered or active slots, sorted by id.
    errors : ndarray of shape (L,)
        Distance between each center and its approximation, 0 if no point was dropped; NaN if the kernel
        cannot compare support points.
    """
    n_distinct = 0 if distinct is None else distinct.matrix.shape[0]
    distinct_index = None if distinct is None else distinct.numbers
    expansion = _Expansion(
        *expand_centers(
            kept=inputs.kept,
            rows=inputs.rows,
            asleep=support.rows,
            ids=ids,
            owner=inputs.owner,
            coefficients=inputs.coefficients,
            slots=slots,
            weights=inputs.weights,
            gammas=gammas,
            slot_weights=slot_weights,
            positions=distinct_index,
            n_positions=n_distinct,
            budget=budget,
        )
    )
    errors = np.zeros(len(ids))
    is_kept = np.ones(len(expansion.points), dtype=np.bool_)
    for k in expansion.over_budget.tolist():
        own = slice(*expansion.begin[k : k + 2].tolist())
        center = _Center(expansion.points[own], expansion.coefficients[own], len(inputs.kept))
        chosen, coefficients, errors[k] = _reduce(center, inputs, kernel, distinct, budget, method)
        is_kept[own] = False
        is_kept[own.start + chosen] = True
        expansion.coefficients[own.start + chosen] = coefficients
    return Support(expansion.rows[is_kept], expansion.coefficients[is_kept], expansion.ids[is_kept]), errors


class _Expansion(NamedTuple):
    """Centers as sums over points, sorted by slot: support points, rows, then points of sleeping clusters."""

    points: IntArray  # (P,)
    rows: FloatArray  # (P, d)
    coefficients: FloatArray  # (P,)
    ids: IntArray  # (P,)
    begin: IntArray  # (L + 1,)  offset of the points of each slot
    over_budget: IntArray  # slots with rows and more points than the budget


class _Center(NamedTuple):
    """The expansion of one center."""

    points: IntArray  # (p,) ascending
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
    center: _Center,
    inputs: KernelInput,
    kernel: Kernel,
    distinct: DistinctPoints | None,
    budget: int,
    method: Selection,
) -> tuple[IntArray, FloatArray, float]:
    """Return the points of a center that are kept, their coefficients, and the approximation error."""
    some, index, is_sampled = _candidates(center)
    gram = kernel.gram(inputs, some.members, some.kept) if distinct is None else distinct.gram(some.points)
    if gram is None:
        return *subsample(center.coefficients, budget), np.nan
    found = choose(gram, some.coefficients, budget, method)
    error = found.error + (_subsampling_error(gram, some) if is_sampled else 0.0)
    return index[found.chosen], found.coefficients, error


def _candidates(center: _Center) -> tuple[_Center, IntArray, bool]:
    """Return at most about CANDIDATES points of a center, their indices, and whether rows were sampled.

    All support points are candidates. Many rows are sampled systematically in the order of the batch: this is
    deterministic, a row is kept with a probability in proportion to its weight, and the total weight is kept.
    """
    n_kept, n_points = len(center.kept), len(center.points)
    room = max(CANDIDATES - n_kept, CANDIDATES // 2)
    if n_points - n_kept <= room:
        return center, np.arange(n_points), False
    rows, coefficients = subsample(center.coefficients[n_kept:], room)
    chosen = np.concatenate([np.arange(n_kept), n_kept + rows])
    shares = np.concatenate([center.coefficients[:n_kept], coefficients])
    return _Center(center.points[chosen], shares, center.n_kept), chosen, True


def _subsampling_error(gram: FloatArray, some: _Center) -> float:
    """Estimate the sampling error as half the distance between the two halves of the sample.

    Each half consists of every other row. If the squared errors of the halves are independent and equal to e,
    their squared distance is 2 e, and the squared error of their mean is e / 2.
    """
    signs = np.where(np.arange(len(some.members)) % 2 == 0, 1.0, -1.0)
    n_kept = len(some.kept)
    return length_of(gram[n_kept:, n_kept:], signs * some.coefficients[n_kept:])
