"""Page headers of Parquet files: how large each page is once it is decompressed.

A reader allocates this memory before it decompresses a page, so a wrong size could fill the memory. The
sizes in the metadata at the end of the file need not agree with those of the pages. The metadata is parsed
here, too: if it is inconsistent, pyarrow's description of a column aborts the process. Reference:
``parquet.thrift`` of apache/parquet-format.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from dynmeans._tables.readers.thrift_compact import CompactReader, Struct

_HEADER_BYTES = 1 << 16  # maximum length of a page header; statistics make it longer than usual
_FOOTER_TAIL = 8  # bytes after the metadata: their size and the magic number


class ColumnChunk(NamedTuple):
    """Position of the pages of one column in one row group."""

    path: str  # names of the nested fields, joined by dots
    start: int
    compressed: int  # bytes


class Page(NamedTuple):
    """Sizes of one page, in bytes."""

    uncompressed: int
    compressed: int
    header: int


def column_chunks(file: BinaryIO) -> list[list[ColumnChunk]]:
    """Return the column chunks of each row group of a Parquet file."""
    size = file.seek(0, 2)
    file.seek(size - _FOOTER_TAIL)
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(size - _FOOTER_TAIL - length, 0))
    try:
        metadata = CompactReader(file.read(length)).read_struct()
        return [[_column_chunk(column[3]) for column in group[1]] for group in metadata[4]]
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError("the metadata of the file is damaged") from error


def _column_chunk(metadata: Struct) -> ColumnChunk:
    names, compressed, data, dictionary = (metadata.get(field) for field in (3, 7, 9, 11))
    start = min(position for position in (data, dictionary) if position)  # a dictionary comes first
    return ColumnChunk(b".".join(names or ()).decode(), start, compressed or 0)


def page_sizes(file: BinaryIO, chunk: ColumnChunk, size: int) -> Iterator[Page]:
    """Yield the sizes of the pages of a column chunk, up to the first header that cannot be parsed.

    Parameters
    ----------
    file : binary file
    chunk : ColumnChunk
    size : int
        Bytes of the file.
    """
    position, end = chunk.start, min(chunk.start + chunk.compressed, size)
    while 0 <= position < end:
        file.seek(position)
        page = _parse_page(file.read(min(_HEADER_BYTES, end - position)))
        if page is None:
            return
        yield page
        position += page.header + max(page.compressed, 0)


def _parse_page(data: bytes) -> Page | None:
    """Parse a page header; None if it is damaged or longer than the data."""
    reader = CompactReader(data)
    try:
        header = reader.read_struct()
    except (IndexError, ValueError):
        return None
    uncompressed, compressed = header.get(2), header.get(3)
    if not isinstance(uncompressed, int) or not isinstance(compressed, int):
        return None
    return Page(uncompressed, compressed, reader.position)
