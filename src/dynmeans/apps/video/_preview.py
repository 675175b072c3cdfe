"""Preview image: frames before and after side by side, with their palettes."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.extras import require
from dynmeans.apps.video.colors import Pixels
from dynmeans.apps.video.quantizers import QuantizedFrame

_MOMENTS = 4  # frames, one per quarter of the video
_WIDTH = 480  # maximum width of one frame
_GAP = 6  # pixels between two frames
_STRIP = 28  # height of a palette strip
_PAPER = 255  # white background


class Preview:
    """Keep a few frames, evenly spaced over a video of any length.

    Examples
    --------
    >>> from dynmeans.apps.video import PaletteOptions, distinct, make_quantizer
    >>> preview, paint = Preview(), make_quantizer(PaletteOptions())
    >>> pixels = np.zeros((40, 60, 3), np.uint8)
    >>> for _ in range(9):
    ...     preview.add(pixels, paint(distinct(pixels)))
    >>> preview.picture().shape
    (132, 270, 3)
    """

    def __init__(self) -> None:
        self._columns: list[Pixels] = []
        self._colors: list[int] = []  # number of colors of each column
        self._every, self._seen = 1, 0

    def add(self, pixels: Pixels, quantized: QuantizedFrame) -> None:
        """Add the next frame."""
        if self._seen % self._every == 0:
            self._columns.append(_column(pixels, quantized))
            self._colors.append(len(quantized.palette))
            if len(self._columns) > 4 * _MOMENTS:
                self._columns, self._colors = self._columns[::2], self._colors[::2]
                self._every *= 2
        self._seen += 1

    def picture(self) -> Pixels:
        """Return the most colorful frame of each quarter side by side, originals above."""
        quarters = np.array_split(np.arange(len(self._columns)), _MOMENTS)
        which = [max(quarter, key=lambda i: self._colors[i]) for quarter in quarters if len(quarter)]
        gap = np.full((len(self._columns[0]), _GAP, 3), _PAPER, dtype=np.uint8)
        pieces = [piece for i in which for piece in (gap, self._columns[i])]
        return np.concatenate([*pieces, gap], axis=1)

    def write(self, path: Path) -> None:
        """Write the picture as PNG."""
        write_png(path, self.picture())


def write_png(path: Path, pixels: Pixels) -> None:
    """Write RGB pixels (height, width, 3) as a PNG file."""
    picture = png(pixels)
    with atomic_write(path) as temporary:
        temporary.write_bytes(picture)


def png(pixels: Pixels) -> bytes:
    """Encode RGB pixels (height, width, 3) as PNG."""
    av = require("av", "video")
    encoder = av.CodecContext.create("png", "w")
    encoder.height, encoder.width = pixels.shape[:2]
    encoder.pix_fmt, encoder.time_base = "rgb24", Fraction(1)
    picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
    packets = [*encoder.encode(picture), *encoder.encode(None)]
    return b"".join(map(bytes, packets))


def _column(pixels: Pixels, quantized: QuantizedFrame) -> Pixels:
    """Stack original, quantized frame and palette vertically."""
    step = -(-pixels.shape[1] // _WIDTH)
    small, painted = pixels[::step, ::step], quantized.pixels[::step, ::step]
    gap = np.full((_GAP, small.shape[1], 3), _PAPER, dtype=np.uint8)
    strip = np.broadcast_to(_strip(quantized, small.shape[1]), (_STRIP, small.shape[1], 3))
    return np.concatenate([gap, small, gap, painted, gap, strip, gap])


def _strip(quantized: QuantizedFrame, width: int) -> Pixels:
    """Draw the palette from dark to bright, with widths by the square root of the share, so that all show."""
    order = np.argsort(quantized.palette @ np.array([0.3, 0.59, 0.11]))
    ends = np.sqrt(quantized.sizes[order]).cumsum()
    positions = (np.arange(width) + 0.5) * ends[-1] / width
    strip: Pixels = quantized.palette[order[np.searchsorted(ends, positions)]]
    return strip
