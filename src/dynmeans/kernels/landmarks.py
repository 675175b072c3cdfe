"""Features of a kernel from a few landmarks (Nystroem): K is about B B', exact at the landmarks.

Landmarks are drawn in proportion to what the earlier ones leave unexplained, as k-means++ does in the
space of the kernel, but at numbers of the golden-ratio sequence in place of random ones: the same points
always give the same landmarks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import solve_triangular

from dynmeans._model.types import FloatArray, IntArray

GOLDEN = (5**0.5 - 1) / 2
EXPLAINED = 1e-8  # a point that misses less than this of its own similarity counts as explained
BLOCK = 1 << 16  # rows whose features are formed at a time

Between = Callable[[FloatArray, FloatArray], FloatArray]  # (A, B) -> (len A, len B), with 1 on the diagonal


def landmark_features(between: Between, landmarks: FloatArray, points: FloatArray) -> FloatArray:
    """Features B (n, f) of the points, for independent landmarks (f, d)."""
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
    """At most `count` of the points that explain the others well; fewer if fewer explain all of them."""
    factor = np.zeros((len(points), min(count, len(points))))
    missing = np.ones(len(points))
    chosen: list[int] = []
    for j in range(factor.shape[1]):
        total = np.cumsum(mass * missing)
        if total[-1] <= 0:
            break
        pivot = int(np.searchsorted(total, (0.5 + j * GOLDEN) % 1.0 * total[-1], side="right"))
        column = between(points, points[[pivot]])[:, 0] - factor[:, :j] @ factor[pivot, :j]
        factor[:, j] = column / np.sqrt(missing[pivot])
        missing -= factor[:, j] ** 2
        missing[missing < explained] = 0.0
        missing[pivot] = 0.0
        chosen.append(pivot)
    return np.array(chosen, dtype=np.int64)
