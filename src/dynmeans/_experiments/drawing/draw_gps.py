"""Figures and tables of the Gaussian processes, from their results."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynmeans._experiments.drawing import panels
from dynmeans._experiments.drawing.tables import markdown, milliseconds, with_interval
from dynmeans._experiments.regression import GRID
from dynmeans._experiments.results import Results
from dynmeans._experiments.trials import Figures, Numbers
from dynmeans.plots._palette import PALETTE

NAMES = ("x", "-x", "sin x", "cos x")
METHODS = ("SD-Means", "D-Means")
MAX_SHOWN = 6  # functions of a method, the largest first
HEADER = ("method", "trials", "tracked", "per step", "clusters", "trials with four", "ms per step")


def draw(results: Results) -> Figures:
    """Draw all figures."""
    return {
        "gps-examples": _examples(results),
        "gps-functions": _functions(results),
        "gps-histograms": _histograms(results),
    }


def summarize(results: Results) -> str:
    """Tabulate means over the trials."""
    rows = []
    for group in results.part("trials"):
        counts = group.column("clusters")
        rows.append(
            (
                group.case["method"],
                str(len(counts)),
                with_interval(group, "tracked"),
                with_interval(group, "per_step"),
                f"{counts.mean():.1f}",
                f"{100 * np.mean(counts == len(NAMES)):.0f}%",
                milliseconds(group),
            )
        )
    return markdown(HEADER, rows)


def _examples(results: Results) -> Any:
    """Draw sets of observations with their processes."""
    (group,) = results.part("examples")
    shown = group.first
    figure = panels.canvas(1.5)
    row = figure.subplots(1, len(shown["x"]), sharex=True, sharey=True)
    for i, axes in enumerate(row):
        _process(axes, shown, i)
        axes.plot(shown["x"][i], shown["y"][i], ls="", marker=".", ms=2.5, color="#1c2127")
        axes.set_title(NAMES[shown["true"][i]])
    row[0].set_ylabel("y")
    return figure


def _process(axes: Any, shown: Numbers, i: int) -> None:
    """Draw the mean and one standard deviation to either side."""
    mean, deviation = np.array(shown["mean"][i]), np.array(shown["deviation"][i])
    axes.fill_between(GRID, mean - deviation, mean + deviation, color=PALETTE[0], alpha=0.25, lw=0)
    axes.plot(GRID, mean, color=PALETTE[0])
    axes.set(xlabel="x", xlim=(0, 1), ylim=(-1.6, 1.6), xticks=[0, 0.5, 1])


def _functions(results: Results) -> Any:
    """Draw the clusters of one stream, largest first, with the true functions of their sets."""
    groups = results.part("functions")
    figure = panels.canvas(1.75 * len(groups))
    width = min(MAX_SHOWN, max(len(group.first["sizes"]) for group in groups))
    grid = figure.subplots(len(groups), width, sharex=True, sharey=True, squeeze=False)
    for row, group in zip(grid, groups, strict=True):
        shown = group.first
        for i, axes in enumerate(row):
            if i < len(shown["sizes"]):
                _process(axes, shown, i)
                axes.set_title(_mixture(shown["made_of"][i]), fontsize=6.5)
                axes.label_outer()
            else:
                axes.set_axis_off()
        row[0].set_ylabel(f"{group.case['method']}\n{len(shown['sizes'])} clusters")
    return figure


def _mixture(counts: list[int]) -> str:
    """Describe the number of sets per function, largest first, in at most two lines."""
    order = np.argsort(counts)[::-1]
    parts = [f"{counts[k]} of {NAMES[k]}" for k in order if counts[k]]
    return "\n".join([", ".join(parts[:2]), ", ".join(parts[2:])])


def _histograms(results: Results) -> Any:
    """Draw accuracy, number of clusters and time over the trials."""
    groups = {group.case["method"]: group for group in results.part("trials")}
    figure = panels.canvas(2.3)
    accuracy, number, time = figure.subplots(1, 3)
    panels.histogram(accuracy, _column(groups, "tracked"), np.linspace(0, 1, 41))
    accuracy.set(xlabel="tracking accuracy", title="(a)")
    clusters = _column(groups, "clusters")
    largest = int(max(column.max() for column in clusters.values()))
    panels.histogram(number, clusters, np.arange(0.5, largest + 1.5))
    number.set(xlabel="clusters found", title="(b)")
    seconds = {name: 1e3 * column for name, column in _column(groups, "seconds").items()}
    panels.histogram(time, seconds, panels.time_bins(list(seconds.values())))
    time.set(xlabel="processor time per step (ms)", title="(c)")
    panels.plain_log(time, "x")
    figure.legend(*accuracy.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def _column(groups: Any, name: str) -> dict[str, Any]:
    return {method: groups[method].column(name) for method in METHODS}
