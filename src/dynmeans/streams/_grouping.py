"""Rows by key: which rows belong to which key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from dynmeans._model.types import BoolArray, IntArray

Key: TypeAlias = str | int


class Groups(NamedTuple):
    """Rows sorted by key; rows of one key keep their order."""

    keys: list[Key]  # distinct
    order: IntArray  # (n,)  rows, those of the first key first
    edges: list[int]  # where each key begins in `order`, and the end

    def slices(self) -> Iterator[tuple[Key, slice]]:
        """Return each key with its slice of `order`."""
        for index, key in enumerate(self.keys):
            yield key, slice(self.edges[index], self.edges[index + 1])

    def restricted(self, present: BoolArray) -> Groups:
        """Return the groups of the rows that are present; keys without any are left out."""
        kept = present[self.order]
        edges = np.concatenate([[0], np.cumsum(kept)])[self.edges]
        remain = np.flatnonzero(np.diff(edges))
        keys = [self.keys[index] for index in remain.tolist()]
        return Groups(keys, self.order[kept], [0, *edges[remain + 1].tolist()])


def group_rows(keys: Any, n_rows: int) -> Groups:
    """Group rows by key.

    Parameters
    ----------
    keys : array-like of shape (n_rows,)
        Text or whole numbers.
    n_rows : int

    Raises
    ------
    ValueError
        If there is not one valid key per row.
    """
    if np.ma.isMaskedArray(keys):
        raise ValueError("keys must have no masked entries: fill or drop them first")
    values = keys if isinstance(keys, list) else np.asarray(keys)
    shape = (len(values),) if isinstance(values, list) else values.shape
    if shape != (n_rows,):
        raise ValueError(f"keys must have one entry for each of {n_rows} rows, got shape {shape}")
    distinct, codes = _factorize(values)
    counts = np.bincount(codes, minlength=len(distinct))
    edges = [0, *np.cumsum(counts).tolist()]
    return Groups(distinct, np.argsort(codes, kind="stable"), edges)


def _factorize(values: Any) -> tuple[list[Key], IntArray]:
    """Return the distinct keys and the number of the key of each row."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        numbers, codes = np.unique(values, return_inverse=True)
        return numbers.tolist(), codes
    cells = values if isinstance(values, list) else values.tolist()
    table: dict[Any, int] = {}
    try:
        found = (table.setdefault(cell, len(table)) for cell in cells)
        codes = np.fromiter(found, dtype=np.int64, count=len(cells))
    except TypeError as error:  # not hashable
        raise ValueError(f"keys must be text or whole numbers: {error}") from None
    for cell, code in table.items():
        if not isinstance(cell, (str, int)) or isinstance(cell, bool):
            row = int(np.argmax(codes == code))
            raise ValueError(f"keys must be text or whole numbers, got {cell!r} in row {row}")
    return list(table), codes
