"""Figure of the scores of all tuning trials."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from dynmeans._files.extras import require
from dynmeans.plots._figures import new_figure, save_figure

_NUMBERS = ("birth_cost", "lifetime", "reach", "aging_cost", "drift")
_FLOOR = 1e-3  # smallest excess over the best score that is drawn


def draw_tuning(table: Mapping[str, Any], path: str | PathLike[str] | None = None) -> Any:
    """Draw the excess score of every trial over each searched parameter.

    Parameters
    ----------
    table : mapping of arrays
        ``table_`` of a :class:`dynmeans.tuning.Tuning`, the winner first.
    path : path, optional
        File to write; its suffix determines the format.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ImportError
        If matplotlib, which the extra ``plot`` brings, is missing.
    """
    names = [name for name in _NUMBERS if name in table]
    figure = new_figure(figsize=(4 * len(names), 3.4), layout="constrained")
    score = np.asarray(table["score"], dtype=float)
    finite = np.isfinite(score)
    excess = np.maximum(score - score[finite].min(), _FLOOR)
    for axes, name in zip(figure.subplots(1, len(names), sharey=True, squeeze=False)[0], names, strict=True):
        values = np.asarray(table[name], dtype=float)[finite]
        points = axes.scatter(
            values,
            excess[finite],
            c=np.asarray(table["n_clusters"])[finite],
            norm="log",
            s=18,
        )
        axes.plot(table[name][0], excess[0], marker="*", ms=15, mfc="none", mec="#c0392b", mew=1.5)
        axes.set(yscale="log", xlabel=name.replace("_", " "))
        if (values > 0.0).any():  # with the cosine metric, all drifts may be 0
            axes.set_xscale("log")
            _plain_ticks(axes.xaxis)
    figure.axes[0].set_ylabel("score above the best")
    bar = figure.colorbar(points, ax=figure.axes, label="clusters per step")
    _plain_ticks(bar.ax.yaxis)
    if path is not None:
        save_figure(figure, path)
    return figure


def _plain_ticks(axis: Any) -> None:
    """Set a few plain tick labels on a logarithmic axis; powers of ten would overlap."""
    ticker = require("matplotlib.ticker", "plot")
    low, high = axis.get_view_interval()
    axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0) if high < 100 * low else (1.0,)))
    axis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axis.set_minor_formatter(ticker.NullFormatter())
