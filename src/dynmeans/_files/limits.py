"""Limits on the contents of files, so that a small file cannot fill the memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from dynmeans._files.errors import InputError

_WIDENING = 8  # bytes of a number in memory for one byte in a file that is not compressed
_UNITS = {"": 1, "k": 2**10, "kb": 2**10, "m": 2**20, "mb": 2**20, "g": 2**30, "gb": 2**30}
_PLAIN = str.maketrans("", "", " ,")  # a size as options take it
_ENTRY = re.compile(r"\s*([a-z]+)\s*=\s*([0-9]+)\s*([a-z]*)\s*", re.IGNORECASE)


class FileLimits(NamedTuple):
    """Maximum sizes of the parts of a file; a file that exceeds one is refused."""

    line: int = 8 * 2**20  # characters of a line, or of a row over several lines
    cell: int = 128 * 2**10  # characters of a cell
    columns: int = 100_000
    array: int = 256 * 2**20  # bytes of a decoded array, or of a step, beyond 8 times the size of the file

    def allowance(self, size: int) -> int:
        """Return the maximum size of the decoded content of a file of `size` bytes."""
        return self.array + _WIDENING * size

    def check_columns(self, count: int, location: str) -> None:
        """Refuse a table with too many columns."""
        if count > self.columns:
            raise InputError(f"{location}: {count:,} columns; {self.rule('columns')}")

    def check_bytes(self, count: int, size: int, location: str, what: str) -> None:
        """Refuse content of `count` bytes in a file of `size` bytes that expands too far."""
        if count > self.allowance(size):
            raise InputError(f"{location}: {what} takes {in_words(count)}; {self.rule('array', count)}")

    def rule(self, name: str, needed: int = 0) -> str:
        """Return a limit in words, with the option that raises it."""
        value = getattr(self, name)
        if name == "columns":
            return f"the limit is {value:,} (raise it with --limit columns=N)"
        more = in_words(max(needed, 2 * value)).translate(_PLAIN).removesuffix("bytes")
        scope = " beyond 8 times the size of the file" if name == "array" else ""
        return f"the limit is {in_words(value)}{scope} (raise it with --limit {name}={more})"


def parse_limits(entries: Sequence[str] | None) -> FileLimits:
    """Read limits such as ``line=64MB`` or ``columns=500000``.

    Parameters
    ----------
    entries : sequence of str or None
        Each is a field of `FileLimits`, ``=`` and a whole number, optionally with KB, MB or GB.

    Returns
    -------
    FileLimits
        Defaults for limits that are not given.

    Raises
    ------
    InputError
        If an entry is invalid.

    Examples
    --------
    >>> parse_limits(["cell=1MB"]).cell
    1048576
    """
    found: dict[str, int] = {}
    for entry in entries or ():
        match = _ENTRY.fullmatch(entry)
        name, digits, unit = (part.lower() for part in match.groups()) if match else ("", "0", "")
        value = (int(digits) if len(digits) < 19 else 0) * _UNITS.get(unit, 0)
        if name not in FileLimits._fields or not 0 < value < 2**60:
            names = ", ".join(FileLimits._fields)
            raise InputError(
                f"--limit is {entry!r}; it must be NAME=SIZE such as line=64MB, NAME from {names}"
            )
        found[name] = value
    return FileLimits(**found)


def in_words(count: int) -> str:
    """Return a number of bytes or characters, rounded up.

    Examples
    --------
    >>> in_words(8 * 2**20), in_words(1500)
    ('8 MB', '2 KB')
    """
    for unit, size in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if count >= 10 * size or (count >= size and not count % size):
            return f"{-(-count // size):,} {unit}"
    return f"{count:,} bytes" if count < 2**10 else f"{-(-count // 2**10):,} KB"
