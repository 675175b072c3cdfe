"""Tasks that merge equal rows of a batch, as `src/core/dmeans/batch/deduplicate.hpp` does on one machine.

Each chunk finds its distinct rows and sends them to buckets by their hash. All copies of a row go to the same
bucket, which adds up their weights. The sums are exact, so their order does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._core import group_sums, number_rows, row_buckets
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.distributed._messages import Slots
from dynmeans.distributed._scale_tasks import total_of_folds
from dynmeans.distributed._tasks import RowChunk, aligned


class ChunkRows(NamedTuple):
    """Distinct rows of one chunk, by first appearance."""

    rows: Rows  # (m, d)
    sums: FloatArray  # (m, folds) of the weights of the copies
    firsts: IntArray  # (m,) number in the batch of the first copy
    of: Slots  # (n,) distinct row of each row of the chunk


class ChunkIndex(NamedTuple):
    """Where the rows of a chunk went; it stays on its worker until the labels are read."""

    of: Slots  # (n,) distinct row of each row
    buckets: Slots  # (m,) bucket of each distinct row


class BucketPart(NamedTuple):
    """Rows that one chunk sends to one bucket."""

    rows: Rows  # (p, d)
    sums: FloatArray  # (p, folds)
    firsts: IntArray  # (p,)


class Bucket(NamedTuple):
    """Distinct rows of the batch whose hash is in one range, by first appearance."""

    rows: Rows  # (m, d)
    weights: FloatArray  # (m,) of all copies
    firsts: IntArray  # (m,)
    of: tuple[Slots, ...]  # per chunk (p,) row of the bucket for each row that the chunk sent


class DistinctChunk(NamedTuple):
    """Consecutive distinct rows of the batch, by first appearance."""

    chunk: RowChunk
    buckets: Slots  # (n,) bucket of each row


def find_distinct(chunk: RowChunk, first: int, weight_sizes: FloatArray, n_rows: int) -> ChunkRows:
    """Merge equal rows of a chunk, which starts at row ``first`` of a batch of ``n_rows`` rows."""
    rows, weights = aligned(chunk)
    firsts, of = number_rows(rows)
    if weights is None:
        sums = np.bincount(of, minlength=len(firsts)).astype(np.float64)[:, None]
    else:
        largest, smallest = weight_sizes[:1], weight_sizes[1:]
        sums = group_sums(weights[:, None], of, len(firsts), largest, smallest, n_rows)
    return ChunkRows(rows[firsts], sums, firsts + first, of)


def count_rows(found: ChunkRows) -> int:
    """Return the number of distinct rows of a chunk."""
    return len(found.rows)


def index_rows(found: ChunkRows, n_buckets: int) -> ChunkIndex:
    """Choose the bucket of each distinct row of a chunk by its hash."""
    rows = np.require(found.rows, requirements=["C", "A"])
    return ChunkIndex(found.of, row_buckets(rows, n_buckets))


def pick_part(found: ChunkRows, index: ChunkIndex, bucket: int) -> BucketPart:
    """Return the rows of a chunk that belong to one bucket."""
    picked = index.buckets == bucket
    return BucketPart(found.rows[picked], found.sums[picked], found.firsts[picked])


def merge_bucket(parts: Sequence[BucketPart]) -> Bucket:
    """Merge equal rows of the parts of all chunks, which are in the order of the batch."""
    rows = np.concatenate([part.rows for part in parts])
    firsts, of = number_rows(rows)
    every = np.concatenate([part.sums for part in parts])
    sums = np.zeros((len(firsts), every.shape[1]))
    np.add.at(sums, of, every)
    edges = np.cumsum([len(part.rows) for part in parts])[:-1]
    numbers = np.concatenate([part.firsts for part in parts])
    return Bucket(rows[firsts], total_of_folds(sums.T), numbers[firsts], tuple(np.split(of, edges)))


def count_first_copies(bucket: Bucket, firsts: IntArray) -> IntArray:
    """Return how many rows of a bucket appear first in each chunk; chunks begin at ``firsts``."""
    owner = np.searchsorted(firsts, bucket.firsts, side="right") - 1
    return np.bincount(owner, minlength=len(firsts))


def pick_range(bucket: Bucket, begin: int, end: int) -> Bucket:
    """Return the rows of a bucket that appear first in rows ``begin`` to ``end - 1`` of the batch."""
    a, b = np.searchsorted(bucket.firsts, [begin, end])
    return Bucket(bucket.rows[a:b], bucket.weights[a:b], bucket.firsts[a:b], ())


def join_range(parts: Sequence[Bucket]) -> DistinctChunk:
    """Return a chunk of the rows of all buckets in one range, by first appearance."""
    order = np.argsort(np.concatenate([part.firsts for part in parts]))
    rows = np.concatenate([part.rows for part in parts])[order]
    weights = np.concatenate([part.weights for part in parts])[order]
    buckets = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part.rows) for part in parts])[order]
    return DistinctChunk(RowChunk(rows, weights), buckets)


def chunk_of(found: DistinctChunk) -> RowChunk:
    """Return the rows and weights."""
    return found.chunk


def pick_slots(found: DistinctChunk, slots: Slots, bucket: int) -> Slots:
    """Return the slots of the rows of one bucket."""
    picked: Slots = slots[found.buckets == bucket]
    return picked


def join_slots(parts: Sequence[Slots]) -> Slots:
    """Return the slots of all rows of a bucket."""
    slots: Slots = np.concatenate(parts)
    return slots


def parts_of(bucket: Bucket) -> tuple[Slots, ...]:
    """Return the row of the bucket for each row that the chunks sent."""
    return bucket.of


def slots_of_part(of: tuple[Slots, ...], slots: Slots, chunk: int) -> Slots:
    """Return the slots of the rows that a chunk sent to a bucket."""
    return slots[of[chunk]]


def slots_of_chunk(index: ChunkIndex, slots: Sequence[Slots]) -> Slots:
    """Return the slot of every row of a chunk, given those of the rows that it sent to each bucket."""
    distinct = np.empty(len(index.buckets), dtype=np.int32)
    for bucket, each in enumerate(slots):
        distinct[index.buckets == bucket] = each
    return distinct[index.of]
