"""Birth, revival, sleep, death and kinship: the only place where slots become ids."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans.model.costs import Costs
from dynmeans.model.events import Event, EventKind, StepReport
from dynmeans.model.motion import Motion
from dynmeans.model.objective import Fit
from dynmeans.model.prior import Prior
from dynmeans.model.state import ClusterState
from dynmeans.model.types import BoolArray, IntArray


class Kin(NamedTuple):
    """Which slots came out of which, each with the others that took part."""

    splits: list[tuple[int, list[int]]]  # a remembered slot, and the newborn pieces of it
    merges: list[tuple[int, list[int]]]  # a slot with rows, and the remembered ones that ended in it


_NOBODY: IntArray = np.empty(0, dtype=np.int64)
_QUIET: dict[EventKind, IntArray] = dict.fromkeys(("birth", "revival", "sleep", "death"), _NOBODY)


class Rolled(NamedTuple):
    """A finished step: what is carried on, what is told, and the log of turns."""

    state: ClusterState
    report: StepReport
    events: tuple[Event, ...]


def roll_forward(
    state: ClusterState, prior: Prior, fit: Fit, costs: Costs, motion: Motion, now: float
) -> Rolled:
    """Name the slots, update the memory, forget the dead, and tell what happened."""
    seen = fit.taken[: len(state.ids)] > 0
    was_awake = state.last_seen == state.clock
    is_complete = bool(seen.all())
    grown = _absorb(state, prior, fit, None if is_complete else seen, costs, motion, now)
    if is_complete and len(fit.taken) == len(seen) and was_awake.all():
        return Rolled(grown, _tell(grown, fit, costs, _QUIET, slice(None)), ())
    dead = now - grown.last_seen > costs.lifetime
    turns: dict[EventKind, IntArray] = {
        "birth": grown.ids[len(state.ids) :],
        "revival": state.ids[seen & ~was_awake],
        "sleep": state.ids[was_awake & ~seen],
        "death": grown.ids[dead],
    }
    report = _tell(grown, fit, costs, turns, fit.taken > 0)
    return Rolled(_keep(grown, ~dead), report, _log(grown, prior, costs, turns))


def slot_ids(state: ClusterState, n_slots: int) -> IntArray:
    """Return the id of every slot: the remembered clusters, then the next ids for the newborn."""
    if n_slots == len(state.ids):
        return state.ids
    born = np.arange(state.next_id, state.next_id + n_slots - len(state.ids))
    return np.concatenate([state.ids, born])


def tell_kin(rolled: Rolled, ids: IntArray, kin: Kin) -> Rolled:
    """Add splits and merges to what is told about a step; ``ids`` (slots,) are those of `slot_ids`."""
    step, time = rolled.report.step, rolled.report.time

    def events(kind: EventKind, found: list[tuple[int, list[int]]]) -> tuple[Event, ...]:
        return tuple(
            Event(kind, int(ids[one]), step, time, 0.0, tuple(ids[rest].tolist())) for one, rest in found
        )

    splits, merges = events("split", kin.splits), events("merge", kin.merges)
    report = rolled.report._replace(splits=splits, merges=merges)
    return rolled._replace(report=report, events=rolled.events + splits + merges)


def _absorb(
    state: ClusterState,
    prior: Prior,
    fit: Fit,
    seen: BoolArray | None,
    costs: Costs,
    motion: Motion,
    now: float,
) -> ClusterState:
    """Eq. (wupdate): seen clusters (None for all) move to theta with weight gamma + n; others stay."""
    old, features = state.centers.shape
    n_new = len(fit.taken) - old
    speed, cov = motion.correct(state, prior.forecast, fit.centers[:old], fit.taken[:old])
    centers, weights = fit.centers[:old], prior.gammas + fit.taken[:old]
    last_seen = np.full(old, now)
    if seen is not None:
        centers = np.where(seen[:, None], centers, state.centers)
        weights = np.where(seen, weights, state.weights)
        last_seen = np.where(seen, last_seen, state.last_seen)
    next_id, n_steps = state.next_id + n_new, state.n_steps + 1
    kept = ClusterState(centers, weights, speed, cov, last_seen, state.ids, next_id, now, n_steps)
    if n_new == 0:
        return kept
    new_speed, new_cov = motion.newborn(n_new, features, costs.drift)
    return kept._replace(
        centers=np.concatenate([kept.centers, fit.centers[old:]]),
        weights=np.concatenate([kept.weights, fit.taken[old:]]),
        velocities=np.concatenate([kept.velocities, new_speed]),
        velocity_cov=np.concatenate([kept.velocity_cov, new_cov]),
        last_seen=np.concatenate([kept.last_seen, np.full(n_new, now)]),
        ids=slot_ids(state, len(fit.taken)),
    )


def _keep(state: ClusterState, alive: BoolArray) -> ClusterState:
    """Forget the clusters whose revival would cost more than a birth."""
    if alive.all():
        return state
    return state._replace(
        centers=state.centers[alive],
        weights=state.weights[alive],
        velocities=state.velocities[alive],
        velocity_cov=state.velocity_cov[alive],
        last_seen=state.last_seen[alive],
        ids=state.ids[alive],
    )


def _tell(
    grown: ClusterState,
    fit: Fit,
    costs: Costs,
    turns: dict[EventKind, IntArray],
    active: BoolArray | slice,
) -> StepReport:
    return StepReport(
        step=grown.n_steps,
        time=grown.clock,
        labels=grown.ids[fit.slots],
        cost=fit.cost,
        n_iter=fit.n_iter,
        restart_costs=fit.restart_costs,
        active=grown.ids[active],
        sizes=fit.taken[active],
        born=turns["birth"],
        revived=turns["revival"],
        asleep=turns["sleep"],
        died=turns["death"],
        birth_cost=costs.birth,
    )


def _log(
    grown: ClusterState, prior: Prior, costs: Costs, turns: dict[EventKind, IntArray]
) -> tuple[Event, ...]:
    """One event a turn, with its price."""

    def price(kind: EventKind, k: int) -> float:
        if kind in ("birth", "sleep"):
            return costs.birth if kind == "birth" else 0.0
        return float(prior.revival[np.searchsorted(grown.ids, k)])

    return tuple(
        Event(kind, k, grown.n_steps, grown.clock, price(kind, k))
        for kind, who in turns.items()
        for k in who.tolist()
    )
