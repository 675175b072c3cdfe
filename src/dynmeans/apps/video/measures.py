"""How good a video in few colours is: its distance from the original, and how much it flickers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._model.types import FloatArray
from dynmeans.apps.video.colors import Colors, Pixels
from dynmeans.apps.video.quantizers import Painting


class Quality(NamedTuple):
    """What a meter has seen, one entry a frame."""

    n_colors: FloatArray  # (frames,)
    error: FloatArray  # (frames,) mean squared RGB distance of a pixel from its palette colour
    change: FloatArray  # (frames - 1,) frame-to-frame difference over the original's; NaN where that is 0

    @property
    def flicker(self) -> float:
        """Mean absolute deviation of the change from 1; 0 for a video that never changes."""
        known = self.change[np.isfinite(self.change)]
        return float(np.abs(known - 1).mean()) if len(known) else 0.0


class Meter:
    """Compares painted frames with the original ones, in order.

    Examples
    --------
    >>> from dynmeans.apps.video.colors import distinct
    >>> from dynmeans.apps.video.quantizers import Palette, painter
    >>> meter, paint = Meter(), painter(Palette())
    >>> for level in (10, 20, 40):
    ...     pixels = np.full((2, 2, 3), level, np.uint8)
    ...     colors = distinct(pixels)
    ...     meter.take(pixels, colors, paint(colors))
    >>> meter.quality.n_colors.tolist(), meter.quality.flicker < 0.5
    ([1.0, 1.0, 1.0], True)
    """

    def __init__(self) -> None:
        self._n_colors: list[float] = []
        self._error: list[float] = []
        self._change: list[float] = []
        self._last: tuple[Pixels, Pixels] | None = None

    def take(self, pixels: Pixels, colors: Colors, painting: Painting) -> None:
        """Take the next frame: as it was, its colours, and as it was painted."""
        painted = painting.pixels
        gaps = colors.rows - painting.palette[painting.labels].astype(np.float64)
        self._error.append(float(colors.counts @ (gaps**2).sum(axis=1) / colors.counts.sum()))
        self._n_colors.append(float(len(painting.palette)))
        if self._last is not None:
            original = difference(self._last[0], pixels)
            found = difference(self._last[1], painted)
            self._change.append(found / original if original > 0 else float("nan"))
        self._last = pixels, painted

    @property
    def quality(self) -> Quality:
        """Everything so far."""
        return Quality(np.array(self._n_colors), np.array(self._error), np.array(self._change))


def difference(before: Pixels, after: Pixels) -> float:
    """Mean absolute difference of two pictures."""
    return float(np.abs(after.astype(np.int16) - before).mean())
