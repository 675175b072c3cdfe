"""Reports and events: the description of a step, as opposed to the state for the next step."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from dynmeans._model.types import FloatArray, IntArray

EventKind = Literal["birth", "revival", "sleep", "death", "split", "merge", "confirmation"]
NO_IDS: IntArray = np.empty(0, dtype=np.int64)
NO_IDS.flags.writeable = False  # shared by all reports


class Event(NamedTuple):
    """One event in the life of one cluster."""

    kind: EventKind
    id: int  # id of the cluster, permanent
    step: int  # number of the time step that reported it, starting at 1
    time: float  # event time; that of a sleep or death may be earlier than the step that reports it
    cost: float  # the birth cost for a birth or a death, Q dt for a revival, otherwise 0
    others: tuple[int, ...] = ()  # newborn pieces of a split, or the clusters that ended in a merge
    tentative: bool = False  # the cluster had rows in fewer than `min_hits` steps up to the event


class StepParameters(NamedTuple):
    """Parameters of D-Means that a step used, given or estimated.

    Unless `aging_cost` and `drift` are given, ``DMeans(**parameters._asdict())`` has the same parameters.
    """

    birth_cost: float
    lifetime: float
    reach: float | None  # None if aging_cost and drift are given, or by default with the cosine metric
    motion: str
    refine: bool
    exclusive: bool
    metric: str = "euclidean"
    merge: bool = False
    interval: float = 1.0  # time between steps to which the reach refers


class StepReport(NamedTuple):
    """Description of one time step."""

    step: int  # number of the step, starting at 1
    time: float  # event time
    labels: IntArray  # (n,) id of every row of the batch
    cost: float  # Eq. DMeansObj of these labels, the lowest of all restarts
    n_iter: int  # passes over the batch until convergence, in the best restart
    restart_costs: FloatArray  # (n_restarts,), or (0,) for a batch without rows
    active: IntArray  # ids with at least one row
    sizes: FloatArray  # total weight of the rows of each active id
    born: IntArray  # ids first seen in this step
    revived: IntArray  # sleeping ids that have rows again
    asleep: IntArray  # ids that fell asleep in this step
    died: IntArray  # ids that were deleted at the end of this step
    birth_cost: float  # the squared distance that was used, given or estimated
    lower_bound: float = math.nan  # no clustering of the batch costs less; NaN if not computed
    shifts: FloatArray | None = None  # (K, d) by which remembered clusters were aligned to the batch
    support_errors: FloatArray | None = None  # approximation error of each active id's support, for kernels
    splits: tuple[Event, ...] = ()  # clusters that became several
    merges: tuple[Event, ...] = ()  # clusters into which several merged
    birth_cost_final: bool = True  # False while later batches may change an estimated parameter
    parameters: StepParameters | None = None  # that D-Means used
    tentative: IntArray = NO_IDS  # active ids that had rows in fewer than `min_hits` steps
    confirmed: IntArray = NO_IDS  # tentative ids that reached `min_hits` in this step

    def with_parameters(self, used: StepParameters | None, is_final: bool) -> StepReport:
        """Return the report with the parameters of the step; `_replace` takes three times as long."""
        return StepReport._make((*self[:18], is_final, used, *self[20:]))

    @property
    def gap(self) -> float:
        """Difference between the cost and the lower bound; 0 proves that the clustering is optimal."""
        return self.cost - self.lower_bound

    @property
    def confirmed_labels(self) -> IntArray:
        """Labels of the rows (n,), with -1 for rows of tentative ids."""
        return np.where(np.isin(self.labels, self.tentative), -1, self.labels)
