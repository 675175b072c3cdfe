"""Defaults of KD-Means and SD-Means on separated blobs: 48 cases, and streams of ten batches.

``python -m benchmarks.kernel_defaults [SPACING]`` prints the number of clusters found in each case. Centers
are at least SPACING standard deviations apart, 10 by default. ``grid`` instead of SPACING puts them on a
square grid, ``streams`` prints the number of ids in ten batches, and ``shapes`` the number of batches in
which sparse rings, a line or an arc are taken for several separated clusters.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from dynmeans import KDMeans, SDMeans
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.datasets import moving_rings
from dynmeans.kernels._estimation.separated_clusters import separated_clusters

KERNELS = ("rbf", "mst", "diffusion")
ESTIMATORS = (SDMeans, KDMeans)
COUNTS = (2, 8, 20, 100)
SPACING = 10.0
SIZE, SIZES = 40, (10, 90)  # rows per blob: equal, or drawn uniformly
TOLERATED = 0.1  # relative error of the number of clusters
N_STEPS = 10
RINGS = ((200, 0.02), (400, 0.01), (400, 0.02), (400, 0.03), (800, 0.02), (800, 0.03))  # rows and noise
SHAPE_SEEDS = range(100, 120)  # the test of gaps was chosen on other seeds


def draw_centers(k: int, rng: np.random.Generator, spacing: float) -> FloatArray:
    """Draw centers in a square that grows until no two are closer than the spacing."""
    side = 2.0 * spacing * np.sqrt(k)
    centers: list[FloatArray] = []
    while len(centers) < k:
        center = rng.uniform(0.0, side, 2)
        if all(np.linalg.norm(center - other) >= spacing for other in centers):
            centers.append(center)
        else:
            side *= 1.002
    return np.array(centers)


def grid_centers(k: int, spacing: float) -> FloatArray:
    """Return the first k points of a square grid."""
    side = int(np.ceil(np.sqrt(k)))
    return spacing * np.array([divmod(i, side) for i in range(k)], dtype=np.float64)


def draw_sizes(k: int, equal: bool, rng: np.random.Generator) -> IntArray:
    """Return the number of rows of every blob."""
    return np.full(k, SIZE) if equal else rng.integers(SIZES[0], SIZES[1] + 1, k)


def draw_batch(centers: FloatArray, sizes: IntArray, rng: np.random.Generator) -> FloatArray:
    """Draw the rows of all blobs, with unit variance."""
    rows: FloatArray = np.repeat(centers, sizes, axis=0) + rng.normal(size=(int(sizes.sum()), 2))
    return rows


def count_clusters(model: Any, k: int, equal: bool, spacing: float, grid: bool = False) -> int:
    """Cluster one batch with the defaults."""
    rng = np.random.default_rng(0)
    centers = grid_centers(k, spacing) if grid else draw_centers(k, rng, spacing)
    found: int = model.fit(draw_batch(centers, draw_sizes(k, equal, rng), rng)).n_clusters_
    return found


def count_ids(model: Any, k: int, equal: bool, spacing: float) -> int:
    """Cluster ten batches of the same blobs."""
    rng = np.random.default_rng(3)
    centers = draw_centers(k, rng, spacing)
    sizes = draw_sizes(k, equal, rng)
    ids = [model.partial_fit(draw_batch(centers, sizes, rng)).labels_ for _ in range(N_STEPS)]
    return len(np.unique(np.concatenate(ids)))


def line(rng: np.random.Generator) -> FloatArray:
    """Draw 200 rows along a line."""
    return np.column_stack([rng.random(200), rng.normal(scale=0.01, size=200)])


def arc(rng: np.random.Generator) -> FloatArray:
    """Draw 100 rows along an arc of 4 radians."""
    angles = rng.uniform(0.0, 4.0, 100)
    return np.column_stack([np.cos(angles), np.sin(angles)]) + rng.normal(scale=0.03, size=(100, 2))


def rings(n_points: int, noise: float, rng: np.random.Generator) -> FloatArray:
    """Draw the paper's three rings."""
    seed = int(rng.integers(2**31))
    return moving_rings(1, n_points=n_points, noise=noise, random_state=seed).batches[0]


def count_broken_shapes() -> None:
    """Print in how many batches of each kind the number of separated clusters is wrong.

    Rings that nearly touch may be one cluster.
    """
    kinds: dict[str, tuple[Callable[..., FloatArray], tuple[int, ...]]] = {
        f"rings, {n} rows, noise {noise}": (partial(rings, n, noise), (1, 3)) for n, noise in RINGS
    }
    kinds |= {"line": (line, (1,)), "arc": (arc, (1,))}
    for kind, (draw, right) in kinds.items():
        batches = [draw(np.random.default_rng(seed)) for seed in SHAPE_SEEDS]
        found = [separated_clusters(rows, np.ones(len(rows))).n_clusters for rows in batches]
        print(f"{kind:<27} {sum(n not in right for n in found):>3} of {len(found)}", flush=True)


def main(arguments: Sequence[str]) -> None:
    """Print one line per kernel, estimator and kind of size."""
    if "shapes" in arguments:
        count_broken_shapes()
        return
    streams, grid = "streams" in arguments, "grid" in arguments
    spacing = float(arguments[0]) if arguments and not streams and not grid else SPACING
    count: Callable[..., int]
    count, counts = (count_ids, COUNTS[:3]) if streams else (partial(count_clusters, grid=grid), COUNTS)
    n_wrong = n_cases = 0
    print("kernel     estimator  sizes    " + "".join(f"{k:>6}" for k in counts))
    for kernel in KERNELS:
        for estimator in ESTIMATORS:
            for equal in (True, False):
                found = [count(estimator(kernel, random_state=0), k, equal, spacing) for k in counts]
                wrong = [abs(n - k) > TOLERATED * k for n, k in zip(found, counts, strict=True)]
                n_wrong, n_cases = n_wrong + sum(wrong), n_cases + len(wrong)
                cells = "".join(f"{n}{'*' if w else ''}".rjust(6) for n, w in zip(found, wrong, strict=True))
                sizes = "equal" if equal else "unequal"
                print(f"{kernel:<10} {estimator.__name__:<10} {sizes:<8}{cells}", flush=True)
    print(f"wrong by more than a tenth: {n_wrong} of {n_cases}")


if __name__ == "__main__":
    main(sys.argv[1:])
