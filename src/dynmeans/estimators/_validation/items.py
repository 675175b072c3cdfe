"""Items of `PersistentIds`: names of rows that are the same in every batch."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynmeans._algorithms.linking.link_spaces import LinkState
from dynmeans._algorithms.linking.link_step import BatchClusters
from dynmeans._algorithms.linking.shared_items import SharedItems, count_shared
from dynmeans.estimators._validation.parameters import shown
from dynmeans.estimators._validation.unsuitable_rows import refuse_masked

KINDS = {"i": "integers", "O": "strings"}  # by the dtype of the array


def valid_items(items: Any) -> NDArray[Any] | None:
    """Return the names of rows (n,) as int64 or as str objects, or None if they were not given."""
    if items is None:
        return None
    refuse_masked("items", items)
    found = np.asarray(items)
    if found.ndim != 1:
        raise ValueError(f"items must be a list of names, one per row, got shape {found.shape}")
    if found.dtype.kind not in "iu":
        found = _as_strings(found.astype(object))
    elif int(found.max(initial=0)) > np.iinfo(np.int64).max:  # NumPy 1 compares unsigned ones as floats
        raise ValueError(f"items must be below 2**63, got {found.max()}")
    else:
        found = found.astype(np.int64)
    _refuse_repetition(found)
    return found


def _as_strings(found: NDArray[np.object_]) -> NDArray[Any]:
    """Return objects that are all str or all integers, as `valid_items` does."""
    is_text = np.array([isinstance(item, str) for item in found], dtype=bool)
    if is_text.all():
        return np.array([str(item) for item in found], dtype=object)  # a subclass of str may compare oddly
    is_whole = [isinstance(item, numbers.Integral) and not isinstance(item, bool) for item in found]
    if all(is_whole):
        try:
            return found.astype(np.int64)
        except OverflowError:
            raise ValueError("items must lie within -2**63 .. 2**63 - 1") from None
    row = int(np.argmin(is_text if is_text.any() else is_whole))
    raise ValueError(f"items must be all integers or all strings, got {shown(found[row])} in row {row}")


def _refuse_repetition(items: NDArray[Any]) -> None:
    values, counts = np.unique(items, return_counts=True)
    if len(values) < len(items):
        item = values[np.argmax(counts)]
        rows = np.flatnonzero(items == item)[:2].tolist()
        raise ValueError(
            f"items must differ within a batch, got {shown(item)} in rows {rows[0]} and {rows[1]}"
        )


def _same_kind(items: NDArray[Any], known: NDArray[Any]) -> None:
    """Raise if strings follow integers, or the reverse."""
    if len(known) and known.dtype.kind != items.dtype.kind:
        raise ValueError(
            f"items must be {KINDS[known.dtype.kind]} as in earlier batches, got {KINDS[items.dtype.kind]}"
        )


def shared_items(state: LinkState, items: NDArray[Any] | None, groups: BatchClusters) -> SharedItems | None:
    """Count the members that the groups of a batch share with the remembered clusters."""
    if items is None:
        return None
    _same_kind(items, state.memory.items)
    return count_shared(state.memory, items[groups.is_clustered], groups.row_groups(), state.clusters.ids)
