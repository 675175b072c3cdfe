"""Parquet and Arrow files, through pyarrow (extra `frames`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from dynmeans._files.errors import InputError, error_context
from dynmeans._files.extras import require
from dynmeans._files.limits import FileLimits
from dynmeans._tables.chunk import CHUNK_ROWS, Cells, Chunk, expand_patterns, repeated_names
from dynmeans._tables.readers.parquet_pages import column_chunks, page_sizes

_ARROW_MAGIC = b"ARROW1"


class _ArrowTable(NamedTuple):
    """A file whose rows come in batches."""

    batches: Iterator[Any]
    names: tuple[str, ...]
    name: str  # name of the file in errors
    limits: FileLimits
    start: int = 0  # rows before the first batch
    total: int = 0  # rows of the file, 0 if unknown


def read_parquet(
    source: Path | BinaryIO,
    name: str,
    *,
    skip: int = 0,
    wanted: Sequence[str] | None = None,
    limits: FileLimits = FileLimits(),  # noqa: B008
) -> Iterator[Chunk]:
    """Read the rows of a Parquet file in chunks, one row group at a time.

    Parameters
    ----------
    source : path or binary file
    name : str
        Name of the file in errors.
    skip : int
        Number of rows to skip; earlier row groups are not read.
    wanted : sequence of str or None
        Names of the columns to read; None reads all.
    limits : FileLimits

    Yields
    ------
    Chunk
    """
    parquet = require("pyarrow.parquet", "frames")
    with error_context(name):
        size = source.stat().st_size if isinstance(source, Path) else source.seek(0, 2)
        file = parquet.ParquetFile(source, read_dictionary=_texts(parquet.read_schema(source)))
    with file:
        with error_context(name):
            names = _names(file.schema_arrow, name, limits)
            columns = wanted_names(names, wanted)
            groups, start = _groups_after(file.metadata, skip)
            _check_groups(file.metadata, groups, size, name, limits)
            _check_pages(source, groups, set(columns), size, name, limits)
            batches = file.iter_batches(batch_size=CHUNK_ROWS, row_groups=groups, columns=columns)
            table = _ArrowTable(
                batches=batches,
                names=names,
                name=name,
                limits=limits,
                start=start,
                total=file.metadata.num_rows,
            )
        yield from _chunks(table, skip)


def read_arrow(
    source: Path | BinaryIO,
    name: str,
    *,
    skip: int = 0,
    wanted: Sequence[str] | None = None,
    limits: FileLimits = FileLimits(),  # noqa: B008
) -> Iterator[Chunk]:
    """Read the rows of an Arrow or Feather file or an Arrow stream in chunks; parameters as for Parquet."""
    ipc = require("pyarrow.ipc", "frames")
    file = source.open("rb") if isinstance(source, Path) else source
    with file, error_context(name):
        indexed = file.seekable() and file.read(len(_ARROW_MAGIC)) == _ARROW_MAGIC
        if file.seekable():
            file.seek(0)
        reader = ipc.open_file(file) if indexed else ipc.open_stream(file)
        names = _names(reader.schema, name, limits)
        batches = _record_batches(reader, indexed, wanted_names(names, wanted))
        yield from _chunks(_ArrowTable(batches, names, name, limits), skip)


def _texts(schema: Any) -> list[str]:
    """Return the columns of text: each distinct text is decoded once."""
    types = require("pyarrow.types", "frames")
    return [field.name for field in schema if types.is_string(field.type) or types.is_binary(field.type)]


def _names(schema: Any, name: str, limits: FileLimits) -> tuple[str, ...]:
    limits.check_columns(len(schema), name)
    return tuple(schema.names)


def wanted_names(names: Sequence[str], wanted: Sequence[str] | None) -> list[str]:
    """Return the columns of a file that are wanted and have a unique name, in their order."""
    chosen = set(names if wanted is None else expand_patterns(wanted, names))
    chosen -= repeated_names(names)  # which pyarrow cannot select
    return [key for key in names if key in chosen]


def _record_batches(reader: Any, indexed: bool, columns: list[str]) -> Iterator[Any]:
    """Yield the record batches of a file or a stream, cut to the size of a chunk."""
    whole = (reader.get_batch(i) for i in range(reader.num_record_batches)) if indexed else iter(reader)
    for batch in whole:
        chosen = batch.select(columns)
        chosen.validate(full=True)  # offsets in a damaged file may be invalid
        for start in range(0, batch.num_rows, CHUNK_ROWS):
            yield chosen.slice(start, CHUNK_ROWS)


def _groups_after(metadata: Any, skip: int) -> tuple[list[int], int]:
    """Return the row groups with rows after the first `skip`, and the number of rows before those groups."""
    group = start = 0
    while group < metadata.num_row_groups and start + metadata.row_group(group).num_rows <= skip:
        start += metadata.row_group(group).num_rows
        group += 1
    return list(range(group, metadata.num_row_groups)), start


def _check_groups(metadata: Any, groups: list[int], size: int, name: str, limits: FileLimits) -> None:
    """Refuse a row group whose declared decompressed size is too large."""
    for group in groups:
        needed = metadata.row_group(group).total_byte_size
        limits.check_bytes(needed, size, name, f"row group {group + 1} once decompressed")


def _check_pages(
    source: Path | BinaryIO, groups: list[int], columns: set[str], size: int, name: str, limits: FileLimits
) -> None:
    """Refuse a page whose declared decompressed size is too large; the row group may declare less."""
    with source.open("rb") if isinstance(source, Path) else nullcontext(source) as file:
        chunks = column_chunks(file)
        for group, chunk in ((number, chunk) for number in groups for chunk in chunks[number]):
            key = chunk.path.partition(".")[0]
            pages = page_sizes(file, chunk, size) if chunk.path in columns or key in columns else ()
            for page in pages:
                what = f"a page of column {key!r} in row group {group + 1} once decompressed"
                limits.check_bytes(page.uncompressed, size, name, what)


def _chunks(table: _ArrowTable, skip: int) -> Iterator[Chunk]:
    """Yield record batches as chunks."""
    start = table.start
    while True:
        with error_context(f"{table.name}, after row {start}"):
            batch = next(table.batches, None)
            if batch is None:
                return
            fresh = batch.slice(max(skip - start, 0))
            first = start + batch.num_rows - fresh.num_rows + 1
            columns = _decoded(fresh, first, table) if fresh.num_rows else {}
        start += batch.num_rows
        if fresh.num_rows:
            done = min(start / table.total, 1.0) if table.total else 0.0
            yield Chunk(table.names, columns, first, fresh.num_rows, done=done)


def _decoded(batch: Any, first: int, table: _ArrowTable) -> dict[str, Cells]:
    return {
        key: read_cells(batch.column(i), f"{table.name}, row {first} or later, column {key!r}", table.limits)
        for i, key in enumerate(batch.schema.names)
    }


def read_cells(column: Any, location: str, limits: FileLimits) -> Cells:
    """Return an Arrow column as an array, or as a list of Python objects if NumPy has no type for it."""
    types = require("pyarrow.types", "frames")
    kind = column.type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_timestamp(kind) or types.is_date(kind):
        array: Cells = column.to_numpy(zero_copy_only=False)
        return array
    vectors = _vectors(column, types)
    if vectors is not None:
        return vectors
    if column.nbytes > limits.cell and _longest(column, types) > limits.cell:
        raise InputError(f"{location}: a cell is too long; {limits.rule('cell')}")
    if types.is_dictionary(kind):
        words = column.dictionary.to_pylist()
        return [None if i is None else words[i] for i in column.indices.to_pylist()]
    cells: list[object] = column.to_pylist()
    return cells


def _vectors(column: Any, types: Any) -> Cells | None:
    """Return a column of lists of numbers as a table, or None if it is ragged or another kind of column."""
    kind = column.type
    if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        return None
    numeric = types.is_integer(kind.value_type) or types.is_floating(kind.value_type)
    if not numeric or column.null_count or not len(column):
        return None
    values = column.flatten()
    length = len(values) // len(column)
    if not types.is_fixed_size_list(kind):
        lengths = column.value_lengths().to_numpy(zero_copy_only=False)
        if (lengths != length).any():
            return None
    if values.null_count or not length:
        return None
    table: Cells = values.to_numpy(zero_copy_only=False).reshape(len(column), length)
    return table


def _longest(column: Any, types: Any) -> int:
    """Return the length of the longest text of a column, 0 if it has none."""
    values = column.dictionary if types.is_dictionary(column.type) else column
    kind = values.type
    if not (types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind)):
        return 0
    compute = require("pyarrow.compute", "frames")
    return compute.max(compute.binary_length(values)).as_py() or 0
