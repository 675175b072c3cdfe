"""The single-linkage tree of a batch, by mutual reachability distances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from dynmeans._model.types import FloatArray, IntArray


class Tree(NamedTuple):
    """Nodes: n rows, then n - 1 merges by rising height; the root is last."""

    left: list[int]  # (n - 1,)
    right: list[int]  # (n - 1,)
    height: list[float]  # (n - 1,)


def nearest_rows(distances: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
    """Return distances (n, k + 1) to the nearest rows, in rising order, and their indices."""
    index = np.argpartition(distances, k, axis=1)[:, : k + 1]
    nearest = np.take_along_axis(distances, index, axis=1)
    order = np.argsort(nearest, axis=1, kind="stable")
    return np.take_along_axis(nearest, order, axis=1), np.take_along_axis(index, order, axis=1)


def single_linkage(
    distances: FloatArray, near: tuple[FloatArray, IntArray], copies: FloatArray, rank: int
) -> Tree:
    """Link rows by distances that are no shorter than that to the neighbor of this rank, from either end."""
    nearest, index = near
    enough = np.cumsum(np.maximum(copies[index], 1.0), axis=1) > rank
    core = np.where(
        enough.any(axis=1), nearest[np.arange(len(nearest)), enough.argmax(axis=1)], nearest[:, -1]
    )
    edges = np.maximum(distances, core)
    np.maximum(edges, core[:, None], out=edges)
    np.fill_diagonal(edges, 0.0)
    merges = linkage(squareform(edges, checks=False), "single")
    ends = merges[:, :2].astype(np.int64)
    return Tree(ends[:, 0].tolist(), ends[:, 1].tolist(), merges[:, 2].tolist())


def parent_heights(tree: Tree) -> list[float]:
    """Return the height of the parent of every node; infinite at the root."""
    parents = [np.inf] * (2 * len(tree.height) + 1)
    for a, b, height in zip(*tree, strict=True):
        parents[a] = parents[b] = height
    return parents


def node_labels(tree: Tree, nodes: list[int]) -> IntArray:
    """Return the number of the node above each row; -1 for none."""
    n = len(tree.height) + 1
    labels = np.full(2 * n - 1, -1)
    labels[nodes] = np.arange(len(nodes))
    for node in range(2 * n - 2, n - 1, -1):
        if labels[node] >= 0:
            labels[[tree.left[node - n], tree.right[node - n]]] = labels[node]
    return labels[:n]
