"""Noise of a clusterer: rows that it assigns to no cluster."""

from __future__ import annotations

import numpy as np
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.linking.link_step import NOISE, gather
from dynmeans._model.types import IntArray


def noise_to_nearest(batch: Batch, labels: IntArray, *, by_row: bool = False) -> IntArray:
    """Return labels (n,) without noise: each noise row joins the cluster of its batch with the nearest mean.

    With ``by_row`` it joins the cluster of the nearest clustered row, for clusters that are not convex. A
    batch of noise only becomes one cluster.
    """
    is_noise = labels == NOISE
    if is_noise.all():
        return np.zeros_like(labels)
    if not is_noise.any():
        return labels
    filled, known = labels.copy(), labels[~is_noise]
    if by_row:
        filled[is_noise] = known[KDTree(batch.rows[~is_noise]).query(batch.rows[is_noise])[1]]
        return filled
    groups = gather(batch, labels)
    name_of_group = np.empty(len(groups.sizes), dtype=labels.dtype)
    name_of_group[groups.which] = known
    filled[is_noise] = name_of_group[cdist(batch.rows[is_noise], groups.means).argmin(axis=1)]
    return filled
