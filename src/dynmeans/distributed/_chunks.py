"""Dask collections as chunks: futures of validated partitions, which stay where they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, cast

import dask
import dask.array as da
import numpy as np
from distributed import Client, Future
from numpy.typing import NDArray

from dynmeans._algorithms.batch import Rows
from dynmeans._core import mean_of_rows
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.distributed import _scale_tasks as scale_tasks
from dynmeans.distributed import _tasks as tasks
from dynmeans.distributed._messages import BatchScale
from dynmeans.distributed._sending import send
from dynmeans.distributed._tree import reduce_tree


class Chunks:
    """The partitions of one batch, validated, in the memory of the workers.

    Their tasks are pure, so a chunk that is lost with its worker is computed again from its source.
    """

    def __init__(self, client: Client, futures: list[Future], dtype: np.dtype[Any], n_features: int) -> None:
        self.client, self.futures, self.dtype, self.n_features = client, futures, dtype, n_features
        self.extents: list[tasks.Extent] = self.map(tasks.measure)

    def map(self, function: Any, *arguments: Any) -> list[Any]:
        """Return the results of a function of every chunk."""
        found: list[Any] = self.client.gather(
            self.client.map(function, self.futures, *([a] * len(self.futures) for a in arguments), pure=False)
        )
        return found

    @cached_property
    def firsts(self) -> list[int]:
        """Number of the first row of every chunk."""
        return [0, *accumulate(extent.n for extent in self.extents)][:-1]

    @property
    def n_rows(self) -> int:
        """Number of rows of the batch."""
        return sum(extent.n for extent in self.extents)

    @property
    def largest(self) -> float:
        """Largest absolute coordinate."""
        return max(extent.largest for extent in self.extents)

    @property
    def lightest(self) -> float:
        """Smallest weight."""
        return min(extent.lightest for extent in self.extents)

    @property
    def weight_sizes(self) -> FloatArray:
        """Largest and smallest weight (2,)."""
        return np.array([max(extent.heaviest for extent in self.extents), self.lightest])

    def drop_absent(self) -> Chunks:
        """Return the rows of positive weight, in as many chunks."""
        futures = self.client.map(tasks.drop_absent, self.futures, pure=False)
        return Chunks(self.client, futures, self.dtype, self.n_features)

    def widen(self) -> None:
        """Convert the rows to float64."""
        self.futures = self.client.map(tasks.widen, self.futures, pure=False)
        self.dtype = np.dtype(np.float64)

    def scale(self) -> BatchScale:
        """Return the shift and the sizes of the batch."""
        shift = send(self.client, self._shift())
        parts = self.client.map(scale_tasks.measure_terms, self.futures, shift=shift, pure=False)
        found: BatchScale = reduce_tree(self.client, scale_tasks.merge_scales, parts).result()
        return found

    def _shift(self) -> FloatArray:
        """Return the mean of some rows, as `BatchScale::of`; of all rows if none is selected."""
        n_rows = self.n_rows
        parts: list[scale_tasks.ShiftRows] = self.map(scale_tasks.select_shift_rows, n_rows)
        n = sum(part.n for part in parts)
        if n == 0:
            n_rows = 0
            parts = self.map(scale_tasks.select_shift_rows, n_rows)
            n = self.n_rows
        rows = [part.rows for part in parts if part.rows is not None]
        if len(rows) == len(parts):
            return mean_of_rows(cast(Rows, np.concatenate(rows)))
        largest = np.max([part.largest for part in parts], axis=0)
        smallest = np.min([part.smallest for part in parts], axis=0)
        sizes = {"largest": send(self.client, largest), "smallest": send(self.client, smallest)}
        sums = self.client.map(
            scale_tasks.sum_shift_rows, self.futures, n_rows=n_rows, n=n, **sizes, pure=False
        )
        folds = reduce_tree(self.client, scale_tasks.add_folds, sums).result()
        mean: FloatArray = (scale_tasks.total_of_folds(folds) / n).astype(self.dtype).astype(np.float64)
        return mean

    def gather(
        self, index: IntArray, function: Any, *arguments: Any, of: Sequence[Future] | None = None
    ) -> NDArray[Any]:
        """Return function(chunk, *arguments, index in the chunk) for some rows, in their order."""
        owner = np.searchsorted(self.firsts, index, side="right") - 1
        owners = np.unique(owner)
        sources = self.futures if of is None else of
        rows = [index[owner == c] - self.firsts[c] for c in owners]
        each = [sources[c] for c in owners], *([a] * len(owners) for a in arguments), rows
        found = self.client.gather(self.client.map(function, *each, pure=False))
        if not found:
            return np.empty((0, self.n_features), dtype=self.dtype)
        out = np.empty((len(index), *found[0].shape[1:]), dtype=found[0].dtype)
        for c, part in zip(owners, found, strict=True):
            out[owner == c] = part
        return out


def read_chunks(client: Client, X: Any, weights: Any, dtype: np.dtype[Any], n_features: int) -> Chunks:
    """Read and validate the partitions of a Dask collection on the workers."""
    blocks = _blocks(X)
    parts = [None] * len(blocks) if weights is None else _blocks(weights, np.shape(blocks))
    read = dask.delayed(tasks.read_chunk, pure=False)
    each = zip(blocks, parts, range(len(blocks)), strict=True)
    futures: list[Future] = client.compute([read(x, w, dtype.str, i) for x, w, i in each])
    return Chunks(client, futures, dtype, n_features)


def _blocks(X: Any, like: Any = None) -> list[Any]:
    """Return the partitions of a Dask collection as delayed objects."""
    if isinstance(X, da.Array) and X.ndim == 2 and X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    blocks = list(np.ravel(X.to_delayed()))
    if like is not None and len(blocks) != like[0]:
        raise ValueError(
            f"sample_weight must have the partitions of X: {like[0]}, got {len(blocks)} partitions"
        )
    return blocks
