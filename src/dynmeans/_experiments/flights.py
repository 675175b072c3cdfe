"""The paper's aircraft experiment: D-Means on half hours, DP-means on all data, and Gibbs sampling.

DP-means runs twice: on the compiled core, which skips most comparisons, and with the full passes of its
authors.

The paper's data are not public. Two streams replace them: a synthetic week of the same size with known
routes, and any file of messages, labeled by the sectors where its flights begin and end. The methods do not
use these proxy labels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from dynmeans import DMeans
from dynmeans._experiments.drawing import panels
from dynmeans._experiments.drawing.tables import markdown, with_interval
from dynmeans._experiments.parameters import FLIGHTS
from dynmeans._experiments.reference_dpmeans import reference_dpmeans
from dynmeans._experiments.results import Group, Results
from dynmeans._experiments.trials import (
    REPORTED_SEED,
    Case,
    Experiment,
    ExperimentTrial,
    Figures,
    Numbers,
    Size,
)
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.apps.flights._proxy_labels import sector_labels
from dynmeans.apps.flights.flows import FlowOptions, features_of
from dynmeans.apps.flights.messages import Messages, read_messages, velocity_of
from dynmeans.apps.flights.trajectories import Limits, Trajectories, build_trajectories
from dynmeans.baselines import DPMeans, MCGMMGibbs
from dynmeans.datasets import airline_week
from dynmeans.metrics import weighted_accuracy

WEEK, DAY = "synthetic week", "file"
PAPER_FLIGHTS = 17_895
FULL = "DP-means, full passes"
EFFORT = 10.0  # seconds per trial; equal for all methods, so that trials of one stream stay together
HEADER = ("data", "method", "trials", "accuracy", "clusters", "seconds", "time relative to D-Means")


class Traffic(NamedTuple):
    """Features and windows of flights, with true labels."""

    features: FloatArray  # (F, 2 * lattice)
    windows: FloatArray  # (F,)  half hour of take-off, counted from 1
    labels: IntArray  # (F,)
    confidence: FloatArray  # (F,)  of the labels


def flights_experiment(file: str | None = None) -> Experiment:
    """Return the experiment on the synthetic week and, if given, on a file of messages."""
    return Experiment(
        name="flights",
        full=Size(20),
        quick=Size(1, quick=True),
        plan=_planner(file),
        run=run,
        draw=draw,
        summarize=summarize,
    )


def _planner(file: str | None) -> Callable[[Size], list[ExperimentTrial]]:
    def plan(size: Size) -> list[ExperimentTrial]:
        """List trials with the methods of one stream adjacent, so that features are computed once."""
        n_flights = 600 if size.quick else PAPER_FLIGHTS
        streams: list[Case] = [{"data": WEEK, "n_flights": n_flights}]
        streams += [] if file is None else [{"data": DAY, "file": file}]
        return [
            ExperimentTrial(
                "table",
                {**stream, "method": method, "parameters": parameters},
                REPORTED_SEED + i,
                EFFORT,
            )
            for i in range(size.trials)
            for stream in streams
            for method, parameters in FLIGHTS[stream["data"]].items()
        ]

    return plan


def run(trial: ExperimentTrial) -> Numbers:
    """Cluster one stream by one method, on one thread."""
    case = trial.case
    # A file is the same in every trial; only the methods differ.
    seed = trial.seed if case["data"] == WEEK else 0
    traffic = _traffic(case.get("file"), case.get("n_flights", 0), seed)
    with threadpool_limits(1):
        began = process_time()
        found = METHODS[case["method"]](traffic, case["parameters"], trial.seed)
        seconds = process_time() - began
    accuracy = weighted_accuracy([traffic.labels], [found], [traffic.confidence])
    return {"accuracy": accuracy, "clusters": len(np.unique(found)), "seconds": seconds}


@lru_cache(maxsize=2)  # a week and the file
def _traffic(file: str | None, n_flights: int, seed: int) -> Traffic:
    if file is not None:
        flights, _ = build_trajectories(read_messages([file]), Limits())
        features, smoother = features_of(flights, FlowOptions())
        return _in_order(Traffic(features, _windows(flights), *sector_labels(flights, smoother.lattice.area)))
    week = airline_week(n_flights, random_state=seed)
    velocities, blank = velocity_of(week.speeds, week.tracks), np.full(len(week.times), "")
    sent = Messages(
        aircraft=week.aircraft,
        callsigns=blank,
        times=week.times,
        latitudes=week.latitudes,
        longitudes=week.longitudes,
        velocities=velocities,
    )
    flights, _ = build_trajectories(sent, Limits())
    routes = dict(zip(week.aircraft.tolist(), week.routes[week.flights].tolist(), strict=True))
    labels = np.array([routes[name] for name in flights.messages.aircraft[flights.first].tolist()])
    features, _ = features_of(flights, FlowOptions())
    return _in_order(Traffic(features, _windows(flights), labels, np.ones(len(labels))))


def _in_order(traffic: Traffic) -> Traffic:
    order = np.argsort(traffic.windows, kind="stable")
    features, windows, labels, confidence = traffic
    return Traffic(features[order], windows[order], labels[order], confidence[order])


def _windows(flights: Trajectories) -> FloatArray:
    begins = np.floor(flights.messages.times[flights.first] / FlowOptions().window)
    windows: FloatArray = begins - begins.min() + 1.0
    return windows


def _by_windows(traffic: Traffic, model: Any, *, uses_labels: bool) -> IntArray:
    """Cluster each half hour; oracle methods use the true labels, as the paper's Gibbs sampler."""
    found = np.empty(len(traffic.labels), dtype=np.int64)
    windows, begins = np.unique(traffic.windows, return_index=True)
    ends = [*begins[1:], len(found)]
    for window, begin, end in zip(windows, begins, ends, strict=True):
        here = slice(begin, end)
        truth = traffic.labels[here] if uses_labels else None
        found[here] = model.partial_fit(traffic.features[here], truth, t=float(window)).labels_
    return found


