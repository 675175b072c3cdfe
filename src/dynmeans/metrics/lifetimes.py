"""First step, last step and number of steps of every found id."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynmeans.metrics._runs import NOISE, IntArray, batch_sizes, read_labels


class Lifetimes(NamedTuple):
    """Lifetimes of all ids of a run, one row each, sorted by id."""

    ids: IntArray  #     (K,)
    first: IntArray  #   (K,)  index of the first step with points; the first step of the run is 0
    last: IntArray  #    (K,)  index of the last step with points
    n_steps: IntArray  # (K,)  number of steps with points


def lifetimes(found_batches: Iterable[ArrayLike]) -> Lifetimes:
    """Find the first step, the last step and the number of steps with points of every id.

    Parameters
    ----------
    found_batches : iterable of integer arrays, each of shape (n_points,)
        Labels of a run, one array per step. The label -1 is noise and is ignored.

    Returns
    -------
    Lifetimes
        Arrays `ids`, `first`, `last` and `n_steps` of shape (n_ids,), sorted by id. Steps are indices into
        `found_batches`. An id was absent in between if `n_steps < last - first + 1`.

    Raises
    ------
    ValueError
        If the run has no points.
    TypeError
        If labels are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import lifetimes
    >>> found = lifetimes([[4, 4, 7], [7, 7], [4]])
    >>> found.ids, found.n_steps
    (array([4, 7]), array([2, 2]))
    >>> found.first, found.last
    (array([0, 0]), array([2, 1]))
    """
    labels = read_labels(found_batches, "found_batches")
    ids_of_rows = np.concatenate(labels)
    seen = ids_of_rows != NOISE
    step = np.repeat(np.arange(len(labels), dtype=np.int64), batch_sizes(labels))[seen]
    ids, begin, slot = np.unique(ids_of_rows[seen], return_index=True, return_inverse=True)
    last = np.zeros_like(ids)
    np.maximum.at(last, slot, step)
    appearances = np.unique(step * ids.size + slot)  # one per id and step
    return Lifetimes(ids, step[begin], last, np.bincount(appearances % ids.size, minlength=ids.size))
