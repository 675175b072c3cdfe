"""Simulated LiDAR frames of people in a foyer, with occlusions, meetings and returns."""

from __future__ import annotations

import math

import numpy as np

from dynmeans.datasets._common import (
    FloatArray,
    IntArray,
    RandomState,
    Stream,
    check_between,
    check_count,
    make_rng,
)
from dynmeans.datasets._lidar import HEIGHT, SENSOR, Bodies, Rays, cast, make_rays
from dynmeans.datasets._walkers import MAX_PEOPLE, Walkers, inside, place_people, walk_on

BACKGROUND = -1  # label of floor, walls and pillars
_WARM_UP = 2.0  # seconds before the first frame, so that people are in motion


def walking_people(
    n_steps: int = 900,
    *,
    n_people: int = 9,
    frame_rate: float = 30.0,
    noise: float = 0.02,
    background: bool = False,
    random_state: RandomState = None,
) -> Stream:
    """Make a stream of LiDAR frames of people in a foyer.

    A sensor on the wall of a foyer of 12 by 9 meters, 1.6 meters above the floor, casts about 17,000 rays
    per frame, 0.4 degrees apart across and 1.1 degrees apart in height. People walk to individual goals,
    stop, meet and stand in pairs for some seconds, leave by one of three doors and return. They are made of
    capsules: trunk, head, swinging arms and legs. Points behind a person or one of three pillars are
    occluded, so a person may be partly or wholly invisible for some time. Nine people give about 1,000
    points per frame.

    Parameters
    ----------
    n_steps : int
        Frames in the stream.
    n_people : int
        Total number of people, at most 50; some are outside for some time.
    frame_rate : float
        Frames per second.
    noise : float
        Standard deviation of the range, in meters.
    background : bool
        Whether to keep the rays that hit floor, walls and pillars. Their label is -1.
    random_state : int, numpy.random.Generator or None
        Seed for a reproducible stream. A generator is used directly and advanced; None draws a random seed.

    Returns
    -------
    Stream
        `batches`, arrays of shape (n, 3) in meters, height last, with rows in random order; `labels`, the
        person of each row; `centers`, arrays of shape (K, 3) with the middle of every person with a point
        in the frame, sorted by id. A person who returns has the same id. A frame may be empty.

    Raises
    ------
    ValueError
        If a number is out of range.
    TypeError
        If a count is not an integer, a value is not a number, or `random_state` has an invalid type.

    Examples
    --------
    >>> from dynmeans.datasets import walking_people
    >>> stream = walking_people(n_steps=3, n_people=4, random_state=0)
    >>> len(stream.batches), stream.batches[0].shape[1]
    (3, 3)
    """
    check_count("n_steps", n_steps)
    check_count("n_people", n_people)
    check_between("n_people", n_people, 1, MAX_PEOPLE)
    check_between("frame_rate", frame_rate, 1.0, 1000.0)
    check_between("noise", noise, 0.0, math.inf)
    rng = make_rng(random_state)
    # Separate, so that `background` does not change the motion.
    sensor = np.random.default_rng(int(rng.integers(2**63)))
    rays, people = make_rays(), place_people(n_people, rng)
    scale = rng.uniform(0.9, 1.08, n_people)
    walk_on(people, _WARM_UP, rng)
    stream = Stream([], [], [])
    for step in range(n_steps):
        if step:
            walk_on(people, 1.0 / frame_rate, rng)
        ranges, owner = _scan(rays, people, scale)
        rows = sensor.permutation(len(owner) if background else np.flatnonzero(owner > BACKGROUND))
        far = ranges[rows] + sensor.normal(0.0, noise, len(rows))
        seen = np.unique(owner[owner > BACKGROUND])
        stream.batches.append(SENSOR + far[:, None] * rays.directions[rows])
        stream.labels.append(owner[rows])
        stream.centers.append(np.column_stack([people.position[seen], 0.5 * HEIGHT * scale[seen]]))
    return stream


def _scan(rays: Rays, people: Walkers, scale: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the range of every ray, and the person that it hits or -1."""
    here = inside(people)
    pace = np.linalg.norm(people.velocity[here], axis=1)
    swing = np.minimum(0.4 * pace, 0.55)
    bodies = Bodies(people.position[here], people.heading[here], people.phase[here], swing, scale[here])
    ranges, owner = cast(rays, bodies)
    return ranges, np.append(here, BACKGROUND)[owner]
