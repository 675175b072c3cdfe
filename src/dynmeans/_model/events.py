"""What is told about a step, as opposed to what is carried to the next one."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from dynmeans._model.types import FloatArray, IntArray

EventKind = Literal["birth", "revival", "sleep", "death", "split", "merge"]


class Event(NamedTuple):
    """One turn in the life of one cluster."""

    kind: EventKind
    id: int  # the cluster, for life
    step: int  # number of the time step, the first is 1
    time: float  # event time of the step
    cost: float  # the birth cost; the price Q dt of a revival, paid, or of a death, unpaid; 0 for others
    others: tuple[
        int, ...
    ] = ()  # of a split: the newborn pieces; of a merge: those that ended in the cluster


class StepReport(NamedTuple):
    """What happened in one time step."""

    step: int  # number of the step, the first is 1
    time: float  # event time
    labels: IntArray  # (n,) id of every row of the batch
    cost: float  # Eq. DMeansObj at the labels found, the lowest of all restarts
    n_iter: int  # passes over the batch until nothing moved, of the restart that won
    restart_costs: FloatArray  # (n_restarts,)
    active: IntArray  # ids that own at least one row
    sizes: FloatArray  # weight of the rows of each active id
    born: IntArray  # ids first seen in this step
    revived: IntArray  # ids that had been asleep and own rows again
    asleep: IntArray  # ids that fell asleep in this step
    died: IntArray  # ids forgotten at the end of this step
    birth_cost: float  # the squared distance in force, also when it was estimated
    lower_bound: float = math.nan  # no clustering of the batch costs less; NaN where it was not asked for
    shifts: FloatArray | None = None  # (K, d) how remembered clusters were moved to meet the batch
    support_errors: FloatArray | None = None  # error of each active id's kept points, for kernels
    splits: tuple[Event, ...] = ()  # clusters that became several
    merges: tuple[Event, ...] = ()  # clusters that several became
    birth_cost_settled: bool = True  # False while later batches may refine an estimated birth cost

    @property
    def gap(self) -> float:
        """How far the cost is above the lower bound: 0 certifies that no clustering is cheaper."""
        return self.cost - self.lower_bound
