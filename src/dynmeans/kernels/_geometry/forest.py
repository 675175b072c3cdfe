"""The minimum spanning tree cut at long edges: components, and the tree of long edges between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._core import mst_components
from dynmeans._model.types import FloatArray, IntArray


class Forest(NamedTuple):
    """Components connected by short edges, and the tree of long edges, whose root is component 0."""

    component: IntArray  # (n,)  of each point
    parent: IntArray  # (m,)  parent component, with a smaller number; -1 at the root
    length: FloatArray  # (m,)  of the long edge to the parent; 0 at the root


def build_forest(points: FloatArray, scale: float, n_threads: int = 0) -> Forest:
    """Cut the minimum spanning tree of the points (n, d) at edges longer than the scale.

    The result does not depend on ``n_threads``, the maximum number of threads (0 for all cores).
    """
    return Forest(*mst_components(points, scale, n_threads=n_threads))


def near_distances(forest: Forest, reach: float) -> tuple[IntArray, IntArray, FloatArray]:
    """Return pairs of components whose path of long edges is at most ``reach``: sources, targets, lengths."""
    start, neighbor, length = _adjacency(forest)
    source = here = np.arange(len(forest.parent))
    before = np.full(len(source), -1)
    distance = np.zeros(len(source))
    found = []
    while len(source):
        found.append((source, here, distance))
        degree = start[here + 1] - start[here]
        step = np.repeat(np.arange(len(here)), degree)
        edge = np.arange(len(step)) + np.repeat(start[here] - (np.cumsum(degree) - degree), degree)
        farther = distance[step] + length[edge]
        # In a tree, a path without reversals visits every component at most once.
        onward = (neighbor[edge] != before[step]) & (farther <= reach)
        source, before = source[step[onward]], here[step[onward]]
        here, distance = neighbor[edge[onward]], farther[onward]
    source, here, distance = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return source, here, distance


def _adjacency(forest: Forest) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the adjacency lists: offsets (m + 1,), neighbors, and edge lengths."""
    child = np.arange(1, len(forest.parent))
    ends = np.concatenate([child, forest.parent[1:]])
    others = np.concatenate([forest.parent[1:], child])
    lengths = np.tile(forest.length[1:], 2)
    order = np.argsort(ends, kind="stable")
    start = np.searchsorted(ends[order], np.arange(len(forest.parent) + 1))
    return start, others[order], lengths[order]
