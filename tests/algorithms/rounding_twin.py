"""The rounding after Yu and Shi in NumPy: the slow twin of the compiled one."""

import numpy as np


def round_slowly(embedding, first, max_iter):
    """Labels, alternations, clarity, and the fewest axes that had members before a rotation."""
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
    """U (c, c) to begin with: rows of the embedding, each the least like those before it."""
    rows = embedding.rows
    overlap = np.where(embedding.lengths > 0, 0.0, np.inf)
    axes = [rows[first]]
    for _ in range(rows.shape[1] - 1):
        overlap += np.abs(rows @ axes[-1])
        axes.append(rows[np.argmin(overlap)])
    return np.stack(axes, axis=1)


def nearest_axes(embedding, rotation):
    """Eq. XUpdate: every row to the axis it points along most."""
    nearest = np.argmax(embedding.rows @ rotation, axis=1)
    return nearest


def best_rotation(embedding, labels):
    """Eq. UUpdate: the rotation that brings the rows nearest to the indicators, and how well it does.

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
