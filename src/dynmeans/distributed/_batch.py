"""One batch on the workers, with the interface of an array."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.base import is_dask_collection
from distributed import Client
from numpy.typing import NDArray

from dynmeans._algorithms.batch import LARGEST_COORDINATE
from dynmeans._model.types import IntArray
from dynmeans.distributed import _tasks as tasks
from dynmeans.distributed._chunks import Chunks, read_chunks
from dynmeans.estimators._validation import LARGEST_MOMENT, NO_WEIGHT

SMALL = 4096  # rows; smaller batches are clustered where partial_fit is called
LARGEST = 1 << 30  # bytes; batches up to this size are gathered if a parameter needs all rows at once
SHORT = 1e-15  # float32 rows within SHORT .. 1 / SHORT are clustered as they are


class RemoteColumn:
    """Rows, weights or slots of a batch on the workers; an index gathers the rows that it selects."""

    def __init__(self, chunks: Chunks, function: Any, *arguments: Any) -> None:
        self._chunks, self._function, self._arguments = chunks, function, arguments

    def __len__(self) -> int:
        return self._chunks.n_rows

    def __getitem__(self, index: Any) -> NDArray[Any]:
        which = np.arange(*index.indices(len(self))) if isinstance(index, slice) else np.asarray(index)
        return self._chunks.gather(which, self._function, *self._arguments)


class RemoteRows(RemoteColumn):
    """The rows of a batch on the workers."""

    def __init__(self, chunks: Chunks) -> None:
        super().__init__(chunks, tasks.take, 0)
        self.chunks = chunks
        self.shape = chunks.n_rows, chunks.n_features
        self.dtype = chunks.dtype

    def __getitem__(self, index: Any) -> Any:
        return index.rows() if isinstance(index, PresentRows) else super().__getitem__(index)

    @property
    def nbytes(self) -> int:
        """Size of all rows."""
        return int(np.prod(self.shape)) * self.dtype.itemsize


class RemoteWeights(RemoteColumn):
    """The weights of the rows of a batch on the workers, with the array operations that a step needs."""

    def __init__(self, chunks: Chunks) -> None:
        super().__init__(chunks, tasks.take, 1)
        self.chunks = chunks

    def all(self) -> bool:
        """Return whether all weights are positive."""
        return self.chunks.lightest > 0.0

    def __gt__(self, limit: float) -> PresentRows:
        assert limit == 0
        return PresentRows(self.chunks.drop_absent())

    def __getitem__(self, index: Any) -> Any:
        return index.weights() if isinstance(index, PresentRows) else super().__getitem__(index)


class PresentRows:
    """The rows of positive weight; few of them are gathered."""

    def __init__(self, chunks: Chunks) -> None:
        self.chunks = chunks

    def rows(self) -> Any:
        """Return the rows."""
        return RemoteRows(self.chunks) if self._are_many else gather_chunks(self.chunks).rows

    def weights(self) -> Any:
        """Return their weights."""
        return RemoteWeights(self.chunks) if self._are_many else gather_chunks(self.chunks).weights

    @property
    def _are_many(self) -> bool:
        return self.chunks.n_rows > SMALL


class RemoteBatch:
    """A Dask collection and its weights; the chunks exist after `read`."""

    chunks: Chunks

    def __init__(self, rows: Any, weights: Any) -> None:
        self.rows, self.weights = rows, weights

    def __len__(self) -> int:
        return self.chunks.n_rows

    def read(self, client: Client, dtype: np.dtype[Any], n_features: int, min_rows: int) -> None:
        """Validate all partitions on the workers."""
        chunks = read_chunks(client, self.rows, self.weights, dtype, n_features)
        if chunks.n_rows < min_rows:
            raise ValueError(f"X must have at least {min_rows} row(s), got {chunks.n_rows}")
        if chunks.largest > LARGEST_COORDINATE:
            raise ValueError(f"coordinates must lie within ±{LARGEST_COORDINATE:g}, got {chunks.largest!r}")
        if chunks.dtype == np.float32 and not SHORT < chunks.largest < 1.0 / SHORT:
            chunks.widen()
        self.chunks = chunks

    @cached_property
    def gathered(self) -> tasks.RowChunk:
        """All rows and weights, where `partial_fit` is called."""
        return gather_chunks(self.chunks)


def gather_chunks(chunks: Chunks) -> tasks.RowChunk:
    """Return all rows and weights of some chunks."""
    parts = chunks.client.gather(chunks.futures)
    rows = np.concatenate([part.rows for part in parts])
    has_weights = parts[0].weights is not None
    return tasks.RowChunk(rows, np.concatenate([part.weights for part in parts]) if has_weights else None)


def is_distributed(X: Any) -> bool:
    """Return whether a batch is a Dask array or data frame."""
    return bool(is_dask_collection(X))


def example_of(X: Any) -> Any:
    """Return two rows with the columns and types of a Dask collection, for the local validation."""
    if isinstance(X, da.Array):
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead")
        return np.ones((2, X.shape[1]), dtype=X.dtype)
    return X._meta_nonempty


def check_weights(chunks: Chunks) -> None:
    """Raise if all weights are 0, or if the cost could overflow: weights times squared coordinates."""
    total = sum(extent.weight for extent in chunks.extents)
    if total == 0.0:
        raise ValueError(NO_WEIGHT)
    if total * max(chunks.largest, 1.0) ** 2 > LARGEST_MOMENT:
        raise ValueError(
            f"the sum of sample_weight times the largest squared coordinate must be at most "
            f"{LARGEST_MOMENT:g}, got {total:g} times {chunks.largest:g} squared"
        )


def as_dask(labels: IntArray, chunks: Chunks) -> Any:
    """Return the labels of a small batch with the chunks of its rows."""
    return da.from_array(labels, chunks=(tuple(extent.n for extent in chunks.extents),))


def lazy_blocks(chunks: Chunks, function: Any, *arguments: Any) -> Any:
    """Return function(...) of the arguments of each chunk as one Dask array of ids."""
    delayed = dask.delayed(function, pure=True)
    blocks = [
        da.from_delayed(delayed(*each), shape=(extent.n,), dtype=np.int64)
        for *each, extent in zip(*arguments, chunks.extents, strict=True)
    ]
    return da.concatenate(blocks)
