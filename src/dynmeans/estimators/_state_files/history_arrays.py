"""The log of events as arrays, and back."""

from __future__ import annotations

from collections.abc import Collection
from itertools import accumulate, pairwise
from typing import Any, get_args

import numpy as np

from dynmeans._core import broken_event_rule
from dynmeans._model.events import Event, EventKind
from dynmeans._model.state import ClusterState
from dynmeans.estimators._state_files.state_checks import (
    BYTE,
    FLOAT,
    WHOLE,
    Arrays,
    column,
    columns,
    refuse,
    require,
)

KINDS: tuple[EventKind, ...] = get_args(EventKind)


def history_arrays(history: Collection[Event]) -> dict[str, np.ndarray[Any, Any]]:
    """Return one array per field of an event; none if there are no events."""
    if not history:
        return {}
    return {
        "event_kind": np.array([KINDS.index(e.kind) for e in history], dtype=np.uint8),
        "event_id": np.array([e.id for e in history], dtype=np.int64),
        "event_step": np.array([e.step for e in history], dtype=np.int64),
        "event_time": np.array([e.time for e in history], dtype=np.float64),
        "event_cost": np.array([e.cost for e in history], dtype=np.float64),
        "event_tentative": np.array([e.tentative for e in history], dtype=np.uint8),
        "event_n_others": np.array([len(e.others) for e in history], dtype=np.int64),
        "event_others": np.array([k for e in history for k in e.others], dtype=np.int64),
    }


def history_events(arrays: Arrays, state: ClusterState) -> list[Event]:
    """Return the events, which must be of clusters and steps that the state can have seen."""
    if "event_kind" not in arrays and "event_id" not in arrays:
        return []
    n = len(arrays["event_kind"]) if arrays["event_kind"].ndim == 1 else -1
    found = columns(
        arrays,
        ("event_kind", (n,), BYTE),
        ("event_id", (n,), WHOLE),
        ("event_step", (n,), WHOLE),
        ("event_time", (n,), FLOAT),
        ("event_cost", (n,), FLOAT),
    )
    kind, ids, step, time, cost = found
    refuse(
        broken_event_rule(
            kinds=kind,
            ids=ids,
            steps=step,
            times=time,
            costs=cost,
            n_kinds=len(KINDS),
            next_id=state.next_id,
            clock=state.clock,
            n_steps=state.n_steps,
        )
    )
    kinds = [KINDS[index] for index in kind.tolist()]
    numbers = [ids.tolist(), step.tolist(), time.tolist(), cost.tolist()]
    return list(map(Event, kinds, *numbers, _others(arrays, n, state), _tentative(arrays, n)))


def _others(arrays: Arrays, n: int, state: ClusterState) -> list[tuple[int, ...]]:
    """Ids of the other clusters of each split and merge; files from before these events have none."""
    if "event_others" not in arrays:
        return [()] * n
    counts = column(arrays, "event_n_others", (n,), WHOLE).tolist()
    ids = column(arrays, "event_others", (arrays["event_others"].size,), WHOLE)
    require(min(counts, default=0) >= 0, "numbers of other clusters are out of range")
    total = sum(counts)
    require(total == len(ids), f"{len(ids)} other clusters, events have {total}")
    if total == 0:
        return [()] * n
    is_known = ((ids >= 0) & (ids < state.next_id)).all()
    require(is_known, f"events must be of ids below {state.next_id}")
    ends = list(accumulate(counts, initial=0))
    return [tuple(ids[begin:end].tolist()) for begin, end in pairwise(ends)]


def _tentative(arrays: Arrays, n: int) -> list[bool]:
    """Return the marks of tentative ids; older files have none."""
    if "event_tentative" not in arrays:
        return [False] * n
    marks = column(arrays, "event_tentative", (n,), BYTE)
    values = marks.tolist()
    require(max(values, default=0) <= 1, "marks of tentative ids must be 0 or 1")
    return [bool(mark) for mark in values]
