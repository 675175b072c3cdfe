"""People in a foyer as a LiDAR sees them: points on bodies that walk, meet, hide each other and return."""

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
from dynmeans.datasets._walkers import MOST_PEOPLE, Walkers, gather, inside, walk_on

NOBODY = -1  # label of floor, walls and pillars
_SETTLE = 2.0  # seconds before the first frame, so that nobody stands at his start


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

    A sensor on the wall of a foyer of 12 by 9 metres, 1.6 metres above the floor, casts about 17,000 rays
    a frame, 0.4 degrees apart across and 1.1 degrees apart in height. People walk to places of their own,
    stop, meet and stand in pairs for some seconds, leave by one of three doors and return. They are made of
    capsules: trunk, head, swinging arms and legs. What hides behind a person or one of three pillars is not
    seen, so a person in sight is cut in pieces, fades and is gone for a while. Nine people make about 1,000
    points a frame.

    Parameters
    ----------
    n_steps : int
        Frames in the stream.
    n_people : int
        People in all, up to 50, for whom there is room; some are outside for a while.
    frame_rate : float
        Frames a second.
    noise : float
        Standard deviation of a range, in metres.
    background : bool
        Whether to keep the rays that meet floor, walls and pillars. Their label is -1.
    random_state : int, numpy.random.Generator or None
        Seed for a reproducible stream. A generator is used as it is; None takes fresh entropy.

    Returns
    -------
    Stream
        `batches`, arrays of shape (n, 3) in metres, height last, with rows in random order; `labels`, the
        person of each row; `centers`, arrays of shape (K, 3) with the middle of every person that has a point
        in the frame, sorted by id. A person who returns has the same id. A frame may be empty.

    Raises
    ------
    ValueError
        If a number is out of its range.
    TypeError
        If a count is not an integer, a number is none, or `random_state` is none of its kinds.

    Examples
    --------
    >>> from dynmeans.datasets import walking_people
    >>> stream = walking_people(n_steps=3, n_people=4, random_state=0)
    >>> len(stream.batches), stream.batches[0].shape[1]
    (3, 3)
    """
    check_count("n_steps", n_steps)
    check_count("n_people", n_people)
    check_between("n_people", n_people, 1, MOST_PEOPLE)
    check_between("frame_rate", frame_rate, 1.0, 1000.0)
    check_between("noise", noise, 0.0, math.inf)
    rng = make_rng(random_state)
    sensor = np.random.default_rng(int(rng.integers(2**63)))  # so that what is kept moves nobody
    rays, people = make_rays(), gather(n_people, rng)
    scale = rng.uniform(0.9, 1.08, n_people)
    walk_on(people, _SETTLE, rng)
    stream = Stream([], [], [])
    for step in range(n_steps):
        if step:
            walk_on(people, 1.0 / frame_rate, rng)
        ranges, who = _look(rays, people, scale)
        rows = sensor.permutation(len(who) if background else np.flatnonzero(who > NOBODY))
        far = ranges[rows] + sensor.normal(0.0, noise, len(rows))
        seen = np.unique(who[who > NOBODY])
        stream.batches.append(SENSOR + far[:, None] * rays.directions[rows])
        stream.labels.append(who[rows])
        stream.centers.append(np.column_stack([people.place[seen], 0.5 * HEIGHT * scale[seen]]))
    return stream


def _look(rays: Rays, people: Walkers, scale: FloatArray) -> tuple[FloatArray, IntArray]:
    """Range of every ray, and the person whom it meets or -1."""
    here = inside(people)
    pace = np.linalg.norm(people.velocity[here], axis=1)
    swing = np.minimum(0.4 * pace, 0.55)
    bodies = Bodies(people.place[here], people.heading[here], people.phase[here], swing, scale[here])
    ranges, who = cast(rays, bodies)
    return ranges, np.append(here, NOBODY)[who]
