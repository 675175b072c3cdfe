"""JSON Lines, plain or gzipped: an object or an array in every line."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import BinaryIO, TypeAlias

from dynmeans._files.errors import InputError, InputWarning, error_context
from dynmeans._files.limits import FileLimits
from dynmeans._tables.cells import EXAMINED_ROWS
from dynmeans._tables.chunk import Chunk, numbered_names
from dynmeans._tables.readers.lines import Lines, open_lines
from dynmeans._tables.readers.text import CHUNK_CHARACTERS, TextTable, assemble

ONE_ARRAY = "the file is one JSON array; it must have one object per line (jq -c '.[]' converts it)"
_NAMED_KEYS = 5  # in the warning about keys that are not used

_Value: TypeAlias = "dict[str, object] | list[object]"


def read_json_lines(
    file: BinaryIO,
    name: str,
    *,
    skip: int = 0,
    size: int = 0,
    zipped: bool = False,
    limits: FileLimits = FileLimits(),  # noqa: B008
    known: Sequence[str] | None = None,
    warns_of_keys: bool = False,
) -> Iterator[Chunk]:
    """Read the rows of a JSON Lines file in chunks.

    The columns are the keys of the first 100 objects, or x1, x2, ... for arrays. A key that an object lacks
    is an empty cell.

    Parameters
    ----------
    file, name, skip, size, zipped, limits
        See `read_delimited`.
    known : sequence of str or None
        Columns of objects, if they are known from the first file.
    warns_of_keys : bool
        Whether keys that are not columns give an `InputWarning` at the end of the file.

    Yields
    ------
    Chunk
    """
    with open_lines(file, size, zipped, limits) as lines:
        numbered = _numbered(lines)
        with error_context(f"{name}, line 1"):
            first = next(numbered, None)
        if first is None:
            return
        parsed = ((_parse(text, line, name), line) for text, line in chain([first], numbered))
        examined, values = _examine(parsed, lines)
        names = _names(examined, name, limits, known)
        unused = _UnusedKeys(names)
        rows = ((unused.cells(value, line), line) for value, line in values)
        yield from assemble(TextTable(rows, names, name, lines, limits), skip)
        if warns_of_keys:
            unused.warn(name)


class _UnusedKeys:
    """Convert objects to cells, and note the keys that are not columns."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names, self._known = names, set(names)
        self._keys: dict[str, None] = {}  # the first of them
        self._line = 0  # of the first of them

    def cells(self, value: _Value, line: int) -> Sequence[object]:
        """Return the cells of a row; a missing key is an empty cell."""
        if isinstance(value, list):
            return value
        if len(self._keys) <= _NAMED_KEYS and not self._known.issuperset(value):
            self._line = self._line or line
            self._keys |= dict.fromkeys(key for key in value if key not in self._known)
        return [value.get(key) for key in self._names]

    def warn(self, name: str) -> None:
        """Give a warning if there are such keys."""
        if not self._keys:
            return
        named = [repr(key) for key in islice(self._keys, _NAMED_KEYS)]
        some = ", ".join(named) + (", ..." if len(self._keys) > _NAMED_KEYS else "")
        which, them = (f"key {some} is", "it") if len(self._keys) == 1 else (f"keys {some} are", "them")
        reason = f"because the first {EXAMINED_ROWS} rows of the input do not have {them}"
        warnings.warn(
            f"{name}, line {self._line}: the {which} not used, {reason}", InputWarning, stacklevel=2
        )


def _numbered(lines: Lines) -> Iterator[tuple[str, int]]:
    for line, text in enumerate(lines, 1):
        lines.begin_row()
        if text.strip():
            yield text, line


def _parse(text: str, line: int, name: str) -> _Value:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        start = text.strip()
        if line == 1 and start.startswith("[") and start[1:].lstrip()[:1] in ("", "{"):
            raise InputError(f"{name}: {ONE_ARRAY}") from None
        raise InputError(f"{name}, line {line}: not JSON ({start[:40]!r})") from None
    if not isinstance(value, dict | list):
        raise InputError(f"{name}, line {line}: {text.strip()[:40]!r} is neither an object nor an array")
    with error_context(f"{name}, line {line}"):
        check_unicode(text, value)
    return value


def check_unicode(text: str, value: object) -> None:
    """Refuse an unpaired surrogate in JSON, which cannot be written to a file."""
    if "\\ud" in text or "\\uD" in text:
        json.dumps(value, ensure_ascii=False).encode()


def _examine(
    values: Iterator[tuple[_Value, int]], lines: Lines
) -> tuple[list[tuple[_Value, int]], Iterator[tuple[_Value, int]]]:
    """Return the first values, and all of them; an error is raised after the values before it."""
    examined: list[tuple[_Value, int]] = []
    failure: Exception | None = None
    try:
        for value in islice(values, EXAMINED_ROWS):
            examined.append(value)
            if lines.seen > CHUNK_CHARACTERS:
                break
    except Exception as error:  # of a line, of its characters, or of the compressed file
        if not examined:
            raise
        failure = error

    def all_values() -> Iterator[tuple[_Value, int]]:
        yield from examined
        if failure is not None:
            raise failure
        yield from values

    return examined, all_values()


def _names(
    examined: Sequence[tuple[_Value, int]], name: str, limits: FileLimits, known: Sequence[str] | None
) -> tuple[str, ...]:
    """Return the names of the columns."""
    first, line = examined[0]
    if isinstance(first, list):
        _check_rows(first, len(examined), name)
        limits.check_columns(len(first), f"{name}, line {line}")
        return numbered_names(len(first))
    if known is not None:
        return tuple(known)
    names: dict[str, None] = {}
    for value, line in examined:
        names |= dict.fromkeys(value if isinstance(value, dict) else ())
        limits.check_columns(len(names), f"{name}, line {line}")
    return tuple(names)


def _check_rows(first: list[object], n_rows: int, name: str) -> None:
    """Refuse a line that has all rows of a table."""
    has_lists = n_rows == 1 and any(isinstance(cell, list) for cell in first)
    if has_lists or any(isinstance(cell, dict) for cell in first):
        raise InputError(f"{name}: {ONE_ARRAY}")
