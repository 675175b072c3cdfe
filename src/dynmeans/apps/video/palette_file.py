"""The palette over time as a table."""

from __future__ import annotations

import csv
from io import StringIO

from dynmeans.apps.video.quantizers import Painting

COLUMNS = ("frame", "seconds", "id", "red", "green", "blue", "hex", "pixels")


class PaletteLog:
    """Gathers the lines of a CSV file: one for every colour of every frame.

    Examples
    --------
    >>> PaletteLog().text.splitlines()
    ['frame,seconds,id,red,green,blue,hex,pixels']
    """

    def __init__(self) -> None:
        self._text = StringIO()
        self._lines = csv.writer(self._text, lineterminator="\n")
        self._lines.writerow(COLUMNS)
        self._frames = 0

    def take(self, painting: Painting, seconds: float) -> None:
        """Note the palette of the next frame; frames count from 1."""
        self._frames += 1
        sizes = painting.sizes.astype(int).tolist()
        for k, color, size in zip(painting.ids.tolist(), painting.palette.tolist(), sizes, strict=True):
            code = "#{:02x}{:02x}{:02x}".format(*color)
            self._lines.writerow((self._frames, f"{seconds:.4f}", k, *color, code, size))

    @property
    def text(self) -> str:
        """All lines so far."""
        return self._text.getvalue()
