"""Draw the pictures of these pages from the numbers that the pages compute.

``python docs/pictures.py [FILM]`` draws them into docs/pictures, and those of a film if its file is given.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from catch_radius import squared_radius
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pages import run_page

from dynmeans._experiments.video import figures, run
from dynmeans._files.run_folder.format import PICTURE_FILE
from dynmeans.apps.flights._chart import draw_flows
from dynmeans.apps.video import PaletteOptions, QuantizeOptions, quantize
from dynmeans.plots._figures import save_figure
from dynmeans.plots._palette import PALETTE

HERE = Path(__file__).parent
INK, MUTED, LINE = "#1c2127", "#667080", "#d5dae0"
STYLE = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["Helvetica", "Arial", "DejaVu Sans"],
    "font.size": 10,
    "axes.edgecolor": LINE,
    "axes.labelcolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
}
COLORS = np.array(PALETTE)


def first_batch() -> Figure:
    """Two days, side by side."""
    page = run_page("tutorial/1-first-batch.md")
    model = page["model"]
    figure, axes = _panels(2, height=2.9)
    positions = {k: model.cluster_centers_[model.cluster_ids_ == k][0] for k in model.cluster_ids_.tolist()}
    twin = page["DMeans"](birth_cost=2.0, random_state=0)
    for axis, day in zip(axes, ("monday", "tuesday"), strict=True):
        labels = twin.partial_fit(page[day]).labels_
        axis.scatter(*page[day].T, s=9, c=COLORS[labels], linewidths=0)
        for k in np.unique(labels):
            x, y = page[day][labels == k].mean(axis=0)
            axis.text(x, y + 1.15, f"{k}", ha="center", va="center", color=COLORS[k], weight="bold")
        axis.set(
            title=day.capitalize(), xlim=(-1.5, 7.5), ylim=(-1.3, 5), aspect="equal", xticks=[], yticks=[]
        )
        axis.spines[["top", "right"]].set_visible(True)
    axes[1].text(*positions[0], "0 sleeps", ha="center", va="center", color=MUTED, style="italic")
    return figure


def motion() -> Figure:
    """Where two people are over time, colored by the id that each motion gives them."""
    page = run_page("tutorial/2-motion.md")
    figure, axes = _panels(2, height=2.7)
    for axis, name in zip(axes, ("walk", "velocity"), strict=True):
        for step, (X, labels) in enumerate(zip(page["batches"], page[name], strict=True), 1):
            axis.scatter(np.full(len(X), step), X[:, 0], s=8, c=COLORS[labels], linewidths=0)
        axis.set(title=f'motion="{name}"', xlabel="step", ylim=(-2.7, 2.7))
    axes[0].set_ylabel("meters along the corridor")
    return figure


def lifetimes() -> Figure:
    """One line per cluster: thick while active, thin while asleep, a cross for death."""
    page = run_page("tutorial/3-death-and-return.md")
    figure, (axis,) = _panels(1, height=1.7)
    model = page["DMeans"](birth_cost=1.0, lifetime=5, random_state=0)
    for step in model.stream(page["batches"]):
        for k in model.cluster_ids_.tolist():
            active = k in step.active
            span = [step.step - 0.52, step.step + 0.5]
            axis.plot(span, [k, k], c=COLORS[k], lw=9 if active else 1.5, solid_capstyle="butt")
        for k in step.died:
            axis.plot([step.step - 0.5, step.step], [k, k], c=COLORS[k], lw=1.5)
            axis.plot([step.step], [k], marker="x", ms=7, mew=2, c=COLORS[k])
    axis.set(ylim=(2.6, -0.6), xlabel="step", xticks=range(1, 14), yticks=[0, 1, 2])
    axis.set_yticklabels(["id 0", "id 1", "id 2"])
    axis.tick_params(length=0)
    return figure


def any_time() -> Figure:
    """Distance between the centers of a run in parts and those of a whole run, over time."""
    errors = np.array(run_page("tutorial/6-any-time.md")["errors"])
    figure, (axis,) = _panels(1, height=2.4)
    axis.plot(50 * np.arange(1, len(errors) + 1), errors, c=COLORS[0], lw=2)
    axis.set(
        xlabel="rows seen", title="distance of the farthest center from its twin", ylim=0, xlim=(0, 2000)
    )
    return figure


def rings() -> Figure:
    """One batch by D-Means and by SD-Means."""
    page = run_page("tutorial/7-not-round.md")
    figure, axes = _panels(2, height=3.3)
    for axis, name, model in zip(axes, ("D-Means", "SD-Means"), (page["cut"], page["once"]), strict=True):
        _draw_rows(axis, page["stream"].batches[0], model.labels_)
        axis.set(title=name)
    return figure


def rings_stream() -> Figure:
    """Three steps of the rings in one frame, colored by id."""
    page = run_page("tutorial/7-not-round.md")
    figure, axes = _panels(3, height=2.6)
    steps = (1, 10, 20)
    shown = np.concatenate([page["stream"].batches[step - 1] for step in steps])
    low, high = shown.min(axis=0) - 0.03, shown.max(axis=0) + 0.03
    for axis, step in zip(axes, steps, strict=True):
        _draw_rows(axis, page["stream"].batches[step - 1], page["found"][step - 1])
        axis.set(title=f"step {step}", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return figure


def _draw_rows(axis: Axes, rows: Any, labels: Any) -> None:
    axis.scatter(*rows.T, s=6, c=COLORS[labels % len(COLORS)], linewidths=0)
    axis.set(aspect="equal", xticks=[], yticks=[])
    axis.spines[["top", "right"]].set_visible(True)


def plateau() -> Figure:
    """Number of clusters over birth cost."""
    page = run_page("costs.md")
    figure, (axis,) = _panels(1, height=2.4)
    axis.plot(page["birth_costs"], page["counts"], c=COLORS[0], lw=2, marker="o", ms=4)
    axis.axhline(3, c=LINE, lw=1, zorder=0)
    axis.set(xscale="log", yscale="log", xlabel="birth_cost", title="clusters")
    axis.set_xticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
    axis.set_yticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    axis.minorticks_off()
    return figure


def reach() -> Figure:
    """How far away a sleeping cluster is found again, over its age, for both motions of D-Means."""
    figure, axes = _panels(1, height=2.6)
    axis = axes[0]
    for i, lifetime in enumerate((3, 5, 10)):
        age = np.linspace(1, lifetime, 100)
        radius = squared_radius(age, lifetime, 1.5)
        axis.plot(age, radius, c=COLORS[i], lw=2, label=f"lifetime {lifetime}")
    axis.plot([1], [1.5], "o", c=INK, ms=5, zorder=3)
    axis.set(xlabel="time since last seen", xlim=(0.8, 10.2), ylim=(0, 3.1))
    axis.set_ylabel("squared radius, in birth costs")
    axis.legend(frameon=False)
    return figure


def people() -> Figure:
    """Four moments of a foyer from above, by the ids that were found."""
    page = run_page("points.md")
    figure, axes = _panels(4, height=1.5)
    for axis, step in zip(axes, (0, 9, 19, 29), strict=True):
        points, found = page["stream"].batches[step], page["found"][step]
        shown = np.flatnonzero(found >= 0)[::3]
        axis.scatter(*points[shown, :2].T, s=3, c=COLORS[found[shown] % len(COLORS)], linewidths=0)
        for k in np.unique(found[shown]):
            x, y = points[found == k, :2].mean(axis=0)
            axis.text(x + 0.3, y + 0.2, f"{k}", color=INK, size=8)
        axis.set(
            title=f"{step / 30:.1f} s", xlim=(2, 12), ylim=(3, 8.5), aspect="equal", xticks=[], yticks=[]
        )
        axis.spines[["top", "right"]].set_visible(True)
    return figure


def draw_demo(path: Path) -> None:
    """Copy the picture that `dynmeans demo` draws."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "dynmeans", "demo", "--out", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        shutil.copy(Path(folder) / PICTURE_FILE, path)


