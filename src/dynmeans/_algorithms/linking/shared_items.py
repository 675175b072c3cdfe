"""Linking by shared items: the members that a cluster has in common with a remembered one.

If batches overlap (sliding windows, repeated fits on almost the same rows), the same item appears in both.
The items of every remembered cluster are kept from the last step in which it had rows. With n_kl members of
old cluster k in group l, the links maximize

    sum n_kl (1 - Q dt_k / lambda),

so that as many items as possible keep their id. The factor is the share of the birth cost that a revival
saves: an older memory counts less, as in the cost by centers. A link by items requires a mutual majority:
half of the members of k that the batch has in clusters, and half of the members of l that were known. So the
last members of a cluster that dissolves do not transfer its id to another one.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from dynmeans._model.types import BoolArray, FloatArray, IntArray

ItemArray: TypeAlias = NDArray[Any]  # int64, or str objects

NOT_LINKED = -1


class ItemMemory(NamedTuple):
    """Items of every remembered cluster in the last step in which it had rows."""

    items: ItemArray  # (M,)
    ids: IntArray  # (M,)  of the clusters


class SharedItems(NamedTuple):
    """Members that the groups of a batch share with the remembered clusters."""

    counts: IntArray  # n (L, K)
    known: IntArray  # (L,)  members of each group that any remembered cluster has

    def links(self, worth: FloatArray) -> IntArray:
        """Return the old cluster (L,) of every group that is linked by items, -1 for the others.

        ``worth`` (K,) is the value of one shared member of each old cluster.
        """
        in_batch = self.counts.sum(axis=0)
        is_enough = (2 * self.counts >= in_batch) & (2 * self.counts >= self.known[:, None])
        value = np.where(is_enough, self.counts * np.maximum(worth, 0.0), 0.0)
        old = np.full(len(value), NOT_LINKED)
        groups, clusters = linear_sum_assignment(value, maximize=True)
        is_linked = value[groups, clusters] > 0
        old[groups[is_linked]] = clusters[is_linked]
        return old

    def excluded(self) -> BoolArray:
        """Return the pairs (L, K) that items rule out: the members of k are in other groups."""
        excluded: BoolArray = (self.counts == 0) & (self.counts.sum(axis=0) > 0)
        return excluded


def empty_item_memory() -> ItemMemory:
    """Return the memory without items."""
    return ItemMemory(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def count_shared(memory: ItemMemory, items: ItemArray, which: IntArray, ids: IntArray) -> SharedItems:
    """Count the shared members of groups and remembered clusters.

    Parameters
    ----------
    memory : ItemMemory
    items : ndarray of shape (n,)
        Items of the clustered rows, without repetition.
    which : ndarray of shape (n,)
        Group of each row, 0 .. L-1, none of which is empty.
    ids : ndarray of shape (K,)
        Ids of the remembered clusters, ascending.
    """
    n_groups = int(which.max(initial=-1)) + 1
    counts, known = np.zeros((n_groups, len(ids)), dtype=np.int64), np.zeros(n_groups, dtype=np.int64)
    if len(items) and len(memory.items):
        order = np.argsort(items, kind="stable")
        position = np.searchsorted(items, memory.items, sorter=order)
        row = order[np.minimum(position, len(items) - 1)]
        is_shared = items[row] == memory.items
        np.add.at(counts, (which[row[is_shared]], np.searchsorted(ids, memory.ids[is_shared])), 1)
        known = np.bincount(which[np.unique(row[is_shared])], minlength=n_groups)
    return SharedItems(counts, known)


def remember_items(
    memory: ItemMemory, items: ItemArray | None, labels: IntArray, ids: IntArray
) -> ItemMemory:
    """Replace the items of the clusters that have rows, and delete those of the forgotten ones.

    Parameters
    ----------
    memory : ItemMemory
        Before the step.
    items : ndarray of shape (n,) or None
        Items of the rows of the batch.
    labels : ndarray of shape (n,)
        Id of each row, -1 for noise.
    ids : ndarray of shape (K,)
        Ids of the clusters that are remembered after the step.
    """
    if items is None and len(memory.ids) == 0:
        return memory
    is_old = np.isin(memory.ids, ids) & ~np.isin(memory.ids, labels)
    kept = ItemMemory(memory.items[is_old], memory.ids[is_old])
    if items is None:
        return kept
    is_member = np.isin(labels, ids)
    return ItemMemory(
        np.concatenate([kept.items, items[is_member]]) if len(kept.items) else items[is_member],
        np.concatenate([kept.ids, labels[is_member]]),
    )
