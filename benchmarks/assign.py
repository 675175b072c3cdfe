"""One assignment of many points to fixed centers: the inner loop alone."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from benchmarks.clock import best_of
from benchmarks.rows import Row, Target, faster
from dynmeans._core import nearest_centers, simd_level

WHAT = "700,000 float32 points in 3-D against 32 centers"
PEER = "one Lloyd iteration of scikit-learn's KMeans: a fit of one iteration, and a tenth of ten more"
TARGET = "10 times as fast as one Lloyd iteration; under 5 ms on one thread is the aim"

N_CENTERS = 32
BARE = "without the fixed costs of a fit, which are most of its first iteration"
MORE = 10  # further iterations, to separate them from the fixed costs of a fit


def run(quick: bool) -> list[Row]:
    """Assign the same points to the same centers on all threads, then on one."""
    rng = np.random.default_rng(0)
    X = rng.random((2_000 if quick else 700_000, 3), dtype=np.float32)
    centers = X[rng.choice(len(X), N_CENTERS, replace=False)]
    wide = centers.astype(np.float64)
    jobs = {
        "all": lambda: nearest_centers(X, wide, 0),
        "one": lambda: nearest_centers(X, wide, 1),
        "fit": lambda: lloyd(X, centers, 1),
        "more": lambda: lloyd(X, centers, 1 + MORE),
    }
    best = best_of(jobs, rounds=2 if quick else 7)
    ms = {name: 1e3 * time for name, time in best.items()}
    iteration = (ms["more"] - ms["fit"]) / MORE
    size = f"{len(X):,} points"
    return [
        faster(f"{size}: assignment / KMeans fit of 1 iteration", ms["all"], ms["fit"], "ms", at_least=10),
        faster(f"{size}: assignment / 1 more Lloyd iteration", ms["all"], iteration, "ms", note=BARE),
        faster(f"{size}: on one thread / 1 more Lloyd iteration", ms["one"], iteration, "ms"),
        Row(
            f"{size}: assignment on one thread",
            ms["one"],
            unit="ms",
            target=Target("ours", "<", 5.0),
            note=simd_level(),
        ),
    ]


def lloyd(X: np.ndarray, centers: np.ndarray, iterations: int) -> None:
    """Run an exact number of iterations: a tolerance of 0 does not stop early."""
    model = KMeans(
        len(centers), init=centers, n_init=1, max_iter=iterations, tol=0.0, algorithm="lloyd", copy_x=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X)
