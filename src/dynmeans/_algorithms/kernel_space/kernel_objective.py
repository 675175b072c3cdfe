"""The cost of a clustering in the space of a kernel, from sums over its clusters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse

from dynmeans._model.costs import Costs
from dynmeans._model.prior import Prior
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels.base import Similarity

LARGEST_DENSE = 10_000  # entries of an indicator matrix up to which a dense one is faster than a sparse one


class ClusterSums(NamedTuple):
    """Sums over the members of L clusters, which determine the cost."""

    weight: FloatArray  # n (L,)
    past: FloatArray  # (L, K)  sum of m_i K_YPhi_ik over the members i
    within: FloatArray  # (L,)  sum of m_i m_j K_YY_ij over pairs of members i, j


def row_sums(similarity: Similarity, weights: FloatArray, labels: IntArray, n_clusters: int) -> ClusterSums:
    """Sum the similarities of every cluster 0 .. n_clusters-1; 0 for clusters without members.

    ``weights`` and ``labels`` (n,) are those of the rows; rows of one representative may have several labels.
    """
    index = np.arange(len(labels)) if similarity.group is None else similarity.group
    members = _members(index, weights, labels, len(similarity.weights), n_clusters)
    weight = np.asarray(members.sum(axis=0))
    return ClusterSums(weight, members.T @ similarity.y_phi, _within(similarity, members))


def cost_of_sums(sums: ClusterSums, similarity: Similarity, prior: Prior, costs: Costs) -> float:
    """Eq. (krnmin): return the cost of a clustering with optimal centers.

    Parameters
    ----------
    sums : ClusterSums
        Of all slots; the remembered ones 0 .. K-1 come first.
    similarity : Similarity
        Of R representatives and K remembered clusters.
    prior : Prior
        Weights (gamma) and revival costs (Q dt) of the remembered clusters.
    costs : Costs
        Only the birth cost is used.

    Returns
    -------
    float
        The objective of D-Means in the space of the kernel.

    Notes
    -----
    The indicator of the birth cost is printed as dt = 0: new clusters cost lambda, old ones cost Q dt.
    """
    old = len(prior.gammas)
    gamma = np.zeros(len(sums.weight))
    fixed = np.full(len(sums.weight), float(costs.birth))
    # Contribution of the old center: gamma (n K_PhiPhi - 2 sum of K_YPhi).
    old_terms = np.zeros(len(sums.weight))
    gamma[:old], fixed[:old] = prior.gammas, prior.revival
    old_terms[:old] = prior.gammas * (sums.weight[:old] * similarity.phi_phi - 2.0 * np.diagonal(sums.past))
    active = sums.weight > 0
    share = (old_terms - sums.within)[active] / (gamma + sums.weight)[active]
    return float(similarity.weights @ similarity.diagonal + np.sum(fixed[active] + share))


def apart_from_old(sums: ClusterSums, similarity: Similarity) -> FloatArray:
    """Return n_l times the squared distance between the mean of cluster l and the old center k, (L, K)."""
    n = sums.weight[:, None]
    apart: FloatArray = n * similarity.phi_phi - 2.0 * sums.past + sums.within[:, None] / n
    return apart


def _members(
    index: IntArray, weights: FloatArray, labels: IntArray, size: int, n_clusters: int
) -> FloatArray | csr_array:
    """Return the matrix (R, L) of the weight of each representative in each cluster."""
    if size * n_clusters > LARGEST_DENSE:
        return csr_array((weights, (index, labels)), shape=(size, n_clusters))
    members = np.zeros((size, n_clusters))
    np.add.at(members, (index, labels), weights)
    return members


def _within(similarity: Similarity, members: FloatArray | csr_array) -> FloatArray:
    """Return sums over pairs of members; with features, the squared length of the sum of a cluster."""
    if similarity.features is not None:
        total = members.T @ similarity.features
        return np.asarray(np.einsum("lf,lf->l", total, total))
    cluster_kernel = members.T @ similarity.matrix  # of each cluster at each representative
    if issparse(cluster_kernel):
        return np.asarray((cluster_kernel @ members).diagonal())
    if isinstance(members, csr_array):
        return np.asarray(members.multiply(cluster_kernel.T).sum(axis=0))
    return np.asarray(np.einsum("lr,rl->l", cluster_kernel, members))
