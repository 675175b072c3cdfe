"""How faithfully found ids stand for true ones over a whole run."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from dynmeans.metrics._overlap import Overlap, best_pairs, overlap_by_step, overlap_of_run
from dynmeans.metrics._runs import NOISE, IntArray, read_run


def identity_f1(true_batches: Iterable[ArrayLike], found_batches: Iterable[ArrayLike]) -> float:
    """Identity F1: agreement under the one pairing of found and true ids that is best for the whole run.

    With IDTP the number of points whose found id is paired with their true one, it is
    2 IDTP / (n_true + n_found), the harmonic mean of identity precision IDTP / n_found and identity recall
    IDTP / n_true. All points have a true label, so n_true counts all of them; n_found leaves out the noise.
    Without noise both are equal, the measure is the fraction of right points, and it is symmetric.

    Parameters
    ----------
    true_batches, found_batches : iterable of integer arrays, each of shape (n_points,)
        True and found labels of the same points, one array a step. The found label -1 is noise: never right,
        and a loss of recall only.

    Returns
    -------
    float
        Between 0 and 1. Every point counts alike, whatever the size of its step.

    Raises
    ------
    ValueError
        If the two runs differ in the number of steps or of points in a step, or hold no points at all.
    TypeError
        If labels are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import identity_f1
    >>> identity_f1([[0, 0, 1, 1], [0, 0, 1, 1]], [[5, 5, 8, 8], [5, 8, 8, 8]])
    0.875
    >>> identity_f1([[0, 0, 1, 1], [0, 0, 1, 1]], [[5, 5, 8, 8], [5, -1, 8, 8]])  # 14 / 15
    0.9333333333333333
    """
    run = read_run(true_batches, found_batches)
    shared = overlap_of_run(run)
    right = shared.weight[best_pairs(shared)].sum()
    return float(2 * right / (run.true.size + np.count_nonzero(run.found != NOISE)))


def identity_switches(true_batches: Iterable[ArrayLike], found_batches: Iterable[ArrayLike]) -> int:
    """Count how often a true id is given another found id than when it was last seen.

    The found id of a true id in a step is the one that most of its points carry. Between equally frequent
    ones it is the one it had before if that is among them, else the one that appeared first in the run.

    Parameters
    ----------
    true_batches, found_batches : iterable of integer arrays, each of shape (n_points,)
        True and found labels of the same points, one array a step. The found label -1 is noise: a true id
        that has only noise in a step counts as not seen there.

    Returns
    -------
    int
        Number of switches, summed over true ids; 0 is best.

    Raises
    ------
    ValueError
        If the two runs differ in the number of steps or of points in a step, or hold no points at all.
    TypeError
        If labels are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import identity_switches
    >>> true = [[0, 0, 0, 1], [0, 0, 0], [0, 0, 0, 1]]
    >>> identity_switches(true, [[5, 5, 8, 8], [5, 8, 8], [8, 8, 8, 8]])
    1
    """
    run = read_run(true_batches, found_batches)
    last = np.full(run.n_true, NOISE, dtype=np.int64)
    switches = 0
    for shared in overlap_by_step(run):
        winner = _majority(shared, last)
        who, now = shared.true[winner], shared.found[winner]
        switches += int(np.count_nonzero((last[who] != NOISE) & (last[who] != now)))
        last[who] = now
    return switches


def _majority(shared: Overlap, last: IntArray) -> IntArray:
    """Index, for each true id of a step, of the found id that takes most of its points."""
    held = last[shared.true] == shared.found
    order: IntArray = np.lexsort((-shared.found, held, shared.weight, shared.true))
    ends = np.ones(order.size, dtype=bool)
    ends[:-1] = np.diff(shared.true[order]) != 0
    return order[ends]
