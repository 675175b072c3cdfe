"""Euclidean distances between all rows of two arrays, by a matrix product if there are many features."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from dynmeans._model.types import FloatArray

WIDE = 16  # number of features up to which single differences are as fast as a matrix product
ROUNDING = 1e-12  # squared distances below this share of the squared lengths are 0


def distances(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the distances (n, m) of rows a (n, d) and b (m, d).

    For more than WIDE features they are about ten times as fast as `cdist` and have about eight digits. Equal
    rows have distance 0.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels._geometry.distances import distances
    >>> distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[5.]])
    """
    unit = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0))) or 1.0
    a, b = a / unit, b / unit  # no square overflows
    if a.shape[1] <= WIDE:
        return np.asarray(cdist(a, b) * unit)
    middle = a.mean(axis=0)
    a, b = a - middle, b - middle
    lengths = np.einsum("ij,ij->i", a, a)[:, None] + np.einsum("ij,ij->i", b, b)
    squares = a @ b.T
    squares *= -2.0
    squares += lengths
    squares[squares < ROUNDING * lengths] = 0.0
    np.sqrt(squares, out=squares)
    squares *= unit
    return squares
