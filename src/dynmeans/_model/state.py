"""What is carried from one time step to the next."""

from __future__ import annotations

import reprlib
from typing import NamedTuple, Protocol

import numpy as np

from dynmeans._model.types import FloatArray, IntArray


class Timed(Protocol):
    """Whatever knows when its last batch was."""

    @property
    def clock(self) -> float:
        """Event time of the last batch."""

    @property
    def n_steps(self) -> int:
        """Batches seen."""


class ClusterState(NamedTuple):
    """Every remembered cluster, one row each, sorted by id."""

    centers: FloatArray  # phi (K, d)  where it was when last seen
    weights: FloatArray  # w   (K,)    evidence behind that place, 1 / variance
    velocities: FloatArray  # v (K, d) how it moved then; (K, 0) where the motion knows no velocity
    velocity_cov: FloatArray  # (K, 2) covariance of v with the place, and variance of v
    last_seen: FloatArray  #   (K,)    event time of its last point
    ids: IntArray  #           (K,)    for life, never reused
    next_id: int  #                    smallest id never handed out
    clock: float  #      t             event time of the last batch
    n_steps: int  #                    batches seen


def empty_state(n_features: int) -> ClusterState:
    """Before the first batch: nothing is remembered."""
    return ClusterState(
        centers=np.empty((0, n_features)),
        weights=np.empty(0),
        velocities=np.empty((0, 0)),
        velocity_cov=np.empty((0, 2)),
        last_seen=np.empty(0),
        ids=np.empty(0, dtype=np.int64),
        next_id=0,
        clock=0.0,
        n_steps=0,
    )


def next_time(state: Timed, t: float | None) -> float:
    """Event time of the next batch; without one, it is a unit later than the last."""
    if t is None:
        return state.clock + 1.0
    try:
        now = float(t)
    except OverflowError:
        now = np.inf
    if not np.isfinite(now):
        raise ValueError(f"t must be a finite number, got {reprlib.repr(t)}")
    if state.n_steps > 0 and now < state.clock:
        raise ValueError(f"time must not go backwards: got t={now!r} after t={state.clock!r}")
    return now
