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
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from dynmeans._core import update_clusters
from dynmeans._model.costs import Costs
from dynmeans._model.events import Event, EventKind, StepReport
from dynmeans._model.motion import Motion
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior, predict_prior
from dynmeans._model.state import ClusterState, Columns
from dynmeans._model.types import FloatArray, IntArray


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


class _Update(NamedTuple):
    """Output of the compiled loop: the clusters, and the fields of the report with the same names."""

    clusters: Columns
    labels: IntArray
    active: IntArray
    sizes: FloatArray
    born: IntArray
    revived: IntArray
    asleep: IntArray
    died: IntArray


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
    scaled = motion.scaled_by(costs.drift)
    update = _Update(*update_clusters(state, prior, fit, scaled, now, costs.lifetime, row_index))
    n_steps = state.n_steps + 1
    report = StepReport(
        step=n_steps,
        time=now,
        labels=update.labels,
        cost=fit.cost,
        n_iter=fit.n_iter,
        restart_costs=fit.restart_costs,
        active=update.active,
        sizes=update.sizes,
        born=update.born,
        revived=update.revived,
        asleep=update.asleep,
        died=update.died,
        birth_cost=costs.birth,
        lower_bound=diagnostics.lower_bound,
        shifts=diagnostics.shifts,
        support_errors=diagnostics.support_errors,
    )
    following = ClusterState(*update.clusters, state.next_id + len(update.born), now, n_steps)
    return StepResult(following, report, _events(report, state, prior, costs.lifetime))


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


def _events(report: StepReport, state: ClusterState, prior: Prior, lifetime: float) -> tuple[Event, ...]:
    """Return one event per birth, revival, sleep and death, with its cost, in order of time."""
    step, now, birth = report.step, report.time, report.birth_cost
    born, revived, asleep, died = report.born, report.revived, report.asleep, report.died
    events = [Event("birth", k, step, now, birth) for k in born.tolist()] if len(born) else []
    if len(revived):
        revival = dict(zip(state.ids.tolist(), prior.revival.tolist(), strict=True))
        events += [Event("revival", k, step, now, revival[k]) for k in revived.tolist()]
    if len(asleep) == len(died) == 0:
        return tuple(events)
    seen = dict(zip(state.ids.tolist(), state.last_seen.tolist(), strict=True))
    events += [Event("sleep", k, step, _sleep_time(seen[k], lifetime, now), 0.0) for k in asleep.tolist()]
    events += [
        Event("death", k, step, _death_time(seen[k], lifetime, state.clock, now), birth)
        for k in died.tolist()
    ]
    return tuple(sorted(events, key=attrgetter("time")))


def _sleep_time(last_seen: float, lifetime: float, now: float) -> float:
    """Return the time of the first step without points, at most one unit of time after the last point.

    The bound makes a long step equal to many steps of one unit, and puts the sleep before the death.
    """
    return min(last_seen + min(1.0, lifetime), now)


def _death_time(last_seen: float, lifetime: float, clock: float, now: float) -> float:
    """Return the end of the lifetime; without rounding error it lies between the last step and this one."""
    return min(max(last_seen + lifetime, clock), now)
