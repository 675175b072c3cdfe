"""Figures of the people in LiDAR, from the numbers alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dynmeans.io.atomic import replacing
from dynmeans.io.extras import require
from dynmeans.model.types import FloatArray
from dynmeans.plots.palette import PALETTE

SUFFIXES = (".png", ".svg")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
_SLANT = 0.35  # metres up for each metre away from the sensor


def draw(result: dict[str, Any], folder: Path) -> list[Path]:
    """Draw the frames of every method, as PNG and SVG; a person has one colour and one marker in all.

    Parameters
    ----------
    result : dict
        As `dynmeans.experiments.people.run` returns it.
    folder : Path
        It is made if need be.

    Returns
    -------
    list of Path
    """
    figure = _figure(result["frames"])
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"people-frames{suffix}" for suffix in SUFFIXES]
    for path in paths:
        with replacing(path) as place:
            figure.savefig(place, metadata={"Date": None} if path.suffix == ".svg" else {})
    return paths


def _figure(frames: dict[str, list[dict[str, Any]]]) -> Any:
    columns = len(next(iter(frames.values())))
    size = (2.4 * columns, 1.2 * len(frames))
    figure = require("matplotlib.figure", "plot").Figure(figsize=size, dpi=200, layout="constrained")
    require("matplotlib.backends.backend_agg", "plot").FigureCanvasAgg(figure)
    grid = figure.subplots(len(frames), columns, squeeze=False, sharex=True, sharey=True)
    for row, (method, shown) in zip(grid, frames.items(), strict=True):
        names = list(dict.fromkeys(k for frame in shown for k in frame["found"]))
        for axes, frame in zip(row, shown, strict=True):
            _draw_frame(axes, frame, names)
        row[0].set_ylabel(method.replace(" on ", "\non "), fontsize=8)
    for axes, frame in zip(grid[0], next(iter(frames.values())), strict=True):
        axes.set_title(f"frame {frame['step'] + 1}", fontsize=8)
    return figure


def _draw_frame(axes: Any, frame: dict[str, Any], names: list[int]) -> None:
    seen, found = _slanted(np.array(frame["points"])), np.array(frame["found"])
    for i, name in enumerate(names):
        rows = seen[found == name]
        color, marker = PALETTE[i % len(PALETTE)], MARKERS[(i + i // len(PALETTE)) % len(MARKERS)]
        axes.scatter(*rows.T, s=2.5, c=color, marker=marker, linewidths=0, rasterized=True)
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.spines[:].set(color="#d5dae0")


def _slanted(points: FloatArray) -> FloatArray:
    """The foyer from the front and a little above: x to the right, depth and height upwards."""
    return np.column_stack([points[:, 0], points[:, 2] + _SLANT * points[:, 1]])
