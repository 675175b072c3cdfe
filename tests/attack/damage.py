"""Damage to files: flipped bits, truncation, inserted and overwritten bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

_NUMBERS = (0, -1, 1, 2, 127, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, -(2**63))
_TOKENS = (
    *(b"nan", b"inf", b"-inf", b"1e308", b"-1e308", b"1e-320", b"1e999", b"-1", b"0", b"1_000", b"0x10"),
    *(b"9" * 19, b"9" * 400, b"1" * 5000, b"-", b"+", b".", b"e", b"", b" ", b"\t", b",", b"," * 8, b";"),
    *(b"\n", b"\r", b"\r\n", b"\n\n\n", b"\0", b"\0\0\0\0", b"\x1a", b"\xff\xfe", b"\xef\xbb\xbf"),
    *(b"\xc3\x28", b"\xed\xa0\x80", b"\\ud800", b'"\\udfff"', b'"', b'""', b"'", b"\\", b"[", b"]", b"{"),
    *(b"}", b"[" * 3000, b'{"a":' * 500, b"null", b"true", b"None", b"()", b"(-1, 3)", b"|O", b"V8", b"<f4"),
    *(b"(9223372036854775807,)", b"4294967296", b"18446744073709551616", b"2024-13-45", b"today", b"NaT"),
    *(b"0000-00-00T00:00:00", b"9999-12-31T23:59:59.999999999", b"1970", b"x", b"x" * 300, b"%s%n"),
    *(b"../../x", b"#", b"// ", b"__import__('os')", b"1,5"),
)
_LONGEST = 300_000  # bytes of a damaged file


def damaged(seed: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """One to four kinds of damage, one after another.

    Parameters
    ----------
    seed : bytes
        A valid file.
    others : sequence of bytes
        Files of which parts are spliced in.
    rng : random.Random
    """
    data = seed
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        is_spliced = rng.random() < 0.1
        data = _splice(data, rng.choice(others), rng) if is_spliced else rng.choice(_KINDS)(data, rng)
    return data[:_LONGEST]


def _offset(data: bytes, rng: random.Random) -> int:
    """An offset, mostly near the beginning or the end, where headers and indices are."""
    length = max(len(data), 1)
    kind = rng.random()
    if kind < 0.4:
        return rng.randrange(min(length, 400))
    return length - 1 - rng.randrange(min(length, 200)) if kind < 0.6 else rng.randrange(length)


def _flip(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(rng.choice((1, 1, 2, 8))):
        changed[_offset(changed, rng)] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _overwrite(data: bytes, rng: random.Random) -> bytes:
    at, count = _offset(data, rng), rng.choice((1, 2, 4, 16, 64))
    return data[:at] + rng.randbytes(count) + data[at + count :]


def _truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: _offset(data, rng)]


def _behead(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randrange(1, 40) :]


def _repeat(data: bytes, rng: random.Random) -> bytes:
    at, length = _offset(data, rng), rng.choice((1, 2, 8, 50, 400))
    block = data[at : at + length]
    return data[:at] + block * rng.choice((2, 3, 16, 200)) + data[at + length :]


def _delete(data: bytes, rng: random.Random) -> bytes:
    at = _offset(data, rng)
    return data[:at] + data[at + rng.choice((1, 2, 4, 30, 200)) :]


def _number(data: bytes, rng: random.Random) -> bytes:
    """An interesting number of some width and byte order, as in a header."""
    at, width, value = _offset(data, rng), rng.choice((1, 2, 4, 8)), rng.choice(_NUMBERS)
    number = (value % 2 ** (8 * width)).to_bytes(width, rng.choice(("little", "big")))
    return data[:at] + number + data[at + width :]


def _insert(data: bytes, rng: random.Random) -> bytes:
    at = _offset(data, rng)
    return data[:at] + rng.choice(_TOKENS) + data[at:]


def _replace_word(data: bytes, rng: random.Random) -> bytes:
    """Replace one word or number in a text by another."""
    words = list(re.finditer(rb"[A-Za-z0-9_.+-]+", data[:20_000]))
    if not words:
        return _insert(data, rng)
    word = rng.choice(words)
    new = str(rng.choice(_NUMBERS)).encode() if rng.random() < 0.5 else rng.choice(_TOKENS)
    return data[: word.start()] + new + data[word.end() :]


def _splice(data: bytes, other: bytes, rng: random.Random) -> bytes:
    a, b = _offset(data, rng), _offset(other, rng)
    return data[:a] + other[b : b + rng.choice((16, 200, 5000))] + (data[a:] if rng.random() < 0.5 else b"")


_KINDS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_flip, _overwrite, _truncate, _behead, _repeat, _delete, _number, _number, _insert, _replace_word),
    _replace_word,
)
