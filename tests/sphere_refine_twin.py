"""The slow twin of the refinement on the sphere: every change is evaluated by the whole cost."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from reference import Problem
from sphere_twin import all_centers, cost
from split_merge_twin import GAIN, split_all


def with_whole_cost(problem: Problem, labels: np.ndarray) -> Problem:
    """Eq. sphere-whole: the problem with the costs of whole clusters of mean size."""
    centers = all_centers(problem, labels)
    cosines = [x @ centers[int(k)] for x, k in zip(problem.X, labels, strict=True)]
    n, r = problem.weights.sum() / len(centers), np.average(cosines, weights=problem.weights)
    between = np.clip((1 - problem.birth) / r, -1, 1) if r > 0 else 1.0
    whole = max(problem.birth, float(n * r * (2 - np.sqrt(2 + 2 * between))))
    return problem._replace(birth=whole, revival=problem.revival * whole / problem.birth)


def refine(problem: Problem, start: np.ndarray, max_iter: int) -> np.ndarray:
    """Link, move single rows, split and merge clusters, until nothing changes."""
    labels = np.array(start)
    for _ in range(max_iter):
        labels = move_rows(problem, link(problem, labels), max_iter)
        changed = merge_all(problem, *split_all(problem, labels, cost))
        if np.array_equal(changed, labels):
            break
        labels = changed
    return labels


def link(problem: Problem, labels: np.ndarray) -> np.ndarray:
    """The cheapest assignment of clusters to old or new ones."""
    old, names = len(problem.phi), list(dict.fromkeys(labels.tolist()))
    costs = [[_alone(problem, labels == name, k) for k in range(old)] for name in names]
    born = [[_alone(problem, labels == name, old)] * len(names) for name in names]
    _, slots = linear_sum_assignment(np.hstack([np.reshape(costs, (len(names), old)), born]))
    linked = labels.copy()
    for name, slot in zip(names, slots, strict=True):
        linked[labels == name] = slot
    return linked


def move_rows(problem: Problem, labels: np.ndarray, max_iter: int) -> np.ndarray:
    """Assign rows to the nearest center, all at once, until nothing changes."""
    for _ in range(max_iter):
        names, centers = zip(*sorted(all_centers(problem, labels).items()), strict=True)
        cosines = problem.X @ np.array(centers).T
        own = cosines[np.arange(len(labels)), np.searchsorted(names, labels)]
        moved = np.where(cosines.max(axis=1) > own + GAIN, np.array(names)[cosines.argmax(axis=1)], labels)
        if np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def merge_all(problem: Problem, labels: np.ndarray, touched: set[int]) -> np.ndarray:
    """Merge pairs of clusters, the pair that saves most first."""
    while True:
        names = [name for name in dict.fromkeys(labels.tolist()) if name not in touched]
        options = [np.where(labels == b, a, labels) for a in names for b in names if a != b]
        best = min(options, key=lambda option: cost(problem, option), default=labels)
        if not cost(problem, best) < cost(problem, labels) - GAIN:
            return labels
        labels = best


def _alone(problem: Problem, mine: np.ndarray, slot: int) -> float:
    """Cost of some rows in one slot."""
    some = problem._replace(X=problem.X[mine], weights=problem.weights[mine])
    return cost(some, np.full(len(some.X), slot))
