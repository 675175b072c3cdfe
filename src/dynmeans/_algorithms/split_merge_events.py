"""Detection of splits and merges.

Every row has a parent cluster: the cluster of the previous step whose predicted center is nearest. A cluster
may have split if newborn clusters took rows of which it is the parent. Clusters may have merged if one
cluster has the rows of several parents that are no longer active. The parents alone do not suffice: a cluster
that is born next to another takes some of its rows, and the rows of a dying cluster go to its neighbors. So
the pieces of a split must lie around the old center, and the rows of a merged cluster must lie near the old
centers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynmeans._algorithms.batch import Rows
from dynmeans._core import find_split_merge, split_merge_candidates
from dynmeans._model.lifecycle import SplitMergeSlots, StepResult, append_split_merge, slot_ids
from dynmeans._model.objective import Fit
from dynmeans._model.state import ClusterState
from dynmeans._model.types import BoolArray, FloatArray, IntArray, SlotArray
from dynmeans.kernels.base import Similarity

MIN_SHARE = 0.25  # minimum share of the rows that a piece of a split, or a source of a merge, must have
MAX_RATIO = 0.5  # maximum squared distance of the old center to the mean of all pieces, relative to any piece
MAX_ROWS = 2000  # maximum number of rows that are used; more do not change the result
NO_CHANGES = SplitMergeSlots([], [])


class StepEvidence(NamedTuple):
    """Slots and weights of the rows of a step, and the state before it."""

    slots: SlotArray  # (n,)  of the rows
    weights: FloatArray | None  # (n,)  of the rows; None for ones
    slot_weights: FloatArray  # (slots,)  weight of the rows of each slot; newborn slots come last
    state: ClusterState  # before the step


class RowSpace(NamedTuple):
    """The space of the rows."""

    rows: Rows  # (n, d)
    forecasts: FloatArray  # (K, d)  predicted centers

    def find(self, evidence: StepEvidence) -> SplitMergeSlots:
        """Find the splits and merges of a step."""
        slots, weights, slot_weights, state = evidence
        rows = self.rows
        if len(rows) > MAX_ROWS:
            every = -(-len(rows) // MAX_ROWS)
            rows, slots = rows[::every].copy(), slots[::every].copy()
            weights = None if weights is None else weights[::every].copy()
        past = (state.last_seen, state.clock)
        splits, merges = find_split_merge(
            rows, self.forecasts, slots, weights, *past, slot_weights, MIN_SHARE, MAX_RATIO
        )
        return _as_slots(splits, merges)


class KernelSpace(NamedTuple):
    """The space of a kernel."""

    similarity: Similarity

    def find(self, evidence: StepEvidence) -> SplitMergeSlots:
        """Find the splits and merges of a step."""
        active = np.flatnonzero(evidence.state.last_seen == evidence.state.clock)
        if len(active) == 0 or len(evidence.slots) == 0:
            return _as_slots([], [])
        parents, n_old = self._parents(active), len(evidence.state.ids)
        splits, merges = split_merge_candidates(
            parents=parents,
            slots=evidence.slots,
            weights=evidence.weights,
            active=active,
            slot_weights=evidence.slot_weights,
            n_old=n_old,
            min_share=MIN_SHARE,
        )
        true_splits = [pieces for pieces in splits if self._is_around(pieces, evidence)]
        true_merges = [
            [slot, *(k for k in active[sources].tolist() if k != slot)]
            for slot, *sources in merges
            if all(self._is_near_parent(parents == k, int(active[k]), slot, evidence) for k in sources)
        ]
        return _as_slots(true_splits, true_merges)

    def _parents(self, slots: IntArray) -> NDArray[np.int32]:
        """Return the index (n,) among these remembered slots of the predicted center nearest to each row."""
        similarity = self.similarity
        parents = similarity.expand(
            (similarity.phi_phi[slots] - 2.0 * similarity.y_phi[:, slots]).argmin(axis=1)
        )
        return parents.astype(np.int32)

    def _is_around(self, pieces: list[int], evidence: StepEvidence) -> bool:
        """Return whether a cluster and its newborn pieces lie around its old center."""
        each = _rows(np.equal.outer(pieces, evidence.slots), evidence)
        *distances, mean = self._from_past(np.concatenate([each, each.sum(axis=0)[None]]), pieces[0])
        return mean < MAX_RATIO * min(distances)

    def _is_near_parent(self, is_child: BoolArray, parent: int, slot: int, evidence: StepEvidence) -> bool:
        """Return whether rows of a parent in a slot are nearer to the old center than to the slot's mean."""
        inside = evidence.slots == slot
        rows = _rows(np.stack([inside & is_child, inside]), evidence)
        return self._from_past(rows[:1], parent)[0] < self._apart(rows)

    def _from_past(self, shares: FloatArray, slot: int) -> list[float]:
        """Return squared distances between means of rows, with weights (q, n), and a predicted center."""
        means = self._means(shares)
        past = means @ self.similarity.y_phi[:, slot]
        distances: list[float] = (self._lengths(means) - 2.0 * past + self.similarity.phi_phi[slot]).tolist()
        return distances

    def _apart(self, shares: FloatArray) -> float:
        """Return the squared distance between two means of rows."""
        one, other = self._means(shares)
        return float(self._lengths((one - other)[None])[0])

    def _means(self, shares: FloatArray) -> FloatArray:
        """Return the coefficients of means over the representatives."""
        group, n = self.similarity.group, len(self.similarity.weights)
        total = shares if group is None else np.stack([np.bincount(group, line, n) for line in shares])
        means: FloatArray = total / shares.sum(axis=1)[:, None]
        return means

    def _lengths(self, means: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("qr,rq->q", means, self.similarity.multiply(means.T)))


def add_split_merge_events(
    result: StepResult,
    state: ClusterState,
    fit: Fit,
    weights: FloatArray | None,
    space: RowSpace | KernelSpace,
) -> StepResult:
    """Add the splits and merges of a step to its report.

    A step without remembered clusters, or without births and sleeps, has none.

    Parameters
    ----------
    result : StepResult
        Result of the step.
    state : ClusterState
        Before the step.
    fit : Fit
        Slots of the rows.
    weights : ndarray of shape (n,) or None
        Weights of the rows; None for ones.
    space : RowSpace or KernelSpace
        Rows and predicted centers.
    """
    if len(state.ids) == 0 or len(result.report.born) == len(result.report.asleep) == 0:
        return result
    found = space.find(StepEvidence(fit.slots, weights, fit.slot_weights, state))
    return (
        append_split_merge(result, slot_ids(state, len(fit.slot_weights)), found)
        if found.splits or found.merges
        else result
    )


def _as_slots(splits: list[list[int]], merges: list[list[int]]) -> SplitMergeSlots:
    """Pair the first slot of each split or merge with the others."""
    if not (splits or merges):
        return NO_CHANGES
    return SplitMergeSlots([(one, rest) for one, *rest in splits], [(one, rest) for one, *rest in merges])


def _rows(which: BoolArray, evidence: StepEvidence) -> FloatArray:
    """Return the weights of some rows (q, n), 0 for the others."""
    return which.astype(np.float64) if evidence.weights is None else evidence.weights * which
