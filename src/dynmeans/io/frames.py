"""Parquet and Arrow files, through pyarrow (extra `frames`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from dynmeans.io.errors import blame
from dynmeans.io.extras import require
from dynmeans.io.pieces import PIECE_ROWS, Cells, Piece, distinct_names

_ARROW_MAGIC = b"ARROW1"


def read_parquet(
    source: Path | BinaryIO, name: str, *, skip: int = 0, wanted: Sequence[str] | None = None
) -> Iterator[Piece]:
    """Read the rows of a Parquet file in pieces, one row group at a time.

    Parameters
    ----------
    source : path or binary file
    name : str
        What errors call it.
    skip : int
        Rows to pass over; row groups that lie before them are not read.
    wanted : sequence of str or None
        Names of the columns to read; None reads all.

    Yields
    ------
    Piece
    """
    parquet = require("pyarrow.parquet", "frames")
    with blame(name):
        file = parquet.ParquetFile(source)
    with file:
        names = distinct_names(file.schema_arrow.names, name)
        columns = [key for key in names if wanted is None or key in wanted]
        groups, start = _groups_after(file.metadata, skip)
        batches = file.iter_batches(batch_size=PIECE_ROWS, row_groups=groups, columns=columns)
        yield from _pieces(batches, names, name, start, skip, file.metadata.num_rows)


def read_arrow(
    source: Path | BinaryIO, name: str, *, skip: int = 0, wanted: Sequence[str] | None = None
) -> Iterator[Piece]:
    """Read the rows of an Arrow or Feather file or an Arrow stream in pieces; parameters as for Parquet."""
    ipc = require("pyarrow.ipc", "frames")
    file = source.open("rb") if isinstance(source, Path) else source
    with file, blame(name):
        indexed = file.seekable() and file.read(len(_ARROW_MAGIC)) == _ARROW_MAGIC
        if file.seekable():
            file.seek(0)
        reader = ipc.open_file(file) if indexed else ipc.open_stream(file)
        names = distinct_names(reader.schema.names, name)
        columns = [key for key in names if wanted is None or key in wanted]
        yield from _pieces(_record_batches(reader, indexed, columns), names, name, 0, skip, total=0)


def _record_batches(reader: Any, indexed: bool, columns: list[str]) -> Iterator[Any]:
    """Record batches of a file or a stream, cut to the size of a piece."""
    whole = (reader.get_batch(i) for i in range(reader.num_record_batches)) if indexed else iter(reader)
    for batch in whole:
        for start in range(0, batch.num_rows, PIECE_ROWS):
            yield batch.select(columns).slice(start, PIECE_ROWS)


def _groups_after(metadata: Any, skip: int) -> tuple[list[int], int]:
    """Row groups with rows after the first `skip`, and the number of rows before those groups."""
    group = start = 0
    while group < metadata.num_row_groups and start + metadata.row_group(group).num_rows <= skip:
        start += metadata.row_group(group).num_rows
        group += 1
    return list(range(group, metadata.num_row_groups)), start


def _pieces(
    batches: Iterator[Any], names: tuple[str, ...], name: str, start: int, skip: int, total: int
) -> Iterator[Piece]:
    """Record batches as pieces; `start` is the number of rows before the first of them."""
    while True:
        with blame(f"{name}, after row {start}"):
            batch = next(batches, None)
            if batch is None:
                return
            fresh = batch.slice(max(skip - start, 0))
            first = start + batch.num_rows - fresh.num_rows + 1
            columns = {key: _cells(fresh.column(key)) for key in fresh.schema.names} if fresh.num_rows else {}
        start += batch.num_rows
        if fresh.num_rows:
            yield Piece(names, columns, first, fresh.num_rows, done=start / total if total else 0.0)


def _cells(column: Any) -> Cells:
    """An Arrow column as an array; what NumPy has no type for becomes a list of Python objects."""
    types = require("pyarrow.types", "frames")
    kind = column.type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_timestamp(kind) or types.is_date(kind):
        array: Cells = column.to_numpy(zero_copy_only=False)
        return array
    cells: list[object] = column.to_pylist()
    return cells
