"""CMM: cluster mapping measure for clusterings of evolving streams.

Kremer et al., "An effective evaluation measure for clustering on evolving data streams", KDD 2011.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import KDTree

from dynmeans.metrics._overlap import overlap_of_run
from dynmeans.metrics._runs import (
    NOISE,
    FloatArray,
    IntArray,
    LabeledRun,
    batch_sizes,
    encode_run,
    require_equal_sizes,
    to_arrays,
)


class _Class(NamedTuple):
    """Points of one true id within a window."""

    tree: KDTree
    own: FloatArray  #  (n,)  mean distance of each point to its nearest neighbors of the class
    mean: float  #            mean of `own`


def cmm(
    point_batches: Iterable[ArrayLike],
    true_batches: Iterable[ArrayLike],
    found_batches: Iterable[ArrayLike],
    *,
    horizon: int = 1,
    decay: float = 0.0,
    n_neighbors: int = 2,
    clutter: int | None = -1,
) -> float:
    """Compute the cluster mapping measure, averaged over steps.

    Each found cluster is mapped to the most frequent true id of its points. The *neighbor distance* of a
    point to a true cluster is its mean distance to its nearest neighbors there. The connectivity of the point
    to the cluster is 1 if this distance is at most the mean over the points of the cluster, and the ratio of
    that mean to it otherwise. Three faults have a penalty:

    - missed, a point of a true cluster with the found label noise: the connectivity to its true cluster;
    - misplaced, a point in a found cluster that is mapped to another true cluster: the connectivity to its
      own true cluster times one minus the connectivity to the other;
    - included, clutter in a found cluster: one minus the connectivity to the true cluster of the mapping.

    CMM is one minus the weighted sum of penalties over the weighted sum of the connectivities of all points
    to their own true clusters, where that of clutter is 1.

    If two true ids are equally frequent in a found cluster, it is mapped to the one that appeared first in
    the run. A point belongs to at most one found cluster. Found ids may change between steps without a
    penalty if `horizon` is 1. MOA merges overlapping true clusters and weighs missed points by their distance
    to a sphere; this function does neither, so its results differ.

    Parameters
    ----------
    point_batches : iterable of float arrays, each of shape (n_points, n_features)
        The points, one array per step.
    true_batches, found_batches : iterable of integer arrays, each of shape (n_points,)
        True and found labels of the same points. The found label -1 is noise.
    horizon : int, default=1
        Number of recent steps in the window that is evaluated at each step.
    decay : float, default=0.0
        A point that is a steps old has weight 2 ** (-decay * a).
    n_neighbors : int, default=2
        Number of nearest neighbors; fewer in smaller clusters.
    clutter : int or None, default=-1
        True label of points that belong to no cluster. None: every true label is an id.

    Returns
    -------
    float
        Between 0 and 1; 1 is best. Windows without points are skipped in the average.

    Raises
    ------
    ValueError
        If the runs differ in the number of steps or of points in a step, have no points, a coordinate is not
        finite, or a parameter is out of range.
    TypeError
        If labels are not integers.

    Examples
    --------
    >>> from dynmeans.metrics import cmm
    >>> X = [[[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]]
    >>> cmm(X, [[0, 0, 0, 1, 1, 1]], [[5, 5, 5, 8, 8, 8]])
    1.0
    >>> round(cmm(X, [[0, 0, 0, 1, 1, 1]], [[5, 5, 5, 8, 8, -1]]), 3)  # the last point is missed
    0.84
    """
    _check_parameters(horizon, decay, n_neighbors)
    run = encode_run(true_batches, found_batches, clutter)
    points = _read_points(point_batches, np.diff(run.bounds).tolist())
    age_of_row = np.repeat(np.arange(run.bounds.size - 1), np.diff(run.bounds))
    scores = []
    for step, stop in enumerate(run.bounds[1:].tolist()):
        rows = slice(int(run.bounds[max(0, step + 1 - horizon)]), stop)
        if rows.start < rows.stop:
            window = LabeledRun(run.true[rows], run.found[rows], run.bounds)
            weight = np.exp2(-decay * (step - age_of_row[rows]))
            scores.append(_window_score(points[rows], window, weight, n_neighbors))
    return float(np.mean(scores))


def _window_score(points: FloatArray, window: LabeledRun, weight: FloatArray, k: int) -> float:
    """Compute CMM of one window, Definition 8."""
    classes = _classes(points, window.true, k)
    connectivity = np.ones(window.true.size)
    for code, one in classes.items():
        connectivity[window.true == code] = _connectivity(one.own, one.mean)
    penalty = _penalties(points, window, classes, connectivity, k)
    return 1.0 - float((weight * penalty).sum() / (weight * connectivity).sum())


def _classes(points: FloatArray, true: IntArray, k: int) -> dict[int, _Class]:
    """Compute the neighbor distances within each true cluster, Definition 1."""
    classes = {}
    for code in np.unique(true[true != NOISE]).tolist():
        members = points[true == code]
        tree = KDTree(members)
        # One of the nearest is the point itself, at distance 0.
        own = _mean_distance(tree, members, min(k + 1, len(members)), skip=1)
        classes[code] = _Class(tree, own, float(own.mean()))
    return classes


def _mean_distance(tree: KDTree, points: FloatArray, k: int, skip: int = 0) -> FloatArray:
    if k <= skip:
        return np.zeros(len(points))  # a cluster of one point has no other distance
    mean: FloatArray = tree.query(points, k=np.arange(skip + 1, k + 1))[0].mean(axis=1)
    return mean


def _connectivity(distance: FloatArray, usual: float) -> FloatArray:
    """Compute the connectivity of points to a cluster, Definition 2."""
    above = distance > usual
    return np.where(above, usual / np.where(above, distance, 1.0), 1.0)


def _penalties(
    points: FloatArray, window: LabeledRun, classes: dict[int, _Class], own: FloatArray, k: int
) -> FloatArray:
    """Compute the penalty of each point, Definitions 5 to 7; correct points have 0."""
    target = _mapping(window)
    in_cluster = window.found != NOISE
    mapped = np.where(in_cluster, target[window.found], NOISE)
    penalty = np.where(in_cluster | (window.true == NOISE), 0.0, own)  # missed points
    wrong = in_cluster & ((mapped != window.true) | (window.true == NOISE))
    foreign = np.zeros(own.size)  # connectivity to the cluster that the point was put into
    for code in np.unique(mapped[wrong & (mapped != NOISE)]).tolist():
        rows, one = wrong & (mapped == code), classes[code]
        foreign[rows] = _connectivity(_mean_distance(one.tree, points[rows], min(k, one.own.size)), one.mean)
    return np.where(wrong, own * (1.0 - foreign), penalty)


def _mapping(window: LabeledRun) -> IntArray:
    """Map each found cluster to a true cluster, Definition 4; NOISE if it has only clutter.

    True clusters are disjoint here, so the most frequent true id has the smallest surplus of the paper.
    """
    shared = overlap_of_run(window)
    target = np.full(max(1, window.n_found), NOISE, dtype=np.int64)
    order = np.lexsort((-shared.true, shared.weight))  # the last assignment holds: largest, then first seen
    target[shared.found[order]] = shared.true[order]
    return target


def _read_points(batches: Iterable[ArrayLike], sizes: Sequence[int]) -> FloatArray:
    points = to_arrays(batches, "point_batches", np.float64)
    filled = [(i, batch) for i, batch in enumerate(points) if batch.size]
    for i, batch in filled:
        if batch.ndim != 2 or batch.shape[1] != filled[0][1].shape[-1]:
            raise ValueError(
                f"point_batches[{i}] has shape {batch.shape}; each step needs a matrix with one row per "
                "point and the same number of features"
            )
        if not np.isfinite(batch).all():
            raise ValueError(
                f"point_batches[{i}] has the value {batch[~np.isfinite(batch)][0]}; it must be finite"
            )
    rows = [batch[:, 0] if batch.size else np.empty(0) for batch in points]
    require_equal_sizes(list(sizes), "true_batches", batch_sizes(rows), "point_batches")
    values: FloatArray = np.concatenate([batch for _, batch in filled])
    return values


def _check_parameters(horizon: int, decay: float, n_neighbors: int) -> None:
    if horizon < 1:
        raise ValueError(f"horizon is {horizon}; it must be at least 1")
    if not (np.isfinite(decay) and decay >= 0):
        raise ValueError(f"decay is {decay}; it must be finite and not negative")
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors is {n_neighbors}; it must be at least 1")