def _dmeans(traffic: Traffic, parameters: Case, seed: int) -> IntArray:
    return _by_windows(traffic, DMeans(**parameters, n_jobs=1, random_state=seed), uses_labels=False)


def _dpmeans(traffic: Traffic, parameters: Case, seed: int) -> IntArray:
    labels: IntArray = DPMeans(**parameters, n_jobs=1, random_state=seed).fit(traffic.features).labels_
    return labels


def _full_passes(traffic: Traffic, parameters: Case, seed: int) -> IntArray:
    return reference_dpmeans(traffic.features, **parameters, seed=seed)


def _gibbs(traffic: Traffic, parameters: Case, seed: int) -> IntArray:
    return _by_windows(traffic, MCGMMGibbs(**parameters, random_state=seed), uses_labels=True)


METHODS: dict[str, Callable[[Traffic, Case, int], IntArray]] = {
    "D-Means": _dmeans,
    "DP-means": _dpmeans,
    FULL: _full_passes,
    "Gibbs": _gibbs,
}


def summarize(results: Results) -> str:
    """Tabulate accuracy and time, as in the paper's table."""
    rows = []
    for group in results.part("table"):
        (ours,) = _same_data(results, group, "D-Means")
        rows.append(
            (
                _data(group.case),
                group.case["method"],
                str(len(group.trials)),
                with_interval(group, "accuracy"),
                f"{group.mean('clusters'):.0f}",
                f"{group.mean('seconds'):.2f}",
                f"{group.mean('seconds') / ours.mean('seconds'):.1f}",
            )
        )
    return markdown(HEADER, rows)


def _data(case: Case) -> str:
    """Return the display name of the stream."""
    return Path(case["file"]).name if "file" in case else str(case["data"])


def _same_data(results: Results, group: Group, method: str) -> list[Group]:
    keys = ("data", "file", "n_flights")
    wanted = {key: group.case[key] for key in keys if key in group.case}
    return results.part("table", method=method, **wanted)


def draw(results: Results) -> Figures:
    """Draw accuracy against time, one panel per stream."""
    groups = results.part("table")
    streams = list(dict.fromkeys(_data(group.case) for group in groups))
    with panels.styled():
        figure = panels.canvas(2.6)
        row = figure.subplots(1, len(streams), squeeze=False)[0]
        for axes, data in zip(row, streams, strict=True):
            _draw_stream(axes, [group for group in groups if _data(group.case) == data])
            axes.set(title=data, xlabel="processor time (s)", ylim=(0, 1.02))
            panels.plain_log(axes, "x")
        row[0].set_ylabel("weighted accuracy")
        figure.legend(*row[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(METHODS))
    return {"flights": figure}


def _draw_stream(axes: Any, groups: list[Group]) -> None:
    for i, group in enumerate(groups):
        style = panels.line_style(i)
        times, accuracy = group.column("seconds"), group.column("accuracy")
        axes.plot(times, accuracy, ls="", marker=style.marker, color=style.color, label=group.case["method"])
