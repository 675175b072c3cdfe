"""The slow twin of the refinement of D-Means: every change is evaluated by the whole cost."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import linear_sum_assignment

import descent_twins
from reference import Problem, cost

GAIN = 1e-11  # smallest gain that counts


def refine(problem: Problem, start: np.ndarray, draw: tuple[int, int, int], max_iter: int) -> np.ndarray:
    """Link, move single rows, split and merge clusters, until nothing changes."""
    in_space = descent_twins.KernelProblem(*problem)
    labels = np.array(start)
    for _ in range(max_iter):
        labels = link(problem, labels)
        labels, _ = descent_twins.descend(in_space, draw, max_iter, labels)
        changed = split_all(problem, labels, cost)
        changed = merge_all(problem, *changed)
        if np.array_equal(changed, labels):
            break
        labels = changed
    return labels


def link(problem: Problem, labels: np.ndarray) -> np.ndarray:
    """The cheapest assignment of clusters to old or new ones."""
    old, names = len(problem.phi), list(dict.fromkeys(labels.tolist()))
    alone = [[_alone(problem, labels == name, k) for k in range(old)] for name in names]
    newborn = [[problem.birth + _spread(problem, labels == name)] * len(names) for name in names]
    _, slots = linear_sum_assignment(np.hstack([np.reshape(alone, (len(names), old)), newborn]))
    linked = labels.copy()
    for name, slot in zip(names, slots, strict=True):
        linked[labels == name] = slot
    return linked


def split_all(
    problem: Problem, labels: np.ndarray, cost: Callable[[Problem, np.ndarray], float]
) -> tuple[np.ndarray, set[int]]:
    """Split every cluster where this lowers the cost; return also the changed labels."""
    old, touched = len(problem.phi), set()
    for name in dict.fromkeys(labels.tolist()):
        for across in (False, True):
            near, far = bisect(problem, np.flatnonzero(labels == name), across=across)
            if not len(near) or not len(far):
                continue
            free = [*(k for k in range(old) if k not in labels), max(old, int(labels.max()) + 1)]
            options = [(_moved(labels, rows, k), k) for rows in (near, far) for k in free]
            best, to = min(options, key=lambda option: cost(problem, option[0]))
            if cost(problem, best) < cost(problem, labels) - GAIN:
                labels, touched = best, touched | {name, to}
                break
    return labels, touched


def bisect(problem: Problem, rows: np.ndarray, *, across: bool) -> tuple[np.ndarray, np.ndarray]:
    """Two-means, initialized around the mean, along the direction of the farthest row or across it."""
    X, m = problem.X[rows], problem.weights[rows]
    around = X - np.average(X, axis=0, weights=m)
    first = axis = around[_farthest(around, 0.0)]
    if across and first.any():
        rest = around - np.outer(around @ first / (first @ first), first)
        axis = rest[_farthest(rest, first @ first)]
        axis = axis * (axis @ axis > 1e-12 * (first @ first))
    far = around @ axis > 1e-12 * np.sqrt((first @ first) * (axis @ axis))
    for _ in range(15):
        if far.all() or not far.any():
            break
        near_mean, far_mean = (np.average(X[side], axis=0, weights=m[side]) for side in (~far, far))
        nearer = ((X - far_mean) ** 2).sum(axis=1) < ((X - near_mean) ** 2).sum(axis=1)
        if np.array_equal(nearer, far):
            break
        far = nearer
    return rows[~far], rows[far]


def _farthest(around: np.ndarray, scale: float) -> int:
    """The first of the longest rows: of three rows with equal weights, two are equally far from an axis."""
    which, largest = 0, 0.0
    for i, length in enumerate((around**2).sum(axis=1)):
        if length > largest + 1e-12 * max(largest, scale):
            which, largest = i, length
    return which


def merge_all(problem: Problem, labels: np.ndarray, touched: set[int]) -> np.ndarray:
    """Merge pairs of clusters that did not change, where this lowers the cost."""
    names = [name for name in dict.fromkeys(labels.tolist()) if name not in touched]
    for number, one in enumerate(names):
        if one in touched:
            continue
        pairs = [(one, other) for other in names[number + 1 :] if other not in touched]
        options = [
            (np.where(np.isin(labels, pair), name, labels), pair[1]) for pair in pairs for name in pair
        ]
        best, other = min(options, key=lambda option: cost(problem, option[0]), default=(labels, one))
        if cost(problem, best) < cost(problem, labels) - GAIN:
            labels, touched = best, touched | {one, other}
    return labels


def _moved(labels: np.ndarray, rows: np.ndarray, to: int) -> np.ndarray:
    moved = labels.copy()
    moved[rows] = to
    return moved


def _alone(problem: Problem, mine: np.ndarray, slot: int) -> float:
    """Cost of some rows in one slot."""
    some = problem._replace(X=problem.X[mine], weights=problem.weights[mine])
    return cost(some, np.full(len(some.X), slot))


def _spread(problem: Problem, mine: np.ndarray) -> float:
    return _alone(problem, mine, len(problem.phi)) - problem.birth
