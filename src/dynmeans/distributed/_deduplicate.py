"""Merge equal rows of a batch on the workers, in the order and with the weights of the local estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from distributed import Client, Future

from dynmeans._core import number_rows
from dynmeans._model.types import IntArray
from dynmeans.distributed import _deduplicate_tasks as tasks
from dynmeans.distributed._batch import RemoteRows
from dynmeans.distributed._chunks import Chunks
from dynmeans.distributed._sending import send

ALWAYS_SEARCH = 4096  # batches up to this size are searched whole
SAMPLE = 1024  # number of rows of a larger batch that are searched first
SMALL_CHUNK = 65_536  # minimum number of distinct rows per chunk, if there are enough
BUCKET = 1 << 22  # approximate number of rows that are sent to one bucket


class DistinctRows:
    """The distinct rows of a batch, each with the weight of all its copies, by first appearance."""

    def __init__(self, source: Chunks) -> None:
        self._source = source
        found = self._map(
            tasks.find_distinct,
            source.futures,
            source.firsts,
            weight_sizes=source.weight_sizes,
            n_rows=source.n_rows,
        )
        n_sent = sum(self._client.gather(self._map(tasks.count_rows, found)))
        n_buckets = max(1, -(-n_sent // BUCKET))
        self._index = self._map(tasks.index_rows, found, n_buckets=n_buckets)
        buckets = [
            self._submit(tasks.merge_bucket, self._map(tasks.pick_part, found, self._index, bucket=b))
            for b in range(n_buckets)
        ]
        self._of = self._map(tasks.parts_of, buckets)
        firsts = send(self._client, np.array(source.firsts))
        counts = self._client.gather(self._map(tasks.count_first_copies, buckets, firsts=firsts))
        self._counts: IntArray = np.sum(counts, axis=0)  # per chunk, of rows that appear there first
        self._buckets = buckets

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return int(self._counts.sum())

    def make_chunks(self) -> Chunks:
        """Return chunks of the distinct rows."""
        self._ranges = [
            self._submit(tasks.join_range, self._map(tasks.pick_range, self._buckets, begin=begin, end=end))
            for begin, end in self._edges()
        ]
        self._buckets = []
        rows = self._map(tasks.chunk_of, self._ranges)
        return Chunks(self._client, rows, self._source.dtype, self._source.n_features)

    def expand(self, slots: list[Future]) -> list[Future]:
        """Return the slots of all rows of the batch, per chunk, given those of the distinct rows."""
        in_buckets = [
            self._submit(tasks.join_slots, self._map(tasks.pick_slots, self._ranges, slots, bucket=b))
            for b in range(len(self._of))
        ]
        return [
            self._submit(
                tasks.slots_of_chunk, index, self._map(tasks.slots_of_part, self._of, in_buckets, chunk=c)
            )
            for c, index in enumerate(self._index)
        ]

    def _edges(self) -> list[tuple[int, int]]:
        """Return ranges of rows of the batch, each with enough distinct rows for a chunk."""
        n_chunks = len(self._source.futures)
        enough = max(SMALL_CHUNK, self._source.n_rows // n_chunks)
        firsts, begin, held = [*self._source.firsts, self._source.n_rows], 0, 0
        edges = []
        for c, count in enumerate(self._counts.tolist()):
            held += count
            if held >= enough or c + 1 == n_chunks:
                edges.append((begin, firsts[c + 1]))
                begin, held = firsts[c + 1], 0
        return edges

    @property
    def _client(self) -> Client:
        return self._source.client

    def _map(self, function: Any, *futures: Any, **arguments: Any) -> list[Future]:
        found: list[Future] = self._client.map(function, *futures, **arguments, pure=False)
        return found

    def _submit(self, function: Any, *arguments: Any) -> Future:
        return self._client.submit(function, *arguments, pure=False)


def deduplicate(rows: RemoteRows) -> DistinctRows | None:
    """Merge equal rows if the local estimator does (`src/core/dmeans/batch/deduplicate.hpp`), else None."""
    n = len(rows)
    if rows.chunks.lightest < 1.0:
        return None
    if n > ALWAYS_SEARCH:
        sample = rows[np.arange(SAMPLE) * n // SAMPLE]
        if len(number_rows(sample)[0]) == SAMPLE:
            return None
    found = DistinctRows(rows.chunks)
    return found if found.n_rows <= (n // 2 if n > ALWAYS_SEARCH else n - 1) else None
