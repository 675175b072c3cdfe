"""The paper's moving rings: concentric circles of points that move together or separately."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from dynmeans.datasets._common import (
    FloatArray,
    IntArray,
    RandomState,
    Stream,
    check_between,
    check_choice,
    check_count,
    make_rng,
    mirror,
)


class _Sampling(NamedTuple):
    """Distribution of the points of a step."""

    radii: FloatArray  # (K,)
    n_points: int
    noise: float
    equal: bool  # all rings have the same number of points, up to one


def moving_rings(
    n_steps: int = 100,
    *,
    n_points: int = 400,
    radii: Sequence[float] = (0.4, 0.2, 0.0),
    noise: float = 0.03,
    motion: float = 0.05,
    together: bool = True,
    split: Literal["random", "equal"] = "random",
    boundary: Literal["free", "reflect"] = "free",
    random_state: RandomState = None,
) -> Stream:
    """Make a stream of noisy rings that start around one center and move.

    The defaults are the ring experiment of the paper. All rings start around (0.5, 0.5), the middle of
    the unit square. At each step points are drawn on the rings, uniformly in the angle, and noise is
    added; a ring of radius 0 is a round cluster. Between steps the rings move. No ring appears or disappears.

    Parameters
    ----------
    n_steps : int
        Batches in the stream.
    n_points : int
        Points of all rings in a batch.
    radii : sequence of float
        Radius of each ring; ring k has the true id k.
    noise : float
        Standard deviation of the noise, in each coordinate.
    motion : float
        Standard deviation of a displacement, in each coordinate.
    together : bool
        Whether all rings share one displacement per step and so stay concentric. The paper states that "the
        three rings moved randomly". With separate displacements the rings cross, and crossing rings cannot be
        separated by a single batch; False selects this reading.
    split : {"random", "equal"}
        Distribution of points over rings. `"random"`: every point is on a uniformly random ring, as in
        "generated uniformly randomly on 3 rings". `"equal"`: all rings have the same number, up to one.
    boundary : {"free", "reflect"}
        What happens to a center that would leave the unit square. The paper gives the square as the
        domain but does not define the boundary, and the widest ring hardly fits into it. `"free"` has no
        boundary. `"reflect"` mirrors the center at the boundary. Points may lie outside in both cases.
    random_state : int, numpy.random.Generator or None
        Seed for a reproducible stream. A generator is used directly and advanced; None draws a random seed.

    Returns
    -------
    Stream
        `batches`, arrays of shape (n_points, 2) with rows in random order; `labels`, the true id of each row,
        its index in `radii`; `centers`, arrays of shape (len(radii), 2) with the true centers of all rings,
        including those without a point in the step. Each is a list of `n_steps` arrays.

    Raises
    ------
    ValueError
        If a number is out of range, a value is not one of the choices, or `radii` is empty.
    TypeError
        If a count is not an integer, or `random_state` has an invalid type.

    Examples
    --------
    >>> from dynmeans.datasets import moving_rings
    >>> stream = moving_rings(n_steps=10, random_state=0)
    >>> len(stream.batches), stream.batches[0].shape, stream.labels[0].shape, stream.centers[0].shape
    (10, (400, 2), (400,), (3, 2))
    """
    check_count("n_steps", n_steps)
    check_count("n_points", n_points)
    if len(radii) == 0:
        raise ValueError("radii is empty; there must be at least one ring")
    for radius in radii:
        check_between("radius", radius, 0, math.inf)
    check_between("noise", noise, 0, math.inf)
    check_between("motion", motion, 0, math.inf)
    check_choice("split", split, ("random", "equal"))
    check_choice("boundary", boundary, ("free", "reflect"))
    rng = make_rng(random_state)
    sampling = _Sampling(np.asarray(radii, dtype=np.float64), n_points, noise, split == "equal")
    centers = np.full((len(radii), 2), 0.5)
    stream = Stream([], [], [])
    for step in range(n_steps):
        if step:
            centers = centers + rng.normal(0.0, motion, (1 if together else len(radii), 2))
            centers = mirror(centers) if boundary == "reflect" else centers
        points, labels = _emit(centers, sampling, rng)
        stream.batches.append(points)
        stream.labels.append(labels)
        stream.centers.append(centers)
    return stream


def _emit(centers: FloatArray, sampling: _Sampling, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
    """Draw points on every ring, with their ids, in random order."""
    ring = _rings_of_points(sampling, rng)
    angle = rng.uniform(0.0, 2.0 * math.pi, sampling.n_points)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    exact = centers[ring] + sampling.radii[ring, None] * circle
    return exact + rng.normal(0.0, sampling.noise, exact.shape), ring


def _rings_of_points(sampling: _Sampling, rng: np.random.Generator) -> IntArray:
    if not sampling.equal:
        return rng.integers(len(sampling.radii), size=sampling.n_points)
    # The remainder goes to random rings in each step, so that no ring is preferred.
    order = rng.permutation(len(sampling.radii))
    return rng.permutation(np.resize(order, sampling.n_points)).astype(np.int64)
