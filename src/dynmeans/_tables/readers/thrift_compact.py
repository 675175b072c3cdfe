"""Reader of the compact protocol of Apache Thrift, in which Parquet files store their metadata."""

from __future__ import annotations

from typing import Any

Struct = dict[int, Any]  # values by field number

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_MAX_DEPTH = 16  # maximum depth of nested structures and lists


class CompactReader:
    """Reads structures from bytes; damaged ones raise IndexError or ValueError.

    Whole numbers, bytes, lists and structures are kept; other values are None. Parquet has no maps.
    """

    def __init__(self, data: bytes) -> None:
        self._data, self.position = data, 0

    def read_struct(self, depth: int = 0) -> Struct:
        """Read a structure at the present position."""
        if depth > _MAX_DEPTH:
            raise ValueError("too deep")
        found: Struct = {}
        field = 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self._number()
            found[field] = self._value(head & 15, depth, is_element=False)
        return found

    def _value(self, kind: int, depth: int, *, is_element: bool) -> Any:
        if kind in (_TRUE, _FALSE):
            self.position += is_element  # as a field, its type is its value
        elif kind in (_BYTE, _DOUBLE):
            self.position += 1 if kind == _BYTE else 8
        elif kind < _DOUBLE:
            return self._number()
        elif kind == _BINARY:
            return self._bytes()
        elif kind == _STRUCT:
            return self.read_struct(depth + 1)
        elif kind in (_LIST, _SET):
            return self._list(depth + 1)
        else:
            raise ValueError(f"type {kind}")
        return None

    def _bytes(self) -> bytes:
        length = self._varint()
        self.position += length
        return self._data[self.position - length : self.position]

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        if count > len(self._data):
            raise ValueError("more elements than bytes")
        return [self._value(head & 15, depth, is_element=True) for _ in range(count)]

    def _byte(self) -> int:
        value = self._data[self.position]
        self.position += 1
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
