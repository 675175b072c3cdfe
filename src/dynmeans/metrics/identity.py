"""Identity metrics over a whole run: identity F1 and identity switches."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from dynmeans.metrics._overlap import Overlap, best_pairs, overlap_by_step, overlap_of_run
from dynmeans.metrics._runs import NOISE, IntArray, encode_run


def identity_f1(
    true_batches: Iterable[ArrayLike], found_batches: Iterable[ArrayLike], *, clutter: int | None = None
) -> float:
    """Compute identity F1: agreement under the best pairing of found and true ids over the whole run.

    Let IDTP be the number of points whose found id is paired with their true id. The result is
    2 IDTP / (n_true + n_found), the harmonic mean of identity precision IDTP / n_found and identity recall
    IDTP / n_true, where n_true excludes clutter and n_found excludes noise. Without clutter and noise both
    are equal; the result is then symmetric, the fraction of correct points.

    Parameters
    ----------
    true_batches, found_batches : iterable of integer arrays, each of shape (n_points,)
        True and found labels of the same points, one array per step. The found label -1 is noise: it is
        never correct and reduces recall only.
    clutter : int, optional
        True label of points that belong to no object. Such a point is correct if its found label is noise;
        with any other found label it reduces precision. By default every true label is an id.

    Returns
    -------
    float
        Between 0 and 1. Every point has the same weight, independent of the size of its step.

    Raises
    ------
    ValueError
        If the two runs differ in the number of steps or of points in a step, or have no points, or if all
        points are both clutter and noise.
    TypeError
        If labels are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import identity_f1
    >>> identity_f1([[0, 0, 1, 1], [0, 0, 1, 1]], [[5, 5, 8, 8], [5, 8, 8, 8]])
    0.875
    >>> identity_f1([[0, 0, 1, 1], [0, 0, 1, 1]], [[5, 5, 8, 8], [5, -1, 8, 8]])  # 14 / 15
    0.9333333333333333
    >>> identity_f1([[0, 0, -1, -1]], [[5, 5, 8, -1]], clutter=-1)  # 4 / 5
    0.8
    """
    run = encode_run(true_batches, found_batches, clutter)
    n_labels = np.count_nonzero(run.true != NOISE) + np.count_nonzero(run.found != NOISE)
    if n_labels == 0:
        raise ValueError(
            f"all {run.true.size} points are clutter and noise; identity F1 needs at least one id"
        )
    shared = overlap_of_run(run)
    return float(2 * shared.weight[best_pairs(shared)].sum() / n_labels)


def identity_switches(
    true_batches: Iterable[ArrayLike], found_batches: Iterable[ArrayLike], *, clutter: int | None = None
) -> int:
    """Count how often the found id of a true id changes between its appearances.

    The found id of a true id in a step is the majority among its points. Ties are broken
    in favor of the previous found id, then of the id that appeared first in the run.

    Parameters
    ----------
    true_batches, found_batches : iterable of integer arrays, each of shape (n_points,)
        True and found labels of the same points, one array per step. The found label -1 is noise: a true id
        with only noise in a step counts as absent.
    clutter : int, optional
        True label of points that belong to no object; they are ignored. By default every true label is an id.

    Returns
    -------
    int
        Number of switches, summed over true ids; 0 is best.

    Raises
    ------
    ValueError
        If the two runs differ in the number of steps or of points in a step, or have no points.
    TypeError
        If labels are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import identity_switches
    >>> true = [[0, 0, 0, 1], [0, 0, 0], [0, 0, 0, 1]]
    >>> identity_switches(true, [[5, 5, 8, 8], [5, 8, 8], [8, 8, 8, 8]])
    1
    """
    run = encode_run(true_batches, found_batches, clutter)
    last = np.full(run.n_true, NOISE, dtype=np.int64)
    switches = 0
    for shared in overlap_by_step(run):
        majority = _majority(shared, last)
        rows, found = shared.true[majority], shared.found[majority]
        switches += int(np.count_nonzero((last[rows] != NOISE) & (last[rows] != found)))
        last[rows] = found
    return switches


def _majority(shared: Overlap, last: IntArray) -> IntArray:
    """Return, for each true id of a step, the index of its majority pair."""
    held = last[shared.true] == shared.found
    order: IntArray = np.lexsort((-shared.found, held, shared.weight, shared.true))
    ends = np.ones(order.size, dtype=bool)
    ends[:-1] = np.diff(shared.true[order]) != 0
    return order[ends]
