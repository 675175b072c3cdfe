"""CLEAR MOT metrics of tracked objects: MOTA, MOTP and identity switches.

Bernardin and Stiefelhagen, "Evaluating multiple object tracking performance: the CLEAR MOT metrics", 2008.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from dynmeans.metrics._object_steps import ObjectStep, read_objects, require_threshold
from dynmeans.metrics._runs import NOISE, FloatArray, IntArray

_EPS = float(np.finfo(np.float64).eps)
_CONTINUED = 1000.0  # keeping the match of the previous step outweighs any sum of similarities


class ClearMot(NamedTuple):
    """MOTA and MOTP with their counts, summed over steps."""

    mota: float  #  1 - (fn + fp + idsw) / number of true objects; may be negative
    motp: float  #  mean similarity of matches; 0 without matches
    tp: int  #      matches
    fn: int  #      true objects without a match
    fp: int  #      found objects without a match
    idsw: int  #    matches whose found id differs from that of the last match of the true id


def clear_mot(
    true_batches: Iterable[ArrayLike],
    found_batches: Iterable[ArrayLike],
    similarity_batches: Iterable[ArrayLike],
    *,
    threshold: float = 0.5,
) -> ClearMot:
    """Compute MOTA, MOTP and identity switches of objects with detections and false positives.

    In each step, true and found objects whose similarity is at least the threshold are matched one to one.
    Matches of the previous step are kept where possible; then the sum of similarities is maximized.

    Parameters
    ----------
    true_batches, found_batches : iterable of integer arrays
        Ids of the true and of the found objects, one array per step, of shape (n_true,) and (n_found,). An id
        appears at most once per step. Arrays may be empty.
    similarity_batches : iterable of float arrays, each of shape (n_true, n_found)
        Similarities between 0 and 1. :func:`objects_from_rows` and :func:`objects_from_positions` compute all
        three arguments.
    threshold : float, default=0.5
        Minimum similarity of a match, above 0 and at most 1.

    Returns
    -------
    ClearMot
        `mota` is 0 without true objects.

    Raises
    ------
    ValueError
        If numbers of steps or shapes differ, an id appears twice in a step, a similarity or the threshold is
        out of range, or there are neither true nor found objects.
    TypeError
        If ids are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import clear_mot, objects_from_rows
    >>> clear_mot(*objects_from_rows([[0, 1, -1], [0, 1, -1]], [[5, 6, 7], [5, 7, -1]]))
    ClearMot(mota=0.5, motp=1.0, tp=4, fn=0, fp=1, idsw=1)
    """
    require_threshold(threshold)
    run = read_objects(true_batches, found_batches, similarity_batches)
    last = np.full(run.true_counts.size, NOISE, dtype=np.int64)
    previous = last.copy()
    tp, idsw, similarity_sum = 0, 0, 0.0
    for step in run.steps:
        if not step.similarity.size:
            continue  # matches are kept across steps without true or without found objects
        rows, columns = _match(step, previous, threshold)
        true, found = step.true[rows], step.found[columns]
        idsw += int(np.count_nonzero((last[true] != NOISE) & (last[true] != found)))
        last[true] = found
        previous[:] = NOISE
        previous[true] = found
        tp += rows.size
        similarity_sum += float(step.similarity[rows, columns].sum())
    mota = (tp - (run.n_found - tp) - idsw) / run.n_true if run.n_true else 0.0
    return ClearMot(
        mota=mota, motp=similarity_sum / max(1, tp), tp=tp, fn=run.n_true - tp, fp=run.n_found - tp, idsw=idsw
    )


def _match(step: ObjectStep, previous: IntArray, threshold: float) -> tuple[IntArray, IntArray]:
    """Match the objects of one step; return rows and columns of the similarities."""
    kept = previous[step.true][:, None] == step.found
    allowed = step.similarity >= threshold - _EPS
    score: FloatArray = np.where(allowed, step.similarity + _CONTINUED * kept, 0.0)
    rows, columns = linear_sum_assignment(score, maximize=True)
    matched = allowed[rows, columns]
    return rows[matched], columns[matched]
