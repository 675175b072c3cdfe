"""Lines of a text file, plain or gzipped, none longer than a limit."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO, TextIO

from dynmeans._files.limits import FileLimits


class Lines:
    """Text lines of a binary file, with the position in the file.

    A row may span several lines; the caller calls `begin_row` after each row.
    """

    def __init__(self, text: TextIO, file: BinaryIO, size: int, limits: FileLimits) -> None:
        self._text, self._file, self._size, self._limits = text, file, size, limits
        self.seen = self._row = 0  # characters so far, and before the present row
        self.last = ""  # the last line so far

    def __iter__(self) -> Iterator[str]:
        limit = self._limits.line
        for line in iter(partial(self._text.readline, limit + 1), ""):
            self.seen += len(line)
            if self.seen - self._row > limit:
                raise ValueError(f"a line is too long; {self._limits.rule('line')}")
            self.last = line
            yield line

    def begin_row(self) -> None:
        """Count the characters of a row from here."""
        self._row = self.seen

    def done(self) -> float:
        """Return the share of the file that has been read; 0 for a stream."""
        return min(self._file.tell() / self._size, 1.0) if self._size else 0.0


@contextmanager
def open_lines(file: BinaryIO, size: int, zipped: bool, limits: FileLimits) -> Iterator[Lines]:
    """Open the lines of a binary file; the file stays open."""
    raw = gzip.GzipFile(fileobj=file) if zipped else file
    text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
    try:
        yield Lines(text, file, size, limits)
    finally:
        text.detach()  # the caller closes the file
