"""Figures of Matplotlib: make them without a window, and write files that do not depend on the time."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import PurePath
from typing import Any

from dynmeans._files.extras import require

_CREATION_DATES = {".svg": "Date", ".pdf": "CreationDate"}  # entry of the metadata, by format


def new_figure(**options: Any) -> Any:
    """Return an empty figure that no window shows; `options` are those of ``matplotlib.figure.Figure``."""
    figure = require("matplotlib.figure", "plot").Figure(**options)
    require("matplotlib.backends.backend_agg", "plot").FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Any, path: str | PathLike[str], **options: Any) -> None:
    """Write a figure; equal figures give equal files.

    Matplotlib writes the current time into SVG and PDF files, and random names into SVG files.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    path : path
        File to write; its suffix determines the format.
    **options
        Further arguments of ``figure.savefig``.
    """
    date = _CREATION_DATES.get(PurePath(fspath(path)).suffix.lower())
    with require("matplotlib", "plot").rc_context({"svg.hashsalt": "dynmeans"}):
        figure.savefig(path, metadata={} if date is None else {date: None}, **options)
