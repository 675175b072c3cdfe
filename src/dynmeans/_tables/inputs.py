"""Several inputs, one after another, as one table of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from math import inf
from typing import NamedTuple

from dynmeans._files.errors import InputError
from dynmeans._files.limits import Limits
from dynmeans._tables.chunk import Chunk
from dynmeans._tables.columns import Columns, Rows, choose_columns, to_rows
from dynmeans._tables.sources import Source, read_source


class Position(NamedTuple):
    """How far the inputs have been read: all files before `file`, and `row` rows of that one."""

    file: int = 0
    row: int = 0


class RowBlock(NamedTuple):
    """Consecutive rows of one input, as numbers, and where they stand among all inputs."""

    rows: Rows
    file: int  # number of the input, from 0
    name: str  # what errors call it
    part: int  # changes where a file, or an array of a file, begins
    done: float  # share of all inputs read so far
    allowed: float = inf  # bytes that the rows of a step may take
    limits: Limits = Limits()  # on the file

    def place(self, row: int) -> str:
        """File and row, in words."""
        return f"{self.name}, {self.rows.piece.place(row)}"

    def after(self, row: int) -> Position:
        """Position behind a row of this stretch."""
        return Position(self.file, self.rows.piece.first + row)


def open_inputs(
    sources: Sequence[Source],
    *,
    features: Sequence[str] | None = None,
    time: str | None = None,
    weight: str | None = None,
) -> tuple[Columns, Iterator[RowBlock]]:
    """Begin to read inputs; the first rows decide what the columns are for.

    Parameters
    ----------
    sources : sequence of Source
    features, time, weight
        As for `choose_columns`.

    Returns
    -------
    columns : Columns
    stretches : iterator of Stretch
        All rows of all inputs, in order.

    Raises
    ------
    InputError
        Here, or while iterating, at the first row that cannot be read.
    """
    named = None if features is None else [name for name in (*features, time, weight) if name is not None]
    pieces = read_source(sources[0], wanted=named)
    first = next(pieces, None)
    if first is None:
        raise InputError(f"{sources[0].name}: no rows")
    columns = choose_columns(first, sources[0].name, features=features, time=time, weight=weight)
    return columns, _stretches(sources, columns, chain([first], pieces), Position())


def reopen_inputs(sources: Sequence[Source], columns: Columns, start: Position) -> Iterator[RowBlock]:
    """Go on reading inputs from a position, with the columns that were chosen before."""
    pieces = read_source(sources[start.file], skip=start.row, wanted=columns.needed())
    return _stretches(sources, columns, pieces, start)


def _stretches(
    sources: Sequence[Source], columns: Columns, begun: Iterator[Chunk], start: Position
) -> Iterator[RowBlock]:
    part, allowed = 0, _allowance(sources)
    for file in range(start.file, len(sources)):
        source = sources[file]
        pieces = begun if file == start.file else read_source(source, wanted=columns.needed())
        inner: int | None = None if file > start.file or not start.row else -1
        for piece in pieces:
            rows, error = to_rows(piece, columns, source.name)
            part, inner = part + (piece.part != inner), piece.part
            if len(rows):
                place = piece._replace(columns={})  # a step may keep it for long
                rows = Rows(rows.X, rows.times, rows.weights, place)
                done = (file + piece.done) / len(sources)
                yield RowBlock(rows, file, source.name, part, done, allowed, source.limits)
            if error is not None:
                raise error
        if inner is None:
            raise InputError(f"{source.name}: no rows")


def _allowance(sources: Sequence[Source]) -> float:
    """Bytes that the rows of a step may take; a stream is not compressed, what it brings must be as large."""
    if not all(source.size for source in sources):
        return inf
    return sources[0].limits.allowance(sum(source.size for source in sources))
