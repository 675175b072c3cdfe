"""Separated clusters of one batch, from which the default parameters of kernels and costs are estimated.

The clusters are nodes of the single-linkage tree of mutual reachability distances, as in HDBSCAN. The
distance of two rows is then the longest edge of the best path between them, and the nearest row outside of a
node is as far as the height h of its parent. A node of n rows with mean distance a between two of them scores
(n - 1) (1 - (a / h)^p), where a / h is raised to the dimension p of the data: in many dimensions all
distances are similar, and volumes are not. The score is a silhouette. The first row of a cluster does not
count.

Single linkage breaks a thin shape, such as a ring of few rows, at its largest gaps. So a gap must also be
larger than chance explains. If rows are spread evenly, the volume around a row up to its neighbor of rank r,
an edge to the power of p, has a Gamma distribution of shape r. An F test compares the gap around a node with
the mean of the edges within it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc

from dynmeans._model.types import FloatArray, IntArray
from dynmeans._sampling import evenly_spaced
from dynmeans.kernels._estimation.single_linkage import (
    Tree,
    nearest_rows,
    node_labels,
    parent_heights,
    single_linkage,
)
from dynmeans.kernels._estimation.threshold_range import widest_range
from dynmeans.kernels._geometry.distances import distances

SAMPLE = 2000  # maximum number of rows
RANK = 4  # neighbor whose distance measures the density, as in DBSCAN; smaller for few rows
SEPARATED = 0.5  # share of the rows that a split must explain
CHANCE = 0.05  # probability that a gap as large occurs by chance, among all edges of a batch
CACHE = 4  # batches: a step needs them once for the kernel, and once for the costs


class SeparatedClusters(NamedTuple):
    """Clusters of a sample of the rows."""

    rows: IntArray  # (s,)  indices of the sampled rows
    labels: IntArray  # (s,)  0 .. n_clusters-1, -1 for outliers
    n_clusters: int  # 1 if the rows do not consist of separated clusters
    within: float  # edges up to this length connect the rows of most clusters
    between: float  # edges from this length on leave most clusters; infinite for one cluster


class _Scores(NamedTuple):
    mass: list[float]  # of each node
    volumes: list[float]  # of the edges within each node, summed
    gaps: list[float]  # volume of the edge to the nearest row outside of each node
    own: list[float]  # score of each node
    chosen: list[bool]  # the node scores more than the best nodes below it
    best: list[float]  # score of the best nodes at or below each node
    counts: list[int]  # number of these nodes


def has_few_rows(weights: FloatArray) -> bool:
    """Return whether distinct rows are so few that copies of one row are a cluster.

    Elsewhere copies are ignored: coordinates of limited precision repeat.
    """
    return bool(len(weights) <= np.log2(max(float(weights.sum()), 1.0)))


def row_weights(weights: FloatArray) -> FloatArray:
    """Return weights in units of a row: the mean weight, or 1 if copies of one row are a cluster."""
    return weights if has_few_rows(weights) else weights / weights.mean()


def separated_clusters(rows: FloatArray, weights: FloatArray) -> SeparatedClusters:
    """Find separated clusters by Euclidean distances, in a sample of evenly spaced rows.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels._estimation.separated_clusters import separated_clusters
    >>> rows = np.random.default_rng(0).normal(size=(60, 2))
    >>> separated_clusters(rows, np.ones(60)).n_clusters
    1
    >>> rows[40:] += 12.0
    >>> separated_clusters(rows, np.ones(60)).n_clusters
    2
    """
    some = evenly_spaced(len(rows), SAMPLE)
    picked, mass = np.ascontiguousarray(rows[some]), np.ascontiguousarray(weights[some])
    labels, within, between = _of_sample(picked.tobytes(), mass.tobytes(), rows.shape[1])
    return SeparatedClusters(some, labels, int(labels.max()) + 1, within, between)


@lru_cache(CACHE)
def _of_sample(rows: bytes, weights: bytes, n_features: int) -> tuple[IntArray, float, float]:
    sample = np.frombuffer(rows).reshape(-1, n_features)
    return clusters_of_distances(distances(sample, sample), np.frombuffer(weights))


def clusters_of_distances(distances: FloatArray, weights: FloatArray) -> tuple[IntArray, float, float]:
    """Return labels, the longest edge within and the shortest edge between clusters; see above."""
    n, largest = len(distances), float(distances.max(initial=0.0))
    if n < 2 or largest == 0.0:
        return np.zeros(n, dtype=np.int64), 0.0, np.inf
    copies = weights if has_few_rows(weights) else np.ones(n)
    rank = max(1, min(RANK, round(float(np.log2(copies.sum())) / 2)))
    near = nearest_rows(distances, min(2 * rank, n - 1))
    tree, dimension = single_linkage(distances, near, copies, rank), _dimension(near[0])
    tree = tree._replace(height=[height / largest for height in tree.height])
    scores = _scores(tree, copies, dimension)
    nodes = _merge_pieces(tree, scores, _split(tree, scores), rank)
    labels = node_labels(tree, nodes)
    parents = parent_heights(tree)
    heights = [tree.height[node - n] if node >= n else 0.0 for node in nodes]
    within, between, _ = widest_range(heights, [parents[node] for node in nodes])
    return labels, largest * within, largest * between


def _dimension(near: FloatArray) -> float:
    """Estimate the dimension from distances to neighbors, after Levina and Bickel (2004); at least 1."""
    away = near[near[:, 1] > 0, 1:] if near.shape[1] > 2 else near[:0]
    growth = float(np.mean(np.log(away[:, -1:] / away[:, :-1]))) if len(away) else 1.0
    return 1.0 / min(max(growth, 1e-2), 1.0)


def _scores(tree: Tree, copies: FloatArray, dimension: float) -> _Scores:
    """Score all nodes, and find the best nodes below each, none of which contains another."""
    n = len(copies)
    smallest = min((h for h in tree.height if h > 0), default=1.0)
    power = min(dimension, 600.0 / max(1.0, -float(np.log(smallest))))  # volumes must not underflow
    gaps = [height**power for height in parent_heights(tree)]
    mass, pairs, volumes = copies.tolist(), [0.0] * n, [0.0] * n
    scores = _Scores(mass, volumes, gaps, [], [], [], [])
    for node in range(2 * n - 1):
        below, count = 0.0, 0
        if node >= n:
            a, b, volume = tree.left[node - n], tree.right[node - n], tree.height[node - n] ** power
            mass.append(mass[a] + mass[b])
            pairs.append(pairs[a] + pairs[b] + mass[a] * mass[b] * volume)
            volumes.append(volumes[a] + volumes[b] + volume)
            below, count = scores.best[a] + scores.best[b], scores.counts[a] + scores.counts[b]
        own = _score(mass[node], pairs[node], gaps[node])
        scores.own.append(own)
        scores.chosen.append(own > below)
        scores.best.append(max(own, below))
        scores.counts.append(1 if own > below else count)
    return scores


def _score(mass: float, pairs: float, outside: float) -> float:
    """Return the score of a node; the root, outside of which there is nothing, has none."""
    if mass <= 1.0 or outside == 0.0 or outside == np.inf:
        return 0.0
    return max(0.0, mass - 1.0 - 2.0 * pairs / (mass * outside))


def _split(tree: Tree, scores: _Scores) -> list[int]:
    """Return nodes: split the root, and each part, while the parts explain half of the rows."""
    n = len(tree.height) + 1
    found, open_nodes = [], [2 * n - 2]
    while open_nodes:
        node = open_nodes.pop()
        parts = _best_below(tree, scores, node)
        if len(parts) > 1 and sum(scores.best[p] for p in parts) >= SEPARATED * scores.mass[node]:
            open_nodes += parts
        else:
            found.append(node)
    return found


def _merge_pieces(tree: Tree, scores: _Scores, nodes: list[int], rank: int) -> list[int]:
    """Return the clusters: nodes, with those merged that chance separates, or the root.

    Pieces of a shape are merged into the largest node that has no other clusters. Clusters that chance may
    still separate count against the split.
    """
    n = len(tree.height) + 1
    root = 2 * n - 2
    is_separated = [False] * (2 * n - 1)  # a cluster at or below the node is not separated by chance
    for node in nodes:
        is_separated[node] = not _may_be_chance(scores, node, rank, n)
    parent = [root] * (2 * n - 1)
    for k, (a, b) in enumerate(zip(tree.left, tree.right, strict=True)):
        parent[a] = parent[b] = n + k
        is_separated[n + k] = is_separated[n + k] or is_separated[a] or is_separated[b]
    merged: dict[int, None] = {}  # in order, each once
    for node in nodes:
        while node != root and not is_separated[node] and not is_separated[parent[node]]:
            node = parent[node]
        merged[node] = None
    explained = sum(
        -scores.mass[node] if _may_be_chance(scores, node, rank, n) else scores.own[node] for node in merged
    )
    return list(merged) if explained >= SEPARATED * scores.mass[root] else [root]


def _may_be_chance(scores: _Scores, node: int, rank: int, n_edges: int) -> bool:
    """Return whether the gap around a node may be an ordinary edge, the largest of all edges by chance.

    The volumes of its m edges are Gamma variables of shape r; copies of a row have edges without volume. The
    ratio of another one to their mean has an F distribution with 2 r and 2 r m degrees of freedom.
    """
    m = scores.mass[node] - 1.0
    if scores.volumes[node] == 0.0:
        return m <= 0.0
    ratio = scores.gaps[node] * m / scores.volumes[node]
    return float(fdtrc(2.0 * rank, 2.0 * rank * m, ratio)) * n_edges > CHANCE


def _best_below(tree: Tree, scores: _Scores, node: int) -> list[int]:
    """Return the best nodes strictly below a node."""
    n = len(tree.height) + 1
    found: list[int] = []
    waiting = [tree.left[node - n], tree.right[node - n]] if node >= n else []
    while waiting:
        one = waiting.pop()
        if scores.chosen[one]:
            found.append(one)
        elif one >= n and scores.counts[one] > 0:
            waiting += [tree.left[one - n], tree.right[one - n]]
    return found
