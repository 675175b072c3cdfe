"""Birth, revival, sleep, death and kinship: the only place where slots become ids."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynmeans._core import update_clusters
from dynmeans._model.costs import Costs
from dynmeans._model.events import Event, EventKind, StepReport
from dynmeans._model.motion import Motion
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior
from dynmeans._model.state import ClusterState
from dynmeans._model.types import FloatArray, IntArray


class SplitMergeSlots(NamedTuple):
    """Which slots came out of which, each with the others that took part."""

    splits: list[tuple[int, list[int]]]  # a remembered slot, and the newborn pieces of it
    merges: list[tuple[int, list[int]]]  # a slot with rows, and the remembered ones that ended in it


class StepResult(NamedTuple):
    """A finished step: what is carried on, what is told, and the log of turns."""

    state: ClusterState
    report: StepReport
    events: tuple[Event, ...]


class StepDiagnostics(NamedTuple):
    """What some steps tell besides; see `StepReport`."""

    lower_bound: float = math.nan
    shifts: FloatArray | None = None
    support_errors: FloatArray | None = None


NO_DIAGNOSTICS = StepDiagnostics()


def update_state(
    state: ClusterState,
    prior: Prior,
    fit: Fit,
    costs: Costs,
    motion: Motion,
    now: float,
    which: IntArray | None = None,
    told: StepDiagnostics = NO_DIAGNOSTICS,
) -> StepResult:
    """Name the slots, update the memory, forget the dead, and tell what happened.

    With ``which``, the labels told are of other rows (n,), each of which is one of those of the fit.
    """
    memory, labels, active, sizes, born, revived, asleep, died = update_clusters(
        state.centers,
        state.weights,
        state.velocities,
        state.velocity_cov,
        state.last_seen,
        state.ids,
        prior.centers,
        prior.gammas,
        fit.slots,
        fit.centers,
        fit.taken,
        state.next_id,
        state.clock,
        now,
        costs.lifetime,
        *motion.of(costs.drift),
        which,
    )
    n_steps = state.n_steps + 1
    report = StepReport(
        n_steps,
        now,
        labels,
        fit.cost,
        fit.n_iter,
        fit.restart_costs,
        active,
        sizes,
        born,
        revived,
        asleep,
        died,
        costs.birth,
        *told,
    )
    rolled = ClusterState(*memory, state.next_id + len(born), now, n_steps)
    return StepResult(rolled, report, _log(report, state, prior))


def slot_ids(state: ClusterState, n_slots: int) -> IntArray:
    """Return the id of every slot: the remembered clusters, then the next ids for the newborn."""
    if n_slots == len(state.ids):
        return state.ids
    born = np.arange(state.next_id, state.next_id + n_slots - len(state.ids))
    return np.concatenate([state.ids, born])


def append_split_merge(rolled: StepResult, ids: IntArray, kin: SplitMergeSlots) -> StepResult:
    """Add splits and merges to what is told about a step; ``ids`` (slots,) are those of `slot_ids`."""
    step, time = rolled.report.step, rolled.report.time

    def events(kind: EventKind, found: list[tuple[int, list[int]]]) -> tuple[Event, ...]:
        return tuple(
            Event(kind, int(ids[one]), step, time, 0.0, tuple(ids[rest].tolist())) for one, rest in found
        )

    splits, merges = events("split", kin.splits), events("merge", kin.merges)
    report = rolled.report._replace(splits=splits, merges=merges)
    return rolled._replace(report=report, events=rolled.events + splits + merges)


def _log(report: StepReport, state: ClusterState, prior: Prior) -> tuple[Event, ...]:
    """One event a turn, with its price."""
    if len(report.born) == len(report.revived) == len(report.asleep) == len(report.died) == 0:
        return ()
    step, time, birth = report.step, report.time, report.birth_cost
    revival = dict(zip(state.ids.tolist(), prior.revival.tolist(), strict=True))
    return (
        *[Event("birth", k, step, time, birth) for k in report.born.tolist()],
        *[Event("revival", k, step, time, revival[k]) for k in report.revived.tolist()],
        *[Event("sleep", k, step, time, 0.0) for k in report.asleep.tolist()],
        *[Event("death", k, step, time, revival[k]) for k in report.died.tolist()],
    )
