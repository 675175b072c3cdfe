"""Evenly spaced samples, which are deterministic and keep the order of the rows."""

from __future__ import annotations

import numpy as np

from dynmeans._model.types import IntArray


def evenly_spaced(n: int, at_most: int) -> IntArray:
    """Return at most ``at_most`` evenly spaced indices of n rows, the first and the last among them.

    Examples
    --------
    >>> evenly_spaced(9, 3).tolist()
    [0, 4, 8]
    """
    return np.linspace(0, n - 1, min(n, at_most)).astype(np.int64)
