"""People who walk about a foyer: they wander, meet and stand in pairs, wait, leave by a door and return."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans.datasets._common import FloatArray, IntArray

ROOM = np.array([12.0, 9.0])  # metres; the sensor stands in the middle of the wall y = 0
PILLARS = np.array([[3.2, 3.6], [6.6, 4.8], [9.2, 3.2]])
PILLAR_RADIUS = 0.3
DOORS = np.array([[-0.4, 5.5], [12.4, 5.0], [4.5, 9.4]])  # places just outside, where nobody is seen
WANDER, PAUSE, MEET, LEAVE = range(4)
MOST_PEOPLE = 50  # for whom free places are found at once; no place is left beyond some 70
CHANCES = (0.53, 0.12, 0.3, 0.05)  # of each plan

_SPEED = (0.9, 1.5)  # metres a second, one for each person
_APART = 0.65  # between two who talk
_ELBOW = 0.55  # nobody comes nearer than this
_RELAX = 0.4  # seconds in which a person reaches the speed that he wants
_SUBSTEP = 1.0 / 30.0  # seconds of the simulation
_STUCK = 9.0  # seconds after which a person gives up and wants something else


class Walkers(NamedTuple):
    """Everybody, one row each; arrays are changed in place."""

    place: FloatArray  # (P, 2)
    velocity: FloatArray  # (P, 2)
    heading: FloatArray  # (P,)  angle that the chest faces
    phase: FloatArray  # (P,)  of the gait
    speed: FloatArray  # (P,)  that each likes to walk
    goal: FloatArray  # (P, 2)
    plan: IntArray  # (P,)
    partner: IntArray  # (P,)  whom one stands with, or -1
    pause: FloatArray  # (P,)  seconds to stay at the goal
    patience: FloatArray  # (P,)  seconds until another plan is made anyway


def gather(n_people: int, rng: np.random.Generator) -> Walkers:
    """Everybody at a free place, about to choose what to do."""
    place = np.array([_free_place(rng)])
    while len(place) < n_people:
        place = np.concatenate([place, [_free_place(rng, place)]])
    return Walkers(
        place,
        np.zeros((n_people, 2)),
        rng.uniform(-np.pi, np.pi, n_people),
        rng.uniform(0.0, 2.0 * np.pi, n_people),
        rng.uniform(*_SPEED, n_people),
        place.copy(),
        np.full(n_people, WANDER),
        np.full(n_people, -1),
        np.zeros(n_people),
        np.zeros(n_people),
    )


def walk_on(people: Walkers, seconds: float, rng: np.random.Generator) -> None:
    """Move everybody by a time, in equal parts that are short enough for the forces."""
    parts = max(1, round(seconds / _SUBSTEP))
    for _ in range(parts):
        _make_plans(people, seconds / parts, rng)
        _move(people, seconds / parts)


def inside(people: Walkers) -> IntArray:
    """Those within the walls."""
    return np.flatnonzero(((people.place > 0.1) & (people.place < ROOM - 0.1)).all(axis=1))


def _free_place(rng: np.random.Generator, others: FloatArray | None = None) -> FloatArray:
    """A place away from walls, pillars, the sensor and others."""
    taken = PILLARS if others is None else np.concatenate([PILLARS, others])
    while True:
        place = rng.uniform([0.8, 1.8], ROOM - 0.8)
        if np.min(np.sum((taken - place) ** 2, axis=1)) > 0.8**2:
            return place


def _make_plans(people: Walkers, seconds: float, rng: np.random.Generator) -> None:
    """Let time pass for those at their goals; whoever is done there, or stuck, wants something new."""
    arrived = np.sum((people.goal - people.place) ** 2, axis=1) < 0.3**2
    waits_for = np.where(people.partner < 0, np.arange(len(arrived)), people.partner)
    people.pause[arrived & arrived[waits_for]] -= seconds
    people.patience[:] -= seconds
    for k in np.flatnonzero((people.pause <= 0) & arrived | (people.patience <= 0)).tolist():
        if people.pause[k] <= 0 or people.patience[k] <= 0:  # a partner may just have planned for both
            _plan(people, k, rng)


def _plan(people: Walkers, k: int, rng: np.random.Generator) -> None:
    """Something new for one person, and for the one whom he meets."""
    plan = int(rng.choice(len(CHANCES), p=CHANCES))
    was_out = people.plan[k] == LEAVE
    other = _someone_free(people, k, rng) if plan == MEET else -1
    if plan == MEET and other >= 0:
        _meet(people, k, other, rng)
        return
    goal, pause = _free_place(rng), 0.0
    if plan == LEAVE and not was_out:
        goal = DOORS[np.argmin(np.sum((DOORS - people.place[k]) ** 2, axis=1))]
        pause = rng.uniform(0.3, 2.0)
    elif plan == PAUSE and not was_out:
        goal, pause = people.place[k], rng.uniform(1.0, 4.0)
    _want(people, k, plan if pause else WANDER, goal, pause, -1)


def _someone_free(people: Walkers, k: int, rng: np.random.Generator) -> int:
    free = (people.plan == WANDER) & (np.arange(len(people.plan)) != k)
    return int(rng.choice(np.flatnonzero(free))) if free.any() else -1


def _meet(people: Walkers, k: int, other: int, rng: np.random.Generator) -> None:
    """Both go to one spot, and stand there face to face for a while."""
    spot, angle, pause = _free_place(rng), rng.uniform(0.0, np.pi), rng.uniform(2.0, 6.0)
    arm = 0.5 * _APART * np.array([np.cos(angle), np.sin(angle)])
    _want(people, k, MEET, spot + arm, pause, other)
    _want(people, other, MEET, spot - arm, pause, k)


def _want(people: Walkers, k: int, plan: int, goal: FloatArray, pause: float, partner: int) -> None:
    if people.partner[k] >= 0:  # whoever stood with him is free again
        people.partner[people.partner[k]] = -1
    people.plan[k], people.goal[k], people.partner[k] = plan, goal, partner
    people.pause[k], people.patience[k] = pause, pause + _STUCK


def _move(people: Walkers, seconds: float) -> None:
    """Towards the goals, around pillars and each other."""
    way = people.goal - people.place
    far = np.linalg.norm(way, axis=1, keepdims=True)
    wish = way / np.maximum(far, 1e-9) * np.minimum(people.speed[:, None], 1.5 * far)
    push = _pushes(people.place, people.place, _ELBOW, wish) + _pushes(
        people.place, PILLARS, PILLAR_RADIUS + 0.3, wish
    )
    people.velocity[:] += (wish - people.velocity) * (seconds / _RELAX) + push * seconds
    pace = np.linalg.norm(people.velocity, axis=1)
    people.velocity[:] *= np.minimum(1.0, 1.8 / np.maximum(pace, 1e-9))[:, None]
    people.place[:] += people.velocity * seconds
    _turn(people, pace, seconds)


def _pushes(place: FloatArray, obstacles: FloatArray, room: float, wish: FloatArray) -> FloatArray:
    """Forces away from what is near, and sideways around what is in the way."""
    apart = place[:, None] - obstacles[None]
    gap = np.linalg.norm(apart, axis=2)
    gap[gap == 0.0] = np.inf  # oneself
    away = apart / gap[:, :, None]
    force = 6.0 * np.exp((room - gap) / 0.12)
    ahead = np.maximum(0.0, -np.einsum("pd,pod->po", wish, away)) * np.exp((room - gap) / 0.5)
    aside = np.stack([-away[:, :, 1], away[:, :, 0]], axis=2)  # everybody keeps to the same side
    outward = np.einsum("po,pod->pd", np.minimum(force, 30.0), away)
    push: FloatArray = outward + 2.0 * np.einsum("po,pod->pd", ahead, aside)
    return push


def _turn(people: Walkers, pace: FloatArray, seconds: float) -> None:
    """Chests follow the way, or face the partner; legs swing as fast as the ground passes."""
    toward = people.velocity.copy()
    still = (pace < 0.3) & (people.partner >= 0)
    toward[still] = people.place[people.partner[still]] - people.place[still]
    aim = np.arctan2(toward[:, 1], toward[:, 0])
    turn = (aim - people.heading + np.pi) % (2.0 * np.pi) - np.pi
    moving = still | (pace > 0.15)
    people.heading[moving] += np.clip(turn, -4.0 * seconds, 4.0 * seconds)[moving]
    people.phase[:] += 2.0 * np.pi * seconds * 0.75 * pace
