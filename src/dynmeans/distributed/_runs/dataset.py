"""A dataset of Parquet files as parts, and the parts of every time step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from distributed import Client

from dynmeans._files.errors import InputError, reason
from dynmeans._files.extras import require
from dynmeans._files.limits import FileLimits
from dynmeans._tables.chunk import Chunk
from dynmeans._tables.columns import Columns, choose_columns
from dynmeans._tables.inputs import RowBlock
from dynmeans._tables.readers.arrow import read_cells, wanted_names
from dynmeans._tables.rows import Rows, to_rows
from dynmeans._tables.standardize import Scale
from dynmeans._tables.time_steps.windowing import ByPart, ByRows, Windowing, equal_keys
from dynmeans.distributed._runs.locations import DataFile, find_files, open_file
from dynmeans.runs._setup.time_steps import make_windowing
from dynmeans.runs.parameters import RunParameters

PARQUET_SUFFIXES = (".parquet", ".pq")


class Part(NamedTuple):
    """One row group of a Parquet file: what one task reads."""

    path: str
    file: int  # number of the file, from 0
    group: int
    first: int  # rows of the file before it
    size: int  # rows


class Slice(NamedTuple):
    """Consecutive rows of a part that belong to one step."""

    part: Part
    start: int
    stop: int


class Window(NamedTuple):
    """One time step: the key of its window, and its rows."""

    key: float
    slices: list[Slice]

    @property
    def location(self) -> str:
        """First and last row, with their files."""
        first, last = self.slices[0], self.slices[-1]
        return (
            f"{first.part.path}, row {first.part.first + first.start + 1} to "
            f"{last.part.path}, row {last.part.first + last.stop}"
        )


class Dataset(NamedTuple):
    """Parquet files with the same columns."""

    files: list[DataFile]
    columns: Columns
    parts: list[Part]

    @property
    def n_rows(self) -> int:
        """Number of rows of all files."""
        return sum(part.size for part in self.parts)


def open_dataset(patterns: Sequence[str], parameters: RunParameters) -> Dataset:
    """Read the footers of all files and check their columns, before any row is clustered."""
    parquet = require("pyarrow.parquet", "frames")
    files = find_files(patterns)
    parts: list[Part] = []
    columns: Columns | None = None
    kinds: dict[str, Any] = {}
    for number, (path, *_) in enumerate(files):
        with open_file(path) as file:
            footer = _footer(path, parquet, file)
            schema = footer.schema.to_arrow_schema()
        sizes = [footer.row_group(g).num_rows for g in range(footer.num_row_groups)]
        if not sum(sizes):
            raise InputError(f"{path}: no rows")
        found = [Part(path, number, g, sum(sizes[:g]), size) for g, size in enumerate(sizes) if size]
        if columns is None:
            columns = _columns(found[0], schema.names, parameters)
            kinds = {name: schema.field(name).type for name in columns.needed()}
        _check_columns(path, schema, columns, kinds)
        parts += found
    assert columns is not None
    return Dataset(files, columns, parts)


def _footer(path: str, parquet: Any, file: Any) -> Any:
    try:
        return parquet.read_metadata(file)
    except ValueError as error:  # raised by pyarrow
        why = f": {reason(error)}" if path.endswith(PARQUET_SUFFIXES) else ""
        raise InputError(f"{path}: a run on workers reads Parquet files only{why}") from None


def _columns(part: Part, names: Sequence[str], parameters: RunParameters) -> Columns:
    features, embedding = parameters.features, parameters.embedding
    wanted = None
    if features is not None or embedding is not None:
        others = (embedding, parameters.time, parameters.weight)
        wanted = [*(features or ()), *(name for name in others if name is not None)]
    piece = _read_piece(part, wanted_names(names, wanted), names)
    return choose_columns(
        piece,
        part.path,
        features=features,
        time=parameters.time,
        weight=parameters.weight,
        embedding=embedding,
        feature_scales=parameters.feature_scales,
    )


def _check_columns(path: str, schema: Any, columns: Columns, kinds: dict[str, Any]) -> None:
    """Refuse a file whose columns or their types differ from those of the first file."""
    types = require("pyarrow.types", "frames")
    odd = sorted(set(schema.names) ^ set(columns.names))
    if odd:
        whose = "this file" if odd[0] in schema.names else "the first file"
        raise InputError(f"{path}: all files must have the same columns, but only {whose} has {odd[0]!r}")
    for name, kind in kinds.items():
        found = schema.field(name).type
        both_numbers = all(types.is_integer(each) or types.is_floating(each) for each in (found, kind))
        if found != kind and not both_numbers:
            raise InputError(f"{path}: column {name!r} has type {found}, but {kind} in the first file")


def _read_piece(part: Part, columns: Sequence[str], names: Sequence[str]) -> Chunk:
    parquet = require("pyarrow.parquet", "frames")
    with open_file(part.path) as source, parquet.ParquetFile(source) as file:
        table = file.read_row_group(part.group, columns=list(columns))
        cells = {
            name: read_cells(
                table.column(name).combine_chunks(), f"{part.path}, column {name!r}", FileLimits()
            )
            for name in columns
        }
    if table.num_rows != part.size:
        raise InputError(f"{part.path}: row group {part.group + 1} has changed since the start")
    return Chunk(tuple(names), cells, part.first + 1, part.size)


def read_rows(part: Part, columns: Columns) -> Rows:
    """Read the rows of a part as numbers; raise at the first cell that is not a number."""
    rows, error = to_rows(_read_piece(part, columns.needed(), columns.names), columns, part.path)
    if error is not None:
        raise error
    return rows


def read_slice(piece: Slice, columns: Columns, scale: Scale | None = None) -> np.ndarray[Any, Any]:
    """Read the features of some rows, standardized by a scale."""
    X = np.ascontiguousarray(read_rows(piece.part, columns).X[piece.start : piece.stop])
    return X if scale is None else scale.apply(X)


def measure_slice(
    piece: Slice, columns: Columns, measure: Callable[..., Any], arguments: tuple[Any, ...]
) -> Any:
    """Return ``measure(X, weights, *arguments)`` of some rows; see `scale_of_parts`."""
    weights = None if columns.weight is None else read_weights(piece, columns)
    return measure(read_slice(piece, columns), weights, *arguments)


def read_weights(piece: Slice, columns: Columns) -> np.ndarray[Any, Any]:
    """Read the weights of some rows."""
    weights = read_rows(piece.part, columns).weights
    assert weights is not None
    return weights[piece.start : piece.stop]


def find_runs(
    part: Part, columns: Columns, parameters: RunParameters, carried: dict[str, Any]
) -> list[tuple[float, int, int]]:
    """Return the runs of equal window keys of a part: (key, start, stop)."""
    rule = make_windowing(parameters, carried, is_dated=columns.dated)
    rows = read_rows(part, columns)
    return list(equal_keys(rule.keys(RowBlock(rows, part.file, part.path, part.file, 0.0))))


def find_windows(
    client: Client, data: Dataset, parameters: RunParameters, rule: Windowing
) -> Iterator[Window]:
    """Yield the time steps of a dataset in order; the times of the rows must not decrease."""
    open_slices: list[Slice] = []
    last: float | None = None
    for part, (key, start, stop) in _runs(client, data, parameters, rule):
        if last is not None and key < last:
            raise InputError(
                f"{part.path}, row {part.first + start + 1}: time goes backwards; sort the files by time"
            )
        if last is not None and key != last:
            yield Window(last, open_slices)
            open_slices = []
        open_slices.append(Slice(part, start, stop))
        last = key
    if last is not None:
        yield Window(last, open_slices)


def _runs(
    client: Client, data: Dataset, parameters: RunParameters, rule: Windowing
) -> Iterator[tuple[Part, tuple[float, int, int]]]:
    """Yield the runs of equal window keys of all parts."""
    if isinstance(rule, ByPart):
        yield from ((part, (float(part.file), 0, part.size)) for part in data.parts)
        return
    if isinstance(rule, ByRows):
        yield from _counted(data.parts, rule.count)
        return
    first = read_rows(data.parts[0], data.columns)
    rule.keys(RowBlock(first, 0, data.parts[0].path, 0, 0.0))  # windows begin at the first row
    futures = client.map(
        find_runs, data.parts, columns=data.columns, parameters=parameters, carried=rule.carry(), pure=False
    )
    for part, runs in zip(data.parts, client.gather(futures), strict=True):
        yield from ((part, run) for run in runs)


def _counted(parts: Sequence[Part], count: int) -> Iterator[tuple[Part, tuple[float, int, int]]]:
    seen = 0
    for part in parts:
        start = 0
        while start < part.size:
            stop = min(part.size, start + count - seen % count)
            yield part, (float(seen // count), start, stop)
            seen += stop - start
            start = stop
