"""A whole step on many rows, in passes of FAISS over the same rows and centers; one thread."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from time import process_time
from typing import NamedTuple

import numpy as np

from benchmarks.rows import Row, Target
from dynmeans import DMeans

WHAT = "the second step of a stream of many rows, one restart, one thread, CPU time"
PEER = "one pass of IndexFlatL2.search of FAISS over the same rows and the centers of that step"
TARGET = "at most 3, 6, 10 and 8 passes"


class Shape(NamedTuple):
    """A stream of Gaussian clusters with unit-variance centers."""

    n: int
    d: int
    n_blobs: int
    noise: float
    scale: float  # birth cost, in units of d noise^2
    max_passes: float


SHAPES = (
    Shape(100_000, 384, 200, 0.5, 3.0, 3),
    Shape(200_000, 128, 500, 0.5, 2.95, 6),
    Shape(200_000, 32, 2_000, 0.5, 3.75, 10),
    Shape(1_000_000, 3, 1_000, 0.02, 12.0, 8),
    Shape(200_000, 128, 500, 0.5, 2.6, 6),  # the second and the fourth with more clusters than blobs
    Shape(1_000_000, 3, 1_000, 0.02, 9.0, 8),
)


def run(quick: bool) -> list[Row]:
    """Measure each shape once: a step is long enough."""
    if find_spec("faiss") is None:
        return [Row("a step, in FAISS passes", note="faiss-cpu is not installed")]
    return [measure(shape._replace(n=2_000, n_blobs=20) if quick else shape) for shape in SHAPES]


def measure(shape: Shape) -> Row:
    X = make_rows(shape)
    model = DMeans(shape.scale * shape.d * shape.noise**2, n_restarts=1, n_jobs=1, random_state=0)
    model.partial_fit(X)
    X += np.float32(0.1 * shape.noise)
    ours, _ = cpu_time(lambda: model.partial_fit(X))
    centers = model.cluster_centers_[np.isin(model.cluster_ids_, model.step_.active)]
    passes = min(cpu_time(lambda: search(X, centers))[0] for _ in range(2))
    note = f"{model.n_iter_} iterations"
    what = f"{shape.n:,} x {shape.d} with {len(centers):,} clusters: a step, in FAISS passes"
    target = Target("ours", "<=", shape.max_passes)
    return Row(
        what=what,
        ours=ours / passes,
        peer=1.0,
        unit="passes",
        ratio=None,
        target=target,
        note=f"{note}; {ours:.2f} s / {passes:.2f} s",
    )


def make_rows(shape: Shape) -> np.ndarray:
    rng = np.random.default_rng(0)
    centers = rng.standard_normal((shape.n_blobs, shape.d), dtype=np.float32)
    X = rng.standard_normal((shape.n, shape.d), dtype=np.float32)
    X *= np.float32(shape.noise)
    X += centers[rng.integers(shape.n_blobs, size=shape.n)]
    return X


def search(X: np.ndarray, centers: np.ndarray) -> None:
    """Find the nearest center of every row."""
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatL2(centers.shape[1])
    index.add(np.ascontiguousarray(centers, dtype=np.float32))
    index.search(X, 1)


def cpu_time(job: Callable[[], object]) -> tuple[float, object]:
    start = process_time()
    result = job()
    return process_time() - start, result
