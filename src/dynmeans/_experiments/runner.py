"""Run the trials of an experiment in processes, and resume earlier runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple, TypeAlias

from dynmeans._experiments.drawing.panels import styled
from dynmeans._experiments.results import Results, read_results, write_results
from dynmeans._experiments.trials import Experiment, ExperimentTrial, Numbers, Size, by_priority
from dynmeans._files.atomic_write import atomic_write, make_folder
from dynmeans._files.lock import locked
from dynmeans.plots._figures import save_figure

SAVE_EVERY = 5.0  # seconds
SUFFIXES = (".png", ".svg")


class ExperimentProgress(NamedTuple):
    """Progress of a run."""

    done: int  # trials, including those of earlier runs
    total: int
    effort_done: float  # estimated seconds of the finished trials of this run
    effort_total: float  # estimated seconds of all trials of this run
    part: str  # part of the last trial


Show: TypeAlias = Callable[[ExperimentProgress], None]


def results_file(experiment: Experiment, folder: Path, quick: bool) -> Path:
    """Return the results file of an experiment; a quick run has a separate file."""
    return folder / f"{experiment.name}{'-quick' if quick else ''}.json"


def run_experiment(
    experiment: Experiment, size: Size, folder: Path, *, jobs: int = 1, show: Show | None = None
) -> Results:
    """Run all trials that are missing in the results file, and update the file.

    Parameters
    ----------
    experiment : Experiment
    size : Size
        Number of trials.
    folder : path
        Folder of the results. It is created if missing.
    jobs : int
        Number of trials that run at the same time, each in a process; 1 uses this process.
    show : callable, optional
        Called with a `ExperimentProgress` at the beginning and after every trial.

    Returns
    -------
    Results
        All trials of the plan, and those of earlier runs with more seeds.
    """
    make_folder(folder)
    path = results_file(experiment, folder, size.quick)
    with locked(path, "--out"):
        return _run_missing(experiment, size, path, jobs, show)


def _run_missing(experiment: Experiment, size: Size, path: Path, jobs: int, show: Show | None) -> Results:
    plan = experiment.plan(size)
    results = read_results(path) if path.exists() else Results(experiment.name)
    results = results.arranged(plan)
    todo = [trial for trial in by_priority(plan, experiment.priorities) if trial not in results]
    progress = ExperimentProgress(
        len(plan) - len(todo), len(plan), 0.0, sum(trial.effort for trial in todo), ""
    )
    report = show or (lambda _: None)
    report(progress)
    with _saving(results, path) as save, _outcomes(experiment, todo, jobs) as outcomes:
        for trial, numbers in outcomes:
            results.add(trial, numbers)
            save()
            effort = progress.effort_done + trial.effort
            progress = progress._replace(done=progress.done + 1, effort_done=effort, part=trial.part)
            report(progress)
    return results


def draw_experiment(experiment: Experiment, results: Results, folder: Path) -> list[Path]:
    """Draw every figure of an experiment from its results as PNG and SVG; return the files."""
    make_folder(folder)
    paths = []
    with styled():
        for name, figure in experiment.draw(results).items():
            paths += [_save(figure, folder / f"{name}{suffix}") for suffix in SUFFIXES]
    return paths


def _save(figure: Any, path: Path) -> Path:
    with atomic_write(path) as temporary:
        save_figure(figure, temporary)
    return path


@contextmanager
def _saving(results: Results, path: Path) -> Iterator[Callable[[], None]]:
    """Yield a function that saves periodically; save again at the end, also after an error."""
    last = monotonic()

    def save() -> None:
        nonlocal last
        if monotonic() - last >= SAVE_EVERY:
            write_results(results, path)
            last = monotonic()

    try:
        yield save
    finally:
        write_results(results, path)


@contextmanager
def _outcomes(
    experiment: Experiment, trials: list[ExperimentTrial], jobs: int
) -> Iterator[Iterator[tuple[ExperimentTrial, Numbers]]]:
    """Yield trials with their results as they finish."""
    run = partial(_outcome, experiment.run)
    if jobs == 1 or len(trials) < 2:
        yield map(run, trials)
        return
    with get_context("spawn").Pool(jobs, exit_with_parent) as pool:
        yield pool.imap_unordered(run, trials)


def _outcome(
    run: Callable[[ExperimentTrial], Numbers], trial: ExperimentTrial
) -> tuple[ExperimentTrial, Numbers]:
    return trial, run(trial)


def exit_with_parent() -> None:
    """Ignore interrupts, which the parent process handles, and exit when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
