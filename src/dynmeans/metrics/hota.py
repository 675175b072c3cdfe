"""HOTA: higher order tracking accuracy of objects with detections, misses and false positives.

Luiten et al., "HOTA: A higher order metric for evaluating multi-object tracking", IJCV 2021.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from dynmeans.metrics._object_steps import (
    ObjectSteps,
    SimilarPairs,
    pair_codes,
    read_objects,
    sum_over_steps,
)
from dynmeans.metrics._runs import FloatArray, IntArray

THRESHOLDS = np.arange(1, 20) / 20
_EPS = float(np.finfo(np.float64).eps)


class HotaCurves(NamedTuple):
    """HOTA and its parts at each similarity threshold."""

    thresholds: FloatArray  # (19,)  0.05, 0.10, ..., 0.95
    hota: FloatArray  #       (19,)  sqrt(deta * assa)
    deta: FloatArray  #       (19,)  detection accuracy
    assa: FloatArray  #       (19,)  association accuracy
    detre: FloatArray  #      (19,)  detection recall
    detpr: FloatArray  #      (19,)  detection precision
    assre: FloatArray  #      (19,)  association recall
    asspr: FloatArray  #      (19,)  association precision
    loca: FloatArray  #       (19,)  mean similarity of matched objects; 1 without matches


class Hota(NamedTuple):
    """HOTA and its parts, averaged over the similarity thresholds."""

    hota: float
    deta: float
    assa: float
    detre: float
    detpr: float
    assre: float
    asspr: float
    loca: float
    curves: HotaCurves


class _Matches(NamedTuple):
    """Matched objects of all steps, before a threshold is applied."""

    true: IntArray  #         (matches,)
    found: IntArray  #        (matches,)
    similarity: FloatArray  # (matches,)


def hota(
    true_batches: Iterable[ArrayLike],
    found_batches: Iterable[ArrayLike],
    similarity_batches: Iterable[ArrayLike],
) -> Hota:
    """Compute HOTA, the geometric mean of detection and association accuracy, and its parts.

    In each step, true and found objects are matched one to one. The matching maximizes similarity times the
    agreement of the two ids over the whole run. At a similarity threshold, matches below it do not count, and

    - detection accuracy is TP / (TP + FN + FP), with TP the number of matches;
    - association accuracy is the mean over matches of TPA / (TPA + FNA + FPA). TPA is the number of steps in
      which the same two ids match. FNA is the number of other steps with the true id, FPA that of other
      steps with the found id.

    The results are averages over the thresholds 0.05, 0.10, ..., 0.95. They agree with `trackeval`.

    Parameters
    ----------
    true_batches, found_batches : iterable of integer arrays
        Ids of the true and of the found objects, one array per step, of shape (n_true,) and (n_found,). An id
        appears at most once per step. Arrays may be empty.
    similarity_batches : iterable of float arrays, each of shape (n_true, n_found)
        Similarities between 0 and 1. :func:`objects_from_rows` and :func:`objects_from_positions` compute all
        three arguments.

    Returns
    -------
    Hota
        Averages, and `curves` with the values at each threshold. All are 0 without true or without found
        objects, except `loca`, which is 1.

    Raises
    ------
    ValueError
        If numbers of steps or shapes differ, an id appears twice in a step, a similarity is not between 0 and
        1, or there are neither true nor found objects.
    TypeError
        If ids are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import hota, objects_from_rows
    >>> true = [[0, 1]] * 4
    >>> found = [[5, 6], [5, 6], [5, 7], [5, -1]]  # the second object changes its id, then is missed
    >>> result = hota(*objects_from_rows(true, found))
    >>> round(result.hota, 3), round(result.deta, 3), round(result.assa, 3)
    (0.81, 0.875, 0.75)
    """
    run = read_objects(true_batches, found_batches, similarity_batches)
    matches = _match(run, _alignment(run))
    points = [_at_threshold(run, matches, threshold) for threshold in THRESHOLDS]
    columns = {name: np.array([point[name] for point in points]) for name in points[0]}
    means = {name: float(column.mean()) for name, column in columns.items()}
    return Hota(**means, curves=HotaCurves(THRESHOLDS.copy(), **columns))


def _alignment(run: ObjectSteps) -> SimilarPairs:
    """Compute the agreement of every two ids over the run, an intersection over union of similarities."""
    codes, shares = [], []
    for true, found, similarity in run.steps:
        i, j = np.nonzero(similarity)
        total = similarity.sum(axis=0)[j] + similarity.sum(axis=1)[i] - similarity[i, j]
        codes.append(pair_codes(run, true[i], found[j]))
        shares.append(np.where(total > _EPS, similarity[i, j] / np.maximum(total, _EPS), 0.0))
    pairs = sum_over_steps(run, codes, shares)
    union = run.true_counts[pairs.true] + run.found_counts[pairs.found] - pairs.total
    return pairs._replace(total=pairs.total / union)


def _match(run: ObjectSteps, alignment: SimilarPairs) -> _Matches:
    """Match the objects of each step one to one for the largest sum of alignment times similarity."""
    known = pair_codes(run, alignment.true, alignment.found)
    parts = [_Matches(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
    for true, found, similarity in run.steps:
        i, j = np.nonzero(similarity)
        score = np.zeros_like(similarity)
        score[i, j] = alignment.total[np.searchsorted(known, pair_codes(run, true[i], found[j]))]
        rows, columns = linear_sum_assignment(score * similarity, maximize=True)
        parts.append(_Matches(true[rows], found[columns], similarity[rows, columns]))
    return _Matches(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _at_threshold(run: ObjectSteps, matches: _Matches, threshold: float) -> dict[str, float]:
    """Return HOTA and its parts at one threshold, by the names of `HotaCurves`."""
    counted = matches.similarity >= threshold - _EPS
    true, found, similarity = matches.true[counted], matches.found[counted], matches.similarity[counted]
    tp = similarity.size
    deta = tp / (run.n_true + run.n_found - tp)
    assa, assre, asspr = _association(run, true, found)
    detre, detpr = tp / max(1, run.n_true), tp / max(1, run.n_found)
    loca = float(similarity.mean()) if tp else 1.0
    return {
        "hota": float(np.sqrt(deta * assa)),
        "deta": deta,
        "assa": assa,
        "detre": detre,
        "detpr": detpr,
        "assre": assre,
        "asspr": asspr,
        "loca": loca,
    }


def _association(run: ObjectSteps, true: IntArray, found: IntArray) -> tuple[float, float, float]:
    """Return association accuracy, recall and precision, averaged over matches."""
    pairs = sum_over_steps(run, [pair_codes(run, true, found)], [np.ones(true.size)])
    n_true, n_found = run.true_counts[pairs.true], run.found_counts[pairs.found]
    unions = (n_true + n_found - pairs.total, n_true, n_found)
    accuracy, recall, precision = (
        float((pairs.total**2 / union).sum() / max(1, true.size)) for union in unions
    )
    return accuracy, recall, precision
