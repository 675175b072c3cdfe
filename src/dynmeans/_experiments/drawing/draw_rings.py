"""Figures and tables of the moving rings, from their results."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynmeans._experiments.drawing import panels
from dynmeans._experiments.drawing.tables import markdown, milliseconds, with_interval
from dynmeans._experiments.parameters import PAPER_RINGS, RINGS
from dynmeans._experiments.results import Results
from dynmeans._experiments.trials import Case, Figures

PAPER = {"SD-Means, MST": ("0.751", "2900"), "D-Means": ("0.187", "0.84")}  # accuracy, ms per step
HEADER = ("method", "rings", "trials", "tracked", "per step", "ms per step", "paper: accuracy", "paper: ms")


def draw(results: Results) -> Figures:
    """Draw all figures."""
    return {
        "rings-tuning": _tuning(results),
        "rings-frames": _frames(results),
        "rings-kernel": _kernel(results),
    }


def summarize(results: Results) -> str:
    """Tabulate the paper's table for both readings of the motion."""
    rows = []
    for group in results.part("table"):
        method, together = group.case["method"], group.case["together"]
        motion = "together" if together else "each on its own"
        scores = (with_interval(group, "tracked"), with_interval(group, "per_step"), milliseconds(group))
        rows.append((method, motion, str(len(group.trials)), *scores, *PAPER.get(method, ("", ""))))
    return markdown(HEADER, rows)


def _tuning(results: Results) -> Any:
    """Draw contours for the MST and heat kernels, and the times of all parameters."""
    figure = panels.canvas(4.4)
    axes = figure.subplots(2, 3)
    tree = results.part("tuning", method="SD-Means, MST")
    heat = results.part("tuning", method="SD-Means, heat")
    fixed = [group for group in tree if group.case["parameters"]["reach"] == PAPER_RINGS["reach"]]
    other = [group for group in tree if group.case["parameters"]["lifetime"] == PAPER_RINGS["lifetime"]]
    heat_lifetime = _lifetime(RINGS)
    heat_fixed = [group for group in heat if group.case["parameters"]["drift"] == RINGS["drift"]]
    heat_other = [group for group in heat if np.isclose(_lifetime(group.case["parameters"]), heat_lifetime)]
    cases = (
        (axes[0, 0], fixed, PAPER_RINGS, "lifetime", "(a) MST kernel"),
        (axes[0, 1], other, PAPER_RINGS, "reach", "(b) MST kernel"),
        (axes[1, 0], heat_fixed, RINGS, "lifetime", "(d) heat kernel"),
        (axes[1, 1], heat_other, RINGS, "drift", "(e) heat kernel"),
    )
    for panel, groups, chosen, name, title in cases:
        _contours(panel, groups, chosen, name, title)
    for panel, groups, title in ((axes[0, 2], tree, "(c) MST kernel"), (axes[1, 2], heat, "(f) heat kernel")):
        times = np.concatenate([1e3 * group.column("seconds") for group in groups])
        panels.histogram(panel, {"all parameters": times}, panels.time_bins([times]))
        panel.set(xlabel="processor time per step (ms)", title=title)
        panels.plain_log(panel, "x")
    return figure


def _contours(axes: Any, groups: Any, chosen: Case, name: str, title: str) -> None:
    units = {"lifetime": "lifetime (steps)", "reach": "reach", "drift": "drift (times batch size)"}

    def coordinates(case: Case) -> tuple[float, float]:
        return case["birth_cost"], _lifetime(case) if name == "lifetime" else case[name]

    panels.contours(axes, panels.surface(groups, coordinates), coordinates(chosen))
    share = "aging_cost" in chosen
    axes.set(
        xlabel=f"birth cost ({'share of the batch' if share else 'points'})", ylabel=units[name], title=title
    )
    if share:
        panels.plain_log(axes, "y")


def _lifetime(case: Case) -> float:
    """Return the lifetime, also of `aging_cost` parameters."""
    if "lifetime" in case:
        return float(case["lifetime"])
    return float(f"{case['birth_cost'] / case['aging_cost']:.6g}")


def _frames(results: Results) -> Any:
    """Draw five sequential frames of every method."""
    groups = results.part("frames")
    figure = panels.canvas(1.5 * len(groups) + 0.1)
    grid = figure.subplots(len(groups), 5)
    for row, group in zip(grid, groups, strict=True):
        panels.frames(row, group.first, group.case["method"])
    for axes in grid[1:].flat:
        axes.set_title("")  # the same steps as above
    return figure


def _kernel(results: Results) -> Any:
    """Draw one frame: the spanning tree, and two kernels to the central point."""
    (group,) = results.part("kernel")
    shown, scale = group.first, group.case["scale"]
    points, edges = np.asarray(shown["points"]), np.asarray(shown["edges"])
    figure = panels.canvas(2.6)
    axes = figure.subplots(1, 3)
    long = np.asarray(shown["lengths"]) > scale
    for which, style in ((~long, "-"), (long, ":")):
        label = f"edge {'>' if style == ':' else '≤'} {scale:g}"
        ends = points[edges[which]].transpose(2, 1, 0)
        axes[0].plot(*ends, color="#1c2127", lw=1.2 if style == ":" else 0.7, ls=style)
        axes[0].plot([], [], color="#1c2127", ls=style, label=label)
    axes[0].legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2)
    axes[0].set_title("(a) minimum spanning tree")
    for panel, name, title in ((axes[1], "tree", "(b) MST kernel"), (axes[2], "heat", "(c) heat kernel")):
        options = {"cmap": "viridis_r", "vmin": 0, "vmax": 1, "linewidths": 0, "rasterized": True}
        drawn = panel.scatter(*points.T, s=7, c=shown[name], **options)
        panel.set_title(title)
    for panel in axes:
        panel.plot(*points[shown["center"]], marker="*", ms=9, mfc="white", mec="black")
        panel.set(aspect="equal", xticks=[], yticks=[])
        panel.spines[:].set_visible(True)
    figure.colorbar(drawn, ax=axes[1:], label="similarity to the starred point", shrink=0.8)
    return figure
