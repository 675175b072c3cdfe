"""Figures and tables of the moving Gaussians, from their results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dynmeans._experiments.drawing import panels
from dynmeans._experiments.drawing.tables import markdown, mean_difference, milliseconds, share, with_interval
from dynmeans._experiments.methods import (
    CEILING,
    GIBBS,
    GIBBS_ORACLE,
    KMEANS,
    OURS,
    PARTICLE_ORACLE,
    REFINED,
    THREE,
    VARIATIONAL,
    WITHOUT_K,
)
from dynmeans._experiments.parameters import GAUSSIANS
from dynmeans._experiments.results import Group, Results
from dynmeans._experiments.trials import Case, Figures

MODELS = (REFINED, THREE, GIBBS_ORACLE, VARIATIONAL, PARTICLE_ORACLE, CEILING)
MATCHED = (REFINED, OURS, KMEANS, *WITHOUT_K, CEILING)
STYLES = {
    name: panels.line_style(i) for i, name in enumerate(dict.fromkeys((*MODELS[:-1], GIBBS, *MATCHED[:-1])))
}
STYLES[CEILING] = panels.PLAIN
TIME = "processor time per step (ms)"


def draw(results: Results) -> Figures:
    """Draw all figures."""
    return {
        "gaussians-tuning": _tuning(results),
        "gaussians-counts": _counts(results),
        "gaussians-trade": _trade(results),
        "gaussians-frames": _frames(results),
    }


def summarize(results: Results) -> str:
    """Tabulate all methods on five clusters, one table per reading of the motion."""
    readings = dict.fromkeys(group.case["displacement"] for group in results.part("five"))
    tables = [f"{reading.capitalize()} displacements\n\n{_five(results, reading)}" for reading in readings]
    return "\n\n".join([*tables, f"Refined D-Means and the ceiling on more streams\n\n{_more(results)}"])


def _more(results: Results) -> str:
    """Tabulate the share of the upper limit, one line per reading."""
    rows = []
    for ours in results.part("more", method=REFINED):
        reading = ours.case["displacement"]
        (ceiling,) = results.part("more", method=CEILING, displacement=reading)
        tracked = [with_interval(group, "tracked") for group in (ours, ceiling)]
        rows.append((reading, str(len(ours.trials)), *tracked, share(ours, ceiling, "tracked")))
    return markdown(("displacements", "trials", "refined", "true clusters, matched", "share"), rows)


def _five(results: Results, reading: str) -> str:
    """Tabulate accuracy, difference to refined D-Means, share of the upper limit, and time."""
    groups = {group.case["method"]: group for group in results.part("five", displacement=reading)}
    ceiling, ours = groups[CEILING].mean("tracked"), groups[REFINED]
    header = (
        "method",
        "trials",
        "tracked",
        "refined minus method",
        "share of the ceiling",
        "per step",
        "ms per step",
        "time relative to refined",
    )
    rows = []
    for name, group in groups.items():
        rows.append(
            (
                name,
                str(len(group.trials)),
                with_interval(group, "tracked"),
                "" if name == REFINED else mean_difference(ours, group, "tracked"),
                f"{100 * group.mean('tracked') / ceiling:.0f}%",
                with_interval(group, "per_step"),
                milliseconds(group),
                f"{group.mean('seconds') / ours.mean('seconds'):.3g}",
            )
        )
    return markdown(header, rows)


def _tuning(results: Results) -> Any:
    """Draw contours of D-Means and the times of all parameters, one row per reading."""
    figure = panels.canvas(4.4)
    grid = figure.subplots(len(GAUSSIANS), 3)
    for letters, row, (reading, chosen) in zip(("abc", "def"), grid, GAUSSIANS.items(), strict=True):
        groups = results.part("tuning", displacement=reading)
        for axes, letter, name, other in zip(
            row, letters, ("lifetime", "reach"), ("reach", "lifetime"), strict=False
        ):
            plane = [group for group in groups if group.case["parameters"][other] == chosen[other]]
            _contours(axes, plane, chosen, name)
            axes.set_title(f"({letter}) {reading} displacements")
        times = np.concatenate([1e3 * group.column("seconds") for group in groups])
        panels.histogram(row[2], {"all parameters": times}, panels.time_bins([times]))
        row[2].set(xlabel=TIME, title=f"({letters[2]}) {reading} displacements")
        panels.plain_log(row[2], "x")
    return figure


def _contours(axes: Any, groups: Sequence[Group], chosen: Case, name: str) -> None:
    def coordinates(case: Case) -> tuple[float, float]:
        return case["birth_cost"], case[name]

    panels.contours(axes, panels.surface(groups, coordinates), coordinates(chosen))
    axes.set(
        xlabel="birth cost (squared distance)", ylabel="lifetime (steps)" if name == "lifetime" else name
    )


def _counts(results: Results) -> Any:
    """Draw accuracy and time against the number of clusters: samplers above, re-clustering below."""
    figure = panels.canvas(5.6)
    grid = figure.subplots(2, 2, sharex=True, sharey="col")
    everyone = [*results.part("five", displacement="isotropic"), *results.part("counts")]
    for row, names in zip(grid, (MODELS, MATCHED), strict=True):
        for name in names:
            groups = sorted(
                (group for group in everyone if group.case["method"] == name),
                key=lambda group: int(group.case["n_clusters"]),
            )
            x = [group.case["n_clusters"] for group in groups]
            panels.band(row[0], x, groups, "tracked", STYLES[name], name)
            panels.band(row[1], x, groups, "seconds", STYLES[name], name, scale=1e3)
        row[0].set(ylabel="tracking accuracy", ylim=(0, 1))
        row[1].set(ylabel=TIME)
    for letter, axes in zip("abcd", grid.flat, strict=True):
        axes.set_title(f"({letter})", loc="left")
        axes.set_xticks([1, 5, 10, 15, 20])
    for axes in grid[1]:
        axes.set_xlabel("clusters in the stream")
    panels.plain_log(grid[0, 1], "y")
    _legend(figure, grid[:, 0])
    return figure


def _legend(figure: Any, axes: Sequence[Any]) -> None:
    """Draw one legend with every name once."""
    entries: dict[str, Any] = {}
    for panel in axes:
        for handle, name in zip(*panel.get_legend_handles_labels(), strict=True):
            entries.setdefault(name, handle)
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=4)


def _trade(results: Results) -> Any:
    """Draw accuracy against time for more restarts or samples, with and without tracking."""
    figure = panels.canvas(3.0, width=4.6)
    axes = figure.subplots()
    for name in (REFINED, OURS, GIBBS, GIBBS_ORACLE):
        groups = results.part("trade", method=name)
        groups += (
            results.part("five", method=name, displacement="isotropic") if name.startswith(GIBBS) else []
        )
        time = [1e3 * group.mean("seconds") for group in groups]
        for number, line, words in (("tracked", "-", ""), ("per_step", "--", ", not enforced")):
            how = STYLES[name]._replace(line=line)
            panels.band(axes, time, groups, number, how, f"{name}{words}")
    axes.set(xlabel=TIME, ylabel="accuracy", ylim=(0, 1))
    panels.plain_log(axes, "x")
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def _frames(results: Results) -> Any:
    """Draw five sequential frames of D-Means."""
    (group,) = results.part("frames")
    figure = panels.canvas(1.65)
    panels.frames(figure.subplots(1, 5), group.first, group.case["method"])
    return figure
