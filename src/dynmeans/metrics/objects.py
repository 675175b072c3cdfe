"""Objects of a run for tracking metrics: true ids, found ids and their similarities, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from dynmeans.metrics._runs import (
    NOISE,
    FloatArray,
    IntArray,
    batch_sizes,
    encode,
    read_ids,
    require_equal_sizes,
    require_equal_steps,
    to_arrays,
)


class ObjectRun(NamedTuple):
    """True and found objects of every step; an id appears at most once per step."""

    true_batches: list[IntArray]  #         (n_true,)         per step
    found_batches: list[IntArray]  #        (n_found,)        per step
    similarity_batches: list[FloatArray]  # (n_true, n_found) per step, between 0 and 1


def objects_from_rows(
    true_batches: Iterable[ArrayLike], found_batches: Iterable[ArrayLike], *, clutter: int | None = -1
) -> ObjectRun:
    """Group labeled rows into objects whose similarity is their intersection over union.

    A true object of a step is the set of rows with its true id, a found object the set of rows with its found
    id. The similarity of two objects is the number of common rows over the number of rows of either. If every
    object has one row per step, as with detections, it is 1 for the same row and 0 otherwise.

    Parameters
    ----------
    true_batches, found_batches : iterable of integer arrays, each of shape (n_rows,)
        True and found labels of the same rows, one array per step. The found label -1 is noise and forms no
        object.
    clutter : int or None, default=-1
        True label of rows that belong to no object. Clutter within a found object reduces its similarity to
        every true object; a found object of clutter only is a false positive. If None, every true label is
        an id.

    Returns
    -------
    ObjectRun
        Arguments of :func:`hota`, :func:`idf1` and :func:`clear_mot`.

    Raises
    ------
    ValueError
        If the two runs differ in the number of steps or of rows in a step.
    TypeError
        If labels are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import objects_from_rows
    >>> run = objects_from_rows([[0, 0, 1, -1]], [[5, 5, 5, 8]])
    >>> run.found_batches[0], run.similarity_batches[0]
    (array([5, 8]), array([[0.66666667, 0.        ],
           [0.33333333, 0.        ]]))
    """
    true = read_ids(true_batches, "true_batches")
    found = read_ids(found_batches, "found_batches")
    require_equal_sizes(batch_sizes(true), "true_batches", batch_sizes(found), "found_batches")
    steps = [_group_rows(t, f, clutter) for t, f in zip(true, found, strict=True)]
    return ObjectRun([s[0] for s in steps], [s[1] for s in steps], [s[2] for s in steps])


def objects_from_positions(
    true_batches: Iterable[ArrayLike],
    true_positions: Iterable[ArrayLike],
    found_batches: Iterable[ArrayLike],
    found_positions: Iterable[ArrayLike],
    *,
    zero_distance: float,
) -> ObjectRun:
    """Compute similarities of objects from their positions: 1 at the same position, 0 from a distance on.

    Parameters
    ----------
    true_batches, found_batches : iterable of integer arrays
        Ids of the true and of the found objects, one array per step, of shape (n_true,) and (n_found,).
    true_positions, found_positions : iterable of float arrays
        Their positions, of shape (n_true, n_features) and (n_found, n_features).
    zero_distance : float
        Distance at which the similarity reaches 0. It falls linearly, so the usual threshold of 0.5 accepts
        pairs within half of this distance.

    Returns
    -------
    ObjectRun
        Arguments of :func:`hota`, :func:`idf1` and :func:`clear_mot`.

    Raises
    ------
    ValueError
        If numbers of steps, rows or features differ, a position is not finite, or `zero_distance` is not a
        positive number.
    TypeError
        If ids are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import objects_from_positions
    >>> run = objects_from_positions([[0]], [[[0.0, 0.0]]], [[7]], [[[0.0, 0.5]]], zero_distance=2.0)
    >>> run.similarity_batches
    [array([[0.75]])]
    """
    if not (np.isfinite(zero_distance) and zero_distance > 0):
        raise ValueError(f"zero_distance is {zero_distance}; it must be a positive finite number")
    true, found = read_ids(true_batches, "true_batches"), read_ids(found_batches, "found_batches")
    true_points = _read_positions(true_positions, "true_positions", true, "true_batches")
    found_points = _read_positions(found_positions, "found_positions", found, "found_batches")
    require_equal_steps(len(true), "true_batches", len(found), "found_batches")
    similarities = [
        _similarity(step, a, b, zero_distance)
        for step, (a, b) in enumerate(zip(true_points, found_points, strict=True))
    ]
    return ObjectRun(true, found, similarities)


def _group_rows(
    true: IntArray, found: IntArray, clutter: int | None
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the true ids, the found ids and their intersections over unions in one step."""
    true_ids, true_slot, true_rows = _objects(true, clutter)
    found_ids, found_slot, found_rows = _objects(found, NOISE)
    both = (true_slot != NOISE) & (found_slot != NOISE)
    common = np.zeros((true_ids.size, found_ids.size))
    np.add.at(common, (true_slot[both], found_slot[both]), 1.0)
    return true_ids, found_ids, common / (true_rows[:, None] + found_rows - common)


def _objects(ids: IntArray, excluded: int | None) -> tuple[IntArray, IntArray, IntArray]:
    """Return the distinct ids by first appearance, the slot of each row, and the number of rows per id."""
    slot = encode(ids, excluded)
    kept = slot != NOISE
    first = np.unique(slot[kept], return_index=True)[1]
    return ids[kept][first], slot, np.bincount(slot[kept], minlength=first.size)


def _read_positions(
    batches: Iterable[ArrayLike], name: str, ids: Sequence[IntArray], ids_name: str
) -> list[FloatArray]:
    """Convert each step to a finite matrix with one row per id."""
    positions = to_arrays(batches, name, np.float64)
    require_equal_steps(len(ids), ids_name, len(positions), name)
    for i, (rows, step_ids) in enumerate(zip(positions, ids, strict=True)):
        if len(rows) != step_ids.size:
            raise ValueError(
                f"batch {i} has {step_ids.size} ids in {ids_name} but {len(rows)} rows in {name}"
            )
        if rows.size and rows.ndim != 2:
            raise ValueError(f"{name}[{i}] has shape {rows.shape}; it needs one row of coordinates per id")
        if not np.isfinite(rows).all():
            raise ValueError(f"{name}[{i}] has the value {rows[~np.isfinite(rows)][0]}; it must be finite")
    return positions


def _similarity(step: int, true: FloatArray, found: FloatArray, zero_distance: float) -> FloatArray:
    if not (true.size and found.size):
        return np.zeros((len(true), len(found)))
    if true.shape[1] != found.shape[1]:
        raise ValueError(
            f"batch {step} has {true.shape[1]} features in true_positions "
            f"but {found.shape[1]} in found_positions"
        )
    similarity: FloatArray = np.maximum(0.0, 1.0 - cdist(true, found) / zero_distance)
    return similarity
