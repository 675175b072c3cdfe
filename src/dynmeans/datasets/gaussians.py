"""The paper's moving Gaussians: round clusters that move in the unit square, die and are replaced."""

from __future__ import annotations

import math
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


class _Clusters(NamedTuple):
    """The living clusters, one row each, sorted by id."""

    centers: FloatArray  # (K, d)
    ids: IntArray  #       (K,)
    next_id: int  #               smallest unused id


class _Dynamics(NamedTuple):
    """Motion and deaths between two steps."""

    length: float  #  standard deviation of a displacement
    death: float  #   probability of being replaced
    radial: bool  #   length and direction are drawn separately
    reflect: bool  #  centers are reflected into the unit cube


def moving_gaussians(
    n_clusters: int = 5,
    n_steps: int = 100,
    *,
    points_per_cluster: int = 15,
    noise: float = 0.05,
    motion: float = 0.05,
    death: float = 0.05,
    displacement: Literal["isotropic", "radial"] = "isotropic",
    boundary: Literal["reflect", "free"] = "reflect",
    n_features: int = 2,
    random_state: RandomState = None,
) -> Stream:
    """Make a stream of Gaussian clusters that move in the unit square, die and are replaced by new ones.

    The defaults are the synthetic experiment of the paper. Centers start uniformly at random in the unit
    square (cube, for more features). At each step every cluster emits its points. Between steps each
    cluster dies with probability `death`, and a new one with a new id appears at a uniformly random position;
    the others move.

    Parameters
    ----------
    n_clusters : int
        Clusters alive at every step.
    n_steps : int
        Batches in the stream.
    points_per_cluster : int
        Points that every cluster emits at every step.
    noise : float
        Standard deviation of the points around their center, in each coordinate.
    motion : float
        Standard deviation of a displacement: see `displacement`.
    death : float
        Probability that a cluster is destroyed, and replaced, between two steps.
    displacement : {"isotropic", "radial"}
        The paper samples displacements "from the same distribution" as the points. `"isotropic"` reads it
        literally: Gaussian with standard deviation `motion` in each coordinate. `"radial"` draws a
        Gaussian length with standard deviation `motion` and a uniform direction, so that the mean squared
        displacement is smaller by a factor of `n_features`.
    boundary : {"reflect", "free"}
        What happens to a center that would leave the unit square. The paper puts the clusters on [0, 1] x
        [0, 1] and explains its results by the bounded domain, but does not define the boundary. `"reflect"`
        mirrors such a center at the boundary, which keeps a uniform distribution of centers uniform and the
        density constant over time. `"free"` has no boundary, and the clusters spread out. Points may lie
        outside the square in both cases.
    n_features : int
        Dimension of the points.
    random_state : int, numpy.random.Generator or None
        Seed for a reproducible stream. A generator is used directly and advanced; None draws a random seed.

    Returns
    -------
    Stream
        `batches`, arrays of shape (n_clusters * points_per_cluster, n_features) with rows in random order;
        `labels`, the true id of each row, counted from 0 and never reused; `centers`, arrays of shape
        (n_clusters, n_features) with the true centers, sorted by id. Each is a list of `n_steps` arrays.

    Raises
    ------
    ValueError
        If a number is out of range or a value is not one of the choices.
    TypeError
        If a count is not an integer, or `random_state` has an invalid type.

    Examples
    --------
    >>> from dynmeans.datasets import moving_gaussians
    >>> stream = moving_gaussians(n_clusters=3, n_steps=10, random_state=0)
    >>> len(stream.batches), stream.batches[0].shape, stream.labels[0].shape, stream.centers[0].shape
    (10, (45, 2), (45,), (3, 2))
    """
    counts = {"n_clusters": n_clusters, "n_steps": n_steps, "points_per_cluster": points_per_cluster}
    for name, count in {**counts, "n_features": n_features}.items():
        check_count(name, count)
    check_between("noise", noise, 0, math.inf)
    check_between("motion", motion, 0, math.inf)
    check_between("death", death, 0, 1)
    check_choice("displacement", displacement, ("isotropic", "radial"))
    check_choice("boundary", boundary, ("reflect", "free"))
    rng = make_rng(random_state)
    dynamics = _Dynamics(motion, death, radial=displacement == "radial", reflect=boundary == "reflect")
    clusters = _Clusters(rng.random((n_clusters, n_features)), _new_ids(0, n_clusters), n_clusters)
    stream = Stream([], [], [])
    for step in range(n_steps):
        clusters = _advance(clusters, dynamics, rng) if step else clusters
        points, labels = _emit(clusters, points_per_cluster, noise, rng)
        stream.batches.append(points)
        stream.labels.append(labels)
        stream.centers.append(clusters.centers)
    return stream


def _emit(
    clusters: _Clusters, points_per_cluster: int, noise: float, rng: np.random.Generator
) -> tuple[FloatArray, IntArray]:
    """Draw points around every center, with their ids, in random order."""
    source = rng.permutation(np.repeat(np.arange(clusters.ids.size), points_per_cluster))
    center = clusters.centers[source]
    return center + rng.normal(0.0, noise, center.shape), clusters.ids[source]


def _advance(clusters: _Clusters, dynamics: _Dynamics, rng: np.random.Generator) -> _Clusters:
    """Move the survivors and replace each dead cluster by a new one."""
    survives = rng.random(clusters.ids.size) >= dynamics.death
    moved = clusters.centers[survives]
    moved = moved + _displacements(moved.shape, dynamics, rng)
    newborn = rng.random((clusters.ids.size - len(moved), clusters.centers.shape[1]))
    next_id = clusters.next_id + len(newborn)
    return _Clusters(
        np.concatenate([mirror(moved) if dynamics.reflect else moved, newborn]),
        np.concatenate([clusters.ids[survives], _new_ids(clusters.next_id, next_id)]),
        next_id,
    )


def _new_ids(first: int, stop: int) -> IntArray:
    return np.arange(first, stop, dtype=np.int64)


def _displacements(shape: tuple[int, ...], dynamics: _Dynamics, rng: np.random.Generator) -> FloatArray:
    step = rng.normal(0.0, 1.0, shape)
    if dynamics.radial:
        step *= rng.normal(0.0, 1.0, (shape[0], 1)) / np.linalg.norm(step, axis=1, keepdims=True)
    return dynamics.length * step
