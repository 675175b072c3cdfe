"""Map of the flows, with their number of flights over time."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np

from dynmeans._files.extras import require
from dynmeans._model.types import FloatArray, IntArray
from dynmeans._sampling import evenly_spaced
from dynmeans.apps.flights._smoothing import stretch_of, widen
from dynmeans.apps.flights.flows import Flow, Flows, largest_flows
from dynmeans.apps.flights.trajectories import Area
from dynmeans.plots._figures import new_figure
from dynmeans.plots._palette import PALETTE

_SHOWN = 12  # flows on the map, as in the paper
_FAINT = 400  # flights drawn in the background
_MARGIN = 0.04  # around the map, as a share of its sides
_WIDTH, _HIGHEST = 9.5, 12.0  # inches of the map
_NARROWEST = 0.5  # minimum ratio of the shorter to the longer side
_COLUMNS = 400  # maximum number of columns of the counts
_INK, _MUTED, _LINE = "#1c2127", "#667080", "#c3cad3"
_THIN: dict[str, Any] = {"color": _LINE, "linewidth": 0.3, "alpha": 0.6, "rasterized": True}


def draw_flows(flows: Flows) -> Any:
    """Draw the largest flows on a map, and their counts over time.

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
    shown = largest_flows(flows, _SHOWN)
    area = widen(flows.smoother.lattice.area, _NARROWEST)
    height = _WIDTH * (area.north - area.south) / (area.east - area.west) * stretch_of(area)
    size = (11, 3.6 + min(height, _HIGHEST))
    figure = new_figure(figsize=size, dpi=150, facecolor="white")
    figure.set_layout_engine("compressed")  # keeps the aspect ratio of the map
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
    for ring in (ring + np.array([turn, 0.0]) for ring in outline() for turn in (-360, 0, 360)):
        low, high = ring.min(axis=0), ring.max(axis=0)
        if (high > (area.west, area.south)).all() and (low < (area.east, area.north)).all():
            axes.plot(*ring.T, color=_MUTED, linewidth=0.8, zorder=1)
    _draw_faint(axes, flows)
    for flow, color in zip(shown, PALETTE, strict=False):
        _draw_flow(axes, flow, color)
    width, height = area.east - area.west, area.north - area.south
    axes.set_xlim(area.west - _MARGIN * width, area.east + _MARGIN * width)
    axes.set_ylim(area.south - _MARGIN * height, area.north + _MARGIN * height)
    axes.set_aspect(stretch_of(area))
    axes.set_xlabel("longitude (degrees east)")
    axes.set_ylabel("latitude (degrees north)")
    axes.set_title(_title(flows.flights.n_flights, len(np.unique(flows.labels)), len(shown)), color=_INK)


def _title(n_flights: int, n_flows: int, n_shown: int) -> str:
    """Return the title of the map.

    Examples
    --------
    >>> _title(2000, 30, 12), _title(1, 1, 1)
    ('2,000 flights in 30 flows; the 12 largest', '1 flight in 1 flow')
    """
    flights = f"{n_flights:,} flight{'s' * (n_flights != 1)} in {n_flows} flow{'s' * (n_flows != 1)}"
    return flights if n_shown == n_flows else f"{flights}; the {n_shown} largest"


def _draw_faint(axes: Any, flows: Flows) -> None:
    """Draw a sample of the flights."""
    messages, bounds = flows.flights.messages, flows.flights.bounds
    for f in evenly_spaced(flows.flights.n_flights, _FAINT):
        here = slice(bounds[f], bounds[f + 1])
        axes.plot(messages.longitudes[here], messages.latitudes[here], **_THIN)


def _draw_flow(axes: Any, flow: Flow, color: str) -> None:
    """Draw the mean path with an arrow, and its start with one standard deviation."""
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
    near = flow.path[len(flow.path) // 3]  # flows with the same start have separated here
    label = axes.annotate(str(flow.id), near, xytext=(5, 3), textcoords="offset points", color=_INK)
    halo = require("matplotlib.patheffects", "plot").withStroke(linewidth=2.5, foreground="white")
    label.set_path_effects([halo])


def _draw_counts(axes: Any, flows: Flows, shown: list[Flow]) -> None:
    """Draw one row per flow and one column per window or group of windows, darker for more flights."""
    begin, width = flows.windows.min(), flows.window
    windows = np.rint((flows.windows - begin) / width).astype(np.int64)
    together = int(windows.max()) // _COLUMNS + 1
    table = np.stack([_counts(windows // together, flow.members) for flow in shown])
    hours = np.array([0, table.shape[1]]) * together * width / 3600.0
    extent = (*hours, len(shown) - 0.5, -0.5)
    shade: dict[str, Any] = {"cmap": "Greys", "vmin": 0, "vmax": max(int(table.max()), 2)}
    image = axes.imshow(table, aspect="auto", extent=extent, interpolation="nearest", **shade)
    for row, (flow, color) in enumerate(zip(shown, PALETTE, strict=False)):
        axes.plot([-0.012], [row], "s", color=color, transform=axes.get_yaxis_transform(), clip_on=False)
        axes.text(-0.022, row, f"{flow.id}", transform=axes.get_yaxis_transform(), va="center", ha="right")
    axes.set_yticks([])
    axes.set_ylabel("flow", labelpad=34)
    axes.set_xlabel(f"hours since {np.datetime64(int(begin), 's')} UTC")
    axes.figure.colorbar(image, ax=axes, pad=0.01, label=f"flights in {_length(together * width)}")


def _length(seconds: float) -> str:
    """Format a duration.

    Examples
    --------
    >>> _length(1800.0), _length(5400.0), _length(86400.0)
    ('30 minutes', '1.5 hours', '24 hours')
    """
    return f"{seconds / 60:g} minutes" if seconds <= 3600 else f"{seconds / 3600:.3g} hours"


def _counts(columns: IntArray, members: IntArray) -> IntArray:
    return np.bincount(columns[members], minlength=int(columns.max()) + 1)
