"""Map of the clusters for data with many features: one fixed position per cluster, similar clusters nearby.

In many dimensions two principal components show little, and centers are almost equally far apart. The map
keeps the order of the distances between centers instead of their values. The target distance of a pair is
the square root of its rank: in a plane that is filled evenly, the number of neighbors grows with the square
of the distance. Positions minimize the squared differences from the targets (SMACOF, De Leeuw 1977). A point
lies next to the position of its cluster, displaced along the two directions in which points vary most within
clusters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.plots._projection import principal_axes
from dynmeans.plots._thinning import largest_subset

MAX_LANDMARKS = 300  # clusters whose positions are optimized; the others are put between their nearest three
N_PASSES = 200  # iterations of SMACOF
SPREAD = 0.5  # root mean square displacement of points, relative to the distance between neighbors
MAX_DISPLACEMENT = 2.5  # largest displacement of a point, in root mean square displacements


class ClusterMap(NamedTuple):
    """Positions of clusters, and the displacement of points from them."""

    ids: IntArray  # (K,)
    means: FloatArray  # (K, d)  mean center over the lifetime
    positions: FloatArray  # (K, 2)
    axes: FloatArray  # (d, 2)  displacement per unit of the features
    radius: float  # root mean square displacement
    agreement: float  # rank correlation of the distances between clusters with those on the map

    def positions_of(self, ids: IntArray) -> FloatArray:
        """Return the positions (n, 2) of clusters of the map."""
        return self.positions[np.searchsorted(self.ids, ids)]

    def apply(self, points: FloatArray, ids: IntArray) -> FloatArray:
        """Map points (n, d) of clusters `ids` (n,) to the plane (n, 2); others go to the nearest cluster."""
        slot = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        unknown = self.ids[slot] != ids
        if unknown.any():
            slot[unknown] = cdist(points[unknown], self.means).argmin(axis=1)
        moved = (points - self.means[slot]) @ self.axes
        length = np.linalg.norm(moved, axis=1, keepdims=True)
        limit = MAX_DISPLACEMENT * self.radius
        mapped: FloatArray = self.positions[slot] + moved * np.minimum(
            1.0, limit / np.maximum(length, 1e-300)
        )
        return mapped


def fit_cluster_map(
    ids: IntArray, means: FloatArray, sizes: FloatArray, points: FloatArray, owners: IntArray
) -> ClusterMap:
    """Find the positions of clusters.

    Parameters
    ----------
    ids : ndarray of shape (K,)
        Ascending, at least three.
    means : ndarray of shape (K, d)
        Center of each cluster.
    sizes : ndarray of shape (K,)
        The positions of the largest clusters are optimized.
    points : ndarray of shape (n, d)
        Points of the run, from which the displacements within clusters are learned.
    owners : ndarray of shape (n,)
        Id of each point.
    """
    landmarks = largest_subset(sizes, MAX_LANDMARKS)
    distances = pdist(means[landmarks])
    targets = np.sqrt(_ranks(distances) / max(len(distances), 1))
    found = _smacof(means[landmarks], squareform(targets))
    positions = np.empty((len(ids), 2))
    positions[landmarks] = found
    others = np.setdiff1d(np.arange(len(ids)), landmarks)
    positions[others] = _between(means[others], means[landmarks], found)
    on_map = squareform(pdist(found))
    np.fill_diagonal(on_map, np.inf)
    radius = SPREAD * float(np.median(on_map.min(axis=1)))
    axes = _displacement(points, means, ids, owners) * radius
    return ClusterMap(
        ids=ids,
        means=means,
        positions=positions,
        axes=axes,
        radius=radius,
        agreement=_rank_correlation(distances, pdist(found)),
    )


def _smacof(means: FloatArray, targets: FloatArray) -> FloatArray:
    """Return positions (K, 2) whose distances are near the targets (K, K), starting with two components."""
    n = len(means)
    origin, axes, _ = principal_axes(means, 2)
    positions = (means - origin) @ axes
    scale = np.linalg.norm(positions)
    positions = positions * (np.linalg.norm(targets) / scale if scale > 0 else 0.0)
    angle = np.arange(n) * 2.4  # equal positions would stay equal
    positions = positions + 1e-3 * np.column_stack([np.cos(angle), np.sin(angle)])
    for _ in range(N_PASSES):
        ratio = targets / np.maximum(squareform(pdist(positions)), 1e-12)
        np.fill_diagonal(ratio, 0.0)
        before, positions = positions, (ratio.sum(axis=1)[:, None] * positions - ratio @ positions) / n
        if np.abs(positions - before).max() < 1e-4:
            break
    return positions


def _between(means: FloatArray, known: FloatArray, positions: FloatArray) -> FloatArray:
    """Put clusters at the mean of the positions of the three nearest known ones."""
    if len(means) == 0:
        return np.empty((0, 2))
    nearest = np.argsort(cdist(means, known), axis=1, kind="stable")[:, :3]
    middle: FloatArray = positions[nearest].mean(axis=1)
    return middle


def _displacement(points: FloatArray, means: FloatArray, ids: IntArray, owners: IntArray) -> FloatArray:
    """Return two directions (d, 2), scaled so that points lie at a root mean square distance of 1."""
    slot = np.minimum(np.searchsorted(ids, owners), len(ids) - 1)
    known = ids[slot] == owners
    residuals = points[known] - means[slot[known]]
    _, axes, _ = principal_axes(residuals, 2)
    length = float(np.sqrt(np.mean(np.sum((residuals @ axes) ** 2, axis=1)))) if len(residuals) else 0.0
    return axes / length if length > 0 else axes * 0.0


def _rank_correlation(a: FloatArray, b: FloatArray) -> float:
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return 1.0
    return float(np.corrcoef(_ranks(a), _ranks(b))[0, 1])


def _ranks(values: FloatArray) -> FloatArray:
    """Return the ranks of values, the mean rank for ties."""
    from scipy.stats import rankdata  # 0.5 s of CPU time, and most reports have no map

    ranks: FloatArray = rankdata(values)
    return ranks
