"""Validation of the weights and labels of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._core import max_abs
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.estimators._validation.unsuitable_rows import refuse_masked

LIGHTEST, HEAVIEST = 1e-100, 1e100  # weights: their inverses and their products with squares are finite
LARGEST_MOMENT = 1e305  # weight times squared coordinates
NO_WEIGHT = "sample_weight must not be zero everywhere: a zero weight means that the row is absent"


def valid_weights(sample_weight: Any, n: int) -> FloatArray | None:
    """Return (n,) weights, or None for all ones; a zero weight means that the row is absent."""
    if sample_weight is None:
        return None
    weights = _as_weights(sample_weight)
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {weights.shape}")
    weights_in_range(weights)
    if n > 0 and not weights.any():
        raise ValueError(NO_WEIGHT)
    return weights


def weights_in_range(sample_weight: Any) -> FloatArray:
    """Return weights as float64 numbers; raise if one is invalid."""
    weights = _as_weights(sample_weight)
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        value = float(weights[row])
        raise ValueError(f"sample_weight must be finite and not negative, got {value} in row {row}")
    bad = (weights > HEAVIEST) | ((weights < LIGHTEST) & (weights > 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"sample_weight must be 0 or lie within {LIGHTEST:g} .. {HEAVIEST:g}, "
            f"got {float(weights[row])!r} in row {row}"
        )
    return weights


def _as_weights(sample_weight: Any) -> FloatArray:
    """Return float64 numbers in native byte order, aligned and contiguous; a scalar stays one."""
    refuse_masked("sample_weight", sample_weight)
    given = np.asarray(sample_weight)
    if given.dtype.kind == "c":
        raise ValueError(f"sample_weight must be real numbers, got {given.dtype}")
    weights: FloatArray = np.require(given.astype(np.float64, copy=False), requirements=["C", "A"])
    return weights.reshape(given.shape)


def valid_balance(rows: Rows, weights: FloatArray | None) -> None:
    """Raise if the cost of a batch could overflow: weights times squared coordinates."""
    if weights is None:
        return
    largest, total = max_abs(rows), float(weights.sum())
    if total * max(largest, 1.0) ** 2 > LARGEST_MOMENT:
        raise ValueError(
            f"the sum of sample_weight times the largest squared coordinate must be at most "
            f"{LARGEST_MOMENT:g}, got {total:g} times {largest:g} squared"
        )


def valid_labels(labels: Any) -> IntArray:
    """Return the given labels (n,), -1 for noise."""
    refuse_masked("labels", labels)
    found = np.asarray(labels)
    if found.shape == (0,):
        return np.empty(0, dtype=np.int64)  # an empty list is an array of floats
    if found.ndim != 1 or found.dtype.kind not in "iub":
        raise ValueError(
            f"labels must be a list of whole numbers, got an array of {found.dtype} {found.shape}"
        )
    whole: IntArray = found.astype(np.int64)
    if whole.min(initial=0) < -1:
        row = int(np.argmin(whole))
        raise ValueError(
            f"labels must be whole numbers >= -1, where -1 is noise, got {whole[row]} in row {row}"
        )
    return whole
