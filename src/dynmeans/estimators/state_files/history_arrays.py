"""The log of events as arrays, and back."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from dynmeans._model.events import Event, EventKind
from dynmeans._model.state import ClusterState
from dynmeans.estimators.state_files.state_checks import Arrays, column, require

KINDS: tuple[EventKind, ...] = get_args(EventKind)


def history_arrays(history: tuple[Event, ...]) -> dict[str, np.ndarray[Any, Any]]:
    """Return one array per field of an event."""
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
    n = len(arrays["event_kind"]) if arrays["event_kind"].ndim == 1 else -1
    kind = column(arrays, "event_kind", (n,), np.uint8)
    ids = column(arrays, "event_id", (n,), np.int64)
    step = column(arrays, "event_step", (n,), np.int64)
    time, cost = column(arrays, "event_time", (n,)), column(arrays, "event_cost", (n,))
    require((kind < len(KINDS)).all(), f"kinds of events must be below {len(KINDS)}")
    _check_ids(ids, state)
    require((np.diff(step) >= 0).all() and (np.diff(time) >= 0).all(), "events must be in order of time")
    require(((step >= 1) & (step <= state.n_steps)).all(), f"events must be of steps 1 .. {state.n_steps}")
    require((time <= state.clock).all(), f"no event may be after clock={state.clock!r}")
    require((cost >= 0).all(), "costs of events must not be negative")
    kinds = [KINDS[index] for index in kind.tolist()]
    columns = [ids.tolist(), step.tolist(), time.tolist(), cost.tolist(), _others(arrays, n, state)]
    columns.append(_tentative(arrays, n))
    return [Event(*row) for row in zip(kinds, *columns, strict=True)]


def _others(arrays: Arrays, n: int, state: ClusterState) -> list[tuple[int, ...]]:
    """Ids of the other clusters of each split and merge; files from before these events have none."""
    if "event_others" not in arrays:
        return [()] * n
    counts = column(arrays, "event_n_others", (n,), np.int64)
    ids = column(arrays, "event_others", (arrays["event_others"].size,), np.int64)
    require(((counts >= 0) & (counts <= len(ids))).all(), "numbers of other clusters are out of range")
    require(
        sum(counts.tolist()) == len(ids), f"{len(ids)} other clusters, events have {sum(counts.tolist())}"
    )
    if len(ids) == 0:
        return [()] * n
    _check_ids(ids, state)
    return [tuple(part.tolist()) for part in np.split(ids, np.cumsum(counts))[:-1]]


def _tentative(arrays: Arrays, n: int) -> list[bool]:
    """Return the marks of tentative ids; older files have none."""
    if "event_tentative" not in arrays:
        return [False] * n
    marks = column(arrays, "event_tentative", (n,), np.uint8)
    require((marks <= 1).all(), "marks of tentative ids must be 0 or 1")
    return [bool(mark) for mark in marks.tolist()]


def _check_ids(ids: Any, state: ClusterState) -> None:
    require(((ids >= 0) & (ids < state.next_id)).all(), f"events must be of ids below {state.next_id}")
