"""Reading the labels of a run: checked, joined end to end, and coded by small integers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NOISE = -1


class Run(NamedTuple):
    """The true and found label of every point, step after step, as codes 0, 1, 2, ..."""

    true: IntArray  #   (n,)          code of the true id
    found: IntArray  #  (n,)          code of the found id, NOISE where there is none
    bounds: IntArray  # (steps + 1,)  step s is rows bounds[s] to bounds[s + 1]

    @property
    def n_true(self) -> int:
        """Number of true ids."""
        return int(self.true.max(initial=NOISE)) + 1

    @property
    def n_found(self) -> int:
        """Number of found ids, noise aside."""
        return int(self.found.max(initial=NOISE)) + 1


def read_run(true_batches: Iterable[ArrayLike], found_batches: Iterable[ArrayLike]) -> Run:
    """Check that both sides label the same points and code their ids."""
    true = read_labels(true_batches, "true_batches")
    found = read_labels(found_batches, "found_batches")
    sizes = batch_sizes(true)
    require_equal_sizes(sizes, "true_batches", batch_sizes(found), "found_batches")
    bounds = np.cumsum([0, *sizes], dtype=np.int64)
    return Run(_code(np.concatenate(true)), _code_found(np.concatenate(found)), bounds)


def read_labels(batches: Iterable[ArrayLike], name: str) -> list[IntArray]:
    """One int64 array for each step; an error names the step that is not one row of integers."""
    labels = [_as_ids(np.asarray(batch), f"{name}[{i}]") for i, batch in enumerate(batches)]
    if not any(batch.size for batch in labels):
        raise ValueError(f"{name} holds no points in {len(labels)} batches; at least one label is needed")
    return labels


def require_equal_sizes(left: Sequence[int], left_name: str, right: Sequence[int], right_name: str) -> None:
    """Refuse two runs that cannot label the same points, given the rows in each of their batches."""
    if len(left) != len(right):
        raise ValueError(f"{left_name} has {len(left)} batches but {right_name} has {len(right)}")
    for i, (rows, others) in enumerate(zip(left, right, strict=True)):
        if rows != others:
            raise ValueError(f"batch {i} has {rows} rows in {left_name} but {others} in {right_name}")


def batch_sizes(batches: Sequence[NDArray[Any]]) -> list[int]:
    """Rows in each batch."""
    return [batch.size for batch in batches]


def mean_over_steps(right: FloatArray, bounds: IntArray) -> float:
    """Average fraction of points that are right; steps without points have no fraction and are skipped."""
    sizes = np.diff(bounds)
    return float(np.mean(right[sizes > 0] / sizes[sizes > 0]))


def _as_ids(labels: NDArray[Any], name: str) -> IntArray:
    if labels.ndim != 1:
        raise ValueError(
            f"{name} has shape {labels.shape}; each step needs a one-dimensional array of labels"
        )
    if labels.size and labels.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {labels.dtype}; labels must be integers")
    if labels.dtype.kind == "u" and labels.max(initial=0) > np.iinfo(np.int64).max:
        raise ValueError(f"{name} holds the label {labels.max()}; labels must fit into 64 bits with a sign")
    return labels.astype(np.int64)


def _code(ids: IntArray) -> IntArray:
    """Number the ids by first appearance, so that nothing later, ties included, depends on their names."""
    _, first, code = np.unique(ids, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[code]


def _code_found(ids: IntArray) -> IntArray:
    codes = np.full(ids.size, NOISE, dtype=np.int64)
    seen = ids != NOISE
    codes[seen] = _code(ids[seen])
    return codes
