"""The life cycle of clusters: birth, revival, sleep and death. Slots become ids only here.

After a step, a slot with rows of total weight n and center theta has the weight

    w = gamma + n                       Eq. wupdate

(gamma = 0 for a newborn cluster). A slot without rows keeps its center and weight and sleeps; a cluster dies
when its age exceeds the lifetime, which is when Q dt > lambda. If the batch has no rows, all slots sleep, and
k such steps leave the same clusters as one step k times as long. The loop over slots is compiled
(`src/core/lifecycle/lifecycle.hpp`): for batches of a few points, the overhead of a dozen NumPy calls takes
longer than the clustering.
"""

from __future__ import annotations

import math
from itertools import starmap
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from dynmeans._core import update_clusters
from dynmeans._model.costs import Costs
from dynmeans._model.events import Event, EventKind, StepReport
from dynmeans._model.motion import Motion
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior, predict_prior
from dynmeans._model.state import ClusterState
from dynmeans._model.types import FloatArray, IntArray

# Result of the compiled update: fields of the next state, of the report up to `birth_cost`, of the events.
UpdatedFields: TypeAlias = tuple[tuple[Any, ...], tuple[Any, ...], list[tuple[Any, ...]]]


class SplitMergeSlots(NamedTuple):
    """Slots that split or merged, each with the other slots involved."""

    splits: list[tuple[int, list[int]]]  # a remembered slot, and its newborn pieces
    merges: list[tuple[int, list[int]]]  # a slot with rows, and the remembered slots that merged into it


class StepResult(NamedTuple):
    """Result of one step: the next state, the report and the events."""

    state: ClusterState
    report: StepReport
    events: tuple[Event, ...]


class StepDiagnostics(NamedTuple):
    """Optional diagnostics of a step; see `StepReport`."""

    lower_bound: float = math.nan
    shifts: FloatArray | None = None
    support_errors: FloatArray | None = None


NO_DIAGNOSTICS = StepDiagnostics()
REPORT_DEFAULTS = tuple(StepReport._field_defaults.values())[len(NO_DIAGNOSTICS) :]  # after the diagnostics


def update_state(
    state: ClusterState,
    prior: Prior,
    fit: Fit,
    costs: Costs,
    motion: Motion,
    now: float,
    row_index: IntArray | None = None,
    diagnostics: StepDiagnostics = NO_DIAGNOSTICS,
) -> StepResult:
    """Assign ids to the slots, update the clusters, delete the dead ones and report the step.

    Parameters
    ----------
    state, prior : ClusterState, Prior
        The remembered clusters, before and after prediction to the time of the batch.
    fit : Fit
        The clustering of the batch.
    costs, motion : Costs, Motion
        Costs and motion of the step.
    now : float
        Event time of the batch.
    row_index : ndarray of shape (n,), optional
        For a fit of distinct rows: the row of the fit that each row of the batch equals. Labels are then
        reported for the rows of the batch.
    diagnostics : StepDiagnostics
        Copied to the report.
    """
    scaled = motion.scaled_by(costs.drift, costs.interval)
    return step_result(update_clusters(state, prior, fit, costs, scaled, now, row_index), diagnostics)


def step_result(updated: UpdatedFields, diagnostics: StepDiagnostics) -> StepResult:
    """Return the result of a step."""
    following, described, events = updated
    return StepResult(
        ClusterState._make(following),
        StepReport._make(described + diagnostics + REPORT_DEFAULTS),
        tuple(starmap(Event, events)) if events else (),
    )


def pass_time(state: ClusterState, costs: Costs, motion: Motion, now: float) -> StepResult:
    """Run one time step without rows: clusters fall asleep and die.

    Parameters
    ----------
    state : ClusterState
        Before the step.
    costs, motion : Costs, Motion
        Costs and motion of the step; only the lifetime has an effect on the clusters.
    now : float
        Event time of the step.
    """
    prior = predict_prior(state, now, costs, motion)
    no_rows = Fit(
        slots=np.empty(0, dtype=np.int32),
        centers=prior.centers,
        slot_weights=np.zeros(len(state.ids)),
        cost=0.0,
        n_iter=0,
        restart_costs=np.empty(0),
    )
    return update_state(
        state, prior, no_rows, costs, motion, now, diagnostics=StepDiagnostics(lower_bound=0.0)
    )


def slot_ids(state: ClusterState, n_slots: int) -> IntArray:
    """Return the id of every slot: the remembered clusters, then the next ids for the newborn."""
    if n_slots == len(state.ids):
        return state.ids
    born = np.arange(state.next_id, state.next_id + n_slots - len(state.ids))
    return np.concatenate([state.ids, born])


def append_split_merge(result: StepResult, ids: IntArray, found: SplitMergeSlots) -> StepResult:
    """Add splits and merges to the report and the events; ``ids`` (slots,) are those of `slot_ids`."""
    step, time = result.report.step, result.report.time

    def events(kind: EventKind, slots: list[tuple[int, list[int]]]) -> tuple[Event, ...]:
        return tuple(
            Event(kind, int(ids[one]), step, time, 0.0, tuple(ids[rest].tolist())) for one, rest in slots
        )

    splits, merges = events("split", found.splits), events("merge", found.merges)
    report = result.report._replace(splits=splits, merges=merges)
    return result._replace(report=report, events=result.events + splits + merges)
