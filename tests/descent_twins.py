"""Problems in the space of a kernel, and the slow twin of the kernel descent: every cost from scratch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from dynmeans.kernels.base import Similarity
from reference import Random, partitions
from strategies import seeds


class KernelProblem(NamedTuple):
    """Input of the descent: rows and old centers are vectors in the space of the kernel."""

    features: np.ndarray  # (R, f)
    weights: np.ndarray  # (R,)
    phi: np.ndarray  # (K, f)
    gamma: np.ndarray  # (K,)
    revival: np.ndarray  # (K,)
    birth: float


def make_kernel_problem(
    seed: int, n: int, n_old: int, *, weighted: bool, birth: float, d: int = 3
) -> KernelProblem:
    """Blobs in an unknown space, some of them where an old center is."""
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(max(2, n_old + 1), d))
    features = positions[rng.integers(len(positions), size=n)] + 0.4 * rng.normal(size=(n, d))
    weights = rng.choice([0.3, 1.0, 2.0, 7.5], size=n) if weighted else np.ones(n)
    phi = positions[:n_old] + 0.2 * rng.normal(size=(n_old, d))
    revival = birth * rng.uniform(0.05, 1.2, size=n_old)
    return KernelProblem(features, weights, phi, rng.uniform(0.05, 5.0, size=n_old), revival, birth)


@st.composite
def kernel_problems(draw: st.DrawFn, max_rows: int = 20, max_old: int = 3) -> KernelProblem:
    """Any step."""
    return make_kernel_problem(
        draw(seeds),
        draw(st.integers(1, max_rows)),
        draw(st.integers(0, max_old)),
        weighted=draw(st.booleans()),
        birth=draw(st.sampled_from([0.1, 0.7, 3.0])),
        d=draw(st.integers(1, 5)),
    )


def as_features(problem: KernelProblem) -> Similarity:
    return Similarity(
        weights=problem.weights,
        diagonal=np.einsum("if,if->i", problem.features, problem.features),
        y_phi=problem.features @ problem.phi.T,
        phi_phi=np.einsum("kf,kf->k", problem.phi, problem.phi),
        features=problem.features,
        phi_features=problem.phi,
    )


def as_matrix(problem: KernelProblem) -> Similarity:
    matrix = problem.features @ problem.features.T
    return as_features(problem)._replace(matrix=matrix, features=None, phi_features=None)


def cost(problem: KernelProblem, labels: np.ndarray) -> float:
    """Eq. krnmin, literally."""
    s, old = as_matrix(problem), len(problem.phi)
    total = float(s.weights @ s.diagonal)
    for k in np.unique(labels):
        mine = labels == k
        m = s.weights[mine]
        n, pairs = m.sum(), m @ s.matrix[np.ix_(mine, mine)] @ m
        if k >= old:
            total += problem.birth - pairs / n
            continue
        g = problem.gamma[k]
        total += problem.revival[k] + g * n * s.phi_phi[k] / (g + n)
        total -= (2 * g * (m @ s.y_phi[mine, k]) + pairs) / (g + n)
    return total


def moves(problem: KernelProblem, labels: np.ndarray, i: int) -> dict[int, float]:
    """Total cost with row i in each active or remembered cluster, or alone; label -1 is not assigned."""
    others = np.flatnonzero((labels >= 0) & (np.arange(len(labels)) != i))
    some = problem._replace(features=problem.features[[*others, i]], weights=problem.weights[[*others, i]])
    old = len(problem.phi)
    targets = {*range(old), *labels[labels >= 0].tolist(), max([old, *(labels + 1)])}
    return {k: cost(some, np.array([*labels[others], k])) for k in sorted(targets)}


def descend(
    problem: KernelProblem, draw: tuple[int, int, int], max_iter: int, start: np.ndarray | None = None
) -> tuple[np.ndarray, int]:
    """The descent: each row in turn is assigned where the total cost is lowest."""
    random = Random(*draw)
    labels = np.full(len(problem.weights), -1) if start is None else np.array(start)
    order = list(range(len(labels)))
    n_iter, moved = 0, True
    while moved and n_iter < max_iter:
        random.shuffle(order)
        moved = False
        for i in order:
            totals = moves(problem, labels, i)
            best = min(totals, key=lambda k: (totals[k], k))
            if labels[i] < 0 or totals[best] < totals[int(labels[i])] - 1e-11:
                labels[i], moved = best, True
        n_iter += 1
    return labels, n_iter


def optimum(problem: KernelProblem) -> float:
    """Lowest cost of all clusterings of a tiny batch."""
    return min(cost(problem, labels) for labels in partitions(len(problem.weights), len(problem.phi)))
