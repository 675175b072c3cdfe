"""CSV table of the palette over time."""

from __future__ import annotations

import csv
from io import StringIO

from dynmeans.apps.video.quantizers import QuantizedFrame

COLUMNS = ("frame", "seconds", "id", "red", "green", "blue", "hex", "pixels")


class PaletteLog:
    """CSV table with one line per color and frame.

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

    def add(self, quantized: QuantizedFrame, seconds: float) -> None:
        """Add the palette of the next frame; frames are numbered from 1."""
        self._frames += 1
        sizes = quantized.sizes.astype(int).tolist()
        for k, color, size in zip(quantized.ids.tolist(), quantized.palette.tolist(), sizes, strict=True):
            code = "#{:02x}{:02x}{:02x}".format(*color)
            self._lines.writerow((self._frames, f"{seconds:.4f}", k, *color, code, size))

    @property
    def text(self) -> str:
        """Contents of the table."""
        return self._text.getvalue()
