"""Birth, revival, sleep and death: the only place where slots become ids."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans.model.costs import Costs
from dynmeans.model.events import Event, EventKind, StepReport
from dynmeans.model.motion import Motion
from dynmeans.model.objective import Fit
from dynmeans.model.prior import Prior
from dynmeans.model.state import ClusterState
from dynmeans.model.types import FloatArray, IntArray


class Rolled(NamedTuple):
    """A finished step: what is carried on, what is told, and the log of turns."""

    state: ClusterState
    report: StepReport
    events: tuple[Event, ...]


def roll_forward(state: ClusterState, prior: Prior, fit: Fit, costs: Costs, motion: Motion, now: float) -> Rolled:
    """Name the slots, update the memory, forget the dead, and tell what happened."""
    old = len(state.ids)
    seen = fit.taken[:old] > 0
    born = state.next_id + np.arange(len(fit.taken) - old)
    ids = np.concatenate([state.ids, born])
    grown = _absorb(state, prior, fit, seen, ids, costs, motion, now)
    dead = now - grown.last_seen > costs.lifetime
    turns: dict[EventKind, IntArray] = {
        "birth": born,
        "revival": state.ids[seen & (state.last_seen < state.clock)],
        "sleep": state.ids[~seen & (state.last_seen == state.clock)],
        "death": grown.ids[dead],
    }
    report = _tell(grown, fit, costs, ids, turns)
    return Rolled(_keep(grown, ~dead), report, _log(grown, prior, fit, costs, turns))


def _absorb(
    state: ClusterState,
    prior: Prior,
    fit: Fit,
    seen: np.ndarray,
    ids: IntArray,
    costs: Costs,
    motion: Motion,
    now: float,
) -> ClusterState:
    """Eq. (wupdate): seen clusters move to theta with weight gamma + n; unseen ones stay as they were."""
    old, features = state.centers.shape
    speed, cov = motion.correct(prior.forecast, state.velocities, fit.centers[:old], fit.taken[:old])
    new_speed, new_cov = motion.newborn(len(ids) - old, features, costs.drift)
    seen_column = seen[:, None]
    kept = np.where(seen_column, fit.centers[:old], state.centers)
    weights = np.where(seen, prior.gammas + fit.taken[:old], state.weights)
    last_seen = np.where(seen, now, state.last_seen)
    return ClusterState(
        centers=np.concatenate([kept, fit.centers[old:]]),
        weights=np.concatenate([weights, fit.taken[old:]]),
        velocities=np.concatenate([np.where(seen_column, speed, state.velocities), new_speed]),
        velocity_cov=np.concatenate([np.where(seen_column, cov, state.velocity_cov), new_cov]),
        last_seen=np.concatenate([last_seen, np.full(len(ids) - old, now)]),
        ids=ids,
        next_id=state.next_id + len(ids) - old,
        clock=now,
        n_steps=state.n_steps + 1,
    )


def _keep(state: ClusterState, alive: np.ndarray) -> ClusterState:
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
    grown: ClusterState, fit: Fit, costs: Costs, ids: IntArray, turns: dict[EventKind, IntArray]
) -> StepReport:
    active = np.flatnonzero(fit.taken > 0)
    return StepReport(
        step=grown.n_steps,
        time=grown.clock,
        labels=ids[fit.slots],
        cost=fit.cost,
        n_iter=fit.n_iter,
        restart_costs=fit.restart_costs,
        active=ids[active],
        sizes=fit.taken[active],
        born=turns["birth"],
        revived=turns["revival"],
        asleep=turns["sleep"],
        died=turns["death"],
        birth_cost=costs.birth,
    )


def _log(
    grown: ClusterState, prior: Prior, fit: Fit, costs: Costs, turns: dict[EventKind, IntArray]
) -> tuple[Event, ...]:
    """One event a turn, with its price."""
    if not any(len(who) for who in turns.values()):
        return ()
    prices: dict[EventKind, FloatArray] = {
        "birth": np.full(len(grown.ids), costs.birth),
        "revival": _revival_prices(prior, fit),
        "sleep": np.zeros(len(grown.ids)),
        "death": prior.revival,
    }
    row = {int(k): i for i, k in enumerate(grown.ids)}
    return tuple(
        Event(kind, k, grown.n_steps, grown.clock, float(prices[kind][row[k]]))
        for kind, who in turns.items()
        for k in who.tolist()
    )


def _revival_prices(prior: Prior, fit: Fit) -> FloatArray:
    """Q dt for the absence, and gamma |theta - phi|^2 for the way gone since."""
    moved = fit.centers[: len(prior.gammas)] - prior.centers
    prices: FloatArray = prior.revival + prior.gammas * np.sum(moved * moved, axis=1)
    return prices
