"""Parts of figures shared by all experiments, readable in print and without color."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dynmeans._experiments.results import Group
from dynmeans._experiments.trials import Case
from dynmeans._files.extras import require
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.plots._figures import new_figure
from dynmeans.plots._palette import PALETTE

STYLE = {
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.0,
    "hatch.linewidth": 0.5,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "savefig.dpi": 150,
}
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
LINES = ("-", "--", "-.", ":")
HATCHES = ("", "////", "....", "xxxx")
PRINT_WIDTH = 7.0  # inches


class LineStyle(NamedTuple):
    """Line style of a method in all figures; color, marker and dashes are each distinct."""

    color: str
    marker: str
    line: str


PLAIN = LineStyle("#1c2127", "", ":")  # for reference lines that are not methods


def line_style(number: int) -> LineStyle:
    """Return the style of the method with this number in its experiment."""
    return LineStyle(
        PALETTE[number % len(PALETTE)],
        MARKERS[number % len(MARKERS)],
        LINES[number % len(LINES)],
    )


def canvas(height: float, width: float = PRINT_WIDTH) -> Any:
    """Return an empty figure with constrained layout; sizes in inches."""
    return new_figure(figsize=(width, height), layout="constrained")


def styled() -> Any:
    """Return the context in which figures are drawn and saved."""
    return require("matplotlib", "plot").rc_context(STYLE)


class Surface(NamedTuple):
    """Mean tracking accuracy over two parameters."""

    xs: list[float]
    ys: list[float]
    height: FloatArray  # (ys, xs)


def surface(groups: Sequence[Group], coordinates: Callable[[Case], tuple[float, float]]) -> Surface:
    """Arrange groups on a grid; `coordinates` maps the parameters of a group to two coordinates."""
    positions = [coordinates(group.case["parameters"]) for group in groups]
    xs, ys = (sorted(set(side)) for side in zip(*positions, strict=True))
    height = np.full((len(ys), len(xs)), np.nan)
    for (x, y), group in zip(positions, groups, strict=True):
        height[ys.index(y), xs.index(x)] = group.mean("tracked")
    return Surface(xs, ys, height)


def contours(axes: Any, shape: Surface, chosen: tuple[float, float]) -> None:
    """Draw lines of equal accuracy, with a star at the chosen parameters."""
    if min(shape.height.shape) > 1:
        axes.contourf(*shape, levels=6, cmap="Blues", alpha=0.75)
        lines = axes.contour(*shape, levels=6, colors="#1c2127", linewidths=0.6)
        axes.clabel(lines, fontsize=6, fmt="%.2f")
    axes.plot(*chosen, marker="*", ms=9, mfc="white", mec="black", ls="", clip_on=False, zorder=5)


def plain_log(axes: Any, *sides: str) -> None:
    """Make axes "x" or "y" logarithmic, with a few plain tick labels."""
    ticker = require("matplotlib.ticker", "plot")
    for side in sides:
        axes.set(**{f"{side}scale": "log"})
        axis = getattr(axes, f"{side}axis")
        low, high = np.log10(axis.get_view_interval())
        steps = (1.0, 2.0, 5.0) if high - low < 3 else (1.0,)
        axis.set_major_locator(ticker.LogLocator(subs=steps))
        axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(ticker.NullFormatter())


def band(
    axes: Any,
    x: Sequence[float],
    groups: Sequence[Group],
    number: str,
    style: LineStyle,
    label: str,
    *,
    scale: float = 1.0,
) -> None:
    """Draw means over the trials with one standard deviation to either side."""
    columns = [scale * group.column(number) for group in groups]
    mean, spread = np.array([c.mean() for c in columns]), np.array([c.std() for c in columns])
    axes.plot(
        x, mean, color=style.color, marker=style.marker, ls=style.line, mec="white", mew=0.4, label=label
    )
    low = np.maximum(mean - spread, 0.3 * mean)  # positive for a logarithmic axis
    axes.fill_between(x, low, mean + spread, color=style.color, alpha=0.1, lw=0)


def histogram(axes: Any, columns: Mapping[str, FloatArray], bins: Any) -> None:
    """Draw shares of trials, with a different hatch per method."""
    for i, (name, column) in enumerate(columns.items()):
        weights = np.full(len(column), 100.0 / max(len(column), 1))
        style = {
            "facecolor": PALETTE[i],
            "edgecolor": "#1c2127",
            "hatch": HATCHES[i],
            "alpha": 0.55,
            "lw": 0.7,
        }
        axes.hist(column, bins=bins, weights=weights, histtype="stepfilled", label=name, **style)
    axes.set_ylabel("trials (%)")


def time_bins(columns: Sequence[FloatArray], number: int = 24) -> FloatArray:
    """Return bins of equal logarithmic width that cover all times."""
    times = np.concatenate(list(columns))
    bins: FloatArray = np.geomspace(0.9 * times.min(), 1.1 * times.max(), number)
    return bins


def frame(axes: Any, points: FloatArray, labels: IntArray, names: Sequence[int], step: int) -> None:
    """Draw the points of one step; a cluster has one color and marker, by its index in `names`."""
    for i, name in enumerate(names):
        rows = points[labels == name]
        if len(rows):
            color, marker = PALETTE[i % len(PALETTE)], MARKERS[(i + i // len(PALETTE)) % len(MARKERS)]
            axes.scatter(
                *rows.T, s=8, c=color, marker=marker, linewidths=0.2, edgecolors="white", rasterized=True
            )
    axes.set_title(f"step {step}")
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.spines[:].set_visible(True)


def frames(row: Sequence[Any], numbers: Mapping[str, Any], title: str) -> None:
    """Draw sequential frames of one method in one row of axes with the same limits."""
    batches = [np.asarray(points) for points in numbers["points"]]
    labels = [np.asarray(found) for found in numbers["found"]]
    names = list(dict.fromkeys(np.concatenate(labels).tolist()))  # in the order of appearance
    everything = np.concatenate(batches)
    low, high = everything.min(axis=0) - 0.04, everything.max(axis=0) + 0.04
    for axes, points, found, step in zip(row, batches, labels, numbers["steps"], strict=True):
        frame(axes, points, found, names, step)
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    row[0].set_ylabel(title)
