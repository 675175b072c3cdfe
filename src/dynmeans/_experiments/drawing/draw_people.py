"""Figures and tables of the people in LiDAR, from their results."""

from __future__ import annotations

from textwrap import fill
from typing import Any

import numpy as np

from dynmeans._experiments.drawing import panels
from dynmeans._experiments.drawing.tables import markdown, milliseconds, with_interval
from dynmeans._experiments.results import Group, Results
from dynmeans._experiments.trials import Figures
from dynmeans._model.types import FloatArray
from dynmeans.plots._palette import PALETTE

SPECTRAL, ALONE = "SD-Means per frame, linked by D-Means", "SD-Means alone"
GROUND, SOLID = "D-Means on the ground plane", "D-Means on the 3-D points"
PAPER = {ALONE: ("0.868", "816.7"), SOLID: ("0.536", "38.1")}  # accuracy, seconds for 120 seconds
SCENES = ("method", "scenes", "tracked", "per step", "identity F1", "switches", "ms per frame", "99%")
LONG = ("method", "tracked", "per step", "identity F1", "seconds", "paper: accuracy", "paper: seconds")
_SLANT = 0.35  # vertical shift per unit of distance from the sensor


def summarize(results: Results) -> str:
    """Tabulate means over the scenes, and the paper's table."""
    scenes = [_of_scenes(group) for group in results.part("scenes")]
    long = [_of_paper(group) for group in results.part("paper")]
    return "\n".join(
        ("Scenes of 30 seconds", "", markdown(SCENES, scenes), "", "120 seconds", "", markdown(LONG, long))
    )


def _of_scenes(group: Group) -> list[str]:
    scores = (with_interval(group, name) for name in ("tracked", "per_step", "identity_f1"))
    slowest = f"{1e3 * group.mean('seconds_99'):.3g}"
    head = (group.case["method"], str(len(group.trials)))
    return [*head, *scores, f"{group.mean('switches'):.0f}", milliseconds(group), slowest]


def _of_paper(group: Group) -> list[str]:
    method = group.case["method"]
    scores = (f"{group.mean(name):.3f}" for name in ("tracked", "per_step", "identity_f1"))
    seconds = f"{group.mean('seconds') * group.case['n_steps']:.3g}"
    return [method, *scores, seconds, *PAPER.get(method, ("", ""))]


def draw(results: Results) -> Figures:
    """Draw frames of every method; a person has one color and marker in all frames of a row."""
    groups = results.part("frames")
    figure = panels.canvas(0.85 * len(groups) + 0.2)
    grid = figure.subplots(
        len(groups), len(groups[0].first["steps"]), squeeze=False, sharex=True, sharey=True
    )
    for row, group in zip(grid, groups, strict=True):
        _draw_row(row, group)
    for axes, step in zip(grid[0], groups[0].first["steps"], strict=True):
        axes.set_title(f"frame {step + 1}")
    return {"people-frames": figure}


def _draw_row(row: Any, group: Group) -> None:
    names = list(dict.fromkeys(k for found in group.first["found"] for k in found))
    for axes, points, found in zip(row, group.first["points"], group.first["found"], strict=True):
        _draw_frame(axes, _slanted(np.array(points)), np.array(found), names)
    row[0].set_ylabel(fill(group.case["method"], 14), fontsize=6.5)


def _draw_frame(axes: Any, seen: FloatArray, found: Any, names: list[int]) -> None:
    for i, name in enumerate(names):
        color = PALETTE[i % len(PALETTE)]
        marker = panels.MARKERS[(i + i // len(PALETTE)) % len(panels.MARKERS)]
        axes.scatter(*seen[found == name].T, s=2.5, c=color, marker=marker, linewidths=0, rasterized=True)
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.spines[:].set(color="#d5dae0", visible=True)


def _slanted(points: FloatArray) -> FloatArray:
    """Project to a view from the front and slightly above: x to the right, depth and height upwards."""
    return np.column_stack([points[:, 0], points[:, 2] + _SLANT * points[:, 1]])
