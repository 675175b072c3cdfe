"""Report and clock of the steps of all keys."""

from __future__ import annotations

from typing import NamedTuple

from dynmeans._model.types import IntArray


class KeyedStep(NamedTuple):
    """Report of one step of all keys.

    Attributes
    ----------
    step : int
        Number of the step, starting at 1.
    time : float
        Event time.
    labels : ndarray of shape (n,)
        Id of every row among the clusters of its key; -1 for a row of weight 0 whose key has no cluster.
    n_keys : int
        Number of keys with rows.
    cost : float
        Sum of the costs of all keys.
    born, revived, asleep, died, confirmed : int
        Numbers of clusters.
    birth_cost : float
        The common birth cost.
    birth_cost_final : bool
        False while later steps may change an estimated common birth cost.
    """

    step: int
    time: float
    labels: IntArray
    n_keys: int
    cost: float
    born: int
    revived: int
    asleep: int
    died: int
    confirmed: int
    birth_cost: float
    birth_cost_final: bool


class Clock(NamedTuple):
    """Time and number of the last step."""

    clock: float = 0.0
    n_steps: int = 0
