"""When found ids were seen first and last, and how often between."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynmeans.metrics._runs import NOISE, IntArray, batch_sizes, read_labels


class Lifetimes(NamedTuple):
    """The life of every id of a run, one row each, sorted by id."""

    ids: IntArray  #     (K,)
    first: IntArray  #   (K,)  index of the first step it was seen in; the first step of the run is 0
    last: IntArray  #    (K,)  index of the last step it was seen in
    n_steps: IntArray  # (K,)  number of steps it was seen in


def lifetimes(found_batches: Iterable[ArrayLike]) -> Lifetimes:
    """Find the first step, the last step and the number of steps seen of every id.

    Parameters
    ----------
    found_batches : iterable of integer arrays, each of shape (n_points,)
        Labels of a run, one array a step. The label -1 is noise and has no life.

    Returns
    -------
    Lifetimes
        Arrays `ids`, `first`, `last` and `n_steps` of shape (n_ids,), sorted by id. Steps are indices into
        `found_batches`. An id slept at some time if `n_steps < last - first + 1`.

    Raises
    ------
    ValueError
        If the run holds no points at all.
    TypeError
        If labels are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import lifetimes
    >>> lives = lifetimes([[4, 4, 7], [7, 7], [4]])
    >>> lives.ids, lives.n_steps
    (array([4, 7]), array([2, 2]))
    >>> lives.first, lives.last
    (array([0, 0]), array([2, 1]))
    """
    labels = read_labels(found_batches, "found_batches")
    joined = np.concatenate(labels)
    seen = joined != NOISE
    step = np.repeat(np.arange(len(labels), dtype=np.int64), batch_sizes(labels))[seen]
    ids, begin, slot = np.unique(joined[seen], return_index=True, return_inverse=True)
    last = np.zeros_like(ids)
    np.maximum.at(last, slot, step)
    sightings = np.unique(step * ids.size + slot)  # one for each id in each step, however many its points
    return Lifetimes(ids, step[begin], last, np.bincount(sightings % ids.size, minlength=ids.size))
