"""Functions that run on the workers. They are pure: a task that is lost or repeated gives the same result."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from dynmeans._algorithms.batch import Rows
from dynmeans._core import DoubleChunk, FloatChunk, cheapest_clusters, max_abs
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.distributed._messages import (
    Command,
    Epoch,
    MovedRows,
    Pass,
    Reply,
    SentRows,
    Slots,
    StepSetup,
    Sums,
)
from dynmeans.estimators._parameters.metric_choice import are_unit_rows
from dynmeans.estimators._validation import refuse_masked, weights_in_range


class RowChunk(NamedTuple):
    """One partition of a batch."""

    rows: Rows  # (n, d)
    weights: FloatArray | None  # (n,)


class Extent(NamedTuple):
    """Size of a chunk, for validation and for the position of its rows in the batch."""

    n: int
    largest: float  # absolute coordinate
    weight: float  # sum of the weights
    lightest: float  # smallest weight; infinity if there are no rows
    heaviest: float  # largest weight


class RestartState(NamedTuple):
    """Labels and bounds of the rows of a chunk in one restart; they stay with the chunk."""

    labels: Slots  # (n,)
    bounds: NDArray[np.uint16] | None  # (2, n) on the distance to the own center, and to all others


class LivingClusters(NamedTuple):
    """Clusters that may take a row of weight 0."""

    centers: FloatArray  # (K, d) predicted
    gammas: FloatArray  # (K,)
    revival: FloatArray  # (K,)
    ids: IntArray  # (K,)


class RoundResult(NamedTuple):
    """Result of one round on one chunk."""

    states: tuple[RestartState, ...]
    replies: list[Reply | None]


def read_chunk(block: Any, weights: Any, dtype: str, number: int) -> RowChunk:
    """Validate one partition; an error names it."""
    try:
        refuse_masked("X", block)
        rows = check_array(block, dtype=np.dtype(dtype), order="C", ensure_min_samples=0, input_name="X")
    except (ValueError, TypeError) as error:
        raise ValueError(f"partition {number}: {str(error).splitlines()[0]}") from None
    rows = np.require(rows, requirements=["C_CONTIGUOUS", "ALIGNED"])
    return RowChunk(rows, None if weights is None else _weights(weights, len(rows), number))


def _weights(weights: Any, n: int, number: int) -> FloatArray:
    if np.shape(weights) != (n,):
        raise ValueError(f"partition {number}: sample_weight must have shape ({n},), got {np.shape(weights)}")
    try:
        return weights_in_range(weights)
    except ValueError as error:
        raise ValueError(f"partition {number}: {error}") from None


def aligned(chunk: RowChunk) -> RowChunk:
    """Return a chunk whose rows the core can read in place: a chunk from another worker may be unaligned."""
    return chunk._replace(rows=np.require(chunk.rows, requirements=["C_CONTIGUOUS", "ALIGNED"]))


def widen(chunk: RowChunk) -> RowChunk:
    """Convert rows to float64."""
    return RowChunk(chunk.rows.astype(np.float64), chunk.weights)


def measure(chunk: RowChunk) -> Extent:
    """Return the extent of a chunk."""
    rows, weights = aligned(chunk)
    has_rows = len(rows) > 0
    return Extent(
        len(rows),
        max_abs(rows) if has_rows else 0.0,
        float(len(rows)) if weights is None else float(weights.sum()),
        1.0 if weights is None else float(weights.min(initial=np.inf)),
        1.0 if weights is None else float(weights.max(initial=0.0)),
    )


def has_unit_rows(chunk: RowChunk) -> bool:
    """Return whether all rows of a chunk are unit vectors with many features."""
    return are_unit_rows(chunk.rows)


def drop_absent(chunk: RowChunk) -> RowChunk:
    """Return the rows of positive weight."""
    assert chunk.weights is not None
    present = chunk.weights > 0
    return RowChunk(chunk.rows[present], chunk.weights[present])


def take(chunk: RowChunk, field: int, index: IntArray) -> NDArray[Any]:
    """Return some rows of a chunk, or their weights."""
    column = chunk[field]
    return np.ones(len(index)) if column is None else column[index]


def take_slots(outcome: RoundResult, restart: int, index: IntArray | None = None) -> Slots:
    """Return the slots of some rows of a chunk, or of all."""
    labels = outcome.states[restart].labels
    return labels if index is None else labels[index]


def run_round(
    chunk: RowChunk, before: RoundResult | None, first: int, setup: StepSetup, commands: list[Command | None]
) -> RoundResult:
    """Run one command per restart over the rows of a chunk, which starts at row ``first`` of the batch."""
    chunk = aligned(chunk)
    make = FloatChunk if chunk.rows.dtype == np.float32 else DoubleChunk
    rows = make(
        chunk.rows,
        chunk.weights,
        **setup.scale.arguments(),
        first=first,
        n_total=setup.n_rows,
        centers=setup.centers,
        gammas=setup.gammas,
        revival=setup.revival,
        birth=setup.birth,
    )
    unlabeled = RestartState(np.full(len(chunk.rows), -1, dtype=np.int32), None)
    states = (unlabeled,) * len(commands) if before is None else before.states
    done = [
        (state, None)
        if command is None
        else _run(rows, chunk, state, first=first, setup=setup, command=command, restart=restart)
        for restart, (state, command) in enumerate(zip(states, commands, strict=True))
    ]
    return RoundResult(tuple(state for state, _ in done), [reply for _, reply in done])


def reply_of(outcome: RoundResult) -> list[Reply | None]:
    """Return the part of an outcome that is sent to the driver."""
    return outcome.replies


def _run(
    rows: Any,
    chunk: RowChunk,
    state: RestartState,
    *,
    first: int,
    setup: StepSetup,
    command: Command,
    restart: int,
) -> tuple[RestartState, Reply]:
    rows.set_slots(active=command.table.active, centers=command.table.centers)
    if isinstance(command, Epoch):
        return _run_epoch(rows, state, setup, command, restart)
    moved = _moved_in_chunk(command.moved, first, len(chunk.rows))
    if isinstance(command, Pass):
        bounds = np.zeros((2, len(chunk.rows)), np.uint16) if state.bounds is None else state.bounds
        labels, bounds, sums, proposals = rows.run_pass(
            state.labels,
            bounds,
            before=command.before,
            trusted=command.trusted,
            moved_rows=moved.rows,
            moved_slots=moved.slots,
        )
        return RestartState(labels, bounds), Reply(SentRows(*proposals), Sums(*sums))
    labels = state.labels.copy()
    labels[moved.rows] = moved.slots
    return RestartState(labels, None), Reply(cost=rows.cost(labels))


def _moved_in_chunk(moved: MovedRows, first: int, n: int) -> MovedRows:
    """Return the rows of a chunk that moved, counted from its first row."""
    begin, end = np.searchsorted(moved.rows, [first, first + n])
    return MovedRows(moved.rows[begin:end] - first, moved.slots[begin:end])


def _run_epoch(
    rows: Any, state: RestartState, setup: StepSetup, command: Epoch, restart: int
) -> tuple[RestartState, Reply]:
    labels, proposals = rows.first_pass(
        state.labels,
        seed=setup.seed,
        step=setup.step,
        restart=restart,
        validated_first=command.validated_first,
        first=command.first,
        last=command.last,
        **command.validated._asdict(),
    )
    is_over = command.first == setup.n_rows
    reply = Reply(sums=Sums(*rows.sums(labels))) if is_over else Reply(SentRows(*proposals))
    return RestartState(labels, None), reply


def pick(slots: Slots, index: IntArray) -> Slots:
    """Return the slots of some rows of a chunk."""
    return slots[index]


def label(slots: Slots, ids: IntArray) -> IntArray:
    """Return the ids of the rows of a chunk."""
    return ids[slots]


def label_absent(chunk: RowChunk, labels: IntArray, clusters: LivingClusters) -> IntArray:
    """Return the labels of all rows of a chunk: an absent row gets that of its cheapest cluster."""
    rows, weights = aligned(chunk)
    assert weights is not None
    cheapest = cheapest_clusters(rows, clusters.centers, clusters.gammas, clusters.revival, 1)
    found: IntArray = clusters.ids[cheapest]
    found[weights > 0] = labels
    return found
