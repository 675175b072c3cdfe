"""The state of one key as bytes, which take less memory than seven small arrays."""

from __future__ import annotations

import struct

import numpy as np

from dynmeans._model.state import ClusterState

_HEAD = struct.Struct("<qdqqq")


def pack(state: ClusterState) -> bytes:
    """Return the state of a key as bytes in native order, for this process only."""
    n, width = state.velocities.shape
    head = _HEAD.pack(state.next_id, state.clock, state.n_steps, n, width)
    return b"".join((head, *(column.tobytes() for column in state.columns)))


def unpack(data: bytes, n_features: int) -> ClusterState:
    """Return the state of a key; its arrays are views of the bytes."""
    next_id, clock, n_steps, n, width = _HEAD.unpack_from(data)
    reals = np.frombuffer(data, np.float64, offset=_HEAD.size)
    wholes = reals.view(np.int64)
    a = n * n_features
    b = a + n
    c = b + n * width
    d = c + 2 * n
    e = d + n
    return ClusterState(
        centers=reals[:a].reshape(n, n_features),
        weights=reals[a:b],
        velocities=reals[b:c].reshape(n, width),
        velocity_cov=reals[c:d].reshape(n, 2),
        last_seen=reals[d:e],
        ids=wholes[e : e + n],
        hits=wholes[e + n :],
        next_id=next_id,
        clock=clock,
        n_steps=n_steps,
    )
