"""Splits and merges: which clusters came out of which, told from where the rows would have gone before.

Every row has a home: the cluster of the step before whose forecast is nearest to it. A cluster that lost
rows of its home to newborn ones may have split; one that got rows of homes whose clusters are gone may
be a merger. Homes alone do not tell, for a cluster born beside another takes rows of its home, and one that
dies leaves its home to the neighbours. So the pieces of a split must lie around the old place, and the rows
of a merger must lie where the old clusters were.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dynmeans.algorithms.batch import Rows
from dynmeans.core import nearest, shared_weight
from dynmeans.kernels.base import Similarity
from dynmeans.model.lifecycle import Kin, Rolled, slot_ids, tell_kin
from dynmeans.model.objective import Fit
from dynmeans.model.state import ClusterState
from dynmeans.model.types import BoolArray, FloatArray, IntArray

SlotArray: TypeAlias = NDArray[np.int32]

PART = 0.25  # of the rows of the whole: the least that a piece of a split, or a source of a merger, has
AROUND = 0.5  # squared distances: how much nearer the old place is to the middle of all pieces than to any
MOST_ROWS = 2000  # of a batch that are looked at; more would tell no more


class Space(Protocol):
    """Where rows and forecasts are compared; ``shares`` (q, n) are weights of rows, a line a mean."""

    def homes(self, slots: IntArray) -> SlotArray:
        """Position among these remembered slots of the forecast nearest to each row, (n,)."""

    def from_past(self, shares: FloatArray, slot: int) -> list[float]:
        """Squared distances between means of rows and the forecast of a remembered slot."""

    def apart(self, shares: FloatArray) -> float:
        """Squared distance between two means of rows."""


class Places(NamedTuple):
    """The space of the rows."""

    rows: Rows  # (n, d)
    forecasts: FloatArray  # (K, d)

    def homes(self, slots: IntArray) -> SlotArray:  # noqa: D102
        return nearest(self.rows, self.forecasts[slots], 1)

    def from_past(self, shares: FloatArray, slot: int) -> list[float]:  # noqa: D102
        gaps = self._means(shares) - self.forecasts[slot]
        distances: list[float] = np.einsum("qd,qd->q", gaps, gaps).tolist()
        return distances

    def apart(self, shares: FloatArray) -> float:  # noqa: D102
        one, other = self._means(shares)
        return float((one - other) @ (one - other))

    def _means(self, shares: FloatArray) -> FloatArray:
        means: FloatArray = shares @ self.rows / shares.sum(axis=1)[:, None]
        return means


class Alike(NamedTuple):
    """The space of a kernel."""

    similarity: Similarity

    def homes(self, slots: IntArray) -> SlotArray:  # noqa: D102
        alike = self.similarity
        homes = alike.expand((alike.phi_phi[slots] - 2.0 * alike.y_phi[:, slots]).argmin(axis=1))
        return homes.astype(np.int32)

    def from_past(self, shares: FloatArray, slot: int) -> list[float]:  # noqa: D102
        means = self._means(shares)
        past = means @ self.similarity.y_phi[:, slot]
        distances: list[float] = (self._lengths(means) - 2.0 * past + self.similarity.phi_phi[slot]).tolist()
        return distances

    def apart(self, shares: FloatArray) -> float:  # noqa: D102
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


def with_kin(
    rolled: Rolled, state: ClusterState, fit: Fit, weights: FloatArray | None, space: Places | Alike
) -> Rolled:
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
    old, n_slots = len(state.ids), len(fit.taken)
    awake = np.flatnonzero(state.last_seen == state.clock)
    is_gone = fit.taken[awake] == 0
    nothing_happened = n_slots == old and not (len(awake) > 1 and is_gone.any())
    if len(awake) == 0 or len(fit.slots) == 0 or nothing_happened:
        return rolled
    slots, mass = fit.slots, weights
    if isinstance(space, Places) and len(slots) > MOST_ROWS:
        every = -(-len(slots) // MOST_ROWS)
        slots, space = slots[::every].copy(), space._replace(rows=space.rows[::every].copy())
        mass = None if mass is None else mass[::every].copy()
    kin = find_kin(slots, mass, awake, is_gone, old, n_slots, space)
    return tell_kin(rolled, slot_ids(state, n_slots), kin) if kin.splits or kin.merges else rolled


def find_kin(
    slots: SlotArray,
    mass: FloatArray | None,
    awake: IntArray,
    is_gone: BoolArray,
    old: int,
    n_slots: int,
    space: Space,
) -> Kin:
    """Splits and merges in slots.

    Parameters
    ----------
    slots, mass : ndarray of shape (n,)
        Slot and weight of every row; None for weights of one.
    awake, is_gone : ndarray of shape (A,)
        Slots with rows in the step before, and which of them have none now.
    old, n_slots : int
        Remembered slots, and all with the newborn, which come last.
    space : Space
        Where homes and distances are taken.
    """
    homes = space.homes(awake)
    shared = shared_weight(homes, slots, mass, len(awake), n_slots).tolist()
    step = _Step(slots, mass, awake.tolist(), homes, shared, space)
    gone = np.flatnonzero(is_gone).tolist()
    born = range(old, n_slots)
    children = _grouped([_largest([taken[p] for taken in shared]) for p in born], born)
    parents = _grouped([_largest(shared[home]) for home in gone], gone)
    splits = [(step.awake[home], step.pieces(home, born)) for home, born in children.items()]
    merges = [(slot, step.sources(slot, lost)) for slot, lost in parents.items()]
    return Kin([one for one in splits if one[1]], [one for one in merges if one[1]])


def _largest(shares: list[float]) -> int:
    """Position of the largest."""
    return shares.index(max(shares))


def _grouped(keys: list[int], values: Iterable[int]) -> dict[int, list[int]]:
    """Values by their keys."""
    groups: dict[int, list[int]] = {}
    for key, value in zip(keys, values, strict=True):
        groups.setdefault(key, []).append(value)
    return groups


class _Step(NamedTuple):
    slots: SlotArray  # (n,)
    mass: FloatArray | None  # (n,)
    awake: list[int]  # A slots that had rows before
    homes: SlotArray  # (n,)  home of each row, 0 .. A-1
    shared: list[list[float]]  # (A, slots)  weight of the rows of each home in each slot
    space: Space

    def pieces(self, home: int, born: list[int]) -> list[int]:
        """Which newborn slots split off the cluster of a home, which lives on; none if it did not split."""
        parent = self.awake[home]
        taken = {p: self.shared[home][p] for p in (parent, *born)}
        whole = {p: n for p, n in taken.items() if n > 0.5 * self._total(p)}
        parts = [p for p, n in whole.items() if n >= PART * sum(whole.values())]
        if len(parts) < 2 or parent not in parts:
            return []
        each = self._rows(np.equal.outer(parts, self.slots))
        *gaps, middle = self.space.from_past(np.concatenate([each, each.sum(axis=0)[None]]), parent)
        return parts[1:] if middle < AROUND * min(gaps) else []

    def sources(self, slot: int, gone: list[int]) -> list[int]:
        """Which remembered slots, at these homes, ended in a slot; none if it is no merger."""
        own = [self.awake.index(slot)] if slot in self.awake else []
        taken = {home: self.shared[home][slot] for home in (*own, *gone)}
        total = self._total(slot)
        homes = [h for h, n in taken.items() if n >= PART * total and n > 0.5 * sum(self.shared[h])]
        if len(homes) < 2 or not all(self._is_at_home(home, slot) for home in homes):
            return []
        return [self.awake[home] for home in homes if home not in own]

    def _is_at_home(self, home: int, slot: int) -> bool:
        """Tell whether the rows of a home in a slot lie nearer to the old place than to the slot's middle."""
        inside = self.slots == slot
        rows = self._rows(np.stack([inside & (self.homes == home), inside]))
        return self.space.from_past(rows[:1], self.awake[home])[0] < self.space.apart(rows)

    def _total(self, slot: int) -> float:
        return sum(taken[slot] for taken in self.shared)

    def _rows(self, which: BoolArray) -> FloatArray:
        return which.astype(np.float64) if self.mass is None else self.mass * which
