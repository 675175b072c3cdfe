"""The state that is carried from one time step to the next."""

from __future__ import annotations

import reprlib
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from dynmeans._model.types import FloatArray, IntArray

SHOWN = 60  # characters of a value in an error


class Timed(Protocol):
    """An object with the time and number of its last batch."""

    @property
    def clock(self) -> float:
        """Event time of the last batch."""

    @property
    def n_steps(self) -> int:
        """Batches seen."""


Columns: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, IntArray, IntArray]


class ClusterState(NamedTuple):
    """All remembered clusters, one row each, sorted by id."""

    centers: FloatArray  # phi (K, d)  position when last seen
    weights: FloatArray  # w   (K,)    evidence for that position, 1 / variance
    velocities: FloatArray  # v (K, d) velocity when last seen; (K, 0) for motions without velocity
    velocity_cov: FloatArray  # (K, 2) covariance of v with the position, and variance of v
    last_seen: FloatArray  #   (K,)    event time of the last point
    ids: IntArray  #           (K,)    permanent, never reused
    hits: IntArray  #          (K,)    steps in which the cluster had rows
    next_id: int  #                    smallest unused id
    clock: float  #      t             event time of the last batch
    n_steps: int  #                    batches seen

    @property
    def columns(self) -> Columns:
        """The arrays, from ``centers`` to ``hits``."""
        return self[:7]

    @property
    def clusters(self) -> ClusterState:
        """The state itself. States of other algorithms hold their clusters and more."""
        return self


def empty_state(n_features: int) -> ClusterState:
    """Return the state before the first batch, without clusters."""
    return ClusterState(
        centers=np.empty((0, n_features)),
        weights=np.empty(0),
        velocities=np.empty((0, 0)),
        velocity_cov=np.empty((0, 2)),
        last_seen=np.empty(0),
        ids=np.empty(0, dtype=np.int64),
        hits=np.empty(0, dtype=np.int64),
        next_id=0,
        clock=0.0,
        n_steps=0,
    )


def next_time(state: Timed, t: float | None) -> float:
    """Return the event time of the next batch: ``t``, or one unit after the last batch if it is None."""
    if t is None:
        return state.clock + 1.0
    now = as_time(t)
    if state.n_steps > 0 and now < state.clock:
        raise ValueError(f"time must not go backwards: got t={now!r} after t={state.clock!r}")
    return now


def as_time(t: Any) -> float:
    """Return an event time as a finite number."""
    try:
        now = float(t)
    except OverflowError:
        now = np.inf
    except (TypeError, ValueError):
        raise ValueError(f"t must be a number, such as seconds, got {_shown(t)}{_remedy(t)}") from None
    if not np.isfinite(now):
        raise ValueError(f"t must be a finite number, got {_shown(t)}")
    return now


def _remedy(t: Any) -> str:
    """Return how to convert a date or duration to seconds."""
    if isinstance(t, np.datetime64):
        return ": pass (t - start) / np.timedelta64(1, 's')"
    if isinstance(t, np.timedelta64):
        return ": pass t / np.timedelta64(1, 's')"
    return ": pass t.timestamp()" if hasattr(t, "timestamp") else ""


def _shown(value: Any) -> str:
    """Return a value as one short line."""
    text = repr(value) if np.ndim(value) == 0 else reprlib.repr(value)
    return (text if len(text) <= SHOWN else f"{text[:SHOWN]}...").replace("\n", " ")
