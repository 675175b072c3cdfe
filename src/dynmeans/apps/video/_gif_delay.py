"""Set the duration of the last frame of a GIF or WebP, which FFmpeg only estimates."""

from __future__ import annotations

import re
from pathlib import Path

# Graphic control extension: flags, delay in 1/100 s, transparent color, end; then the image begins.
_GIF_PICTURE = re.compile(rb"\x21\xf9\x04.(..).\x00\x2c", re.DOTALL)
_LONGEST_GIF, _LONGEST_WEBP = 0xFFFF, 0xFFFFFF


def set_last_delay(path: Path, seconds: float) -> None:
    """Set the duration of the last frame of a GIF or animated WebP; other files are left unchanged."""
    content = bytearray(path.read_bytes())
    if content[:3] == b"GIF":
        at, unit, size, maximum = _in_gif(content), 0.01, 2, _LONGEST_GIF
    else:
        at, unit, size, maximum = _in_webp(content), 0.001, 3, _LONGEST_WEBP
    if at is not None:
        content[at : at + size] = min(round(seconds / unit), maximum).to_bytes(size, "little")
        path.write_bytes(content)


def _in_gif(content: bytearray) -> int | None:
    at = None
    for found in _GIF_PICTURE.finditer(content):
        at = found.start(1)
    return at


def _in_webp(content: bytearray) -> int | None:
    """Walk the chunks: four letters, the size, and that many bytes, padded to an even number."""
    at, offset = None, 12
    while offset + 8 <= len(content):
        if content[offset : offset + 4] == b"ANMF":
            at = offset + 8 + 12  # after position and size of the frame
        size = int.from_bytes(content[offset + 4 : offset + 8], "little")
        offset += 8 + size + size % 2
    return at
