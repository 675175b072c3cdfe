"""A step of SD-Means against plain spectral clustering of the same kernel matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, get_args

import numpy as np
from sklearn.cluster import SpectralClustering
from threadpoolctl import threadpool_limits

from benchmarks.rows import Row, faster
from benchmarks.trials import processor_seconds
from dynmeans import SDMeans
from dynmeans._algorithms.batch import Batch, SearchOptions
from dynmeans._algorithms.kernel_space.kernel_fit import KernelFit
from dynmeans._algorithms.kernel_space.kernel_state import initial_state
from dynmeans._algorithms.kernel_space.kernel_step import KernelOptions, step
from dynmeans._algorithms.kernel_space.sdmeans import cluster_spectral
from dynmeans._algorithms.kernel_space.support_selection import Selection, choose
from dynmeans._model.costs import AgingParameters, make_costs
from dynmeans._model.state import ClusterState
from dynmeans.datasets import moving_gaussians, moving_rings
from dynmeans.kernels import MST, RBF, first_input

WHAT = "a step of SD-Means on 400 points with the MST kernel and on 2,000 with the RBF kernel, one thread"
PEER = "scikit-learn's SpectralClustering with the number of clusters given, on the matrix of the same kernel"
TARGET = "50 times as fast with the MST kernel, 5 times with RBF; the kernel is part of our step only"


LANDMARKS = "RBF with 100 landmarks"
ROUNDS = 3  # the best counts for both, because other load only adds time


class SpectralCase(NamedTuple):
    """Batches of a stream, with the method and its parameters."""

    batches: Sequence[np.ndarray]
    params: dict[str, Any]
    n_clusters: int
    at_least: float | None = None


def run(quick: bool) -> list[Row]:
    """Measure two kernels, batch by batch."""
    cases = tiny_cases() if quick else full_cases()
    with threadpool_limits(1):
        rows = [row for name, case in cases.items() for row in rows_of(name, case)]
        return [*rows, selection_row(60, 10) if quick else selection_row(400, 80)]


def full_cases() -> dict[str, SpectralCase]:
    return {"MST": mst_case(400, 8), "RBF": rbf_case(2000, 5), LANDMARKS: landmark_case(2000, 5)}


def tiny_cases() -> dict[str, SpectralCase]:
    return {"MST": mst_case(60, 2), "RBF": rbf_case(100, 2), LANDMARKS: landmark_case(200, 2)}


def mst_case(n_points: int, n_steps: int) -> SpectralCase:
    """Make the paper's rings with the paper's parameters; the birth cost scales with n."""
    batches = moving_rings(n_steps, n_points=n_points, random_state=0).batches
    costs = {"birth_cost": 55.0 * n_points / 400, "lifetime": 13.0, "reach": 4.5}
    return SpectralCase(batches, {"kernel": MST(0.07), **costs}, 3, 50.0)


def rbf_case(n_points: int, n_steps: int) -> SpectralCase:
    """Make ten round clusters that hardly overlap."""
    stream = moving_gaussians(
        10, n_steps, points_per_cluster=n_points // 10, noise=0.02, motion=0.01, random_state=0
    )
    costs = {"birth_cost": 0.03 * n_points, "lifetime": 3.0, "reach": 1.5}
    return SpectralCase(stream.batches, {"kernel": RBF(0.05), **costs}, 10, 5.0)


def landmark_case(n_points: int, n_steps: int) -> SpectralCase:
    """Make the same case with landmarks, an approximation that the peer does not have."""
    case = rbf_case(n_points, n_steps)
    return case._replace(params={**case.params, "kernel": RBF(0.05, landmarks=100)}, at_least=None)


def rows_of(name: str, case: SpectralCase) -> list[Row]:
    """Return medians over the batches of our steps and of the peer."""
    times = measure(case)
    theirs = times["peer"]
    size = f"{len(case.batches[0]):,} points, {name}"
    return [
        faster(f"{size}: partial_fit / SpectralClustering", times["fit"], theirs, "ms", case.at_least),
        faster(f"{size}: step without the estimator / same", times["step"], theirs, "ms"),
        faster(f"{size}: dense matrix given to both / same", times["given"], theirs, "ms"),
    ]


def selection_row(n_points: int, budget: int) -> Row:
    """Compare the two methods for choosing support points, on a round cluster."""
    points = np.random.default_rng(0).normal(size=(n_points, 2))
    matrix = RBF(1.0).between(points, points)
    coefficients = np.full(n_points, 1.0 / n_points)
    jobs = {name: partial(choose, matrix, coefficients, budget, name) for name in get_args(Selection)}
    times = {name: 1e3 * min(processor_seconds(job) for _ in range(3)) for name, job in jobs.items()}
    errors = ", ".join(f"{name} {job().error:.1e}" for name, job in jobs.items())
    what = f"{budget} of {n_points} points kept: greedy / l1 path"
    return faster(what, times["greedy"], times["l1"], "ms", note=f"errors: {errors}")


def measure(case: SpectralCase) -> dict[str, float]:
    """Measure processor milliseconds per variant: best of several rounds, median of batches."""
    rounds = [measure_once(case) for _ in range(ROUNDS)]
    return {name: 1e3 * float(np.median(np.min([r[name] for r in rounds], axis=0))) for name in rounds[0]}


def measure_once(case: SpectralCase) -> dict[str, list[float]]:
    """Measure seconds per variant and batch; each variant runs its whole stream, then the next.

    A first batch, not counted, provides the remembered clusters.
    """
    model, advance = SDMeans(**case.params, random_state=0), functional(case)
    matrices = [kernel_matrix(case, X) for X in case.batches]
    methods: dict[str, tuple[Callable[[np.ndarray], object], Sequence[np.ndarray]]] = {
        "fit": (model.partial_fit, case.batches),
        "step": (advance, case.batches),
        "given": (partial(given_step, case), matrices),
        "peer": (partial(peer_step, case), matrices),
    }
    return {
        name: [processor_seconds(partial(follow, X)) for X in batches][1:]
        for name, (follow, batches) in methods.items()
    }


def given_step(case: SpectralCase, matrix: np.ndarray) -> SDMeans:
    return SDMeans(**{**case.params, "kernel": "precomputed"}, random_state=0).partial_fit(matrix)


def peer_step(case: SpectralCase, matrix: np.ndarray) -> SpectralClustering:
    return SpectralClustering(case.n_clusters, affinity="precomputed", random_state=0).fit(matrix)


def kernel_matrix(case: SpectralCase, X: np.ndarray) -> np.ndarray:
    """Compute the dense kernel matrix of a batch."""
    rows = np.arange(len(X))
    matrix: np.ndarray = case.params["kernel"].gram(first_input(X), rows, rows[:0])
    return matrix


def functional(case: SpectralCase) -> Callable[[np.ndarray], ClusterState]:
    """Return the functional step with its own state."""
    params = dict(case.params)
    kernel, birth = params.pop("kernel"), params.pop("birth_cost")
    costs, search = make_costs(birth, AgingParameters(**params)), SearchOptions(0, 3, 100, 1)
    options = KernelOptions(_cluster, budget=80, selection="greedy", aligned=False)
    memory = initial_state(kernel, case.batches[0].shape[1])

    def advance(X: np.ndarray) -> ClusterState:
        nonlocal memory
        now = float(memory.clusters.n_steps + 1)
        memory, _ = step(memory, Batch(X, None, now), costs, search, options)
        return memory.clusters

    return advance


def _cluster(*arguments: Any) -> KernelFit:
    fit = cluster_spectral(*arguments)
    return fit
