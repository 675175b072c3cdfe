"""Messages between the driver and the tasks: only clusters, sums and a few rows are sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dynmeans._model.types import FloatArray, IntArray

Slots: TypeAlias = NDArray[np.int32]
_NO_NUMBERS: IntArray = np.empty(0, dtype=np.int64)
_NO_SLOTS: Slots = np.empty(0, dtype=np.int32)


class BatchScale(NamedTuple):
    """Shift of a batch, and the magnitudes of the summed terms (`src/core/dmeans/batch/batch_scale.hpp`)."""

    shift: FloatArray  # (d,) subtracted from every row
    radius: float  # largest coordinate after the shift
    largest: FloatArray  # (d,) of the terms of sums
    smallest: FloatArray  # (d,)
    weights: FloatArray  # (2,) largest and smallest weight; (0,) for ones

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the compiled functions, by name."""
        return {
            "shift": self.shift,
            "radius": self.radius,
            "largest": self.largest,
            "smallest": self.smallest,
            "weight_sizes": self.weights,
        }


class StepSetup(NamedTuple):
    """Values that all tasks of a step share."""

    scale: BatchScale
    n_rows: int  # number of rows of the batch
    centers: FloatArray  # (K, d) predicted centers
    gammas: FloatArray  # (K,)
    revival: FloatArray  # (K,)
    birth: float
    seed: int
    step: int


class SlotTable(NamedTuple):
    """The slots of a descent."""

    active: Slots  # (slots,) 1 if active
    centers: FloatArray  # (slots, d) less the shift


class Validated(NamedTuple):
    """Result of the validation of an epoch, in the order of its rows."""

    activated: Slots  # (w,) slots that became active
    activated_at: IntArray  # (w,) and the visits that activated them
    visits: IntArray  # (s,) of the proposals that were validated, ascending
    slots: Slots  # (s,) and their slots


class MovedRows(NamedTuple):
    """Rows that the driver has reassigned since the last pass."""

    rows: IntArray  # (m,) ascending
    slots: Slots  # (m,)


NOTHING_VALIDATED = Validated(_NO_SLOTS, _NO_NUMBERS, _NO_NUMBERS, _NO_SLOTS)
NOTHING_MOVED = MovedRows(_NO_NUMBERS, _NO_SLOTS)


class Epoch(NamedTuple):
    """Command of the first pass: label the rows of the previous epoch, and compare those of the next one."""

    table: SlotTable
    validated_first: int  # visits of the previous epoch: validated_first .. first - 1
    first: int  # visits of the next epoch: first .. last - 1
    last: int
    validated: Validated  # the previous epoch


class Pass(NamedTuple):
    """Command of a later pass over all rows."""

    table: SlotTable
    before: FloatArray  # (slots, d) centers of the last pass
    trusted: bool  # the bounds of the last pass hold
    moved: MovedRows


class FinalCost(NamedTuple):
    """Command at the end of a restart: compute the distances of all rows."""

    table: SlotTable
    moved: MovedRows


Command: TypeAlias = Epoch | Pass | FinalCost


class Sums(NamedTuple):
    """Sums over the rows that came to some slots, less those that left. Parts add up in any order."""

    slots: Slots  # (t,) ascending
    rows: FloatArray  # (t, folds * d) weighted sums of the rows
    weights: FloatArray  # (t, folds) sums of the weights
    counts: IntArray  # (t,)


class SentRows(NamedTuple):
    """Rows that the driver assigns one by one."""

    rows: IntArray  # (p,) numbers in the batch, or visits of an epoch
    y: FloatArray  # (p, d) less the shift
    weights: FloatArray  # (p,)
    slots: Slots  # (p,) own slot; of proposals the cheapest one
    costs: FloatArray  # (p,) of proposals, else (0,)


class Reply(NamedTuple):
    """Reply of some chunks to a command."""

    rows: SentRows | None = None
    sums: Sums | None = None
    cost: IntArray | None = None  # digits of an exact sum


def merge_replies(parts: Sequence[list[Reply | None]]) -> list[Reply | None]:
    """Merge the replies of several chunks, one per restart."""
    return [_merged([part for part in each if part is not None]) for each in zip(*parts, strict=True)]


def _merged(parts: list[Reply]) -> Reply | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    rows = [part.rows for part in parts if part.rows is not None]
    sums = [part.sums for part in parts if part.sums is not None]
    costs = [part.cost for part in parts if part.cost is not None]
    return Reply(
        SentRows(*map(np.concatenate, zip(*rows, strict=True))) if rows else None,
        _merged_sums(sums) if sums else None,
        np.sum(costs, axis=0) if costs else None,
    )


def _merged_sums(parts: list[Sums]) -> Sums:
    """Add up sums. The additions are exact, so their order does not matter."""
    slots, where = np.unique(np.concatenate([part.slots for part in parts]), return_inverse=True)

    def added(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
        every = np.concatenate(columns)
        total = np.zeros((len(slots), *every.shape[1:]), dtype=every.dtype)
        np.add.at(total, where, every)
        return total

    return Sums(slots, *(added(column) for column in list(zip(*parts, strict=True))[1:]))


def in_order(sent: SentRows) -> SentRows:
    """Sort rows by their number."""
    order = np.argsort(sent.rows)
    costs = sent.costs[order] if len(sent.costs) else sent.costs
    return SentRows(sent.rows[order], sent.y[order], sent.weights[order], sent.slots[order], costs)
