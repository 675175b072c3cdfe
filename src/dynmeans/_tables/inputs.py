"""Several inputs, one after another, as one table of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from math import inf
from typing import Any, NamedTuple

from numpy.typing import NDArray

from dynmeans._files.errors import InputError
from dynmeans._files.limits import FileLimits
from dynmeans._model.types import IntArray
from dynmeans._tables.chunk import Chunk
from dynmeans._tables.columns import Columns, choose_columns
from dynmeans._tables.dates import format_time
from dynmeans._tables.missing import HINT, MissingRows, drop_missing, keys_left_out
from dynmeans._tables.rows import Rows, to_rows
from dynmeans._tables.sources import Source, read_source
from dynmeans._tables.vectors import ARRAY_SUFFIX, open_vectors


class Position(NamedTuple):
    """Position in the inputs: all files before `file` and `row` rows of that file have been read."""

    file: int = 0
    row: int = 0
    n_empty: int = 0  # arrays without rows that were steps since that row


class RowBlock(NamedTuple):
    """Consecutive rows of one input, as numbers, with their position among all inputs.

    An array without rows is a block without rows.
    """

    rows: Rows
    file: int  # number of the input, from 0
    name: str  # name in errors
    part: int  # changes where a file, or an array of a file, begins
    done: float  # share of all inputs read so far
    allowed: float = inf  # maximum size of the rows of a step, in bytes
    limits: FileLimits = FileLimits()  # limits on the contents of the file
    dated: bool = False  # times are dates, in seconds since 1970 UTC
    left_out: IntArray | None = None  # (n,)  number of rows left out before each row
    left_out_keys: list[tuple[str, ...]] | None = None  # (n,)  their keys, if the rows have keys

    def location(self, row: int) -> str:
        """Return file and row, in words."""
        return f"{self.name}, {self.rows.chunk.location(row)}"

    def time_text(self, row: int) -> str:
        """Return the time of a row, as a date if the file has dates."""
        return self.format_time(None if self.rows.times is None else float(self.rows.times[row]))

    def format_time(self, time: float | None) -> str:
        """Return a time, as a date if the file has dates."""
        return "unknown" if time is None else format_time(time, self.dated)

    def after(self, row: int) -> Position:
        """Return the position after a row of this block."""
        return Position(self.file, self.rows.chunk.number(row))


def open_inputs(
    sources: Sequence[Source],
    *,
    features: Sequence[str] | None = None,
    time: str | None = None,
    weight: str | None = None,
    text: str | None = None,
    embedding: str | None = None,
    key: str | None = None,
    missing: MissingRows | None = None,
    feature_scales: Sequence[float] | None = None,
) -> tuple[Columns, Iterator[RowBlock]]:
    """Open inputs; the first rows determine the roles of the columns.

    Parameters
    ----------
    sources : sequence of Source
    features, time, weight, text, key, feature_scales
        As for `choose_columns`.
    embedding : str or None
        Name of a column of lists of numbers, or of an NPY file with a row for each row of the only input.
    missing : MissingRows or None
        What happens to rows with missing cells; None is an error.

    Returns
    -------
    columns : Columns
    blocks : iterator of RowBlock
        All rows of all inputs, in order.

    Raises
    ------
    InputError
        Here, or while iterating, at the first row that cannot be read.
    """
    vectors = open_vectors_of(embedding, sources)
    column = embedding if vectors is None else None
    others = [name for name in (time, weight, text, column, key) if name is not None]
    are_chosen = features is not None or embedding is not None
    wanted = [*(features or ()), *others] if are_chosen else None
    chunks = read_source(sources[0], wanted=wanted, warns_of_keys=not are_chosen)
    begun: list[Chunk] = []  # up to the first rows, which determine the columns
    for chunk in chunks:
        begun.append(chunk)
        if chunk.size:
            break
    else:
        raise InputError(f"{sources[0].name}: no rows")
    columns = choose_columns(
        begun[-1],
        sources[0].name,
        features=features,
        time=time,
        weight=weight,
        text=text,
        embedding=embedding,
        vectors=vectors,
        key=key,
        feature_scales=feature_scales,
    )
    blocks = _row_blocks(
        sources, columns, chain(begun, chunks), Position(), vectors, missing, warns_of_keys=not are_chosen
    )
    return columns, blocks


def open_vectors_of(embedding: str | None, sources: Sequence[Source]) -> NDArray[Any] | None:
    """Map the NPY file that `embedding` names, or return None if it names a column."""
    if embedding is None or not embedding.endswith(ARRAY_SUFFIX):
        return None
    if len(sources) > 1:
        raise InputError(f"--embedding {embedding} has the rows of one input, but there are {len(sources)}")
    return open_vectors(embedding)


def reopen_inputs(
    sources: Sequence[Source],
    columns: Columns,
    start: Position,
    missing: MissingRows | None = None,
    *,
    warns_of_keys: bool = False,
) -> Iterator[RowBlock]:
    """Continue to read inputs from a position, with the columns chosen before."""
    if start.file >= len(sources):
        raise InputError(f"the run stopped in input {start.file + 1}, but there are {len(sources)}")
    chunks = read_source(
        sources[start.file],
        skip=start.row,
        wanted=columns.needed(),
        known=columns.names,
        warns_of_keys=warns_of_keys,
    )
    vectors = open_vectors_of(columns.array, sources)
    return _row_blocks(sources, columns, chunks, start, vectors, missing, warns_of_keys=warns_of_keys)


def _row_blocks(
    sources: Sequence[Source],
    columns: Columns,
    begun: Iterator[Chunk],
    start: Position,
    vectors: NDArray[Any] | None,
    missing: MissingRows | None,
    *,
    warns_of_keys: bool,
) -> Iterator[RowBlock]:
    part, allowed = 0, _allowance(sources, 0 if vectors is None else vectors.nbytes)
    here: tuple[int, int] | None = None  # file and array of the last chunk
    last, n_known = start.row, start.n_empty
    for file, chunk in _chunks(sources, columns, begun, start, warns_of_keys=warns_of_keys):
        source = sources[file]
        kept, left_out, left_out_keys = _without_missing(chunk, columns, vectors, missing)
        rows, error = to_rows(kept, columns, source.name, vectors)
        last = chunk.first + chunk.size - 1
        part, here = part + (here != (file, chunk.part)), (file, chunk.part)
        is_known = not chunk.size and n_known > 0
        n_known -= is_known
        if len(rows.X) or (not chunk.size and not is_known):
            located = kept._replace(columns={})  # kept for error messages, without the data
            yield RowBlock(
                rows=rows._replace(chunk=located),
                file=file,
                name=source.name,
                part=part,
                done=(file + chunk.done) / len(sources),
                allowed=allowed,
                limits=source.limits,
                dated=columns.dated,
                left_out=left_out,
                left_out_keys=left_out_keys,
            )
        if error is not None:
            raise _with_hint(error, missing)
    if vectors is not None and last < len(vectors):
        raise InputError(f"{columns.array}: {len(vectors):,} rows, but {sources[0].name} has {last:,}")


def _chunks(
    sources: Sequence[Source],
    columns: Columns,
    begun: Iterator[Chunk],
    start: Position,
    *,
    warns_of_keys: bool,
) -> Iterator[tuple[int, Chunk]]:
    """Yield the chunks of all inputs, those of the first in `begun`, with the number of their input."""
    needed = columns.needed()
    for file in range(start.file, len(sources)):
        chunks, is_empty = begun, not start.row
        if file > start.file:
            chunks = read_source(
                sources[file], wanted=needed, known=columns.names, warns_of_keys=warns_of_keys
            )
            is_empty = True
        for chunk in chunks:
            is_empty = False
            yield file, chunk
        if is_empty:
            raise InputError(f"{sources[file].name}: no rows")


def _without_missing(
    chunk: Chunk, columns: Columns, vectors: NDArray[Any] | None, missing: MissingRows | None
) -> tuple[Chunk, IntArray | None, list[tuple[str, ...]] | None]:
    """Leave out rows with missing cells, if that is wanted; return the others, and what precedes each."""
    required = tuple(name for name in columns.needed() if name != columns.text)
    if missing is None or not missing.drop or set(required) - set(chunk.columns):
        return chunk, None, None
    kept, left_out = drop_missing(chunk, required, vectors)
    keys = None if columns.key is None else keys_left_out(chunk.columns[columns.key], left_out)
    return kept, missing.take(left_out), None if keys is None else missing.take_keys(keys)


def _with_hint(error: InputError, missing: MissingRows | None) -> InputError:
    """Add the name of the option to an error about a missing cell."""
    is_missing = "the cell is empty" in str(error) or "of the list is nan" in str(error)
    if missing is None or not is_missing:
        return error
    return InputError(f"{error}; {HINT}")


def _allowance(sources: Sequence[Source], beside: int) -> float:
    """Return the maximum number of bytes of the rows of a step; a stream is not compressed."""
    if not all(source.size for source in sources):
        return inf
    return sources[0].limits.allowance(beside + sum(source.size for source in sources))
