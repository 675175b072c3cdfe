"""Cut rows into time steps, independent of the chunks in which they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dynmeans._files.errors import InputError
from dynmeans._files.limits import in_words
from dynmeans._model.types import FloatArray, IntArray
from dynmeans._tables.chunk import Chunk
from dynmeans._tables.inputs import Position, RowBlock
from dynmeans._tables.time_steps.windowing import Windowing, equal_keys


class Piece(NamedTuple):
    """Consecutive rows of one file, without their data."""

    name: str  # of the file
    chunk: Chunk
    start: int
    stop: int


class WindowBatch(NamedTuple):
    """The rows of one time step; a window of time, or an array, may have none."""

    X: FloatArray  # (n, d)
    weights: FloatArray | None  # (n,)
    t: float | None  # event time for the model; None is one unit after the last
    time: float | None  # the same time in the units of the time column, for the output
    location: str  # first and last row, in words
    after: Position  # where the next step begins
    done: float  # share of all inputs read so far
    texts: list[str] | None = None  # (n,)
    keys: list[str] | None = None  # (n,)
    pieces: tuple[Piece, ...] = ()  # where the rows come from, in order
    left_out: IntArray | None = None  # (n,)  number of rows left out before each row
    left_out_keys: list[tuple[str, ...]] | None = None  # (n,)  their keys, if the rows have keys

    def locate(self, row: int) -> str:
        """Return the location of a row of the step, in words."""
        for piece in self.pieces:
            if row < piece.stop - piece.start:
                return f"{piece.name}, {piece.chunk.location(piece.start + row)}"
            row -= piece.stop - piece.start
        return self.location


def cut(
    blocks: Iterator[RowBlock],
    rule: Windowing,
    last: float | None = None,
    *,
    resumed_at: Position | None = None,
    wants_empty: Callable[[], bool] = lambda: False,
) -> Iterator[WindowBatch]:
    """Cut rows into time steps.

    Parameters
    ----------
    blocks : iterator of RowBlock
        Rows in order; how they are bundled does not matter.
    rule : Windowing
    last : float or None
        Event time of the step before the first.
    resumed_at : Position or None
        Where the step before the first ended, if it was a step of the same run.
    wants_empty : callable
        Whether the next window, if it has no rows, is a step. By default it is not, and time passes within
        the next step that has rows.

    Yields
    ------
    WindowBatch
        The last one may be shorter than a window.

    Raises
    ------
    InputError
        If time goes backwards or a step is too large. The steps before it are yielded first.
    """
    open_rows: list[tuple[RowBlock, slice]] = []
    key: Any = None
    taken = 0  # bytes of the rows of the open step
    position = resumed_at or Position()
    for block in blocks:
        for part, new_key in _runs(block, rule):
            if key is not None and not new_key >= key:
                raise _backwards(block, part.start, rule.stamp(key)[1])
            if key is not None and new_key != key:
                batch = _join(open_rows, rule.stamp(key), position)
                position = batch.after
                yield batch
                yield from _empty_steps(rule, batch.t, new_key, (block, part), batch.after, wants_empty)
                open_rows, taken = [], 0
            if key is None and last is not None:
                _check_later(block, part.start, rule.stamp(new_key), last)
                if resumed_at is not None:
                    yield from _empty_steps(rule, last, new_key, (block, part), resumed_at, wants_empty)
            open_rows.append((block, part))
            key = new_key
            taken += block.rows.X[part].nbytes
            if taken > block.allowed:
                raise _too_large(block, part.stop - 1, taken)
    if open_rows:
        yield _join(open_rows, rule.stamp(key), position)


def _empty_steps(
    rule: Windowing,
    last: float | None,
    key: float,
    following: tuple[RowBlock, slice],
    position: Position,
    wants_empty: Callable[[], bool],
) -> Iterator[WindowBatch]:
    """Yield the windows without rows between two steps, as long as they are wanted."""
    block, part = following
    location = f"before {block.location(part.start)}"
    for empty_key in rule.empty_keys(last, key):
        if not wants_empty():
            return
        no_rows = np.empty((0, block.rows.X.shape[1]))
        t, time = rule.stamp(empty_key)
        yield WindowBatch(
            X=no_rows, weights=None, t=t, time=time, location=location, after=position, done=block.done
        )


def _runs(block: RowBlock, rule: Windowing) -> Iterator[tuple[slice, float]]:
    """Return the runs of rows with equal keys; an array without rows may be a run."""
    if not len(block.rows.X):
        key = rule.key_without_rows(block)
        yield from () if key is None else ((slice(0, 0), key),)
        return
    for key, start, stop in equal_keys(rule.keys(block)):
        yield slice(start, stop), key


def _too_large(block: RowBlock, row: int, taken: int) -> InputError:
    """Refuse a step that takes far more memory than the size of the files."""
    rule = block.limits.rule("array", 2 * taken)
    return InputError(f"{block.location(row)}: the rows of this step take {in_words(taken)}; {rule}")


def _backwards(block: RowBlock, row: int, since: float | None) -> InputError:
    time, before = block.time_text(row), block.format_time(since)
    return InputError(
        f"{block.location(row)}: time goes backwards, {time} comes after the step that begins at {before}; "
        "sort the rows by time"
    )


def _check_later(block: RowBlock, row: int, stamp: tuple[float | None, float | None], last: float) -> None:
    """Check that a continued run starts after the last step of its model."""
    t, time = stamp
    if t is not None and t < last:
        shown = block.format_time(time)
        raise InputError(f"{block.location(row)}: time {shown} is before the last step of the model")


def _join(
    open_rows: Sequence[tuple[RowBlock, slice]], stamp: tuple[float | None, float | None], before: Position
) -> WindowBatch:
    """Return the rows of a step that begins at the position `before`."""
    (head, first), (tail, last) = open_rows[0], open_rows[-1]
    X = np.concatenate([block.rows.X[part] for block, part in open_rows])
    weights = [block.rows.weights[part] for block, part in open_rows if block.rows.weights is not None]
    t, time = stamp
    if not len(X):
        after = before._replace(n_empty=before.n_empty + 1)
        return WindowBatch(
            X=X, weights=None, t=t, time=time, location=f"{head.name}, no rows", after=after, done=tail.done
        )
    location = f"{head.location(first.start)} to {tail.location(last.stop - 1)}"
    return WindowBatch(
        X=X,
        weights=np.concatenate(weights) if weights else None,
        t=t,
        time=time,
        location=location,
        after=tail.after(last.stop - 1),
        done=tail.done,
        texts=_texts(open_rows),
        keys=_join_keys(open_rows),
        pieces=tuple(Piece(block.name, block.rows.chunk, part.start, part.stop) for block, part in open_rows),
        left_out=_join_left_out(open_rows),
        left_out_keys=_join_left_out_keys(open_rows),
    )


def _texts(open_rows: Sequence[tuple[RowBlock, slice]]) -> list[str] | None:
    parts = [block.rows.texts[part] for block, part in open_rows if block.rows.texts is not None]
    return [text for part in parts for text in part] if parts else None


def _join_keys(open_rows: Sequence[tuple[RowBlock, slice]]) -> list[str] | None:
    if open_rows[0][0].rows.keys is None:
        return None
    return [key for block, part in open_rows for key in (block.rows.keys or [])[part]]


def _join_left_out(open_rows: Sequence[tuple[RowBlock, slice]]) -> IntArray | None:
    left_out = [block.left_out[part] for block, part in open_rows if block.left_out is not None]
    return np.concatenate(left_out) if left_out else None


def _join_left_out_keys(open_rows: Sequence[tuple[RowBlock, slice]]) -> list[tuple[str, ...]] | None:
    if open_rows[0][0].left_out_keys is None:
        return None
    return [keys for block, part in open_rows for keys in (block.left_out_keys or [])[part]]
