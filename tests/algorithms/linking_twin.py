"""The linking of clusters to old ones, from the compiled pairing and from SciPy's."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from dynmeans._algorithms.kernel_space.kernel_objective import apart_from_old
from dynmeans._core import link_clusters
from kernel_twins import cluster_sums


def link(labels, similarity, prior, costs):
    """Slots of the representatives."""
    sums = cluster_sums(similarity, labels, labels.max() + 1)
    apart = apart_from_old(sums, similarity)
    return link_clusters(apart, sums.weight, prior.gammas, prior.revival, costs.birth)[labels]


def link_costs(sums, similarity, prior, costs):
    """Change of the cost (L, K) when cluster l is old cluster k instead of a new one."""
    apart, n, gamma = apart_from_old(sums, similarity), sums.weight[:, None], prior.gammas
    return prior.revival - costs.birth + gamma * apart / (gamma + n)


def link_slowly(labels, similarity, prior, costs):
    """The same slots by SciPy's assignment; pairs that do not lower the cost are removed."""
    change = link_costs(cluster_sums(similarity, labels, labels.max() + 1), similarity, prior, costs)
    slots = np.full(len(change), -1)
    for found, old in zip(*linear_sum_assignment(np.minimum(change, 0.0)), strict=True):
        slots[found] = old if change[found, old] < 0 else -1
    newborn = slots < 0
    slots[newborn] = len(prior.gammas) + np.arange(np.count_nonzero(newborn))
    return slots[labels]
