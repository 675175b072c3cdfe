"""One batch, and how hard to search for its best clustering."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dynmeans._model.types import FloatArray, IntArray

Rows: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

LARGEST_COORDINATE = 1e150  # the square of a difference must be a finite double


class Batch(NamedTuple):
    """The rows of one time step."""

    rows: Rows  # (n, d) C-contiguous, float32 or float64, finite
    weights: FloatArray | None  # (n,) all positive; None for ones
    time: float
    labels: IntArray | None = None  # (n,) clusters that somebody else found, -1 for noise


class Search(NamedTuple):
    """How the descent looks for the lowest cost; what it finds depends on all but the threads."""

    seed: int
    n_restarts: int
    max_iter: int
    n_threads: int  # 0 for as many as there are
    refine: bool = False  # end each descent of D-Means with changes of whole clusters and single rows


def check_range(rows: Rows, largest: float) -> Rows:
    """Widen float32 rows whose squares would leave float32, and refuse what leaves float64 too.

    ``largest`` is their `largest_size`.
    """
    if largest > LARGEST_COORDINATE:
        raise ValueError(f"coordinates must lie within ±{LARGEST_COORDINATE:g}, got {largest!r}")
    if rows.dtype == np.float32 and not 1e-15 < largest < 1e15:
        return rows.astype(np.float64)
    return rows
