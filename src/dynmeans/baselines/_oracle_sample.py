"""Oracle selection of the paper: choose the sample that agrees best with the true labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from dynmeans._model.types import BoolArray, FloatArray, IntArray

_BLOCK = 512  # samples processed together
UNNAMED = -1  # placeholder for a cluster without an id


def best_sample(samples: Any, log_densities: FloatArray, y: Any, ids: IntArray, pairs: dict[Any, int]) -> int:
    """Return the sample with the most correct points; among ties the one of highest density.

    Correct is defined as in :func:`dynmeans.metrics.tracking_accuracy`: pairs of a true and a found id are
    permanent, and the other ids are paired for the largest overlap.

    Parameters
    ----------
    samples : ndarray of shape (n_samples, n)
        Clusters 0 .. F-1 of the rows, one sample per row.
    log_densities : ndarray of shape (n_samples,)
    y : array-like of shape (n,)
        True labels.
    ids : ndarray of shape (F,)
        Id of each cluster.
    pairs : dict
        Found id of each paired true label.
    """
    names, truth = np.unique(_valid(y, samples.shape[1]), return_inverse=True)
    allowed = _may_pair(names, ids, pairs)
    correct, exact = _upper_bounds(truth, samples, allowed)
    best = correct.max(initial=0, where=exact)
    for i in np.argsort(-correct, kind="stable"):
        if exact[i]:
            continue
        if correct[i] < best:
            break
        shared = _overlap(truth, samples[i], allowed)
        correct[i] = shared[linear_sum_assignment(shared, maximize=True)].sum()
        exact[i], best = True, max(best, correct[i])
    return int(np.lexsort((log_densities, correct * exact))[-1])


def lasting_pairs(pairs: dict[Any, int], labels: IntArray, y: Any) -> dict[Any, int]:
    """Return the pairs extended by those of the labels (n,) of the next batch."""
    names, truth = np.unique(_valid(y, len(labels)), return_inverse=True)
    ids, found = np.unique(labels, return_inverse=True)
    shared = _overlap(truth, found, _may_pair(names, ids, pairs))
    true, partner = linear_sum_assignment(shared, maximize=True)
    made = shared[true, partner] > 0
    return pairs | dict(zip(names[true[made]].tolist(), ids[partner[made]].tolist(), strict=True))


def _upper_bounds(truth: IntArray, samples: IntArray, allowed: BoolArray) -> tuple[IntArray, BoolArray]:
    """Bound the correct points per sample (n_samples,) from above; also return whether the bound is exact."""
    bounds = np.empty(len(samples), dtype=np.int64)
    exact = np.empty(len(samples), dtype=bool)
    unpaired = -1 - np.arange(len(allowed))
    for start in range(0, len(samples), _BLOCK):
        block = slice(start, start + _BLOCK)
        shared = _overlaps(truth, samples[block], allowed)
        best = shared.max(axis=2)
        bounds[block] = best.sum(axis=1)
        partner = np.where(best > 0, shared.argmax(axis=2), unpaired)
        exact[block] = (np.diff(np.sort(partner)) > 0).all(axis=1)
    return bounds, exact


def _valid(y: Any, n: int) -> Any:
    truth = np.asarray(y)
    if truth.shape != (n,):
        raise ValueError(f"y must have shape ({n},), got {truth.shape}")
    return truth


def _may_pair(names: Any, ids: IntArray, pairs: dict[Any, int]) -> BoolArray:
    """Return whether each true label may be paired with each found id (T, F)."""
    partner = np.array([pairs.get(name, UNNAMED) for name in names.tolist()])[:, None]
    free = ~np.isin(ids, list(pairs.values()))
    return np.where(partner == UNNAMED, free, ids == partner)


def _overlap(truth: IntArray, found: IntArray, allowed: BoolArray) -> IntArray:
    """Count the points (T, F) that each allowed pair has in common."""
    shared: IntArray = _overlaps(truth, found[None], allowed)[0]
    return shared


def _overlaps(truth: IntArray, samples: IntArray, allowed: BoolArray) -> IntArray:
    """Count the common points (n_samples, T, F) in each sample."""
    n_samples, shape = len(samples), allowed.shape
    code = (np.arange(n_samples)[:, None] * shape[0] + truth) * shape[1] + samples
    counts = np.bincount(code.ravel(), minlength=n_samples * allowed.size)
    return counts.reshape(n_samples, *shape) * allowed
