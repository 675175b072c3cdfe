"""A birth cost from the rows of several steps, for keys that have one row per step.

One row per step contains no distance between clusters. So the rows of the first 8, 16 and 32 steps of a key
are treated as one batch. The estimate is the median over the first 100 keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynmeans._algorithms.estimation.birth_cost import pooled_birth_cost
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.streams._grouping import Groups, Key

SAMPLE_KEYS = 100  # number of keys; the median of their estimates is the common birth cost
MIN_STEPS, MAX_STEPS = 8, 32  # steps with rows after which the first and the last estimate are made


class FirstRows(NamedTuple):
    """Rows of the first keys in the first steps, and the birth cost that was estimated from them."""

    rows: FloatArray = np.empty((0, 0))  # (n, d)  empty when the estimate is final
    owners: IntArray = np.empty(0, dtype=np.int64)  # (n,)  number of the key of each row
    keys: tuple[Key, ...] = ()  # in the order of their first rows
    n_steps: int = 0  # number of steps with rows so far
    birth: float | None = None  # None before the first estimate, or if all rows of each key are equal

    @property
    def is_final(self) -> bool:
        """Whether later steps change nothing."""
        return self.n_steps >= MAX_STEPS

    @property
    def is_due(self) -> bool:
        """Whether the birth cost is estimated now: after 8, 16 and 32 steps."""
        return self.n_steps >= MIN_STEPS and self.n_steps & (self.n_steps - 1) == 0


def add_step(
    first: FirstRows, rows: FloatArray, groups: Groups, estimate: Callable[[FloatArray], float | None]
) -> FirstRows:
    """Add the rows of a step.

    Parameters
    ----------
    first : FirstRows
        Rows of the earlier steps.
    rows : ndarray of shape (n, d)
    groups : Groups
        Keys of the rows.
    estimate : callable
        Returns the birth cost of a batch of rows, or None if all rows are equal.
    """
    if first.is_final or not groups.keys:
        return first
    keys = tuple(dict.fromkeys((*first.keys, *groups.keys)))[:SAMPLE_KEYS]
    number = {key: i for i, key in enumerate(keys)}
    known = [(number[key], groups.order[part]) for key, part in groups.slices() if key in number]
    owners = [np.full(len(which), owner) for owner, which in known]
    every = np.concatenate([which for _, which in known] or [np.empty(0, dtype=np.int64)])
    added = rows[every].astype(np.float64)
    now = first._replace(
        rows=np.concatenate([first.rows, added]) if len(first.rows) else added,
        owners=np.concatenate([first.owners, *owners]),
        keys=keys,
        n_steps=first.n_steps + 1,
    )
    if not now.is_due:
        return now
    found = [estimate(now.rows[now.owners == owner]) for owner in range(len(keys))]
    birth = pooled_birth_cost([each for each in found if each is not None])
    return FirstRows(n_steps=now.n_steps, birth=birth) if now.is_final else now._replace(birth=birth)
