"""Page headers of Parquet files: how large each page is once it is decompressed.

A reader takes this memory before it decompresses a page, so a false size could fill the memory. The sizes in
the metadata at the end of the file need not agree with those of the pages. Reference: ``parquet.thrift`` of
apache/parquet-format, in the compact protocol of Thrift.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

_HEADER_BYTES = 1 << 16  # of a page header; statistics make it longer than usual
_UNCOMPRESSED, _COMPRESSED = 2, 3  # fields of a page header
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_DEPTH = 8  # of structures in each other


class Page(NamedTuple):
    """Sizes of one page, in bytes."""

    uncompressed: int
    compressed: int
    header: int


def page_sizes(file: BinaryIO, chunk: Any, size: int) -> Iterator[Page]:
    """Yield the sizes of the pages of a column chunk, up to the first header that cannot be parsed.

    Parameters
    ----------
    file : binary file
    chunk : pyarrow.parquet.ColumnChunkMetaData
    size : int
        Bytes of the file.
    """
    places = [chunk.data_page_offset, chunk.dictionary_page_offset]
    place = min(place for place in places if place)  # a dictionary comes first
    end = min(place + chunk.total_compressed_size, size)
    while 0 <= place < end:
        file.seek(place)
        page = _parse_page(file.read(min(_HEADER_BYTES, end - place)))
        if page is None:
            return
        yield page
        place += page.header + max(page.compressed, 0)


def _parse_page(data: bytes) -> Page | None:
    """Parse a page header; None if it is damaged or longer than the data."""
    reader = _Compact(data)
    try:
        fields = reader.read_struct()
    except (IndexError, ValueError):
        return None
    sizes = fields.get(_UNCOMPRESSED), fields.get(_COMPRESSED)
    return None if None in sizes else Page(int(sizes[0] or 0), int(sizes[1] or 0), reader.place)


class _Compact:
    """Reader of the compact protocol of Thrift; it keeps whole numbers and passes over all else."""

    def __init__(self, data: bytes) -> None:
        self._data, self.place = data, 0

    def read_struct(self, depth: int = 0) -> dict[int, int]:
        """Return the whole numbers of a structure, by field."""
        if depth > _DEPTH:
            raise ValueError("too deep")
        found: dict[int, int] = {}
        field = 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self._number()
            value = self._value(head & 15, depth, is_element=False)
            if value is not None:
                found[field] = value
        return found

    def _value(self, kind: int, depth: int, *, is_element: bool) -> int | None:
        if kind in (_TRUE, _FALSE):
            self.place += is_element  # as a field, its type is its value
        elif kind in (_BYTE, _DOUBLE):
            self.place += 1 if kind == _BYTE else 8
        elif kind < _DOUBLE:
            return self._number()
        elif kind == _BINARY:
            length = self._varint()
            self.place += length
        elif kind == _STRUCT:
            self.read_struct(depth + 1)
        else:
            self._pass_elements(kind, depth)
        return None

    def _pass_elements(self, kind: int, depth: int) -> None:
        """Pass over a list or a set; page headers have no maps."""
        if kind not in (_LIST, _SET):
            raise ValueError(f"type {kind}")
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        if count > len(self._data):
            raise ValueError("more elements than bytes")
        for _ in range(count):
            self._value(head & 15, depth + 1, is_element=True)

    def _byte(self) -> int:
        value = self._data[self.place]
        self.place += 1
        return value

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("too long")

    def _number(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
