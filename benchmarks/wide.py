"""Batches with many features, where each distance is long."""

from __future__ import annotations

import warnings
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from benchmarks.clock import seconds
from benchmarks.rows import Row, faster
from dynmeans import DMeans

WHAT = "600 points in 400 dimensions, about 20 clusters, one restart"
PEER = "scikit-learn's Lloyd for as many clusters and iterations, started at points of the batch"
TARGET = "at least as fast"

N_STEPS = 8
BIRTH_COST = 0.15  # gives about 20 clusters


class Effort(NamedTuple):
    """Time and iterations of one step."""

    seconds: float
    iterations: int
    n_clusters: int


def run(quick: bool) -> list[Row]:
    """Measure the time of a stream, divided by its iterations; the best of several runs."""
    n, d = (60, 8) if quick else (600, 400)
    batches = make_batches(n, d)
    ours, peer = [], []
    for seed in range(2 if quick else 6):
        ours.append(run_ours(batches, seed))
        peer.append(run_peer(batches, ours[-1]))
    clusters = np.mean([effort.n_clusters for effort in ours[0]])
    most, least = (np.mean([e.iterations for run in runs for e in run]) for runs in (ours, peer))
    note = f"{clusters:.1f} clusters; {most:.1f} iterations per step, the peer {least:.1f}"
    what = f"{n} points in {d}-D: an iteration / Lloyd's"
    return [faster(what, min(map(per_iteration, ours)), min(map(per_iteration, peer)), "ms", 1, note)]


def per_iteration(efforts: list[Effort]) -> float:
    """Return milliseconds per iteration."""
    return 1e3 * sum(e.seconds for e in efforts) / sum(e.iterations for e in efforts)


def make_batches(n: int, d: int) -> list[np.ndarray]:
    """Make points that fill a rotated cube of three dimensions, which needs more than two iterations."""
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.standard_normal((d, 3)))[0]
    return [rng.random((n, 3)) @ axes.T + 0.003 * rng.standard_normal((n, d)) for _ in range(N_STEPS)]


def run_ours(batches: list[np.ndarray], seed: int) -> list[Effort]:
    model = DMeans(BIRTH_COST, n_restarts=1, random_state=seed)
    efforts = []
    for X in batches:
        time = seconds(partial(model.partial_fit, X))
        efforts.append(Effort(time, model.n_iter_, len(model.step_.active)))
    return efforts


def run_peer(batches: list[np.ndarray], efforts: list[Effort]) -> list[Effort]:
    """Run k-means with the number of clusters, and at most the number of iterations, of the same step."""
    mine = []
    for X, (_, most, k) in zip(batches, efforts, strict=True):
        model = KMeans(k, init=X[:k], n_init=1, max_iter=most, tol=0.0, algorithm="lloyd")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            time = seconds(partial(model.fit, X))
        mine.append(Effort(time, model.n_iter_, k))
    return mine
