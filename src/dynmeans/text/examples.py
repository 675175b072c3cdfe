"""Texts that stand for a cluster: those nearest to its center."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dynmeans._model.types import FloatArray, IntArray


def nearest_texts(
    texts: Sequence[str],
    X: Any,
    labels: Any,
    centers: Any,
    ids: Any,
    n_texts: int = 3,
    *,
    metric: str = "euclidean",
) -> dict[int, list[str]]:
    """Return the texts whose rows are nearest to the center of their cluster.

    Parameters
    ----------
    texts : sequence of str, of length n
    X : array-like of shape (n, n_features)
        Row of each text.
    labels : array-like of shape (n,)
        Cluster of each row.
    centers : array-like of shape (K, n_features)
    ids : array-like of shape (K,)
        Cluster of each center, ascending, such as ``model.cluster_ids_``.
    n_texts : int, default=3
        Maximum number of texts per cluster. Equal texts count once.
    metric : {"euclidean", "cosine"}, default="euclidean"

    Returns
    -------
    dict
        Texts by cluster, the nearest first; only clusters with rows.

    Examples
    --------
    >>> from dynmeans.text import nearest_texts
    >>> nearest_texts(["far", "near", "other"], [[2.0], [0.1], [9.0]], [0, 0, 1], [[0.0], [9.0]], [0, 1], 1)
    {0: ['near'], 1: ['other']}
    """
    rows, middle = np.asarray(X, dtype=np.float64), np.asarray(centers, dtype=np.float64)
    if metric == "cosine":
        rows, middle = _unit(rows), _unit(middle)
    owner: IntArray = np.asarray(labels)
    found: dict[int, list[str]] = {}
    for k, center in zip(np.asarray(ids).tolist(), middle, strict=True):
        mine = np.flatnonzero(owner == k)
        if len(mine):
            distances = np.linalg.norm(rows[mine] - center, axis=1)
            ordered = [texts[i] for i in mine[np.argsort(distances, kind="stable")].tolist()]
            found[k] = list(dict.fromkeys(ordered))[:n_texts]
    return found


def _unit(rows: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: FloatArray = rows / np.where(lengths > 0, lengths, 1.0)
    return unit
