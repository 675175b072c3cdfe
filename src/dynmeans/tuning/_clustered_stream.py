"""Input of the scores: a stream and its labels, validated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.estimators._validation import finite_rows, refuse_masked, valid_weights


class ClusteredStream(NamedTuple):
    """Rows of all batches, with their labels."""

    batches: list[FloatArray]  # (n, d)
    labels: list[IntArray]  # (n,)
    times: FloatArray  # (T,)  not decreasing
    weights: list[FloatArray] | None  # (n,)


def read_clustered(
    batches: Iterable[Any], labels: Iterable[Any], times: Any = None, weights: Iterable[Any] | None = None
) -> ClusteredStream:
    """Validate the arguments of a score; errors name the batch."""
    rows = [_named(f"batches[{i}]", finite_rows, batch) for i, batch in enumerate(batches)]
    if not any(len(batch) for batch in rows):
        raise ValueError(f"all {len(rows)} batches are without rows; a score needs at least one row")
    widths = sorted({batch.shape[1] for batch in rows})
    if len(widths) > 1:
        raise ValueError(f"all batches must have the same number of features, got {widths}")
    sizes = [len(batch) for batch in rows]
    ids = _one_per_batch("labels", labels, sizes, _labels)
    mass = None if weights is None else _one_per_batch("weights", weights, sizes, _weights)
    return ClusteredStream(rows, ids, _times(times, len(rows)), mass)


def _named(name: str, check: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a check; an error names the batch."""
    try:
        return check(*arguments)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{name}: {error}") from error


def _one_per_batch(
    name: str, given: Iterable[Any], sizes: list[int], check: Callable[[Any, int], Any]
) -> list[Any]:
    values = list(given)
    if len(values) != len(sizes):
        raise ValueError(f"{name} must have one entry for each of {len(sizes)} batches, got {len(values)}")
    return [
        _named(f"{name}[{i}]", check, value, size)
        for i, (value, size) in enumerate(zip(values, sizes, strict=True))
    ]


def _labels(labels: Any, n: int) -> IntArray:
    refuse_masked("labels", labels)
    found = np.asarray(labels)
    if found.shape != (n,) or (n and found.dtype.kind not in "iub"):
        raise ValueError(f"must be {n} whole numbers, got an array of {found.dtype} {found.shape}")
    if n and found.dtype.kind == "u" and found.max() > np.iinfo(np.int64).max:
        raise ValueError(f"labels must be below 2**63, got {found.max()}")
    return found.astype(np.int64)


def _weights(weights: Any, n: int) -> FloatArray:
    found = valid_weights(weights, n)
    return np.ones(n) if found is None else found


def _times(times: Any, n: int) -> FloatArray:
    """Return event times; by default the interval between steps is 1."""
    if times is None:
        return np.arange(n, dtype=np.float64)
    refuse_masked("times", times)
    found = np.asarray(times, dtype=np.float64)
    if found.shape != (n,):
        raise ValueError(f"times must have one entry for each of {n} batches, got shape {found.shape}")
    if not (np.isfinite(found).all() and (np.diff(found) >= 0).all()):
        raise ValueError("times must be finite and must not decrease")
    return found
