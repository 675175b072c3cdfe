"""The paper's Gaussian processes: examples, the functions found, accuracy, number of clusters and time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from dynmeans import DMeans, SDMeans
from dynmeans._experiments.drawing.draw_gps import draw, summarize
from dynmeans._experiments.parameters import GPS, GPS_DMEANS, GPS_KERNEL
from dynmeans._experiments.regression import posterior, posterior_means
from dynmeans._experiments.trials import (
    REPORTED_SEED,
    Case,
    Experiment,
    ExperimentTrial,
    Follow,
    Numbers,
    Size,
    evaluate,
)
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.datasets import Stream, gaussian_processes
from dynmeans.kernels import GaussianProcess

SPECTRAL, MEANS, TRUTH = "SD-Means", "D-Means", "likeliest true function"
PARAMETERS: dict[str, Case] = {SPECTRAL: {**GPS, "kernel": GPS_KERNEL}, MEANS: GPS_DMEANS, TRUTH: {}}
EFFORT = {SPECTRAL: 0.15, MEANS: 0.01, TRUTH: 0.001}  # seconds per step
N_EXAMPLES = 6


def plan(size: Size) -> list[ExperimentTrial]:
    """List the trials of all parts, single streams first."""
    shape: Case = {"n_steps": 3, "sets": 40} if size.quick else {"n_steps": 10, "sets": 100}
    cases: list[Case] = [{"method": name, **shape, "parameters": given} for name, given in PARAMETERS.items()]
    functions = [ExperimentTrial("functions", case, REPORTED_SEED) for case in cases[:2]]
    trials = [
        ExperimentTrial("trials", case, REPORTED_SEED + i, shape["n_steps"] * EFFORT[case["method"]])
        for i, case in product(range(size.trials), cases)
    ]
    return [ExperimentTrial("examples", {"noise": GPS_KERNEL["noise"]}, REPORTED_SEED), *functions, *trials]


def run(trial: ExperimentTrial) -> Numbers:
    """Run one trial of any part."""
    return _PARTS[trial.part](trial.case, trial.seed)


def _evaluated(case: Case, seed: int) -> Numbers:
    return evaluate(_follow(case), _stream(case, seed))


def _stream(case: Case, seed: int) -> Stream:
    return gaussian_processes(case["n_steps"], sets_per_step=case["sets"], random_state=seed)


def _follow(case: Case) -> Follow:
    """Return the method of a trial."""
    method, parameters = case["method"], dict(case["parameters"])
    if method == TRUTH:
        return likeliest
    if method == MEANS:
        on_means = DMeans(**parameters, n_jobs=1, random_state=0)
        return lambda stream: [report.labels for report in on_means.stream(on_grid(stream))]
    kernel = GaussianProcess(**parameters.pop("kernel"))
    model = SDMeans(kernel, **parameters, random_state=0)
    return lambda stream: [report.labels for report in model.stream(stream.batches)]


def on_grid(stream: Stream) -> Iterator[FloatArray]:
    """Return the input of D-Means: the mean of every process on a grid."""
    return map(posterior_means, stream.batches)


def likeliest(stream: Stream) -> list[IntArray]:
    """Return the true function nearest to the observations of each set."""
    found = []
    for rows in stream.batches:
        x, y = np.split(rows, 2, axis=1)
        differences = np.stack([x, -x, np.sin(x), np.cos(x)]) - y
        found.append((differences**2).sum(axis=2).argmin(axis=0))
    return found


def _examples(case: Case, seed: int) -> Numbers:
    """Return a few sets with their processes."""
    stream = gaussian_processes(1, sets_per_step=N_EXAMPLES, noise=case["noise"], random_state=seed)
    x, y = np.split(stream.batches[0], 2, axis=1)
    processes = [posterior(inputs, outputs) for inputs, outputs in zip(x, y, strict=True)]
    return {
        "x": x,
        "y": y,
        "true": stream.labels[0],
        "mean": [process.mean for process in processes],
        "deviation": [process.deviation for process in processes],
    }


def _functions(case: Case, seed: int) -> Numbers:
    """Return every cluster of one stream as a function: the process of all its observations."""
    stream = _stream(case, seed)
    labels = np.concatenate(_follow(case)(stream))
    rows, true = np.concatenate(stream.batches), np.concatenate(stream.labels)
    ids, sizes = np.unique(labels, return_counts=True)
    by_size = ids[np.argsort(-sizes, kind="stable")]
    processes = [posterior(*_observations(rows[labels == name])) for name in by_size]
    return {
        "sizes": np.sort(sizes)[::-1],
        "made_of": [np.bincount(true[labels == name], minlength=4) for name in by_size],
        "mean": [process.mean for process in processes],
        "deviation": [process.deviation for process in processes],
    }


def _observations(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return inputs and outputs of all sets, at most a thousand observations."""
    x, y = (side.ravel() for side in np.split(rows, 2, axis=1))
    every = max(1, len(x) // 1000)
    return x[::every], y[::every]


_PARTS: dict[str, Callable[[Case, int], Numbers]] = {
    "trials": _evaluated,
    "examples": _examples,
    "functions": _functions,
}

GPS_EXPERIMENT = Experiment(
    name="gps", full=Size(300), quick=Size(3, quick=True), plan=plan, run=run, draw=draw, summarize=summarize
)
