"""Dask collections as chunks: futures of validated partitions, which stay where they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, Future
from numpy.typing import NDArray

from dynmeans._core import mean_of_rows
from dynmeans._model.types import IntArray
from dynmeans.distributed import tasks
from dynmeans.distributed.messages import BatchScale
from dynmeans.distributed.tree import reduce_tree


class Chunks:
    """The partitions of one batch, validated, in the memory of the workers.

    Their tasks are pure, so a chunk that is lost with its worker is computed again from its source.
    """

    def __init__(self, client: Client, X: Any, weights: Any, dtype: np.dtype[Any], n_features: int) -> None:
        blocks = _blocks(X)
        parts = [None] * len(blocks) if weights is None else _blocks(weights, np.shape(blocks))
        read = dask.delayed(tasks.read_chunk, pure=False)
        each = zip(blocks, parts, range(len(blocks)), strict=True)
        self.client, self.n_features, self.dtype = client, n_features, dtype
        self.has_weights = weights is not None
        self.futures: list[Future] = client.compute([read(x, w, dtype.str, i) for x, w, i in each])
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

    def widen(self) -> None:
        """Convert the rows to float64."""
        self.futures = self.client.map(tasks.widen, self.futures, pure=False)
        self.dtype = np.dtype(np.float64)

    def scale(self) -> BatchScale:
        """Return the shift and the sizes of the batch."""
        shift = mean_of_rows(np.concatenate(self.map(tasks.select_shift_rows, self.n_rows)))
        parts = self.client.map(tasks.measure_terms, self.futures, shift=shift, pure=False)
        found: BatchScale = reduce_tree(self.client, tasks.merge_scales, parts).result()
        return found

    def gather(
        self, index: IntArray, function: Any, *arguments: Any, of: Sequence[Future] | None = None
    ) -> NDArray[Any]:
        """Return function(chunk, *arguments, index in the chunk) for some rows, in their order."""
        owner = np.searchsorted(self.firsts, index, side="right") - 1
        owners = np.unique(owner)
        sources = self.futures if of is None else of
        found = self.client.gather(
            [
                self.client.submit(
                    function, sources[c], *arguments, index[owner == c] - self.firsts[c], pure=False
                )
                for c in owners
            ]
        )
        if not found:
            return np.empty((0, self.n_features), dtype=self.dtype)
        out = np.empty((len(index), *found[0].shape[1:]), dtype=found[0].dtype)
        for c, part in zip(owners, found, strict=True):
            out[owner == c] = part
        return out


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
