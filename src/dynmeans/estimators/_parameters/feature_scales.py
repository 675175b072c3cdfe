"""Scales of the features: distances are computed between rows that are divided by them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dynmeans._algorithms.batch import Rows, check_range
from dynmeans._core import max_abs
from dynmeans._model.types import FloatArray
from dynmeans.estimators._validation import shown, valid_number


def valid_feature_scales(value: Any, n_features: int | None = None) -> FloatArray | None:
    """Return the scales (n_features,), or None if they are not set."""
    if value is None:
        return None
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
        raise ValueError(f"feature_scales must be a sequence of positive numbers, got {shown(value)}")
    numbers = [valid_number("an entry of feature_scales", entry) for entry in value]
    scales: FloatArray = np.array(numbers, dtype=np.float64)
    if scales.ndim != 1 or not (np.isfinite(scales) & (scales > 0.0)).all():
        raise ValueError(f"feature_scales must be positive and finite, got {shown(value)}")
    if n_features is not None and len(scales) != n_features:
        raise ValueError(f"feature_scales must have one entry per feature ({n_features}), got {len(scales)}")
    return scales


def scales_as_tuple(value: Any) -> tuple[float, ...] | None:
    """Return the scales as a value that can be compared."""
    scales = valid_feature_scales(value)
    return None if scales is None else tuple(scales.tolist())


def divided(rows: Rows, feature_scales: Any) -> Rows:
    """Return rows divided by the scales; the same rows without scales."""
    scales = valid_feature_scales(feature_scales, rows.shape[1])
    if scales is None:
        return rows
    with np.errstate(over="ignore"):  # `check_range` raises for infinite rows
        found: Rows = np.ascontiguousarray((rows / scales).astype(rows.dtype, copy=False))
    return check_range(found, max_abs(found)) if len(found) else found


def in_units_of_rows(positions: FloatArray, feature_scales: Any) -> FloatArray:
    """Return scaled positions or velocities (K, n_features) in the units of the rows."""
    scales = valid_feature_scales(feature_scales)
    return positions if scales is None else positions * scales
