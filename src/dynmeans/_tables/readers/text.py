"""CSV and TSV, plain or gzipped, read line by line, and rows of any text file as chunks."""

from __future__ import annotations

import csv
import warnings
from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from dynmeans._files.errors import InputError, InputWarning, error_context
from dynmeans._files.limits import FileLimits
from dynmeans._tables.cells import is_number
from dynmeans._tables.chunk import CHUNK_ROWS, Chunk, numbered_names
from dynmeans._tables.dates import is_time
from dynmeans._tables.readers.lines import Lines, open_lines

OPEN_END = "the last line has no end; if the file was cut off, its last number may be incomplete"
CHUNK_CHARACTERS = 4 * 2**20  # maximum number per chunk; their cells may need 20 times as many bytes

TextRow: TypeAlias = tuple[Sequence[object], int]  # cells of a row, and the line where it ends


class TextTable(NamedTuple):
    """A text file after its heading."""

    rows: Iterator[TextRow]
    names: tuple[str, ...]
    name: str  # name of the file in errors
    lines: Lines
    limits: FileLimits


def read_delimited(
    file: BinaryIO,
    name: str,
    *,
    delimiter: str,
    skip: int = 0,
    size: int = 0,
    zipped: bool = False,
    limits: FileLimits = FileLimits(),  # noqa: B008
) -> Iterator[Chunk]:
    """Read the rows of a CSV or TSV file in chunks.

    A blank line is skipped, but in a table of one column it is an empty cell, unless it is at the end of the
    file. A last line without an end is read and gives an `InputWarning`: its last cell may be cut off.

    Parameters
    ----------
    file : binary file
        Open for reading; closed by the caller.
    name : str
        Name of the file in errors.
    delimiter : str
        Between two cells. A semicolon replaces a comma if the first line has only semicolons.
    skip : int
        Number of rows to skip, without the heading.
    size : int
        Length in bytes, 0 if unknown.
    zipped : bool
        Whether the bytes are gzipped.
    limits : FileLimits

    Yields
    ------
    Chunk
        Its cells are strings.
    """
    with open_lines(file, size, zipped, limits) as lines:
        text = iter(lines)
        with error_context(f"{name}, line 1"), _longest_cell(limits):
            start = next(text, "")
            if delimiter == "," and ";" in start and "," not in start:
                delimiter = ";"
            reader = csv.reader(chain([start], text), delimiter=delimiter, skipinitialspace=True, strict=True)
            first = next(filter(None, reader), None)
            lines.begin_row()
        if first is None:
            return
        names, is_row = _heading(first, name, limits)
        rows = _filled_rows(reader, lines, is_single=len(names) == 1)
        rows = chain([(first, reader.line_num)], rows) if is_row else rows
        location = name
        for chunk in assemble(TextTable(rows, names, name, lines, limits), skip):
            location = f"{name}, {chunk.location(chunk.size - 1)}"
            yield chunk
        if lines.last and not lines.last.endswith(("\n", "\r", '"')):
            warnings.warn(f"{location}: {OPEN_END}", InputWarning, stacklevel=2)


def _filled_rows(reader: Any, lines: Lines, is_single: bool) -> Iterator[TextRow]:
    """Drop blank lines; in a table of one column they are empty cells."""
    n_blank = 0
    for cells in reader:
        lines.begin_row()
        if cells:
            if n_blank:
                yield from (([""], reader.line_num - n_blank + i) for i in range(n_blank))
                n_blank = 0
            yield cells, reader.line_num
        elif is_single:
            n_blank += 1


def _heading(first: Sequence[str], name: str, limits: FileLimits) -> tuple[tuple[str, ...], bool]:
    """Return the names of the columns, and whether the first row is data instead of a heading."""
    limits.check_columns(len(first), f"{name}, line 1")
    cells = [cell.strip() for cell in first]
    data = all(not cell or is_number(cell) or is_time(cell) for cell in cells)
    if data and any(is_number(cell) for cell in cells):
        return numbered_names(len(cells)), True
    return _with_numbers(cells), False


def _with_numbers(names: Sequence[str]) -> tuple[str, ...]:
    """Call columns without a name by their numbers, but not those before all names, which may be an index."""
    begin = next((i for i, name in enumerate(names) if name), len(names))
    numbers = numbered_names(len(names))
    taken = set(names)
    return tuple(
        number if not name and i > begin and number not in taken else name
        for i, (name, number) in enumerate(zip(names, numbers, strict=True))
    )


def assemble(table: TextTable, skip: int) -> Iterator[Chunk]:
    """Collect rows into chunks. The rows before an invalid one are returned before its error."""
    with error_context(f"{table.name}, before row {skip + 1}"), _longest_cell(table.limits):
        deque(islice(table.rows, skip), maxlen=0)
    number, failure = skip, None
    while failure is None:
        bundle: list[TextRow] = []
        try:
            with error_context(lambda: f"{table.name}, after row {number + len(bundle)}"):  # noqa: B023
                _take(table, bundle)
        except InputError as error:
            failure = error
        if {len(cells) for cells, _ in bundle} - {len(table.names)}:
            failure = _cut_ragged(bundle, table, number)
        if bundle:
            yield _make_chunk(bundle, table, number + 1)
            number += len(bundle)
        elif failure is None:
            return
    raise failure


def _take(table: TextTable, bundle: list[TextRow]) -> None:
    """Add rows to a chunk until it is large enough; rows before an error are kept."""
    stop = table.lines.seen + CHUNK_CHARACTERS
    with _longest_cell(table.limits):
        for row in islice(table.rows, CHUNK_ROWS):
            bundle.append(row)
            if table.lines.seen > stop:
                return


@contextmanager
def _longest_cell(limits: FileLimits) -> Iterator[None]:
    """Limit the cells of a CSV file; the limit of the csv module applies to the whole process."""
    before = csv.field_size_limit(limits.cell)
    try:
        yield
    except csv.Error as error:
        if "field limit" in str(error):
            raise ValueError(f"a cell is too long; {limits.rule('cell')}") from None
        raise
    finally:
        csv.field_size_limit(before)


def _cut_ragged(bundle: list[TextRow], table: TextTable, number: int) -> InputError:
    """Truncate a chunk before its first row with too many or too few cells, and return the error."""
    ragged = next(i for i, (cells, _) in enumerate(bundle) if len(cells) != len(table.names))
    cells, line = bundle[ragged]
    del bundle[ragged:]
    location = f"{table.name}, row {number + ragged + 1} (line {line})"
    return InputError(f"{location}: {_count(cells, 'cell')} for {_count(table.names, 'column')}")


def _count(things: Sequence[object], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


def _make_chunk(bundle: list[TextRow], table: TextTable, first: int) -> Chunk:
    columns = dict(zip(table.names, zip(*(cells for cells, _ in bundle), strict=True), strict=True))
    lines = array("q", (line for _, line in bundle))
    return Chunk(table.names, columns, first, len(bundle), lines, done=table.lines.done())
