"""Standardization of features, by the scale of the first batch.

Sums are exact, so that rows in any order and in any parts, such as those of many machines, have one scale.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from dynmeans._model.types import BoolArray, FloatArray

ROUNDING = 4 * float(np.finfo(float).eps)  # relative error of a mean


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


class LearnedScale(NamedTuple):
    """A scale, and the features that it leaves as they are."""

    scale: Scale
    is_constant: BoolArray  # (d,)  all rows are equal in the feature, so that it has no scale


def learn_scale(X: FloatArray, weights: FloatArray | None = None) -> LearnedScale:
    """Compute the scale of every feature.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    weights : ndarray of shape (n,) or None
        Weight of each row.

    Returns
    -------
    LearnedScale

    Raises
    ------
    ValueError
        If all weights are zero.

    Examples
    --------
    >>> scale, is_constant = learn_scale(np.array([[0.0, 5.0], [2.0, 5.0]]))
    >>> scale.apply(np.array([[2.0, 6.0]])), is_constant
    (array([[1., 1.]]), array([False,  True]))
    """
    return scale_of_parts(lambda measure, *arguments: [measure(X, weights, *arguments)])


def scale_of_parts(over: Callable[..., Sequence[Any]]) -> LearnedScale:
    """Compute the scale of rows in parts; the result does not depend on the parts.

    Parameters
    ----------
    over : callable
        ``over(measure, *arguments)`` returns ``measure(X, weights, *arguments)`` for each part.
    """
    totals = _add(over(sum_rows))
    if totals.weight == 0:
        raise ValueError("all weights are zero: a scale cannot be computed")
    mean = totals.mean()
    largest: FloatArray = np.max(over(largest_spread, mean), axis=0)
    is_equal = largest <= ROUNDING * np.abs(mean)  # products with weights are rounded
    largest[is_equal] = 1.0  # squares of the unscaled spread would overflow or underflow in extreme units
    deviation = largest * np.sqrt(_add(over(sum_squares, mean, largest)).mean())
    is_constant = is_equal | (deviation == 0)  # rows of weight 0 may differ
    deviation[is_constant] = 1.0
    return LearnedScale(Scale(mean, deviation), is_constant)


class RowTotals(NamedTuple):
    """Weight and sums of some rows, without rounding error."""

    weight: Fraction
    sums: list[Fraction]  # (d,)

    def mean(self) -> FloatArray:
        """Return the mean (d,), rounded once."""
        return np.array([float(total / self.weight) for total in self.sums])


def sum_rows(X: FloatArray, weights: FloatArray | None) -> RowTotals:
    """Return the totals of some rows (n, d)."""
    weight = Fraction(len(X)) if weights is None else _exact_sum(weights)
    terms = X if weights is None else X * weights[:, None]
    return RowTotals(weight, [_exact_sum(column) for column in terms.T])


def largest_spread(X: FloatArray, weights: FloatArray | None, mean: FloatArray) -> FloatArray:
    """Return the largest distance (d,) from the mean in every feature."""
    spread: FloatArray = np.abs(X - mean).max(axis=0)
    return spread


def sum_squares(
    X: FloatArray, weights: FloatArray | None, mean: FloatArray, largest: FloatArray
) -> RowTotals:
    """Return the totals of the squared distances from the mean, in units of the largest ones."""
    return sum_rows((np.abs(X - mean) / largest) ** 2, weights)


def _add(parts: Sequence[RowTotals]) -> RowTotals:
    columns = zip(*(part.sums for part in parts), strict=True)
    return RowTotals(
        sum((part.weight for part in parts), Fraction()), [sum(each, Fraction()) for each in columns]
    )


def _exact_sum(values: FloatArray) -> Fraction:
    """Add up numbers without rounding error: mantissas of 53 bits, in two halves, by their exponents."""
    fractions, exponents = np.frexp(values)
    mantissas = np.ldexp(fractions, 53).astype(np.int64)
    total = Fraction()
    for exponent in np.unique(exponents).tolist():
        chosen = mantissas[exponents == exponent]
        halves = (int((chosen >> 26).sum()) << 26) + int((chosen & (2**26 - 1)).sum())
        total += halves * Fraction(2) ** (exponent - 53)
    return total
