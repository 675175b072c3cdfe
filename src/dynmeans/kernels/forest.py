"""The spanning tree of points with its long edges cut: components, and a tree of long edges between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._core import mst_components
from dynmeans._model.types import FloatArray, IntArray


class Forest(NamedTuple):
    """Components joined by short edges; component 0 is the root of the tree of long ones."""

    component: IntArray  # (n,)  of each point
    parent: IntArray  # (m,)  component towards the root, always of a smaller number; -1 at the root
    length: FloatArray  # (m,)  of the long edge to the parent; 0 at the root


def grow_forest(points: FloatArray, scale: float) -> Forest:
    """Forest of the points (n, d): their minimum spanning tree, cut at edges longer than the scale."""
    return Forest(*mst_components(points, scale))


def near_distances(forest: Forest, reach: float) -> tuple[IntArray, IntArray, FloatArray]:
    """Sums of the long edges on the paths between components no farther apart than reach: one, other, sum."""
    start, neighbour, length = _adjacency(forest)
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
        # In a tree a path that never turns back visits every component once.
        onward = (neighbour[edge] != before[step]) & (farther <= reach)
        source, before = source[step[onward]], here[step[onward]]
        here, distance = neighbour[edge[onward]], farther[onward]
    source, here, distance = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return source, here, distance


def _adjacency(forest: Forest) -> tuple[IntArray, IntArray, FloatArray]:
    """Where the neighbours of each component begin (m + 1,), the neighbours, and the edges to them."""
    child = np.arange(1, len(forest.parent))
    ends = np.concatenate([child, forest.parent[1:]])
    others = np.concatenate([forest.parent[1:], child])
    lengths = np.tile(forest.length[1:], 2)
    order = np.argsort(ends, kind="stable")
    start = np.searchsorted(ends[order], np.arange(len(forest.parent) + 1))
    return start, others[order], lengths[order]
