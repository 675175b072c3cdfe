"""Simulated pedestrians in a foyer: they walk, meet in pairs, pause, leave by a door and return."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans.datasets._common import FloatArray, IntArray

ROOM = np.array([12.0, 9.0])  # meters; the sensor stands in the middle of the wall y = 0
PILLARS = np.array([[3.2, 3.6], [6.6, 4.8], [9.2, 3.2]])
PILLAR_RADIUS = 0.3  # meters
DOORS = np.array([[-0.4, 5.5], [12.4, 5.0], [4.5, 9.4]])  # positions just outside, where people are invisible
WANDER, PAUSE, MEET, LEAVE = range(4)
MAX_PEOPLE = 50  # free positions are found quickly up to this number; none is left beyond about 70
CHANCES = (0.53, 0.12, 0.3, 0.05)  # probability of each plan

_SPEED = (0.9, 1.5)  # meters per second, range over people
_APART = 0.65  # meters between two people who meet
_ELBOW = 0.55  # meters, minimum distance of two people
_RELAX = 0.4  # seconds time constant of the velocity
_SUBSTEP = 1.0 / 30.0  # seconds of the simulation
_STUCK = 9.0  # seconds after which a person chooses another plan


class Walkers(NamedTuple):
    """All people, one row each; the arrays are updated in place."""

    position: FloatArray  # (P, 2)
    velocity: FloatArray  # (P, 2)
    heading: FloatArray  # (P,)  direction of the chest
    phase: FloatArray  # (P,)  of the gait
    speed: FloatArray  # (P,)  preferred speed
    goal: FloatArray  # (P, 2)
    plan: IntArray  # (P,)
    partner: IntArray  # (P,)  partner of a meeting, or -1
    pause: FloatArray  # (P,)  seconds to stay at the goal
    time_left: FloatArray  # (P,)  seconds until another plan is chosen in any case


def place_people(n_people: int, rng: np.random.Generator) -> Walkers:
    """Return people at free positions, without plans."""
    position = np.array([_free_position(rng)])
    while len(position) < n_people:
        position = np.concatenate([position, [_free_position(rng, position)]])
    return Walkers(
        position=position,
        velocity=np.zeros((n_people, 2)),
        heading=rng.uniform(-np.pi, np.pi, n_people),
        phase=rng.uniform(0.0, 2.0 * np.pi, n_people),
        speed=rng.uniform(*_SPEED, n_people),
        goal=position.copy(),
        plan=np.full(n_people, WANDER),
        partner=np.full(n_people, -1),
        pause=np.zeros(n_people),
        time_left=np.zeros(n_people),
    )


def walk_on(people: Walkers, seconds: float, rng: np.random.Generator) -> None:
    """Advance the simulation by some seconds, in equal substeps."""
    substeps = max(1, round(seconds / _SUBSTEP))
    for _ in range(substeps):
        _make_plans(people, seconds / substeps, rng)
        _move(people, seconds / substeps)


def inside(people: Walkers) -> IntArray:
    """Return the people within the walls."""
    return np.flatnonzero(((people.position > 0.1) & (people.position < ROOM - 0.1)).all(axis=1))


def _free_position(rng: np.random.Generator, others: FloatArray | None = None) -> FloatArray:
    """Draw a position away from walls, pillars, the sensor and other people."""
    taken = PILLARS if others is None else np.concatenate([PILLARS, others])
    while True:
        position = rng.uniform([0.8, 1.8], ROOM - 0.8)
        if np.min(np.sum((taken - position) ** 2, axis=1)) > 0.8**2:
            return position


def _make_plans(people: Walkers, seconds: float, rng: np.random.Generator) -> None:
    """Count down pauses at goals; choose new plans after a pause or when stuck."""
    arrived = np.sum((people.goal - people.position) ** 2, axis=1) < 0.3**2
    waits_for = np.where(people.partner < 0, np.arange(len(arrived)), people.partner)
    people.pause[arrived & arrived[waits_for]] -= seconds
    people.time_left[:] -= seconds
    for k in np.flatnonzero((people.pause <= 0) & arrived | (people.time_left <= 0)).tolist():
        if people.pause[k] <= 0 or people.time_left[k] <= 0:  # the plan of a partner may include this person
            _plan(people, k, rng)


def _plan(people: Walkers, k: int, rng: np.random.Generator) -> None:
    """Choose a new plan for one person, and for the partner of a meeting."""
    plan = int(rng.choice(len(CHANCES), p=CHANCES))
    was_out = people.plan[k] == LEAVE
    other = _free_partner(people, k, rng) if plan == MEET else -1
    if plan == MEET and other >= 0:
        _meet(people, k, other, rng)
        return
    goal, pause = _free_position(rng), 0.0
    if plan == LEAVE and not was_out:
        goal = DOORS[np.argmin(np.sum((DOORS - people.position[k]) ** 2, axis=1))]
        pause = rng.uniform(0.3, 2.0)
    elif plan == PAUSE and not was_out:
        goal, pause = people.position[k], rng.uniform(1.0, 4.0)
    _set_plan(people, k, plan if pause else WANDER, goal, pause, -1)


def _free_partner(people: Walkers, k: int, rng: np.random.Generator) -> int:
    free = (people.plan == WANDER) & (np.arange(len(people.plan)) != k)
    return int(rng.choice(np.flatnonzero(free))) if free.any() else -1


def _meet(people: Walkers, k: int, other: int, rng: np.random.Generator) -> None:
    """Send both to one position, where they stand face to face for some seconds."""
    spot, angle, pause = _free_position(rng), rng.uniform(0.0, np.pi), rng.uniform(2.0, 6.0)
    arm = 0.5 * _APART * np.array([np.cos(angle), np.sin(angle)])
    _set_plan(people, k, MEET, spot + arm, pause, other)
    _set_plan(people, other, MEET, spot - arm, pause, k)


def _set_plan(people: Walkers, k: int, plan: int, goal: FloatArray, pause: float, partner: int) -> None:
    if people.partner[k] >= 0:  # the former partner is free again
        people.partner[people.partner[k]] = -1
    people.plan[k], people.goal[k], people.partner[k] = plan, goal, partner
    people.pause[k], people.time_left[k] = pause, pause + _STUCK


def _move(people: Walkers, seconds: float) -> None:
    """Move people towards their goals, around pillars and each other."""
    path = people.goal - people.position
    far = np.linalg.norm(path, axis=1, keepdims=True)
    wish = path / np.maximum(far, 1e-9) * np.minimum(people.speed[:, None], 1.5 * far)
    push = _pushes(people.position, people.position, _ELBOW, wish) + _pushes(
        people.position, PILLARS, PILLAR_RADIUS + 0.3, wish
    )
    people.velocity[:] += (wish - people.velocity) * (seconds / _RELAX) + push * seconds
    pace = np.linalg.norm(people.velocity, axis=1)
    people.velocity[:] *= np.minimum(1.0, 1.8 / np.maximum(pace, 1e-9))[:, None]
    people.position[:] += people.velocity * seconds
    _turn(people, pace, seconds)


def _pushes(position: FloatArray, obstacles: FloatArray, room: float, wish: FloatArray) -> FloatArray:
    """Compute forces away from near obstacles, and sideways around obstacles ahead."""
    apart = position[:, None] - obstacles[None]
    distance = np.linalg.norm(apart, axis=2)
    distance[distance == 0.0] = np.inf  # the person itself
    away = apart / distance[:, :, None]
    force = 6.0 * np.exp((room - distance) / 0.12)
    ahead = np.maximum(0.0, -np.einsum("pd,pod->po", wish, away)) * np.exp((room - distance) / 0.5)
    aside = np.stack([-away[:, :, 1], away[:, :, 0]], axis=2)  # all people turn to the same side
    outward = np.einsum("po,pod->pd", np.minimum(force, 30.0), away)
    push: FloatArray = outward + 2.0 * np.einsum("po,pod->pd", ahead, aside)
    return push


def _turn(people: Walkers, pace: FloatArray, seconds: float) -> None:
    """Turn chests to the direction of motion or to the partner; advance the gait with the speed."""
    toward = people.velocity.copy()
    still = (pace < 0.3) & (people.partner >= 0)
    toward[still] = people.position[people.partner[still]] - people.position[still]
    aim = np.arctan2(toward[:, 1], toward[:, 0])
    turn = (aim - people.heading + np.pi) % (2.0 * np.pi) - np.pi
    moving = still | (pace > 0.15)
    people.heading[moving] += np.clip(turn, -4.0 * seconds, 4.0 * seconds)[moving]
    people.phase[:] += 2.0 * np.pi * seconds * 0.75 * pace
