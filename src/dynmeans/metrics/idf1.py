"""IDF1 of tracked objects: agreement under the best pairing of ids over the whole run.

Ristani et al., "Performance measures and a data set for multi-target, multi-camera tracking", ECCV 2016.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynmeans.metrics._object_steps import pair_codes, read_objects, require_threshold, sum_over_steps
from dynmeans.metrics._overlap import Overlap, best_pairs


class IdentityScores(NamedTuple):
    """IDF1 with its precision, recall and counts."""

    idf1: float
    idp: float  #  identity precision, idtp / (idtp + idfp)
    idr: float  #  identity recall, idtp / (idtp + idfn)
    idtp: int  #   found objects whose id is paired with that of a similar true object
    idfp: int  #   other found objects
    idfn: int  #   true objects without such a found object


def idf1(
    true_batches: Iterable[ArrayLike],
    found_batches: Iterable[ArrayLike],
    similarity_batches: Iterable[ArrayLike],
    *,
    threshold: float = 0.5,
) -> IdentityScores:
    """Compute IDF1, identity precision and identity recall of objects with detections and false positives.

    True and found ids are paired one to one over the whole run. Let IDTP be the number of pairs of objects,
    summed over steps, whose ids are paired and whose similarity is at least `threshold`; the pairing
    maximizes it. IDF1 is 2 IDTP / (n_true + n_found), where n_true and n_found count the objects of all
    steps. For labeled rows with one row per object it equals :func:`identity_f1`, which counts rows instead
    of objects.

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
    IdentityScores
        Scores are 0 without true or without found objects.

    Raises
    ------
    ValueError
        If numbers of steps or shapes differ, an id appears twice in a step, a similarity or the threshold is
        out of range, or there are neither true nor found objects.
    TypeError
        If ids are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import idf1, objects_from_rows
    >>> result = idf1(*objects_from_rows([[0, 1, -1], [0, 1, -1]], [[5, 6, 7], [5, 7, -1]]))
    >>> result.idtp, result.idfp, result.idfn, round(result.idf1, 3)
    (3, 2, 1, 0.667)
    """
    require_threshold(threshold)
    run = read_objects(true_batches, found_batches, similarity_batches)
    codes = []
    for true, found, similarity in run.steps:
        i, j = np.nonzero(similarity >= threshold)
        codes.append(pair_codes(run, true[i], found[j]))
    shared = Overlap(*sum_over_steps(run, codes, [np.ones(code.size) for code in codes]))
    idtp = int(shared.weight[best_pairs(shared)].sum())
    return IdentityScores(
        idf1=2 * idtp / (run.n_true + run.n_found),
        idp=idtp / max(1, run.n_found),
        idr=idtp / max(1, run.n_true),
        idtp=idtp,
        idfp=run.n_found - idtp,
        idfn=run.n_true - idtp,
    )
