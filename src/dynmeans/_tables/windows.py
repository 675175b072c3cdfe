"""Cutting rows into time steps, however they are bundled when they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynmeans._files.errors import InputError
from dynmeans._files.limits import in_words
from dynmeans._model.types import FloatArray
from dynmeans._tables.inputs import Position, RowBlock
from dynmeans._tables.windowing import Windowing, times_of


class Batch(NamedTuple):
    """The rows of one time step."""

    X: FloatArray  # (n, d)
    weights: FloatArray | None  # (n,)
    t: float | None  # event time for the model; None is one unit after the last
    time: float | None  # the same moment in the units of the time column, for people
    place: str  # first and last row, in words
    after: Position  # where the next step begins
    done: float  # share of all inputs read so far


def cut(stretches: Iterator[RowBlock], rule: Windowing, last: float | None = None) -> Iterator[Batch]:
    """Cut rows into time steps.

    Parameters
    ----------
    stretches : iterator of Stretch
        Rows in order; how they are bundled does not matter.
    rule : Rule
    last : float or None
        Event time of the step before the first.

    Yields
    ------
    Batch
        The last one may be shorter than a window.

    Raises
    ------
    InputError
        Where time goes backwards, or a step gets too large. The steps before that row's have been given.
    """
    open_rows: list[tuple[RowBlock, slice]] = []
    key: Any = None
    taken = 0  # bytes of the rows of the open step
    for stretch in stretches:
        keys = rule.keys(stretch)
        for part, new_key in _runs(keys):
            if key is not None and not new_key >= key:
                raise _backwards(stretch, part.start, rule.stamp(key)[1])
            if key is not None and new_key != key:
                yield _join(open_rows, rule.stamp(key))
                open_rows, taken = [], 0
            if key is None and last is not None:
                _check_later(stretch, part.start, rule.stamp(new_key), last)
            open_rows.append((stretch, part))
            key = new_key
            taken += stretch.rows.X[part].nbytes
            if taken > stretch.allowed:
                raise _too_large(stretch, part.stop - 1, taken)
    if open_rows:
        yield _join(open_rows, rule.stamp(key))


def _runs(keys: NDArray[Any]) -> Iterator[tuple[slice, float]]:
    """Stretches of equal keys."""
    edges = [0, *(np.flatnonzero(np.diff(keys)) + 1).tolist(), len(keys)]
    for start, stop in pairwise(edges):
        yield slice(start, stop), keys[start].item()


def _too_large(stretch: RowBlock, row: int, taken: int) -> InputError:
    """Refuse a step that takes far more memory than the files have bytes."""
    rule = stretch.limits.rule("array", 2 * taken)
    return InputError(f"{stretch.place(row)}: the rows of this step take {in_words(taken)}; {rule}")


def _backwards(stretch: RowBlock, row: int, since: float | None) -> InputError:
    time = float(times_of(stretch)[row])
    return InputError(
        f"{stretch.place(row)}: time goes backwards, {time!r} comes after the step that begins at {since!r}"
    )


def _check_later(stretch: RowBlock, row: int, stamp: tuple[float | None, float | None], last: float) -> None:
    """The first step of a run that goes on with an older model must come after the last of that model."""
    t, time = stamp
    if t is not None and t < last:
        raise InputError(f"{stretch.place(row)}: time {time!r} lies before what the model has already seen")


def _join(open_rows: Sequence[tuple[RowBlock, slice]], stamp: tuple[float | None, float | None]) -> Batch:
    (head, first), (tail, last) = open_rows[0], open_rows[-1]
    X = np.concatenate([stretch.rows.X[part] for stretch, part in open_rows])
    weights = [stretch.rows.weights[part] for stretch, part in open_rows if stretch.rows.weights is not None]
    place = f"{head.place(first.start)} to {tail.place(last.stop - 1)}"
    return Batch(
        X, np.concatenate(weights) if weights else None, *stamp, place, tail.after(last.stop - 1), tail.done
    )
