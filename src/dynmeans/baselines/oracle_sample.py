"""The handicap of the paper: of many samples, take the one that the truth likes best."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from dynmeans._model.types import BoolArray, FloatArray, IntArray

_BLOCK = 512  # samples looked at together
UNNAMED = -1  # the id of a cluster that has none yet


def best_sample(samples: Any, log_densities: FloatArray, y: Any, ids: IntArray, pairs: dict[Any, int]) -> int:
    """Return the sample with most points right; the densest among equals.

    Right is meant as in :func:`dynmeans.metrics.tracking_accuracy`: pairs of a true and a found id, once
    made, last for ever, and the rest are paired for the largest overlap.

    Parameters
    ----------
    samples : ndarray of shape (n_samples, n)
        Clusters 0 .. F-1 of the rows, one sample a row.
    log_densities : ndarray of shape (n_samples,)
    y : array-like of shape (n,)
        True labels.
    ids : ndarray of shape (F,)
        Id of each cluster.
    pairs : dict
        Found id of each true label that has one.
    """
    names, truth = np.unique(_valid(y, samples.shape[1]), return_inverse=True)
    allowed = _may_pair(names, ids, pairs)
    right, exact = _at_most_right(truth, samples, allowed)
    best = right.max(initial=0, where=exact)
    for i in np.argsort(-right, kind="stable"):
        if exact[i]:
            continue
        if right[i] < best:
            break
        shared = _overlap(truth, samples[i], allowed)
        right[i] = shared[linear_sum_assignment(shared, maximize=True)].sum()
        exact[i], best = True, max(best, right[i])
    return int(np.lexsort((log_densities, right * exact))[-1])


def lasting_pairs(pairs: dict[Any, int], labels: IntArray, y: Any) -> dict[Any, int]:
    """Return the pairs, and those that the labels (n,) of the next batch add to them."""
    names, truth = np.unique(_valid(y, len(labels)), return_inverse=True)
    ids, found = np.unique(labels, return_inverse=True)
    shared = _overlap(truth, found, _may_pair(names, ids, pairs))
    true, partner = linear_sum_assignment(shared, maximize=True)
    made = shared[true, partner] > 0
    return pairs | dict(zip(names[true[made]].tolist(), ids[partner[made]].tolist(), strict=True))


def _at_most_right(truth: IntArray, samples: IntArray, allowed: BoolArray) -> tuple[IntArray, BoolArray]:
    """Points right in each sample (n_samples,) if true labels may share a cluster, and whether none does."""
    most = np.empty(len(samples), dtype=np.int64)
    exact = np.empty(len(samples), dtype=bool)
    nobody = -1 - np.arange(len(allowed))
    for start in range(0, len(samples), _BLOCK):
        block = slice(start, start + _BLOCK)
        shared = _overlaps(truth, samples[block], allowed)
        best = shared.max(axis=2)
        most[block] = best.sum(axis=1)
        partner = np.where(best > 0, shared.argmax(axis=2), nobody)
        exact[block] = (np.diff(np.sort(partner)) > 0).all(axis=1)
    return most, exact


def _valid(y: Any, n: int) -> Any:
    truth = np.asarray(y)
    if truth.shape != (n,):
        raise ValueError(f"y must have shape ({n},), got {truth.shape}")
    return truth


def _may_pair(names: Any, ids: IntArray, pairs: dict[Any, int]) -> BoolArray:
    """Whether each true label may be paired with each found id (T, F)."""
    partner = np.array([pairs.get(name, UNNAMED) for name in names.tolist()])[:, None]
    free = ~np.isin(ids, list(pairs.values()))
    return np.where(partner == UNNAMED, free, ids == partner)


def _overlap(truth: IntArray, found: IntArray, allowed: BoolArray) -> IntArray:
    """Count the points (T, F) that each allowed pair has in common."""
    shared: IntArray = _overlaps(truth, found[None], allowed)[0]
    return shared


def _overlaps(truth: IntArray, samples: IntArray, allowed: BoolArray) -> IntArray:
    """Count them (n_samples, T, F) in each sample."""
    n_samples, shape = len(samples), allowed.shape
    code = (np.arange(n_samples)[:, None] * shape[0] + truth) * shape[1] + samples
    counts = np.bincount(code.ravel(), minlength=n_samples * allowed.size)
    return counts.reshape(n_samples, *shape) * allowed
