"""Consecutive frames of a video, original and quantized by every method: the paper's panel."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from dynmeans._experiments.drawing import panels
from dynmeans._experiments.trials import Numbers
from dynmeans._files.extras import require
from dynmeans.apps.video._preview import png
from dynmeans.apps.video.colors import Pixels

FRAMES = 4
ORIGINAL = "original"
_WIDTH = 240  # maximum width of a picture


class Excerpt:
    """Keeps the consecutive frames of the original with the largest total number of distinct colors.

    Examples
    --------
    >>> import numpy as np
    >>> excerpt = Excerpt()
    >>> for shade in range(6):
    ...     picture = np.full((9, 16, 3), shade, dtype=np.uint8)
    ...     excerpt.take({ORIGINAL: picture}, n_colors=shade)
    >>> excerpt.numbers()["first"], len(excerpt.numbers()["rows"][ORIGINAL])
    (3, 4)
    """

    def __init__(self) -> None:
        self._last: deque[tuple[int, dict[str, Pixels]]] = deque(maxlen=FRAMES)
        self._best: list[dict[str, Pixels]] = []
        self._max_colors, self._first, self._seen = -1, 1, 0

    def take(self, pictures: Mapping[str, Pixels], n_colors: int) -> None:
        """Add the next frame: one picture per row, and the number of distinct colors of the original."""
        step = -(-pictures[ORIGINAL].shape[1] // _WIDTH)
        small = {name: picture[::step, ::step].copy() for name, picture in pictures.items()}
        self._last.append((n_colors, small))
        self._seen += 1
        colors = sum(count for count, _ in self._last)
        if len(self._last) > len(self._best) or colors > self._max_colors:
            self._max_colors, self._first = colors, self._seen - len(self._last) + 1
            self._best = [kept for _, kept in self._last]

    def numbers(self) -> Numbers:
        """Return JSON values: number of the first frame, and the pictures of each row as PNG in base 64."""
        rows = {
            name: [b64encode(png(pictures[name])).decode("ascii") for pictures in self._best]
            for name in (self._best[0] if self._best else ())
        }
        return {"first": self._first, "rows": rows}


def draw_excerpt(excerpt: Mapping[str, Any]) -> Any:
    """Draw one row per method and one column per frame."""
    rows: dict[str, list[str]] = excerpt["rows"]
    read = require("matplotlib.image", "plot").imread
    pictures = {name: [read(BytesIO(b64decode(text))) for text in row] for name, row in rows.items()}
    height, width = pictures[ORIGINAL][0].shape[:2]
    n_frames = len(pictures[ORIGINAL])
    figure = panels.canvas(len(rows) * (panels.PRINT_WIDTH / n_frames * height / width + 0.05) + 0.2)
    grid = figure.subplots(len(rows), n_frames, squeeze=False)
    for line, (name, row) in zip(grid, pictures.items(), strict=True):
        for axes, picture in zip(line, row, strict=True):
            axes.imshow(picture, interpolation="none")
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set_visible(False)
        line[0].set_ylabel(name)
    for i, axes in enumerate(grid[0]):
        axes.set_title(f"frame {excerpt['first'] + i}")
    return figure
