"""Streams of non-convex shapes that move together or separately, for tuning with kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from benchmarks.odd_streams import Known, known
from dynmeans.datasets import moving_rings

Shape = Callable[[np.random.Generator], np.ndarray]  # draws the points of one cluster, (n, 2)
HALF = np.pi


def rings(
    seed: int, n_steps: int, radii: Sequence[float] = (0.4, 0.0), n_points: int = 200, together: bool = True
) -> Known:
    """Make rings around a round cluster, which move together or separately."""
    motion = 0.05 if together else 0.03
    stream = moving_rings(
        n_steps, n_points=n_points, radii=radii, motion=motion, together=together, random_state=seed
    )
    return known(stream.batches, stream.labels)


def moons(seed: int, n_steps: int) -> Known:
    """Make two interlocked half rings that move together."""
    upper, lower = arc(75, 1.0, (0.0, HALF), 0.06), arc(75, 1.0, (HALF, 2 * HALF), 0.06, (1.0, 0.4))
    return moving([upper, lower], seed, n_steps, 0.15, together=True)


def uneven(seed: int, n_steps: int) -> Known:
    """Make four round clusters that move separately; the widest is eight times as wide as the narrowest."""
    kinds = [(60, 0.02, (0.0, 0.0)), (40, 0.05, (0.5, 0.1)), (100, 0.1, (0.2, 0.8)), (60, 0.15, (1.3, 0.9))]
    shapes = [bar(n, width, width, 0.0, center) for n, width, center in kinds]
    return moving(shapes, seed, n_steps, 0.03, together=False)


def bars(seed: int, n_steps: int) -> Known:
    """Make three long clusters side by side, 17 times as long as wide, that move together."""
    shapes = [bar(70, 0.5, 0.03, 0.2, (0.0, 0.35 * i)) for i in range(3)]
    return moving(shapes, seed, n_steps, 0.05, together=True)


def crescents(seed: int, n_steps: int) -> Known:
    """Make three open rings in three directions, and a round cluster inside one; all move separately."""
    arcs = [((0.0, 0.0), 0.0), ((2.6, 0.3), 1.3), ((1.2, 2.2), 3.0)]
    open_rings = [arc(80, 0.8, (begin, begin + 3.6), 0.08, center) for center, begin in arcs]
    return moving([*open_rings, bar(40, 0.12, 0.12)], seed, n_steps, 0.12, together=False)


def spirals(seed: int, n_steps: int) -> Known:
    """Make two interlocked spirals that move together."""
    return moving([spiral(150, turn, 0.02) for turn in (0.0, HALF)], seed, n_steps, 0.05, together=True)


def zoo(seed: int, n_steps: int) -> Known:
    """Make a ring around three small round clusters, and a bar outside; all move separately."""
    small = [bar(30, 0.08, 0.08, 0.0, center) for center in ((0.0, 0.35), (0.3, -0.25), (-0.3, -0.25))]
    shapes = [arc(120, 1.0, (0.0, 2 * HALF), 0.06), *small, bar(60, 0.4, 0.04, 1.0, (2.2, 0.0))]
    return moving(shapes, seed, n_steps, 0.05, together=False)


def moving(shapes: Sequence[Shape], seed: int, n_steps: int, motion: float, together: bool) -> Known:
    """Make a stream of moving shapes, with rows in random order."""
    rng = np.random.default_rng(seed)
    centers = np.zeros((len(shapes), 2))
    batches, labels = [], []
    for step in range(n_steps):
        if step:
            centers = centers + rng.normal(0.0, motion, (1 if together else len(shapes), 2))
        parts = [shape(rng) + center for shape, center in zip(shapes, centers, strict=True)]
        order = rng.permutation(sum(map(len, parts)))
        batches.append(np.concatenate(parts)[order])
        labels.append(np.repeat(np.arange(len(parts)), [len(part) for part in parts])[order])
    return known(batches, labels)


def arc(
    n: int, radius: float, angles: tuple[float, float], noise: float, center: tuple[float, float] = (0.0, 0.0)
) -> Shape:
    return partial(_arc, n=n, radius=radius, angles=angles, noise=noise, center=center)


def bar(
    n: int, length: float, width: float, turn: float = 0.0, center: tuple[float, float] = (0.0, 0.0)
) -> Shape:
    return partial(_bar, n=n, length=length, width=width, turn=turn, center=center)


def spiral(n: int, turn: float, noise: float) -> Shape:
    return partial(_spiral, n=n, turn=turn, noise=noise)


def _arc(
    rng: np.random.Generator,
    n: int,
    radius: float,
    angles: tuple[float, float],
    noise: float,
    center: tuple[float, float],
) -> np.ndarray:
    angle = rng.uniform(*angles, n)
    exact = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return exact + center + rng.normal(0.0, noise, (n, 2))


def _bar(
    rng: np.random.Generator, n: int, length: float, width: float, turn: float, center: tuple[float, float]
) -> np.ndarray:
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return rng.normal(0.0, 1.0, (n, 2)) * [length, width] @ turned + center


def _spiral(rng: np.random.Generator, n: int, turn: float, noise: float) -> np.ndarray:
    angle = 2.6 * np.pi * np.sqrt(rng.uniform(0.05, 1.0, n))
    exact = angle[:, None] * np.stack([np.cos(angle + turn), np.sin(angle + turn)], axis=1) / 8.0
    return exact + rng.normal(0.0, noise, (n, 2))
