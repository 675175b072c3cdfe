"""From eigenvectors to clusters, after Yu and Shi (2003).

The relaxed optimum is known up to a rotation. The rows of the points, scaled to unit length, are turned
until they look like indicators: each row near one axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans.core import round_rows
from dynmeans.model.types import FloatArray, IntArray


class Embedding(NamedTuple):
    """The points as the eigenvectors see them."""

    rows: FloatArray  # V-bar (R, c)  of unit length, or 0 for a point that no eigenvector touches
    lengths: FloatArray  # (R,)  before the scaling, of a single point of weight 1
    weights: FloatArray  # m (R,)


class Rounded(NamedTuple):
    """A partition of the points."""

    labels: IntArray  # (R,)  0 .. L-1 by first appearance, none of them empty
    n_iter: int
    clarity: float  # mean cosine between rows and their axes, by weight; 1 if every row lies on one


def embed(vectors: FloatArray, weights: FloatArray, gammas: FloatArray) -> Embedding:
    """Rows of the points (the first R of R + K), without directions that belong to unseen old clusters.

    A representative of weight m stands for m equal points, whose rows are 1/sqrt(m) of its own.
    """
    points = _seen(vectors, weights, gammas) / np.sqrt(weights)[:, None]
    lengths = np.sqrt(np.einsum("rc,rc->r", points, points))
    rows = points / np.where(lengths > 0, lengths, 1.0)[:, None]
    return Embedding(rows, lengths, weights)


def round_to_labels(embedding: Embedding, first: int, max_iter: int) -> Rounded:
    """Alternate between the nearest indicators and the best rotation while their distance falls.

    Parameters
    ----------
    embedding : Embedding
        Unit rows (R, c) of the points.
    first : int
        The row that the first axis starts from; other rows give other, often equal, results.
    max_iter : int
        Largest number of alternations.

    Returns
    -------
    Rounded
        Labels, at most c different ones, the alternations needed, and how near the rows came.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, 0.0], [0.96, 0.28], [0.0, 1.0]])
    >>> round_to_labels(Embedding(rows, np.ones(3), np.ones(3)), first=0, max_iter=10).labels
    array([0, 0, 1])
    """
    return Rounded(*round_rows(embedding.rows, embedding.lengths, embedding.weights, first, max_iter))


def largest_row(embedding: Embedding) -> int:
    """The row that the eigenvectors touch most: a safe one to begin with."""
    return int(np.argmax(embedding.lengths))


def random_row(embedding: Embedding, rng: np.random.Generator) -> int:
    """A row drawn in proportion to the weights, as if equal points had not been merged."""
    reached = np.cumsum(embedding.weights)
    return int(np.searchsorted(reached, rng.uniform() * reached[-1], side="right").clip(max=len(reached) - 1))


def _seen(vectors: FloatArray, weights: FloatArray, gammas: FloatArray) -> FloatArray:
    """Point part (R, c') of the span of the vectors, less the directions that carry no point.

    An old cluster that no point joins has an eigenvalue of its own, and it may exceed the birth cost. In
    the span of the vectors, let a direction have mass p on the points and v_k on old cluster k. A cluster of
    weight n linked to k has p = n / (gamma + n) and v_k^2 = gamma / (gamma + n), so p / sum(v_k^2 / gamma_k)
    is n. A direction of less than half the lightest point is nobody's. Directions are taken along the
    axes of the point part, since equal eigenvalues mix seen and unseen clusters at will.
    """
    size = len(weights)
    points, past = vectors[:size], vectors[size:]
    if len(past) == 0:
        return points
    mass, turn = np.linalg.eigh(points.T @ points)
    spread = ((past @ turn) ** 2 / gammas[:, None]).sum(axis=0)
    carries = mass >= 0.5 * weights.min() * spread
    carries[-1] = True
    seen: FloatArray = points if carries.all() else points @ turn[:, carries]
    return seen
