"""Assignment of the groups of a batch to remembered clusters: by shared items first, then by centers."""

from __future__ import annotations

import numpy as np

from dynmeans._algorithms.linking.shared_items import NOT_LINKED, SharedItems
from dynmeans._core import link_clusters
from dynmeans._model.prior import Prior
from dynmeans._model.types import FloatArray, IntArray


def assign_groups(
    distances: FloatArray,
    sizes: FloatArray,
    prior: Prior,
    birth: float,
    shared: SharedItems | None = None,
) -> IntArray:
    """Return the slot (L,) of every group: an old cluster 0 .. K-1, or K, K+1, ... for a newborn one.

    Linking group l of weight n to old cluster k costs Q dt + gamma / (gamma + n) ``distances[l, k]``, where
    the distances are n |m - phi|^2. A new cluster costs the birth cost. The total is minimized.

    Groups and clusters that are linked by items take no part in this. Of the others, a pair is excluded if
    all members of the old cluster in the batch are in other groups.
    """
    if shared is None or not shared.counts.any():
        return link_clusters(distances, sizes, prior.gammas, prior.revival, birth)
    slots = shared.links(1.0 - prior.revival / birth)
    groups = np.flatnonzero(slots == NOT_LINKED)
    clusters = np.setdiff1d(np.arange(len(prior.gammas)), slots)
    pairs = np.ix_(groups, clusters)
    gammas, weights = prior.gammas[clusters], sizes[groups]
    # A link that costs twice the birth cost is never made.
    forbidden = 2.0 * birth * (gammas + weights[:, None]) / gammas
    allowed = np.where(shared.excluded()[pairs], forbidden, distances[pairs])
    found = link_clusters(allowed, weights, gammas, prior.revival[clusters], birth)
    is_old = found < len(clusters)
    slots[groups[is_old]] = clusters[found[is_old]]
    slots[slots == NOT_LINKED] = len(prior.gammas) + np.arange(np.count_nonzero(slots == NOT_LINKED))
    return slots
