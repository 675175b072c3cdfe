"""The map of flows, and below it how many flights each had over time."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np

from dynmeans.apps.flights.flows import Flow, Flows, popular
from dynmeans.apps.flights.trajectories import Area
from dynmeans.io.extras import require
from dynmeans.model.types import FloatArray, IntArray
from dynmeans.plots.palette import PALETTE

_SHOWN = 12  # flows on the map, as in the paper
_FAINT = 400  # flights drawn behind them
_MARGIN = 0.04
_INK, _MUTED, _LINE = "#1c2127", "#667080", "#c3cad3"
_THIN: dict[str, Any] = {"color": _LINE, "linewidth": 0.3, "alpha": 0.6, "rasterized": True}


def draw_flows(flows: Flows) -> Any:
    """Draw the most popular flows on a map, and their counts over time.

    Parameters
    ----------
    flows : Flows

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ImportError
        If matplotlib, which the extra ``plot`` brings, is missing.
    """
    shown = popular(flows, _SHOWN)
    area = flows.smoother.lattice.area
    size = (11, 3.6 + 9.5 * (area.north - area.south) / (area.east - area.west) * _stretch(area))
    figure = require("matplotlib.figure", "plot").Figure(figsize=size, dpi=150, facecolor="white")
    require("matplotlib.backends.backend_agg", "plot").FigureCanvasAgg(figure)
    figure.set_layout_engine("compressed")  # the map keeps its shape, whatever the area
    top, bottom = figure.subplots(2, 1, height_ratios=(size[1] - 3.0, 3.0))
    _draw_map(top, flows, shown, area)
    _draw_counts(bottom, flows, shown)
    return figure


def outline() -> list[FloatArray]:
    """Return the outlines of the countries, each of shape (n, 2): longitude and latitude.

    Natural Earth, 1:110 million, public domain.
    """
    with (files("dynmeans.apps.flights") / "outline.npz").open("rb") as file, np.load(file) as data:
        points, starts = data["points"] / 100.0, data["starts"]
    return np.split(points, starts[1:-1])


def _draw_map(axes: Any, flows: Flows, shown: list[Flow], area: Area) -> None:
    for ring in outline():
        low, high = ring.min(axis=0), ring.max(axis=0)
        if (high > (area.west, area.south)).all() and (low < (area.east, area.north)).all():
            axes.plot(*ring.T, color=_MUTED, linewidth=0.8, zorder=1)
    _draw_faint(axes, flows)
    for flow, color in zip(shown, PALETTE, strict=False):
        _draw_flow(axes, flow, color)
    width, height = area.east - area.west, area.north - area.south
    axes.set_xlim(area.west - _MARGIN * width, area.east + _MARGIN * width)
    axes.set_ylim(area.south - _MARGIN * height, area.north + _MARGIN * height)
    axes.set_aspect(_stretch(area))
    axes.set_xlabel("longitude (degrees east)")
    axes.set_ylabel("latitude (degrees north)")
    n_flows = len(np.unique(flows.labels))
    axes.set_title(
        f"{flows.flights.n_flights:,} flights in {n_flows} flows; the {len(shown)} largest", color=_INK
    )


def _stretch(area: Area) -> float:
    """How much longer a degree to the north is than one to the east."""
    return float(1 / np.cos(np.radians((area.south + area.north) / 2)))


def _draw_faint(axes: Any, flows: Flows) -> None:
    """Some flights as they were flown."""
    messages, bounds = flows.flights.messages, flows.flights.bounds
    chosen = np.unique(np.linspace(0, flows.flights.n_flights - 1, _FAINT).astype(np.int64))
    for f in chosen:
        here = slice(bounds[f], bounds[f + 1])
        axes.plot(messages.longitudes[here], messages.latitudes[here], **_THIN)


def _draw_flow(axes: Any, flow: Flow, color: str) -> None:
    """Mean way with an arrow, the place where it begins, and one standard deviation around that."""
    patches = require("matplotlib.patches", "plot")
    axes.plot(*flow.path.T, color=color, linewidth=2.2, solid_capstyle="round")
    middle = len(flow.path) // 2
    arrow = {"arrowstyle": "-|>", "color": color, "linewidth": 2.2, "mutation_scale": 16}
    axes.annotate("", flow.path[middle + 1], flow.path[middle], arrowprops=arrow)
    values, axis = np.linalg.eigh(flow.start_cov)
    width, height = 2 * np.sqrt(np.maximum(values, 0.0))
    angle = float(np.degrees(np.arctan2(axis[1, 0], axis[0, 0])))
    axes.add_patch(patches.Ellipse(flow.path[0], width, height, angle=angle, color=color, alpha=0.2, lw=0))
    axes.plot(*flow.path[0], "o", color=color, markersize=7, markeredgecolor="white")
    near = flow.path[len(flow.path) // 3]  # flows that begin in one place have parted here
    label = axes.annotate(str(flow.id), near, xytext=(5, 3), textcoords="offset points", color=_INK)
    halo = require("matplotlib.patheffects", "plot").withStroke(linewidth=2.5, foreground="white")
    label.set_path_effects([halo])


def _draw_counts(axes: Any, flows: Flows, shown: list[Flow]) -> None:
    """A row a flow, a column a window, darker where more flights began."""
    begins = np.unique(flows.windows)
    width = float(np.diff(begins).min()) if len(begins) > 1 else 1800.0
    columns = np.rint((flows.windows - begins[0]) / width).astype(np.int64)
    table = np.stack([_counts(columns, flow.members) for flow in shown])
    hours = np.array([0, table.shape[1]]) * width / 3600.0
    extent = (*hours, len(shown) - 0.5, -0.5)
    image = axes.imshow(table, aspect="auto", cmap="Greys", extent=extent, interpolation="nearest")
    for row, (flow, color) in enumerate(zip(shown, PALETTE, strict=False)):
        axes.plot([-0.012], [row], "s", color=color, transform=axes.get_yaxis_transform(), clip_on=False)
        axes.text(-0.022, row, f"{flow.id}", transform=axes.get_yaxis_transform(), va="center", ha="right")
    axes.set_yticks([])
    axes.set_ylabel("flow", labelpad=34)
    axes.set_xlabel(f"hours since {np.datetime64(int(begins[0]), 's')} UTC")
    axes.figure.colorbar(image, ax=axes, pad=0.01, label=f"flights in {width / 60:.0f} minutes")


def _counts(columns: IntArray, members: IntArray) -> IntArray:
    return np.bincount(columns[members], minlength=int(columns.max()) + 1)
