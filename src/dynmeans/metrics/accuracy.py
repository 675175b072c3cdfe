"""Accuracy: fraction of points with the correct id, under three pairings of found and true ids."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from dynmeans.metrics._overlap import best_pairs, overlap_by_step, overlap_of_run
from dynmeans.metrics._runs import (
    FloatArray,
    batch_sizes,
    encode_run,
    mean_over_steps,
    require_equal_sizes,
    to_arrays,
)

_UNPAIRED = -1


def tracking_accuracy(true_batches: Iterable[ArrayLike], found_batches: Iterable[ArrayLike]) -> float:
    """Compute the fraction of points with the correct id, where pairs of ids are permanent.

    This is the accuracy of the paper. At each step, points whose true or found id is already paired with
    another id are excluded. The ids of the other points are paired one to one for the largest overlap, and
    these pairs are permanent. A point is correct if its found id is paired with its true id. The fraction of
    correct points among all points is averaged over the steps.

    It is never above `per_step_accuracy`, which maximizes over all pairings of a step.

    Parameters
    ----------
    true_batches, found_batches : iterable of integer arrays, each of shape (n_points,)
        True and found labels of the same points, one array per step. The found label -1 is noise and never
        correct. Steps without points are skipped in the average.

    Returns
    -------
    float
        Between 0 and 1. Ties between pairings are broken by first appearance of the ids, not by their values.

    Raises
    ------
    ValueError
        If the two runs differ in the number of steps or of points in a step, or have no points.
    TypeError
        If labels are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import tracking_accuracy
    >>> true = [[0, 0, 1, 1], [0, 0, 1, 1]]
    >>> tracking_accuracy(true, [[5, 5, 8, 8], [5, 5, 8, 8]])
    1.0
    >>> tracking_accuracy(true, [[5, 5, 8, 8], [8, 8, 5, 5]])  # the second step swaps the ids
    0.5
    """
    run = encode_run(true_batches, found_batches)
    found_of = np.full(run.n_true, _UNPAIRED, dtype=np.int64)
    true_of = np.full(run.n_found, _UNPAIRED, dtype=np.int64)
    correct = np.zeros(run.bounds.size - 1)
    for step, shared in enumerate(overlap_by_step(run)):
        free = (found_of[shared.true] == _UNPAIRED) & (true_of[shared.found] == _UNPAIRED)
        rest = shared.take(free)
        made = best_pairs(rest)
        found_of[rest.true[made]] = rest.found[made]
        true_of[rest.found[made]] = rest.true[made]
        correct[step] = shared.weight[found_of[shared.true] == shared.found].sum()
    return mean_over_steps(correct, run.bounds)


def per_step_accuracy(true_batches: Iterable[ArrayLike], found_batches: Iterable[ArrayLike]) -> float:
    """Compute the fraction of points with the correct id, where ids are paired separately in each step.

    It measures the clusters within a step and ignores changes of ids between steps.

    Parameters
    ----------
    true_batches, found_batches : iterable of integer arrays, each of shape (n_points,)
        True and found labels of the same points, one array per step. The found label -1 is noise and never
        correct. Steps without points are skipped in the average.

    Returns
    -------
    float
        Between 0 and 1: the largest fraction that a one-to-one pairing reaches, averaged over the steps.

    Raises
    ------
    ValueError
        If the two runs differ in the number of steps or of points in a step, or have no points.
    TypeError
        If labels are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import per_step_accuracy
    >>> per_step_accuracy([[0, 0, 1, 1], [0, 0, 1, 1]], [[5, 5, 8, 8], [8, 8, 5, 5]])
    1.0
    """
    run = encode_run(true_batches, found_batches)
    correct = [shared.weight[best_pairs(shared)].sum() for shared in overlap_by_step(run)]
    return mean_over_steps(np.asarray(correct), run.bounds)


def weighted_accuracy(
    true_batches: Iterable[ArrayLike], found_batches: Iterable[ArrayLike], weight_batches: Iterable[ArrayLike]
) -> float:
    """Compute the weight of the points with the correct id over the weight of all points.

    The ids are paired once for the whole run, so that the weight of the correct points is largest. Pass a
    single batch as a list of one array.

    Parameters
    ----------
    true_batches, found_batches : iterable of integer arrays, each of shape (n_points,)
        True and found labels of the same points, one array per step. The found label -1 is noise and never
        correct.
    weight_batches : iterable of float arrays, each of shape (n_points,)
        Confidence in each true label, finite and not negative. Points of weight 0 do not count: the true
        label of an unlabeled point may have any value.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If the three runs differ in the number of steps or of points in a step or have no points, or if a
        weight is negative or not finite, or all of them are zero.
    TypeError
        If labels are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import weighted_accuracy
    >>> weighted_accuracy([[0, 0, 1, 1]], [[3, 3, 3, 4]], [[1.0, 1.0, 0.5, 0.5]])
    0.8333333333333334
    """
    run = encode_run(true_batches, found_batches)
    weight = _read_weights(weight_batches, np.diff(run.bounds).tolist())
    shared = overlap_of_run(run, weight)
    return min(1.0, float(shared.weight[best_pairs(shared)].sum() / weight.sum()))


def _read_weights(batches: Iterable[ArrayLike], sizes: list[int]) -> FloatArray:
    """Validate the weights and divide them by the largest, so that sums stay finite."""
    weights = [batch.ravel() for batch in to_arrays(batches, "weight_batches", np.float64)]
    require_equal_sizes(sizes, "true_batches", batch_sizes(weights), "weight_batches")
    for i, weight in enumerate(weights):
        bad = ~(np.isfinite(weight) & (weight >= 0))
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(
                f"batch {i} has the weight {weight[row]} in row {row}; weights must be finite and >= 0"
            )
    values: FloatArray = np.concatenate(weights)
    if not values.any():
        raise ValueError(f"all {values.size} weights are zero; at least one must be positive")
    return values / float(values.max())
