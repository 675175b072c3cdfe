"""Standardization of features, by the scale of the first batch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._model.types import FloatArray


class Scale(NamedTuple):
    """Mean and standard deviation of every feature."""

    mean: FloatArray  # (d,)
    deviation: FloatArray  # (d,)  1 where all rows are equal

    def apply(self, X: FloatArray) -> FloatArray:
        """Standardize rows: mean 0 and deviation 1 for the rows from which the scale was computed."""
        return (X - self.mean) / self.deviation

    def undo(self, X: FloatArray) -> FloatArray:
        """Convert standardized rows back to their units."""
        return X * self.deviation + self.mean


def learn_scale(X: FloatArray, weights: FloatArray | None = None) -> Scale:
    """Compute the scale of every feature.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    weights : ndarray of shape (n,) or None
        Weight of each row.

    Returns
    -------
    Scale

    Raises
    ------
    ValueError
        If all weights are zero.

    Examples
    --------
    >>> learn_scale(np.array([[0.0, 5.0], [2.0, 5.0]])).apply(np.array([[2.0, 6.0]]))
    array([[1., 1.]])
    """
    if weights is not None and not weights.any():
        raise ValueError("all weights are zero: a scale cannot be computed")
    mean = np.average(X, axis=0, weights=weights)
    spread = np.abs(X - mean)
    largest = spread.max(axis=0)
    largest[largest == 0] = 1.0  # squares of the unscaled spread would overflow or underflow in extreme units
    deviation = largest * np.sqrt(np.average((spread / largest) ** 2, axis=0, weights=weights))
    deviation[deviation == 0] = 1.0
    return Scale(mean, deviation)
