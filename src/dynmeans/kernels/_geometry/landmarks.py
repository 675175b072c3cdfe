"""Nystroem features from landmarks: K is approximately B B', exact at the landmarks.

Landmarks are drawn in proportion to the variance that earlier ones leave unexplained, as in k-means++ in the
space of the kernel. A golden-ratio sequence replaces random numbers, so the landmarks are deterministic.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import solve_triangular

from dynmeans._model.types import FloatArray, IntArray

GOLDEN = (5**0.5 - 1) / 2
EXPLAINED = 1e-8  # points with a smaller unexplained variance count as explained
BLOCK = 1 << 16  # number of rows per block

Between = Callable[[FloatArray, FloatArray], FloatArray]  # (A, B) -> (len A, len B), with 1 on the diagonal


def landmark_features(between: Between, landmarks: FloatArray, points: FloatArray) -> FloatArray:
    """Return the features B (n, f) of the points, for linearly independent landmarks (f, d)."""
    factor = np.linalg.cholesky(between(landmarks, landmarks))
    features = np.empty((len(points), len(landmarks)))
    for begin in range(0, len(points), BLOCK):
        block = between(landmarks, points[begin : begin + BLOCK])
        solved = solve_triangular(factor, block, lower=True, overwrite_b=True, check_finite=False)
        features[begin : begin + BLOCK] = solved.T
    return features


def choose_landmarks(
    between: Between, points: FloatArray, mass: FloatArray, count: int, explained: float = EXPLAINED
) -> IntArray:
    """Choose at most `count` points; fewer if they explain all others."""
    factor = np.zeros((len(points), min(count, len(points))))
    unexplained = np.ones(len(points))
    chosen: list[int] = []
    for j in range(factor.shape[1]):
        total = np.cumsum(mass * unexplained)
        if total[-1] <= 0:
            break
        pivot = int(np.searchsorted(total, (0.5 + j * GOLDEN) % 1.0 * total[-1], side="right"))
        column = between(points, points[[pivot]])[:, 0] - factor[:, :j] @ factor[pivot, :j]
        factor[:, j] = column / np.sqrt(unexplained[pivot])
        unexplained -= factor[:, j] ** 2
        unexplained[unexplained < explained] = 0.0
        unexplained[pivot] = 0.0
        chosen.append(pivot)
    return np.array(chosen, dtype=np.int64)
