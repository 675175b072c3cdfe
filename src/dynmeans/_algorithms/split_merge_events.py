"""Splits and merges: which clusters came out of which, told from where the rows would have gone before.

Every row has a home: the cluster of the step before whose forecast is nearest to it. A cluster that lost
rows of its home to newborn ones may have split; one that got rows of homes whose clusters are gone may
be a merger. Homes alone do not tell, for a cluster born beside another takes rows of its home, and one that
dies leaves its home to the neighbours. So the pieces of a split must lie around the old place, and the rows
of a merger must lie where the old clusters were.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dynmeans._algorithms.batch import Rows
from dynmeans._core import find_split_merge, split_merge_candidates
from dynmeans._model.lifecycle import SplitMergeSlots, StepResult, append_split_merge, slot_ids
from dynmeans._model.objective import Fit
from dynmeans._model.state import ClusterState
from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans.kernels.base import Similarity

SlotArray: TypeAlias = NDArray[np.int32]

PART = 0.25  # of the rows of the whole: the least that a piece of a split, or a source of a merger, has
AROUND = 0.5  # squared distances: how much nearer the old place is to the middle of all pieces than to any
MOST_ROWS = 2000  # of a batch that are looked at; more would tell no more


class StepEvidence(NamedTuple):
    """What a step says of kinship before anyone looks at distances."""

    slots: SlotArray  # (n,)  of the rows
    mass: FloatArray | None  # (n,)  weights of the rows; None for ones
    taken: FloatArray  # (slots,)  weight of the rows of each slot; the newborn come last
    state: ClusterState  # what was remembered before


class Places(NamedTuple):
    """The space of the rows."""

    rows: Rows  # (n, d)
    forecasts: FloatArray  # (K, d)

    def kin(self, clues: StepEvidence) -> SplitMergeSlots:
        """Splits and merges."""
        slots, mass, taken, state = clues
        rows = self.rows
        if len(rows) > MOST_ROWS:
            every = -(-len(rows) // MOST_ROWS)
            rows, slots = rows[::every].copy(), slots[::every].copy()
            mass = None if mass is None else mass[::every].copy()
        splits, merges = find_split_merge(
            rows, self.forecasts, slots, mass, state.last_seen, state.clock, taken, PART, AROUND
        )
        return _kin(splits, merges)


class KernelSpace(NamedTuple):
    """The space of a kernel."""

    similarity: Similarity

    def kin(self, clues: StepEvidence) -> SplitMergeSlots:
        """Splits and merges."""
        awake = np.flatnonzero(clues.state.last_seen == clues.state.clock)
        if len(awake) == 0 or len(clues.slots) == 0:
            return _kin([], [])
        homes, n_old = self._homes(awake), len(clues.state.ids)
        splits, mergers = split_merge_candidates(
            homes, clues.slots, clues.mass, awake, clues.taken, n_old, PART
        )
        around = [parts for parts in splits if self._is_around(parts, clues)]
        settled = [
            [slot, *(k for k in awake[sources].tolist() if k != slot)]
            for slot, *sources in mergers
            if all(self._is_at_home(homes == home, int(awake[home]), slot, clues) for home in sources)
        ]
        return _kin(around, settled)

    def _homes(self, slots: IntArray) -> SlotArray:
        """Position among these remembered slots of the forecast nearest to each row, (n,)."""
        alike = self.similarity
        homes = alike.expand((alike.phi_phi[slots] - 2.0 * alike.y_phi[:, slots]).argmin(axis=1))
        return homes.astype(np.int32)

    def _is_around(self, parts: list[int], clues: StepEvidence) -> bool:
        """Tell whether a cluster and its pieces lie around the place where it was."""
        each = _rows(np.equal.outer(parts, clues.slots), clues)
        *gaps, middle = self._from_past(np.concatenate([each, each.sum(axis=0)[None]]), parts[0])
        return middle < AROUND * min(gaps)

    def _is_at_home(self, is_home: BoolArray, parent: int, slot: int, clues: StepEvidence) -> bool:
        """Tell whether the rows of a home in a slot lie nearer to the old place than to the slot's middle."""
        inside = clues.slots == slot
        rows = _rows(np.stack([inside & is_home, inside]), clues)
        return self._from_past(rows[:1], parent)[0] < self._apart(rows)

    def _from_past(self, shares: FloatArray, slot: int) -> list[float]:
        """Squared distances between means of rows, whose weights are lines (q, n), and a forecast."""
        means = self._means(shares)
        past = means @ self.similarity.y_phi[:, slot]
        distances: list[float] = (self._lengths(means) - 2.0 * past + self.similarity.phi_phi[slot]).tolist()
        return distances

    def _apart(self, shares: FloatArray) -> float:
        """Squared distance between two means of rows."""
        one, other = self._means(shares)
        return float(self._lengths((one - other)[None])[0])

    def _means(self, shares: FloatArray) -> FloatArray:
        """Coefficients of means over the representatives."""
        group, n = self.similarity.group, len(self.similarity.weights)
        total = shares if group is None else np.stack([np.bincount(group, line, n) for line in shares])
        means: FloatArray = total / shares.sum(axis=1)[:, None]
        return means

    def _lengths(self, means: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("qr,rq->q", means, self.similarity.multiply(means.T)))


def add_split_merge_events(
    rolled: StepResult, state: ClusterState, fit: Fit, weights: FloatArray | None, space: Places | KernelSpace
) -> StepResult:
    """Add the splits and merges of a step to what is told; most steps have neither births nor falls asleep.

    Parameters
    ----------
    rolled : Rolled
        The finished step.
    state : ClusterState
        What was remembered before it.
    fit : Fit
        Slots of the rows.
    weights : ndarray of shape (n,) or None
        Of the rows; None for ones.
    space : Places or Alike
        Rows and forecasts.
    """
    if len(rolled.report.born) == len(rolled.report.asleep) == 0:
        return rolled
    kin = space.kin(StepEvidence(fit.slots, weights, fit.taken, state))
    return (
        append_split_merge(rolled, slot_ids(state, len(fit.taken)), kin)
        if kin.splits or kin.merges
        else rolled
    )


def _kin(splits: list[list[int]], merges: list[list[int]]) -> SplitMergeSlots:
    """Each family by its first member and the others."""
    return SplitMergeSlots([(one, rest) for one, *rest in splits], [(one, rest) for one, *rest in merges])


def _rows(which: BoolArray, clues: StepEvidence) -> FloatArray:
    """Weights of some rows (q, n), 0 for the others."""
    return which.astype(np.float64) if clues.mass is None else clues.mass * which
