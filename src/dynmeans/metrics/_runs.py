"""Validate the labels of a run, concatenate them and encode them as small integers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NOISE = -1


class LabeledRun(NamedTuple):
    """The true and found label of every point, step after step, as codes 0, 1, 2, ..."""

    true: IntArray  #   (n,)          code of the true id, or NOISE for clutter
    found: IntArray  #  (n,)          code of the found id, or NOISE
    bounds: IntArray  # (steps + 1,)  step s is rows bounds[s] to bounds[s + 1]

    @property
    def n_true(self) -> int:
        """Number of true ids without clutter."""
        return int(self.true.max(initial=NOISE)) + 1

    @property
    def n_found(self) -> int:
        """Number of found ids without noise."""
        return int(self.found.max(initial=NOISE)) + 1


def encode_run(
    true_batches: Iterable[ArrayLike], found_batches: Iterable[ArrayLike], clutter: int | None = None
) -> LabeledRun:
    """Check that both runs label the same points, and encode their ids; `clutter` is a true label or None."""
    true = read_labels(true_batches, "true_batches")
    found = read_labels(found_batches, "found_batches")
    sizes = batch_sizes(true)
    require_equal_sizes(sizes, "true_batches", batch_sizes(found), "found_batches")
    bounds = np.cumsum([0, *sizes], dtype=np.int64)
    return LabeledRun(encode(np.concatenate(true), clutter), encode(np.concatenate(found), NOISE), bounds)


def read_labels(batches: Iterable[ArrayLike], name: str) -> list[IntArray]:
    """Convert each step to a one-dimensional int64 array; errors name the invalid step."""
    labels = read_ids(batches, name)
    if not any(batch.size for batch in labels):
        raise ValueError(f"{name} has no points in {len(labels)} batches; it needs at least one label")
    return labels


def read_ids(batches: Iterable[ArrayLike], name: str) -> list[IntArray]:
    """Convert each step to a one-dimensional int64 array; all steps may be empty."""
    return [_as_ids(array, f"{name}[{i}]") for i, array in enumerate(to_arrays(batches, name))]


def to_arrays(batches: Iterable[ArrayLike], name: str, dtype: Any = None) -> list[NDArray[Any]]:
    """Convert each step to an array; refuse masked entries, which NumPy would silently unmask."""
    arrays = []
    for i, batch in enumerate(batches):
        if np.ma.is_masked(batch):
            raise ValueError(f"{name}[{i}] has masked entries; fill or drop them first")
        arrays.append(np.asarray(batch, dtype=dtype))
    return arrays


def require_equal_steps(left: int, left_name: str, right: int, right_name: str) -> None:
    """Reject two runs with different numbers of steps."""
    if left != right:
        raise ValueError(f"{left_name} has {left} batches but {right_name} has {right}")


def require_equal_sizes(left: Sequence[int], left_name: str, right: Sequence[int], right_name: str) -> None:
    """Reject two runs whose batches have different numbers of rows."""
    require_equal_steps(len(left), left_name, len(right), right_name)
    for i, (rows, others) in enumerate(zip(left, right, strict=True)):
        if rows != others:
            raise ValueError(f"batch {i} has {rows} rows in {left_name} but {others} in {right_name}")


def batch_sizes(batches: Sequence[NDArray[Any]]) -> list[int]:
    """Return the number of rows of each batch."""
    return [batch.size for batch in batches]


def mean_over_steps(right: FloatArray, bounds: IntArray) -> float:
    """Average the fraction of correct points over steps; skip steps without points."""
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
        raise ValueError(f"{name} has the label {labels.max()}; labels must fit into a signed 64-bit integer")
    return labels.astype(np.int64)


def encode(ids: IntArray, excluded: int | None = None) -> IntArray:
    """Encode ids by first appearance, so that no result depends on their values; `excluded` becomes NOISE."""
    codes = np.full(ids.size, NOISE, dtype=np.int64)
    kept = np.ones(ids.size, dtype=bool) if excluded is None else ids != excluded
    _, first, code = np.unique(ids[kept], return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    codes[kept] = rank[code]
    return codes
