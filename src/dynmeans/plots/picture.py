"""Figure of a run: five frames, and the lifetimes of its clusters below."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynmeans._files.extras import require
from dynmeans._files.run_folder.format import FEATURES, Run
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.plots._clustered_units import in_clustered_units
from dynmeans.plots._figures import new_figure, save_figure
from dynmeans.plots._lifetimes import DEAD, ClusterLifetimes, pack_lanes, trace_lifetimes
from dynmeans.plots._palette import PALETTE, assign_colors
from dynmeans.plots._projection import Projection, fit_projection
from dynmeans.plots._thinning import even_subset

_FRAMES = 5
_TRAIL = 8  # length of a center's trail in steps
_MAX_NAMES = 15  # maximum number of labeled clusters per frame
_MAX_LANES = 24  # maximum number of lanes with names and crosses
_LAYOUT = {"hspace": 0.22, "wspace": 0.06, "left": 0.02, "right": 0.98, "top": 0.93, "bottom": 0.09}
_INK, _MUTED, _LINE = "#1c2127", "#667080", "#d5dae0"


def draw_run(run: Run, path: str | Path) -> None:
    """Draw five frames of a run and the lifetimes of its clusters.

    Parameters
    ----------
    run : Run
        As :func:`dynmeans.runs.read_run` returns it.
    path : path
        File to write; its suffix determines the format, such as ``.png`` or ``.svg``.

    Raises
    ------
    ImportError
        If matplotlib, which the extra ``plot`` brings, is missing.

    Examples
    --------
    >>> from dynmeans.runs import read_run
    >>> draw_run(read_run("dynmeans-run"), "run.png")  # doctest: +SKIP
    """
    figure = new_figure(figsize=(12, 6), dpi=200, facecolor="white")
    run = in_clustered_units(run)
    lifetimes = trace_lifetimes(run)
    colors = np.array(PALETTE)[assign_colors(lifetimes.born, lifetimes.end)]
    moments = _choose_moments(run.steps["step"], lifetimes)
    grid = figure.add_gridspec(2, _FRAMES, height_ratios=(1.25, 1), **_LAYOUT)
    projection = fit_projection(run.sample[FEATURES], run.info["features"])
    frames = [_cut_frame(run, int(step), lifetimes, projection) for step in moments]
    limits = _limits(np.concatenate([np.empty((0, 2)), *(frame.points for frame in frames)]))
    for i, frame in enumerate(frames):
        _draw_frame(figure.add_subplot(grid[0, i]), frame, lifetimes.ids, colors, limits)
    _draw_lifetimes(figure.add_subplot(grid[1, :]), run.steps["step"], lifetimes, colors, moments)
    save_figure(figure, path)


class _Frame(NamedTuple):
    """One frame in the plane; owners and keys are rows of the lifetimes."""

    step: int
    points: FloatArray  # (n, 2)
    owners: IntArray  # (n,)
    trails: dict[int, FloatArray]  # centers of each remembered cluster over the last steps, newest last
    active: set[int]


def _cut_frame(run: Run, step: int, lifetimes: ClusterLifetimes, projection: Projection) -> _Frame:
    here = run.sample["step"] == step
    recent = (run.clusters["step"] <= step) & (run.clusters["step"] > step - _TRAIL)
    owners = np.searchsorted(lifetimes.ids, run.clusters["id"][recent])
    steps, centers = run.clusters["step"][recent], projection.apply(run.clusters[FEATURES][recent])
    now = steps == step
    return _Frame(
        step,
        projection.apply(run.sample[FEATURES][here], run.sample["row"][here]),
        np.searchsorted(lifetimes.ids, run.sample["id"][here]),
        {int(k): centers[owners == k] for k in owners[now]},
        set(owners[now & (run.clusters["weight"][recent] > 0)].tolist()),
    )


def _choose_moments(steps: IntArray, lifetimes: ClusterLifetimes) -> IntArray:
    """Choose evenly spaced steps, close enough to follow clusters, in the range with most returns."""
    stride = max(1, len(steps) // 25)
    window = (_FRAMES - 1) * stride + 1
    if len(steps) <= window:
        return steps[even_subset(len(steps), _FRAMES)]
    starts = lifetimes.spans[:, 1]
    returns = starts[starts > lifetimes.born[lifetimes.spans[:, 0]]]
    until = np.searchsorted(np.sort(returns), steps, side="right")
    begin = int(np.argmax(until[window - 1 :] - until[: len(steps) - window + 1]))
    return steps[begin : begin + window : stride]


def _limits(flat: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the limits of the frames, with a margin."""
    if not len(flat):
        return np.zeros(2), np.ones(2)
    low, high = flat.min(axis=0), flat.max(axis=0)
    air = np.where(high > low, 0.08 * (high - low), 0.5)
    return low - air, high + air


