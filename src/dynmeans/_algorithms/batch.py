"""One batch, and the options of the search for its best clustering."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

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
    labels: IntArray | None = None  # (n,) clusters found by another method, -1 for noise
    items: NDArray[Any] | None = None  # (n,) names of the rows, int64 or str objects, each once


class SearchOptions(NamedTuple):
    """Options of the search for the lowest cost. Results do not depend on the number of threads."""

    seed: int
    n_restarts: int
    max_iter: int
    n_threads: int  # 0 for all cores
    refine: bool = False  # end each descent of D-Means with splits, merges and re-links of whole clusters
    exclusive: bool = False  # D-Means with at most one row per cluster, which needs no search
    duplicates: bool = False  # with exclusive: the other rows may join a cluster that has a row
    merge: bool = False  # after a descent, merge clusters that are not worth a birth into older ones


def check_range(rows: Rows, largest: float) -> Rows:
    """Convert float32 rows whose squares would overflow to float64; raise if they overflow float64 too.

    ``largest`` is the largest absolute coordinate.
    """
    if largest > LARGEST_COORDINATE:
        raise ValueError(f"coordinates must lie within ±{LARGEST_COORDINATE:g}, got {largest!r}")
    if rows.dtype == np.float32 and not 1e-15 < largest < 1e15:
        return rows.astype(np.float64)
    return rows
