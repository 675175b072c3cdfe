"""The slow twins of the alignment: whole tables in NumPy, one formula per line."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from dynmeans.datasets import Stream
from dynmeans.kernels import KernelInput


def masses(rows, kept, shares, owner, n_old, h, shifts):
    """e (n, K): the density of every cluster at every row."""
    moved = kept + shifts[owner]
    heights = shares * np.exp(-np.minimum(cdist(rows, moved, "sqeuclidean") / (2 * h * h), 700.0))
    return heights @ np.eye(n_old)[owner], heights


def explained(rows, kept, shares, owner, n_old, h, background):
    mass, _ = masses(rows, kept, shares, owner, n_old, h, np.zeros((n_old, rows.shape[1])))
    return mass / (mass.sum(axis=1, keepdims=True) + background)


def align_shifts(rows, weights, kept, shares, owner, n_old, h, background, widest=3.5, n_rounds=10):
    problem = rows, weights, kept, shares, owner, n_old, h, background
    rest, shared = np.zeros((n_old, rows.shape[1])), np.zeros((n_old, rows.shape[1]))
    for r in range(n_rounds):
        rest = _round(problem, rest, widest ** (1 - (r + 1) / n_rounds), tied=False)
        shared = _round(problem, shared, widest ** (1 - (r + 1) / n_rounds), tied=True)
    for r in range(n_rounds // 2, n_rounds):
        shared = _round(problem, shared, widest ** (1 - (r + 1) / n_rounds), tied=False)
    better = _likelihood(problem, shared) > _likelihood(problem, rest)
    return _send_back(problem, shared if better else rest)


def _round(problem, shifts, factor, tied):
    rows, weights, kept, shares, owner, n_old, h, background = problem
    d = rows.shape[1]
    mass, heights = masses(rows, kept, shares, owner, n_old, h * factor, shifts)
    share = weights[:, None] * heights / (mass.sum(axis=1, keepdims=True) + background * factor**d)
    belongs = np.eye(n_old)[owner]
    taken = share.sum(axis=0) @ belongs
    pull = belongs.T @ (share.T @ rows - share.sum(axis=0)[:, None] * kept)
    if tied:
        taken, pull = np.full(n_old, taken.sum()), np.tile(pull.sum(axis=0), (n_old, 1))
    step = h * h + (taken @ (shifts**2).mean(axis=1) / taken.sum() if taken.sum() > 0 else 0.0)
    return pull / (taken + (h * factor) ** 2 / step)[:, None]


def _likelihood(problem, shifts):
    rows, weights, kept, shares, owner, n_old, h, background = problem
    mass, _ = masses(rows, kept, shares, owner, n_old, h, shifts)
    return weights @ np.log(mass.sum(axis=1) + background)


def _send_back(problem, shifts):
    rows, weights, kept, shares, owner, n_old, h, background = problem
    for k in np.argsort(-(shifts**2).sum(axis=1), kind="stable"):
        mass, _ = masses(rows, kept, shares, owner, n_old, h, shifts)
        q = mass[:, k] / (mass.sum(axis=1) + background)
        if weights @ (q * (q > 2 / 3)) < 0.5 * (weights @ q):
            shifts[k] = 0.0
    return shifts


def scene_between(stream: Stream, step: int, *, unseen: int | None = None, budget: int = 80) -> KernelInput:
    """The rows of one step, and of the step before at most `budget` points of each true cluster."""
    before, truth = stream.batches[step - 1], stream.labels[step - 1]
    clusters = np.unique(truth)
    picked = [np.flatnonzero(truth == k)[:budget] for k in clusters]
    sizes = [len(p) for p in picked]
    present = np.ones(len(stream.batches[step]), bool) if unseen is None else stream.labels[step] != unseen
    rows = stream.batches[step][present]
    return KernelInput(
        rows,
        np.ones(len(rows)),
        before[np.concatenate(picked)],
        np.concatenate([np.full(size, 1 / size) for size in sizes]),
        np.repeat(np.arange(len(clusters)), sizes),
        len(clusters),
    )
