"""The slow, obvious twins of the compiled loops, and the exhaustive optimum of tiny batches.

Everything is in plain Python over small NumPy arrays: no bounds, no tiles, no running sums.
The random numbers are those of the core, so that a twin must find the same labels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
SHUFFLED = 65536


class Problem(NamedTuple):
    """One batch, and the clusters remembered before it."""

    X: np.ndarray  # (n, d)
    weights: np.ndarray  # (n,)
    phi: np.ndarray  # (K, d)
    gamma: np.ndarray  # (K,)
    revival: np.ndarray  # (K,) Q dt
    birth: float


class Random:
    """The generator of the core (splitmix64)."""

    def __init__(self, seed: int, step: int, restart: int) -> None:
        self.state = self._mix(self._mix(self._mix(seed) ^ step) ^ restart)

    @staticmethod
    def _mix(z: int) -> int:
        z = (z + GOLDEN) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        self.state = (self.state + GOLDEN) & MASK
        return (self._mix(self.state) * n) >> 64

    def shuffle(self, values: list) -> None:
        for i in range(len(values), 1, -1):
            j = self.below(i)
            values[i - 1], values[j] = values[j], values[i - 1]


def center(problem: Problem, labels: np.ndarray, k: int) -> np.ndarray:
    """Eq. paramupdate, from scratch."""
    mine = labels == k
    total = (problem.weights[mine, None] * problem.X[mine]).sum(axis=0)
    n = problem.weights[mine].sum()
    if k < len(problem.phi):
        return (problem.gamma[k] * problem.phi[k] + total) / (problem.gamma[k] + n)
    return total / n


def cost(problem: Problem, labels: np.ndarray) -> float:
    """Eq. DMeansObj at the best centers for these labels; labels of K and above are newborn."""
    total = 0.0
    for k in np.unique(labels):
        theta = center(problem, labels, k)
        mine = labels == k
        total += (problem.weights[mine] * ((problem.X[mine] - theta) ** 2).sum(axis=1)).sum()
        if k < len(problem.phi):
            total += problem.revival[k] + problem.gamma[k] * ((theta - problem.phi[k]) ** 2).sum()
        else:
            total += problem.birth
    return float(total)


def label_costs(problem: Problem, centers: dict[int, np.ndarray], i: int) -> dict[int, float]:
    """Eq. labelupdate for row i: the cost of each active and each sleeping cluster, and of a new one (-2)."""
    y, m = problem.X[i], min(problem.weights[i], 1.0)
    costs = {-2: problem.birth} | {k: m * ((y - c) ** 2).sum() for k, c in centers.items()}
    for k in range(len(problem.phi)):
        if k not in costs:
            g = problem.gamma[k]
            costs[k] = problem.revival[k] + g * m / (g + m) * ((y - problem.phi[k]) ** 2).sum()
    return costs


def all_centers(problem: Problem, labels: np.ndarray) -> dict[int, np.ndarray]:
    """Centers of the active clusters."""
    return {int(k): center(problem, labels, k) for k in np.unique(labels[labels >= 0])}


def descend(problem: Problem, seed: int, step: int, restart: int, max_iter: int) -> tuple[np.ndarray, int]:
    """One restart of the descent, literally."""
    random = Random(seed, step, restart)
    labels = np.full(len(problem.X), -1)
    moved = _assign_each(problem, labels, _first_rows(len(problem.X), random))
    n_iter = 1
    while moved and n_iter < max_iter:
        moved, proposals = _pass(problem, labels)
        random.shuffle(proposals)
        moved |= _assign_each(problem, labels, proposals)
        n_iter += 1
    return labels, n_iter


def canonical(labels: np.ndarray, n_old: int) -> np.ndarray:
    """Newborn labels renumbered by first appearance, so that partitions can be compared."""
    seen: dict[int, int] = {}
    return np.array([k if k < n_old else seen.setdefault(int(k), n_old + len(seen)) for k in labels])


def partitions(n: int, n_old: int) -> Iterator[np.ndarray]:
    """Every assignment of n rows to remembered and new clusters."""

    def extend(prefix: list[int], newborn: int) -> Iterator[list[int]]:
        if len(prefix) == n:
            yield prefix
            return
        for k in range(n_old + newborn + 1):
            yield from extend([*prefix, k], newborn + (k == n_old + newborn))

    for labels in extend([], 0):
        yield np.array(labels)


def optimum(problem: Problem) -> float:
    """Lowest cost of all clusterings of a tiny batch."""
    return min(cost(problem, labels) for labels in partitions(len(problem.X), len(problem.phi)))


def _first_rows(n: int, random: Random) -> list[int]:
    if n <= SHUFFLED:
        rows = list(range(n))
        random.shuffle(rows)
        return rows
    stride = n // 4 + random.below(n // 2)
    while math.gcd(stride, n) != 1:
        stride += 1
    start = random.below(n)
    return [(start + stride * i) % n for i in range(n)]


def _assign_each(problem: Problem, labels: np.ndarray, rows: list[int]) -> bool:
    """Assign one row after another with fixed centers; newborn and revived clusters are available at once."""
    centers, moved = all_centers(problem, labels), False
    for i in rows:
        costs = label_costs(problem, centers, i)
        del costs[-2]
        lowest, best = min(((c, k) for k, c in costs.items()), default=(np.inf, -1))
        y, m = problem.X[i], min(problem.weights[i], 1.0)  # the first copy activates it
        if lowest > problem.birth:
            best = max([len(problem.phi) - 1, labels.max(), *centers]) + 1
            centers[best] = y
        elif best not in centers:
            g = problem.gamma[best]
            centers[best] = (g * problem.phi[best] + m * y) / (g + m)
        moved |= bool(labels[i] != best)
        labels[i] = best
    return moved


def _pass(problem: Problem, labels: np.ndarray) -> tuple[bool, list[int]]:
    """Assign every row to the nearest active center; then the rows that found or revive clusters."""
    centers = all_centers(problem, labels)
    moved, proposals, new = False, [], labels.copy()
    for i, y in enumerate(problem.X):
        squared = {k: ((y - c) ** 2).sum() for k, c in centers.items()}
        best = min(squared, key=lambda k: (squared[k], k))
        if labels[i] < 0 or squared[best] < squared[int(labels[i])]:
            new[i], moved = best, True
        m = min(problem.weights[i], 1.0)
        stay = m * squared[int(new[i])]
        others = [
            problem.revival[k]
            + problem.gamma[k] * m / (problem.gamma[k] + m) * ((y - problem.phi[k]) ** 2).sum()
            for k in range(len(problem.phi))
            if k not in centers
        ]
        if min([problem.birth, *others]) < stay:
            proposals.append(i)
    labels[:] = new
    return moved, proposals
