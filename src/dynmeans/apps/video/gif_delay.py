"""How long the last picture of a GIF or WebP is shown, which FFmpeg guesses."""

from __future__ import annotations

import re
from pathlib import Path

# Head of a picture: flags, hundredths of a second, transparent colour, end; then the picture begins.
_GIF_PICTURE = re.compile(rb"\x21\xf9\x04.(..).\x00\x2c", re.DOTALL)
_LONGEST_GIF, _LONGEST_WEBP = 0xFFFF, 0xFFFFFF


def set_last_delay(path: Path, seconds: float) -> None:
    """Write into a GIF or an animated WebP how long its last picture is shown; into others, nothing."""
    content = bytearray(path.read_bytes())
    if content[:3] == b"GIF":
        at, unit, size, most = _in_gif(content), 0.01, 2, _LONGEST_GIF
    else:
        at, unit, size, most = _in_webp(content), 0.001, 3, _LONGEST_WEBP
    if at is not None:
        content[at : at + size] = min(round(seconds / unit), most).to_bytes(size, "little")
        path.write_bytes(content)


def _in_gif(content: bytearray) -> int | None:
    at = None
    for found in _GIF_PICTURE.finditer(content):
        at = found.start(1)
    return at


def _in_webp(content: bytearray) -> int | None:
    """Go from chunk to chunk: four letters, the size, and as many bytes, made even."""
    at, place = None, 12
    while place + 8 <= len(content):
        if content[place : place + 4] == b"ANMF":
            at = place + 8 + 12  # after where the picture is and how large
        size = int.from_bytes(content[place + 4 : place + 8], "little")
        place += 8 + size + size % 2
    return at
