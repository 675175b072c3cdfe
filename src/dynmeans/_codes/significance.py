"""Significance over the steps of a stream."""

from __future__ import annotations

import numpy as np

from dynmeans._model.types import FloatArray

SIGNIFICANT = 2.0  # standard errors over the steps


def is_significant(values: FloatArray, limit: float = 0.0, n_errors: float = SIGNIFICANT) -> bool:
    """Return whether the mean of one value per step exceeds a limit by more than some standard errors."""
    if len(values) < 2:
        return False
    error = float(values.std(ddof=1)) / np.sqrt(len(values))
    return bool(values.mean() - limit > n_errors * error)