def _draw_frame(axes: Any, frame: _Frame, ids: IntArray, colors: Any, limits: Any) -> None:
    """Draw points in the colors of their clusters, centers with id and trail, rings for sleepers."""
    axes.scatter(*frame.points.T, s=9, c=colors[frame.owners], alpha=0.55, linewidths=0)
    crowded = len(frame.trails) > _MAX_NAMES
    for k, trail in frame.trails.items():
        fill, edge = (colors[k], "white") if k in frame.active else ("white", colors[k])
        size = 3.5 if crowded else 5.5
        axes.plot(*trail.T, color=colors[k], lw=1.1, alpha=0.7, zorder=3)
        axes.plot(*trail[-1], marker="o", ms=size, mfc=fill, mec=edge, mew=size / 4.5, zorder=4)
        if not crowded:
            _write_id(axes, ids[k], trail[-1])
    axes.set(xlim=(limits[0][0], limits[1][0]), ylim=(limits[0][1], limits[1][1]), xticks=[], yticks=[])
    axes.set_title(f"step {frame.step}", fontsize=10, color=_INK, pad=5)
    axes.spines[:].set(color=_LINE, linewidth=1)


def _write_id(axes: Any, name: int, position: FloatArray) -> None:
    halo = require("matplotlib.patheffects", "plot").withStroke(linewidth=2, foreground="white")
    axes.annotate(
        str(name),
        position,
        (4, 2.5),
        textcoords="offset points",
        fontsize=8,
        fontweight="bold",
        color=_INK,
        zorder=5,
        path_effects=[halo],
    )


def _draw_lifetimes(
    axes: Any, steps: IntArray, lifetimes: ClusterLifetimes, colors: Any, moments: IntArray
) -> None:
    """Draw a bar while active, a dashed line while asleep, a cross at death; mark the frames above."""
    first, last = steps.min(initial=1), steps.max(initial=1)
    lanes = pack_lanes(lifetimes.born, lifetimes.end, gap=1 + int(last - first) // 60)
    n_lanes = 1 + lanes.max(initial=0)
    for step in moments:
        axes.axvline(step, color=_MUTED, lw=0.9, alpha=0.6, zorder=0)
        axes.plot(
            step, 1.02, marker="v", ms=5, color=_MUTED, clip_on=False, transform=axes.get_xaxis_transform()
        )
    axes.hlines(lanes, lifetimes.born, lifetimes.end, colors=colors, lw=1, linestyles=(0, (2, 1.5)), zorder=1)
    owner, begin, end = lifetimes.spans.T
    thick = 0.6 * axes.get_window_extent().height * 72 / axes.figure.dpi / (n_lanes + 0.4)
    axes.hlines(
        lanes[owner], begin - 0.5, end + 0.5, colors=colors[owner], lw=thick, capstyle="butt", zorder=2
    )
    if n_lanes <= _MAX_LANES:
        _name_bars(axes, lifetimes, lanes, room=(last - first + 1) / 55)
        dead = lifetimes.status == DEAD
        axes.scatter(lifetimes.end[dead], lanes[dead], marker="x", s=14, c=_INK, linewidths=1.1, zorder=3)
    axes.set(xlim=(first - 0.5, last + 0.5), ylim=(n_lanes - 0.3, -0.7), yticks=[])
    axes.set_xlabel("time step", fontsize=9, color=_MUTED, labelpad=2)
    axes.tick_params(axis="x", labelsize=8, colors=_MUTED, length=3)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(_LINE)


def _name_bars(axes: Any, lifetimes: ClusterLifetimes, lanes: IntArray, room: float) -> None:
    """Write the id of every cluster into its first bar that is long enough."""
    roomy = lifetimes.spans[lifetimes.spans[:, 2] - lifetimes.spans[:, 1] + 1 >= room]
    named, where = np.unique(roomy[:, 0], return_index=True)
    style = {"va": "center_baseline", "fontsize": 7.5, "fontweight": "bold", "color": "white"}
    for k, x in zip(named, roomy[where, 1] - 0.5 + 0.15 * room, strict=True):
        axes.text(x, lanes[k], str(lifetimes.ids[k]), **style)
