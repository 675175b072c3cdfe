"""Tasks that find the shift and the scale of a batch (`src/core/dmeans/batch/batch_scale.hpp`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._core import group_sums, row_extent, shift_rows
from dynmeans._model.types import FloatArray
from dynmeans.distributed._messages import BatchScale
from dynmeans.distributed._tasks import RowChunk, aligned

FEW = 4096  # selected rows of a chunk that are sent to the driver


class ShiftRows(NamedTuple):
    """Rows of a chunk whose mean is the shift of the batch."""

    n: int
    rows: Rows | None  # (n, d); None if there are many
    largest: FloatArray  # (d,) absolute coordinate
    smallest: FloatArray  # (d,) other than 0


def select_shift_rows(chunk: RowChunk, n_rows: int) -> ShiftRows:
    """Select the rows of a chunk whose mean is the shift of a batch of ``n_rows`` rows."""
    rows = shift_rows(aligned(chunk).rows, n_rows)
    _, largest, smallest, _ = row_extent(rows, None, np.zeros(rows.shape[1]))
    return ShiftRows(len(rows), rows if len(rows) <= FEW else None, largest, smallest)


def sum_shift_rows(
    chunk: RowChunk, n_rows: int, largest: FloatArray, smallest: FloatArray, n: int
) -> FloatArray:
    """Return the sum of the ``n`` selected rows of a batch that are in this chunk, as folds (folds, d)."""
    rows = shift_rows(aligned(chunk).rows, n_rows).astype(np.float64)
    group = np.zeros(len(rows), dtype=np.int32)
    return group_sums(rows, group, 1, largest, smallest, n).reshape(-1, rows.shape[1])


def add_folds(parts: Sequence[FloatArray]) -> FloatArray:
    """Add up sums; the additions are exact."""
    total: FloatArray = np.sum(parts, axis=0)
    return total


def total_of_folds(folds: FloatArray) -> FloatArray:
    """Return the total of folds (folds, ...), from the finest to the coarsest as `SumGrid::total`."""
    total: FloatArray = folds[-1].copy()
    for fold in folds[-2::-1]:
        total += fold
    return total


def measure_terms(chunk: RowChunk, shift: FloatArray) -> BatchScale:
    """Return the scale of a chunk, given the shift of the batch."""
    rows, weights = aligned(chunk)
    return BatchScale(shift, *row_extent(rows, weights, shift))


def merge_scales(parts: Sequence[BatchScale]) -> BatchScale:
    """Return the scale of several chunks."""
    shift, radius, largest, smallest, weights = zip(*parts, strict=True)
    sizes = np.array([each for each in weights if len(each)]).reshape(-1, 2)
    return BatchScale(
        shift[0],
        max(radius),
        np.max(largest, axis=0),
        np.min(smallest, axis=0),
        np.array([sizes[:, 0].max(), sizes[:, 1].min()]) if len(sizes) else np.empty(0),
    )
