"""Errors about rows that a model refuses, with file, row and column."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from dynmeans._algorithms.batch import LARGEST_COORDINATE
from dynmeans._files.errors import InputError, reason
from dynmeans._tables.time_steps.batches import WindowBatch
from dynmeans.runs._option_names import as_options

_ROW = re.compile(r"\brow (\d+)\b")  # rows of a batch are counted from 0


def row_error(batch: WindowBatch, error: ValueError, features: Sequence[str]) -> InputError:
    """Return an error of a model as an error of the input, with the row that it names."""
    far = far_coordinate(batch, features)
    if far is not None:
        return far
    message = as_options(reason(error), features)
    found = _ROW.search(message)
    if found is None or int(found[1]) >= len(batch.X):
        return InputError(f"{batch.location}: {message}")
    return InputError(f"{batch.locate(int(found[1]))}: {_ROW.sub('the row', message, count=1)}")


def far_coordinate(batch: WindowBatch, features: Sequence[str]) -> InputError | None:
    """Return an error for the first coordinate that is too large to be squared, or None."""
    if not len(batch.X) or max(batch.X.max(), -batch.X.min()) <= LARGEST_COORDINATE:
        return None
    row, column = np.argwhere(np.abs(batch.X) > LARGEST_COORDINATE)[0].tolist()
    return InputError(
        f"{batch.locate(row)}, column {features[column]!r}: {batch.X[row, column]:g} is not within "
        f"±{LARGEST_COORDINATE:g}"
    )
