"""Problems on the unit sphere, and a slow twin of the descent that recomputes all centers and costs."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from dynmeans._core import descend_sphere
from reference import Problem, Random, partitions
from strategies import seeds

NEW = -2


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def make_sphere_problem(
    seed: int, n: int, d: int, n_old: int, *, weighted: bool, birth: float, noise: float = 0.5
) -> Problem:
    """Directions around a few others, some of which are remembered."""
    rng = np.random.default_rng(seed)
    means = unit(rng.normal(size=(max(2, n_old + 1), d)))
    X = unit(means[rng.integers(len(means), size=n)] + noise * rng.normal(size=(n, d)) / np.sqrt(d))
    weights = rng.choice([0.3, 1.0, 2.0, 3.5], size=n) if weighted else np.ones(n)
    phi = unit(means[:n_old] + 0.3 * rng.normal(size=(n_old, d)) / np.sqrt(d))
    gamma = rng.uniform(0.2, 5.0, size=n_old)
    return Problem(X, weights, phi, gamma, birth * rng.uniform(0.05, 1.2, size=n_old), birth)


@st.composite
def sphere_problems(draw: st.DrawFn, max_rows: int = 30, max_old: int = 12) -> Problem:
    """Any step; more than eight old clusters use the bounds of the core."""
    return make_sphere_problem(
        draw(seeds),
        draw(st.integers(1, max_rows)),
        draw(st.sampled_from([2, 3, 5, 17, 40])),
        draw(st.integers(0, max_old)),
        weighted=draw(st.booleans()),
        birth=draw(st.sampled_from([0.05, 0.3, 0.8, 1.3])),
        noise=draw(st.sampled_from([0.2, 0.7, 2.0])),
    )


def run(problem, *, seed=0, step=0, n_restarts=1, max_iter=100, dtype=np.float64, refine=False):
    """Run the compiled descent."""
    return descend_sphere(
        X=problem.X.astype(dtype),
        weights=problem.weights,
        centers=problem.phi,
        gammas=problem.gamma,
        revival=problem.revival,
        birth=problem.birth,
        seed=seed,
        step=step,
        n_restarts=n_restarts,
        max_iter=max_iter,
        refine=refine,
    )


def descend_directions(X, weights=None, *, birth, centers=None, **options):
    """Run the compiled descent on a batch, by default without remembered clusters."""
    empty, old = np.empty(0), np.empty((0, X.shape[1])) if centers is None else centers
    defaults = {"seed": 0, "step": 0, "n_restarts": 1, "max_iter": 100}
    return descend_sphere(
        X=X, weights=weights, centers=old, gammas=empty, revival=empty, birth=birth, **(defaults | options)
    )


def resultant(problem: Problem, labels: np.ndarray, k: int) -> np.ndarray:
    """A = gamma phi + sum of m x."""
    mine = labels == k
    total = problem.weights[mine] @ problem.X[mine]
    return total + problem.gamma[k] * problem.phi[k] if k < len(problem.phi) else total


def cost(problem: Problem, labels: np.ndarray) -> float:
    """Eq. sphere-objective at the centers of Eq. sphere-center, term by term."""
    total = 0.0
    for k in np.unique(labels):
        theta = unit(resultant(problem, labels, k))
        mine = labels == k
        total += float(problem.weights[mine] @ (1 - problem.X[mine] @ theta))
        if k < len(problem.phi):
            total += problem.revival[k] + problem.gamma[k] * (1 - problem.phi[k] @ theta)
        else:
            total += problem.birth
    return total


def optimum(problem: Problem) -> float:
    """Lowest cost of all clusterings of a tiny batch."""
    return min(cost(problem, labels) for labels in partitions(len(problem.X), len(problem.phi)))


def label_costs(problem: Problem, centers: dict[int, np.ndarray], i: int) -> dict[int, float]:
    """Eq. sphere-label of row i for every active cluster, and every sleeping one."""
    x, m = problem.X[i], min(problem.weights[i], 1.0)
    costs = {k: float(m * (1 - x @ theta)) for k, theta in centers.items()}
    for k in range(len(problem.phi)):
        if k not in centers:
            g = problem.gamma[k]
            costs[k] = float(problem.revival[k] + m + g - np.linalg.norm(m * x + g * problem.phi[k]))
    return costs


def all_centers(problem: Problem, labels: np.ndarray) -> dict[int, np.ndarray]:
    return {int(k): unit(resultant(problem, labels, k)) for k in np.unique(labels[labels >= 0])}


def descend(problem: Problem, seed: int, step: int, restart: int, max_iter: int) -> tuple[np.ndarray, int]:
    """One restart: the first pass with running centers, later ones with fixed centers."""
    random, labels = Random(seed, step, restart), np.full(len(problem.X), -1)
    rows = list(range(len(labels)))
    random.shuffle(rows)
    for i in rows:
        _assign(problem, labels, all_centers(problem, labels), i)
    moved, n_iter = True, 1
    while moved and n_iter < max_iter:
        moved, proposals = _pass(problem, labels)
        random.shuffle(proposals)
        centers = all_centers(problem, labels)
        for i in proposals:
            moved |= _assign(problem, labels, centers, i)
        n_iter += 1
    return labels, n_iter


def tolerance(problem: Problem) -> float:
    return 4 * (problem.X.shape[1] / 16 + 8) * np.finfo(float).eps


def _assign(problem: Problem, labels: np.ndarray, centers: dict[int, np.ndarray], i: int) -> bool:
    costs, own = label_costs(problem, centers, i), int(labels[i])
    if own in costs:
        costs[own] -= tolerance(problem)
    best = min(costs, key=lambda k: (costs[k], k), default=NEW)
    if best == NEW or costs[best] > problem.birth:
        best = max(len(problem.phi), labels.max() + 1)
    if best == own:
        return False
    labels[i] = best
    if own >= 0 and not np.any(labels == own):
        centers.pop(own, None)
    if np.count_nonzero(labels == best) == 1:
        centers[best] = unit(resultant(problem, labels, best))
    return True


def _pass(problem: Problem, labels: np.ndarray) -> tuple[bool, list[int]]:
    centers, slack = all_centers(problem, labels), tolerance(problem)
    moved, proposals, before = False, [], labels.copy()
    for i, x in enumerate(problem.X):
        cosines = {k: float(x @ theta) for k, theta in centers.items()}
        best = max(cosines, key=lambda k: (cosines[k], -k))
        if cosines[best] > cosines[int(before[i])] + slack:
            labels[i], moved = best, True
        m = min(problem.weights[i], 1.0)
        stay = m * (1 - cosines[int(labels[i])]) - slack
        asleep = {k: c for k, c in label_costs(problem, centers, i).items() if k not in centers}
        if stay > problem.birth or any(c < stay for c in asleep.values()):
            proposals.append(i)
    return moved, proposals
