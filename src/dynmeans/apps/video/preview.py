"""One picture of a video before and after: moments side by side, with their palettes below."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.extras import require
from dynmeans.apps.video.colors import Pixels
from dynmeans.apps.video.quantizers import Painting

_MOMENTS = 4
_WIDTH = 480  # of one picture, at most
_GAP = 6
_STRIP = 28  # height of a palette
_PAPER = 255


class Preview:
    """Keeps a few moments, evenly over all that it is shown, however long that is.

    Examples
    --------
    >>> from dynmeans.apps.video import Palette, distinct, painter
    >>> preview, paint = Preview(), painter(Palette())
    >>> pixels = np.zeros((40, 60, 3), np.uint8)
    >>> for _ in range(9):
    ...     preview.take(pixels, paint(distinct(pixels)))
    >>> preview.picture().shape
    (132, 270, 3)
    """

    def __init__(self) -> None:
        self._columns: list[Pixels] = []
        self._colors: list[int] = []  # of each column
        self._every, self._seen = 1, 0

    def take(self, pixels: Pixels, painting: Painting) -> None:
        """Look at the next frame."""
        if self._seen % self._every == 0:
            self._columns.append(_column(pixels, painting))
            self._colors.append(len(painting.palette))
            if len(self._columns) > 4 * _MOMENTS:
                self._columns, self._colors = self._columns[::2], self._colors[::2]
                self._every *= 2
        self._seen += 1

    def picture(self) -> Pixels:
        """The most colourful moment of each quarter, side by side, originals above."""
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
    with atomic_write(path) as place:
        place.write_bytes(picture)


def png(pixels: Pixels) -> bytes:
    """Give what a PNG file of RGB pixels (height, width, 3) holds."""
    av = require("av", "video")
    encoder = av.CodecContext.create("png", "w")
    encoder.height, encoder.width = pixels.shape[:2]
    encoder.pix_fmt, encoder.time_base = "rgb24", Fraction(1)
    picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
    packets = [*encoder.encode(picture), *encoder.encode(None)]
    return b"".join(map(bytes, packets))


def _column(pixels: Pixels, painting: Painting) -> Pixels:
    """Original, painting and palette below each other."""
    step = -(-pixels.shape[1] // _WIDTH)
    small, painted = pixels[::step, ::step], painting.pixels[::step, ::step]
    gap = np.full((_GAP, small.shape[1], 3), _PAPER, dtype=np.uint8)
    strip = np.broadcast_to(_strip(painting, small.shape[1]), (_STRIP, small.shape[1], 3))
    return np.concatenate([gap, small, gap, painted, gap, strip, gap])


def _strip(painting: Painting, width: int) -> Pixels:
    """Palette from dark to bright, each colour as wide as the root of its share: small ones are seen, too."""
    order = np.argsort(painting.palette @ np.array([0.3, 0.59, 0.11]))
    ends = np.sqrt(painting.sizes[order]).cumsum()
    places = (np.arange(width) + 0.5) * ends[-1] / width
    strip: Pixels = painting.palette[order[np.searchsorted(ends, places)]]
    return strip
