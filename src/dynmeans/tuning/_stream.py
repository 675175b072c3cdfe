"""Input of `tune`: all batches, validated and in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from dynmeans._model.state import as_time
from dynmeans._model.types import FloatArray
from dynmeans.estimators._validation import finite_rows, valid_weights


class TuningStream(NamedTuple):
    """All batches in memory. Results are scored on those with rows."""

    steps: list[dict[str, Any]]  # arguments of partial_fit, also of batches without rows
    has_rows: list[bool]  # of each step
    batches: list[FloatArray]  # (n, d)  with rows
    weights: list[FloatArray] | None  # (n,)  of these
    times: FloatArray  # (T,)  of these

    def with_rows(self, values: Iterable[Any]) -> list[Any]:
        """Return the values, one per step, of the steps with rows."""
        return [value for value, has_rows in zip(values, self.has_rows, strict=True) if has_rows]


def read_stream(batches: Iterable[Any]) -> TuningStream:
    """Read batches as :meth:`dynmeans.DMeans.stream` takes them: arrays, or mappings of arguments."""
    shape = getattr(batches, "shape", ())
    if len(shape) == 2:
        raise ValueError(f"batches is one table of shape {shape}; pass a list of tables, one per time step")
    steps = [dict(item) if isinstance(item, Mapping) else {"X": item} for item in batches]
    if not steps:
        raise ValueError("batches is empty; tuning needs at least one batch")
    rows = [_rows(step, number) for number, step in enumerate(steps)]
    widths = sorted({batch.shape[1] for batch in rows})
    if len(widths) > 1:
        raise ValueError(f"all batches must have the same number of features, got {widths}")
    has_rows = [len(batch) > 0 for batch in rows]
    if not any(has_rows):
        raise ValueError(f"all {len(rows)} batches are without rows; tuning needs at least one row")
    weights = _weights(steps, rows)
    return TuningStream(
        steps,
        has_rows,
        list(compress(rows, has_rows)),
        None if weights is None else list(compress(weights, has_rows)),
        _times(steps)[has_rows],
    )


def _rows(step: Mapping[str, Any], number: int) -> FloatArray:
    """Return the rows of a step; an error names the batch."""
    if "X" not in step:
        raise ValueError(f"batches[{number}] is a mapping without the rows 'X'; it has {list(step)}")
    try:
        return finite_rows(step["X"])
    except (ValueError, TypeError) as error:
        raise type(error)(f"batches[{number}]: {error}") from error


def _weights(steps: list[dict[str, Any]], rows: list[FloatArray]) -> list[FloatArray] | None:
    if all(step.get("sample_weight") is None for step in steps):
        return None
    given = [step.get("sample_weight") for step in steps]
    return [
        np.ones(len(batch)) if (found := valid_weights(w, len(batch))) is None else found
        for w, batch in zip(given, rows, strict=True)
    ]


def _times(steps: list[dict[str, Any]]) -> FloatArray:
    """Return event times; a step without a time is 1 after the previous step."""
    times: list[float] = []
    for step in steps:
        t = step.get("t")
        times.append(as_time(t) if t is not None else (times[-1] + 1.0 if times else 1.0))
    return np.array(times)