def draw_film(folder: Path, film: Path) -> None:
    """Repaint a film, and draw moments of it and how much it flickers."""
    with tempfile.TemporaryDirectory() as scratch:
        quantize(
            QuantizeOptions(film, Path(scratch) / "few.mkv", PaletteOptions(), preview_file=folder / FILM[0])
        )
    figure = figures(run(film))["video"]
    figure.savefig(folder / FILM[1], dpi=72)


def flights() -> Figure:
    """The map of a small synthetic week."""
    figure: Figure = draw_flows(run_page("flights.md")["flows"])
    return figure


DEMO = "demo.png"
FILM = ("video-preview.png", "video-flicker.png")  # from a film that is not part of the repository
PICTURES: dict[str, Callable[[], Figure]] = {
    "first-batch.svg": first_batch,
    "motion.svg": motion,
    "lifetimes.svg": lifetimes,
    "any-time.svg": any_time,
    "rings.svg": rings,
    "rings-stream.svg": rings_stream,
    "flights.svg": flights,
    "plateau.svg": plateau,
    "reach.svg": reach,
    "people.svg": people,
}


def _panels(n: int, height: float) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(7.2, height), facecolor="white", layout="constrained")
    return figure, [figure.add_subplot(1, n, i + 1) for i in range(n)]


def draw_all(folder: Path) -> None:
    """Draw the pictures of the pages into a folder."""
    with mpl.rc_context(STYLE):
        for name, draw in PICTURES.items():
            save_figure(draw(), folder / name)


if __name__ == "__main__":
    films = [Path(name).resolve() for name in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)  # some pages write files
        draw_all(HERE / "pictures")
        draw_demo(HERE / "pictures" / DEMO)
        for film in films:
            draw_film(HERE / "pictures", film)
