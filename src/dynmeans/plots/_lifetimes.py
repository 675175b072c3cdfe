"""Lifetimes of all clusters of a run: status over time, and last position."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynmeans._files.run_folder.format import FEATURES, Run, Table
from dynmeans._model.events import Event
from dynmeans._model.types import FloatArray, IntArray

ACTIVE, ASLEEP, DEAD = 0, 1, 2
STATUS_NAMES = ("active", "asleep", "dead")


class ClusterLifetimes(NamedTuple):
    """All clusters of a run, one row each, sorted by id, which is the order of their births."""

    ids: IntArray  # (K,)
    born: IntArray  # (K,)   step of birth
    seen: IntArray  # (K,)   last step with points
    end: IntArray  # (K,)    step of death, or the last step of the run
    steps_seen: IntArray  # (K,) steps with points
    size: FloatArray  # (K,) total weight of its points
    age: FloatArray  # (K,)  time since its last point, at its last entry
    status: IntArray  # (K,) ACTIVE, ASLEEP or DEAD at the end of the run
    centers: FloatArray  # (K, d) last position
    spans: IntArray  # (S, 3) row of the cluster, first and last step of an active interval, sorted

    def take(self, rows: IntArray) -> ClusterLifetimes:
        """Select clusters; `rows` must increase."""
        keep = np.isin(self.spans[:, 0], rows)
        spans = self.spans[keep].copy()
        spans[:, 0] = np.searchsorted(rows, spans[:, 0])
        return ClusterLifetimes._make([*(column[rows] for column in self[:-1]), spans])


def trace_lifetimes(run: Run, *, blur: int = 0) -> ClusterLifetimes:
    """Trace every cluster through a run.

    Parameters
    ----------
    run : Run
    blur : int
        Sleeps of up to this many steps are ignored in `spans`, because they are too short to draw.

    Returns
    -------
    ClusterLifetimes
    """
    table = _sort_by_id(run.clusters)
    ids, first, owner = np.unique(table["id"], return_index=True, return_inverse=True)
    last = np.append(first[1:], len(owner))[: len(ids)] - 1
    final_step = int(run.steps["step"].max(initial=0))
    active = table["weight"] > 0
    steps_seen = np.bincount(owner[active], minlength=len(ids))
    seen = np.zeros(len(ids), dtype=np.int64)
    np.maximum.at(seen, owner[active], table["step"][active])
    status = np.where(table["step"][last] < final_step, DEAD, np.where(active[last], ACTIVE, ASLEEP))
    return ClusterLifetimes(
        ids,
        born=table["step"][first],
        seen=seen,
        end=_ends(run, ids, table["step"][last], final_step),
        steps_seen=steps_seen,
        size=np.bincount(owner, weights=table["weight"], minlength=len(ids)).astype(float),
        age=table["age"][last],
        status=status,
        centers=table[FEATURES][last],
        spans=_spans(owner[active], table["step"][active], blur),
    )


def _sort_by_id(table: Table) -> Table:
    order = np.lexsort((table["step"], table["id"]))
    return {name: column[order] for name, column in table.items()}


def _ends(run: Run, ids: IntArray, last_entry: IntArray, final_step: int) -> IntArray:
    """Return the step of death from the log or, without an event, right after the last entry."""
    end = np.minimum(last_entry + 1, final_step)
    deaths = [event for event in run.events if event.kind == "death"]
    where = np.searchsorted(ids, [event.id for event in deaths])
    for row, event in zip(where, deaths, strict=True):
        if row < len(ids) and ids[row] == event.id:
            end[row] = event.step
    return end


def _spans(owner: IntArray, step: IntArray, blur: int) -> IntArray:
    """Merge active entries of each cluster, sorted by owner and step, across gaps of at most `blur`."""
    if not len(owner):
        return np.empty((0, 3), dtype=np.int64)
    cut = (np.diff(owner) != 0) | (np.diff(step) > 1 + blur)
    begins = np.append(0, np.flatnonzero(cut) + 1)
    ends = np.append(np.flatnonzero(cut), len(owner) - 1)
    return np.column_stack((owner[begins], step[begins], step[ends]))


def tentative_ids(events: Sequence[Event]) -> list[int]:
    """Return the ids that the run never confirmed, sorted; without ``min_hits`` there are none."""
    confirmed = {event.id for event in events if event.kind == "confirmation"}
    return sorted({event.id for event in events if event.tentative} - confirmed)


def pack_lanes(born: IntArray, end: IntArray, *, gap: int = 1) -> IntArray:
    """Assign every lifetime to the first lane that is free at its birth.

    Parameters
    ----------
    born, end : int array of shape (K,)
        First and last step of every lifetime, sorted by birth.
    gap : int
        Empty steps between two lifetimes in one lane.

    Returns
    -------
    int array of shape (K,)
        Lane of every cluster; 0 is the top. Lifetimes in one lane never overlap.

    Examples
    --------
    >>> pack_lanes(np.array([1, 1, 5]), np.array([3, 9, 9])).tolist()
    [0, 1, 0]
    """
    lanes = np.empty(len(born), dtype=np.int64)
    free: list[int] = []
    busy: list[tuple[int, int]] = []  # (step from which the lane is free, lane)
    for k in range(len(born)):
        while busy and busy[0][0] <= born[k]:
            heapq.heappush(free, heapq.heappop(busy)[1])
        lanes[k] = heapq.heappop(free) if free else len(busy)
        heapq.heappush(busy, (int(end[k]) + gap, int(lanes[k])))
    return lanes
