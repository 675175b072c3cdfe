"""Smaller problems that approximate a larger one: blocks of rows, and samples of rows."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels.base import Similarity


def merge(similarity: Similarity, blocks: IntArray) -> Similarity:
    """Replace each block by one representative at its mean, with the total weight.

    A clustering of the blocks costs less than the same clustering of the rows. The difference is the scatter
    within the blocks, which does not depend on the clustering.

    Parameters
    ----------
    similarity : Similarity
        Of R representatives.
    blocks : ndarray of shape (R,)
        Block 0 .. B-1 of each representative; no block is empty.

    Returns
    -------
    Similarity
        Of B representatives, in the form of the given one.
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
    """Select some representatives and scale their weights to the total of all."""
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
    """Return the similarity without remembered clusters."""
    reduced = similarity._replace(y_phi=np.empty((len(similarity.weights), 0)), phi_phi=np.empty(0))
    if similarity.features is None:
        return reduced
    return reduced._replace(phi_features=np.empty((0, similarity.features.shape[1])))


def mean_squared_deviation(similarity: Similarity) -> float:
    """Return the weighted squared distance of a representative to the mean of all, averaged."""
    weights: FloatArray = similarity.weights
    mean = weights @ similarity.multiply(weights) / weights.sum()
    return float(weights @ similarity.diagonal - mean) / len(weights)
