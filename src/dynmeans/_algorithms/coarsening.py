"""Smaller problems that stand for a larger one: blocks of rows, and samples of rows."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels.base import Similarity


def merge(similarity: Similarity, blocks: IntArray) -> Similarity:
    """One representative a block, at the mean of its rows, with their weight.

    A clustering of the blocks costs less than the same clustering of the rows by the spread within the
    blocks, which does not depend on the clustering.

    Parameters
    ----------
    similarity : Similarity
        Of R representatives.
    blocks : ndarray of shape (R,)
        Block 0 .. B-1 of each, none of them empty.

    Returns
    -------
    Similarity
        Of B representatives, in the form of the one given.
    """
    weights: FloatArray = np.bincount(blocks, weights=similarity.weights).astype(np.float64)
    size, shares = len(blocks), similarity.weights / weights[blocks]
    means = csr_array((shares, blocks, np.arange(size + 1)), shape=(size, len(weights))).T
    coarse = similarity._replace(
        weights=weights, y_phi=np.ascontiguousarray(means @ similarity.y_phi), group=None
    )
    if similarity.features is not None:
        features = means @ similarity.features
        return coarse._replace(features=features, diagonal=np.einsum("bf,bf->b", features, features))
    matrix = means @ similarity.matrix @ means.T
    if not issparse(matrix):
        matrix = np.ascontiguousarray(matrix)
    return coarse._replace(matrix=matrix, diagonal=np.array(matrix.diagonal()))


def sample(similarity: Similarity, rows: IntArray) -> Similarity:
    """Some of the representatives, with the weight of all."""
    weights = similarity.weights[rows]
    small = similarity._replace(
        weights=weights * (similarity.weights.sum() / weights.sum()),
        diagonal=similarity.diagonal[rows],
        y_phi=similarity.y_phi[rows],
        group=None,
    )
    if similarity.matrix is None:
        return small._replace(features=np.asarray(similarity.features)[rows])
    return small._replace(matrix=similarity.matrix[np.ix_(rows, rows)])


def without_past(similarity: Similarity) -> Similarity:
    """The rows as if no cluster were remembered."""
    forgotten = similarity._replace(y_phi=np.empty((len(similarity.weights), 0)), phi_phi=np.empty(0))
    if similarity.features is None:
        return forgotten
    return forgotten._replace(phi_features=np.empty((0, similarity.features.shape[1])))


def spread(similarity: Similarity) -> float:
    """Weighted squared distance of a representative to the middle of all, on average over representatives."""
    weights: FloatArray = similarity.weights
    middle = weights @ similarity.multiply(weights) / weights.sum()
    return float(weights @ similarity.diagonal - middle) / len(weights)
