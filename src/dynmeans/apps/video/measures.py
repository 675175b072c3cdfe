"""Quality of a video with few colors: error and flicker."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._model.types import FloatArray
from dynmeans.apps.video.colors import Colors, Pixels
from dynmeans.apps.video.quantizers import QuantizedFrame


class Quality(NamedTuple):
    """Quality measures, one entry per frame."""

    n_colors: FloatArray  # (frames,)
    error: FloatArray  # (frames,) mean squared RGB distance of a pixel from its palette color
    change: FloatArray  # (frames - 1,) frame difference relative to the original's; NaN where that is 0

    @property
    def flicker(self) -> float:
        """Mean absolute deviation of the change from 1; 0 for a video that never changes."""
        known = self.change[np.isfinite(self.change)]
        return float(np.abs(known - 1).mean()) if len(known) else 0.0


class QualityMeter:
    """Compare quantized frames with the original ones, in order.

    Examples
    --------
    >>> from dynmeans.apps.video.colors import distinct
    >>> from dynmeans.apps.video.quantizers import PaletteOptions, make_quantizer
    >>> meter, paint = QualityMeter(), make_quantizer(PaletteOptions())
    >>> for level in (10, 20, 40):
    ...     pixels = np.full((2, 2, 3), level, np.uint8)
    ...     colors = distinct(pixels)
    ...     meter.add(pixels, colors, paint(colors))
    >>> meter.quality.n_colors.tolist(), meter.quality.flicker < 0.5
    ([1.0, 1.0, 1.0], True)
    """

    def __init__(self) -> None:
        self._n_colors: list[float] = []
        self._error: list[float] = []
        self._change: list[float] = []
        self._last: tuple[Pixels, Pixels] | None = None

    def add(self, pixels: Pixels, colors: Colors, quantized: QuantizedFrame) -> None:
        """Add the next frame: the original pixels, their colors, and the quantized frame."""
        painted = quantized.pixels
        errors = colors.rows - quantized.palette[quantized.labels].astype(np.float64)
        self._error.append(float(colors.counts @ (errors**2).sum(axis=1) / colors.counts.sum()))
        self._n_colors.append(float(len(quantized.palette)))
        if self._last is not None:
            original = difference(self._last[0], pixels)
            found = difference(self._last[1], painted)
            self._change.append(found / original if original > 0 else float("nan"))
        self._last = pixels, painted

    @property
    def quality(self) -> Quality:
        """Quality of all frames added so far."""
        return Quality(np.array(self._n_colors), np.array(self._error), np.array(self._change))


def difference(before: Pixels, after: Pixels) -> float:
    """Return the mean absolute difference of two pictures."""
    return float(np.abs(after.astype(np.int16) - before).mean())
