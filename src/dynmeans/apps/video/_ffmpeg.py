"""Baseline: FFmpeg's palette per frame (palettegen and paletteuse), through PyAV."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dynmeans._files.extras import require
from dynmeans.apps.video.colors import Colors, Pixels
from dynmeans.apps.video.quantizers import QuantizedFrame


def ffmpeg_quantizer(n_colors: int) -> Callable[[Pixels, Colors], QuantizedFrame]:
    """Return a function that quantizes each frame with FFmpeg, without dithering.

    Parameters
    ----------
    n_colors : int
        Maximum number of colors per frame.

    Returns
    -------
    callable
        From the pixels of a frame (height, width, 3) and its :class:`Colors` to a :class:`QuantizedFrame`.
    """

    def paint(pixels: Pixels, colors: Colors) -> QuantizedFrame:
        found = _filtered(pixels, n_colors)
        _, one_pixel = np.unique(colors.of, return_index=True)
        of_color = found.reshape(-1, 3)[one_pixel]  # equal pixels get equal colors
        palette, labels = np.unique(of_color, axis=0, return_inverse=True)
        labels = labels.reshape(-1)
        sizes = np.bincount(labels, colors.counts).astype(np.float64)
        return QuantizedFrame(
            palette, np.arange(len(palette)), sizes, labels, labels.astype(np.int32)[colors.of]
        )

    return paint


def _filtered(pixels: Pixels, n_colors: int) -> Pixels:
    """Run one frame through FFmpeg's filters."""
    av = require("av", "video")
    frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
    graph: Any = av.filter.Graph()
    begin = graph.add_buffer(width=frame.width, height=frame.height, format=frame.format, time_base="1/24")
    both = graph.add("split")
    find = graph.add("palettegen", f"max_colors={n_colors}:stats_mode=single:reserve_transparent=0")
    use = graph.add("paletteuse", "dither=none:new=1")
    end = graph.add("buffersink")
    begin.link_to(both)
    both.link_to(find, 0, 0)
    both.link_to(use, 1, 0)
    find.link_to(use, 0, 1)
    use.link_to(end)
    graph.configure()
    begin.push(frame)
    begin.push(None)
    painted: Pixels = end.pull().to_ndarray(format="rgb24")
    return painted
