"""A step on a small batch, where fixed costs decide."""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from benchmarks.clock import best_of
from benchmarks.rows import Row, Target, faster
from dynmeans import DMeans
from dynmeans._algorithms.batch import Batch, SearchOptions
from dynmeans._algorithms.dmeans import step
from dynmeans._model.costs import AgingParameters, make_costs
from dynmeans._model.motion import WALK
from dynmeans._model.state import empty_state
from dynmeans.datasets import moving_gaussians

WHAT = "a step on 75 points in 2-D, 3 restarts, CPU time"
PEER = "KMeans(n_clusters=5, n_init=3).fit on the same points, one thread"
TARGET = "partial_fit 15 times as fast; under 100 microseconds in the functional core"

BIRTH_COST, LIFETIME, REACH = 0.06, 3.0, 1.01
RESTARTS = 3


def run(quick: bool) -> list[Row]:
    """Time whole streams, and divide by their number of steps."""
    batches = moving_gaussians(n_steps=5 if quick else 100, random_state=0).batches
    jobs = {
        "estimator": lambda: run_estimator(batches),
        "core": lambda: run_core(batches),
        "peer": lambda: run_peer(batches),
    }
    with threadpool_limits(1):  # with threads, a small fit takes longer
        best = best_of(jobs, rounds=2 if quick else 15, clock=process_time)
    micros = {name: 1e6 * total / len(batches) for name, total in best.items()}
    return [
        faster("75 points: partial_fit / KMeans.fit", micros["estimator"], micros["peer"], "µs", at_least=15),
        Row("75 points: functional core", micros["core"], unit="µs", target=Target("ours", "<", 100)),
    ]


def run_estimator(batches: Sequence[np.ndarray]) -> None:
    model = DMeans(BIRTH_COST, LIFETIME, REACH, n_restarts=RESTARTS, random_state=0)
    for X in batches:
        model.partial_fit(X)


def run_core(batches: Sequence[np.ndarray]) -> None:
    state = empty_state(batches[0].shape[1])
    costs = make_costs(BIRTH_COST, AgingParameters(LIFETIME, REACH))
    search = SearchOptions(seed=0, n_restarts=RESTARTS, max_iter=100, n_threads=1)
    motion = WALK
    for t, X in enumerate(batches):
        state = step(state, Batch(X, None, float(t)), costs, motion, search).state


def run_peer(batches: Sequence[np.ndarray]) -> None:
    for X in batches:
        KMeans(n_clusters=5, n_init=RESTARTS, random_state=0).fit(X)
