"""Which of the clusters just found is which of the remembered ones."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from dynmeans.algorithms.kernel_objective import ClusterSums, cluster_sums
from dynmeans.kernels.base import Similarity
from dynmeans.model.costs import Costs
from dynmeans.model.prior import Prior
from dynmeans.model.types import FloatArray, IntArray


def link(labels: IntArray, similarity: Similarity, prior: Prior, costs: Costs) -> IntArray:
    """Eq. (clustermatching): the cheapest linking of clusters to old ones, where each may stay new.

    The constraints of the paper's linear program are totally unimodular, so its optimum is an assignment.
    A pair that saves nothing is worth 0, as much as staying new, and is undone after the assignment.

    Parameters
    ----------
    labels : ndarray of shape (R,)
        Clusters 0 .. L-1 of the representatives, none of them empty.
    similarity, prior, costs : Similarity, Prior, Costs
        The step, with K remembered clusters.

    Returns
    -------
    ndarray of shape (R,)
        Slots: 0 .. K-1 for clusters that are an old one again, K, K+1, ... for the others.
    """
    change = link_costs(cluster_sums(similarity, labels, int(labels.max()) + 1), similarity, prior, costs)
    return cheapest_slots(change)[labels]


def cheapest_slots(change: FloatArray) -> IntArray:
    """Slot (L,) of every cluster, from what each link (L, K) changes the cost by; newborn in their order."""
    n_clusters, old = change.shape
    slots = np.full(n_clusters, -1, dtype=np.int64)
    if n_clusters > 0 and old > 0:
        found, known = linear_sum_assignment(np.minimum(change, 0.0))
        saves = change[found, known] < 0
        slots[found[saves]] = known[saves]
    newborn = slots < 0
    slots[newborn] = old + np.arange(np.count_nonzero(newborn))
    return slots


def link_costs(sums: ClusterSums, similarity: Similarity, prior: Prior, costs: Costs) -> FloatArray:
    """Change of the cost (L, K) when cluster l is old cluster k instead of a new one, through a kernel."""
    n = sums.weight[:, None]
    zeta = n * similarity.phi_phi - 2.0 * sums.past + sums.within[:, None] / n
    return link_prices(zeta, sums.weight, prior, costs)


def link_prices(zeta: FloatArray, weight: FloatArray, prior: Prior, costs: Costs) -> FloatArray:
    """Price of each link less that of a birth, (L, K).

    zeta_lk is n_l times the squared distance between the mean of cluster l and the old centre k.
    """
    n, gamma = weight[:, None], prior.gammas
    change: FloatArray = prior.revival - costs.birth + gamma * zeta / (gamma + n)
    return change
