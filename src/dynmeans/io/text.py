"""CSV, TSV and JSON Lines, plain or gzipped, read line by line."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import BinaryIO, NamedTuple, TextIO, TypeAlias

from dynmeans.io.cells import is_number, is_time
from dynmeans.io.errors import InputError, blame
from dynmeans.io.pieces import PIECE_ROWS, Piece, distinct_names, numbered_names

_Row: TypeAlias = tuple[Sequence[object], int]  # cells of a row, and the line where it ends


class _Lines(NamedTuple):
    """Text lines of a binary file, and how far into it they are."""

    text: TextIO
    file: BinaryIO
    size: int

    def done(self) -> float:
        """Share of the file that has been read; 0 for a stream without end."""
        return min(self.file.tell() / self.size, 1.0) if self.size else 0.0


@contextmanager
def _lines_of(file: BinaryIO, size: int, zipped: bool) -> Iterator[_Lines]:
    raw = gzip.GzipFile(fileobj=file) if zipped else file
    text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
    try:
        yield _Lines(text, file, size)
    finally:
        text.detach()  # who opened the file closes it


def read_delimited(
    file: BinaryIO, name: str, *, delimiter: str, skip: int = 0, size: int = 0, zipped: bool = False
) -> Iterator[Piece]:
    """Read the rows of a CSV or TSV file in pieces.

    Parameters
    ----------
    file : binary file
        Open for reading; closed by the caller.
    name : str
        What errors call it.
    delimiter : str
        Between two cells. A comma gives way to a semicolon where the first line has semicolons only.
    skip : int
        Rows to pass over, the heading not counted.
    size : int
        Length in bytes, 0 if unknown.
    zipped : bool
        Whether the bytes are gzipped.

    Yields
    ------
    Piece
        Its cells are strings.
    """
    with _lines_of(file, size, zipped) as lines:
        with blame(name):
            start = lines.text.readline()
        if delimiter == "," and ";" in start and "," not in start:
            delimiter = ";"
        text = chain([start], lines.text)
        reader = csv.reader(text, delimiter=delimiter, skipinitialspace=True, strict=True)
        rows = ((cells, reader.line_num) for cells in reader if cells)
        with blame(f"{name}, line 1"):
            first = next(rows, None)
        if first is not None:
            names, rest = _heading(first, rows, name)
            yield from _assemble(rest, names, name, skip, lines.done)


def _heading(first: _Row, rows: Iterator[_Row], name: str) -> tuple[tuple[str, ...], Iterator[_Row]]:
    """Names of the columns and the rows under them; a first row of nothing but data is a row."""
    cells = [str(cell).strip() for cell in first[0]]
    data = all(not cell or is_number(cell) or is_time(cell) for cell in cells)
    if data and any(is_number(cell) for cell in cells):
        return numbered_names(len(cells)), chain([first], rows)
    return distinct_names(cells, name), rows


def read_json_lines(
    file: BinaryIO, name: str, *, skip: int = 0, size: int = 0, zipped: bool = False
) -> Iterator[Piece]:
    """Read the rows of a JSON Lines file in pieces: an object or an array in every line.

    The columns are the keys of the first object, or x1, x2, ... for arrays. Parameters: see `read_delimited`.
    """
    with _lines_of(file, size, zipped) as lines:
        numbered = ((text, line) for line, text in enumerate(lines.text, 1) if text.strip())
        with blame(f"{name}, line 1"):
            first = next(numbered, None)
        if first is not None:
            start = _parse(*first, name)
            names = tuple(start) if isinstance(start, dict) else numbered_names(len(start))
            values = ((_parse(text, line, name), line) for text, line in chain([first], numbered))
            rows = ((_json_row(value, names), line) for value, line in values)
            yield from _assemble(rows, names, name, skip, lines.done)


def _parse(text: str, line: int, name: str) -> dict[str, object] | list[object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{name}, line {line}: not JSON ({text.strip()[:40]!r})") from None
    if not isinstance(value, dict | list):
        raise InputError(f"{name}, line {line}: {text.strip()[:40]!r} is neither an object nor an array")
    return value


def _json_row(value: dict[str, object] | list[object], names: Sequence[str]) -> list[object]:
    """Cells of a row; a key that it lacks is an empty cell."""
    return value if isinstance(value, list) else [value.get(key) for key in names]


def _assemble(
    rows: Iterator[_Row], names: tuple[str, ...], name: str, skip: int, done: Callable[[], float]
) -> Iterator[Piece]:
    """Bundle rows into pieces. The rows before a broken one are handed out before its error."""
    with blame(f"{name}, before row {skip + 1}"):
        deque(islice(rows, skip), maxlen=0)
    number, failure = skip, None
    while failure is None:
        bundle: list[_Row] = []
        try:
            with blame(lambda: f"{name}, after row {number + len(bundle)}"):  # noqa: B023
                bundle.extend(islice(rows, PIECE_ROWS))  # what came before an error stays
        except InputError as error:
            failure = error
        if {len(cells) for cells, _ in bundle} - {len(names)}:
            failure = _cut_ragged(bundle, names, name, number)
        if bundle:
            yield _piece(bundle, names, number + 1, done())
            number += len(bundle)
        elif failure is None:
            return
    raise failure


def _cut_ragged(bundle: list[_Row], names: tuple[str, ...], name: str, number: int) -> InputError:
    """Cut a bundle before its first row that is too long or too short, and say so."""
    odd = next(i for i, (cells, _) in enumerate(bundle) if len(cells) != len(names))
    cells, line = bundle[odd]
    del bundle[odd:]
    place = f"{name}, row {number + odd + 1} (line {line})"
    return InputError(f"{place}: {len(cells)} cells for {len(names)} columns")


def _piece(bundle: list[_Row], names: tuple[str, ...], first: int, done: float) -> Piece:
    columns = dict(zip(names, zip(*(cells for cells, _ in bundle), strict=True), strict=True))
    return Piece(names, columns, first, len(bundle), [line for _, line in bundle], done=done)
