"""The rounding after Yu and Shi: the parts of the compiled one by name, and its slow twin in NumPy."""

from typing import NamedTuple

import numpy as np

from dynmeans._core import embed_rows, round_rows


class Embedding(NamedTuple):
    """Coordinates of the points in the eigenvectors."""

    rows: np.ndarray
    lengths: np.ndarray
    weights: np.ndarray


class Rounded(NamedTuple):
    """A partition of the points."""

    labels: np.ndarray
    n_iter: int
    mean_cosine: float


def embed(vectors, weights, gammas):
    """The compiled embedding."""
    return Embedding(*embed_rows(vectors, weights, gammas), weights)


def round_to_labels(embedding, first, max_iter):
    """The compiled rounding."""
    return Rounded(*round_rows(*embedding, first, max_iter))


def largest_row(embedding):
    """The first row of the first restart."""
    return int(np.argmax(embedding.lengths))


def embed_slowly(vectors, weights, gammas):
    """Unit rows of the points, without directions that belong to unseen old clusters."""
    points, past = vectors[: len(weights)], vectors[len(weights) :]
    if len(past) > 0:
        mass, turn = np.linalg.eigh(points.T @ points)
        carries = mass >= 0.5 * weights.min() * ((past @ turn) ** 2 / gammas[:, None]).sum(axis=0)
        carries[-1] = True
        points = points if carries.all() else points @ turn[:, carries]
    points = points / np.sqrt(weights)[:, None]
    lengths = np.linalg.norm(points, axis=1)
    return Embedding(points / np.where(lengths > 0, lengths, 1.0)[:, None], lengths, weights)


def round_slowly(embedding, first, max_iter):
    """Labels, alternations, mean_cosine, and the fewest axes that had members before a rotation."""
    rotation = most_orthogonal_rows(embedding, first)
    labels, n_iter = nearest_axes(embedding, rotation), 0
    best, falls, fewest = 0.0, True, embedding.rows.shape[1]
    while falls and n_iter < max_iter:
        fewest = min(fewest, len(np.unique(labels)))
        rotation, agreement = best_rotation(embedding, labels)
        nearest = nearest_axes(embedding, rotation)
        falls = agreement > best and not np.array_equal(nearest, labels)
        labels, best, n_iter = nearest, agreement, n_iter + 1
    return by_first_appearance(labels), n_iter, best / embedding.weights.sum(), fewest


def most_orthogonal_rows(embedding, first):
    """The initial U (c, c): rows of the embedding, each the most orthogonal to those before it."""
    rows = embedding.rows
    overlap = np.where(embedding.lengths > 0, 0.0, np.inf)
    axes = [rows[first]]
    for _ in range(rows.shape[1] - 1):
        overlap += np.abs(rows @ axes[-1])
        axes.append(rows[np.argmin(overlap)])
    return np.stack(axes, axis=1)


def nearest_axes(embedding, rotation):
    """Eq. XUpdate: the axis nearest to every row."""
    nearest = np.argmax(embedding.rows @ rotation, axis=1)
    return nearest


def best_rotation(embedding, labels):
    """Eq. UUpdate: the rotation of the rows nearest to the indicators, and the sum of the singular values.

    The squared distance between indicators X and rows V U is a constant less twice the sum of the singular
    values of X'V, so the distance falls when their sum rises. A row of weight m counts m times.
    """
    indicators = np.eye(embedding.rows.shape[1])[labels]
    indicators *= embedding.weights[:, None]
    left, values, right = np.linalg.svd(indicators.T @ embedding.rows)
    return right.T @ left.T, float(values.sum())


def by_first_appearance(labels):
    """Number the labels that occur 0, 1, ... in the order of their first rows."""
    first = np.full(int(labels.max()) + 1, len(labels))
    first[labels[::-1]] = np.arange(len(labels))[::-1]  # of several writes the last stays: the first row
    number = np.argsort(np.argsort(first))
    return number[labels]
