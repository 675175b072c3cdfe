"""`dynmeans reproduce`: the paper's experiments on synthetic data, from trials to figures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynmeans._files.errors import InputError
from dynmeans.cli import exit_on_interrupt
from dynmeans.cli.console import print_lines, terminal_bar
from dynmeans.cli.light_imports import import_sklearn

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

    from dynmeans._experiments.results import Results
    from dynmeans._experiments.runner import ExperimentProgress, Show
    from dynmeans._experiments.trials import Experiment


class Name(str, Enum):
    """Choices of the experiment."""

    gaussians = "gaussians"
    rings = "rings"
    gps = "gps"
    video = "video"
    people = "people"
    flights = "flights"


def reproduce(
    name: Annotated[Name, typer.Argument(metavar="EXPERIMENT", help="Experiment to run.")],
    trials: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of streams per method. Default: as in the paper."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run a small version in one or two minutes.")
    ] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for results and figures.")] = Path(
        "results"
    ),
    input: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Video file for video; additional messages for flights."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Number of processes. Default: one per core.")
    ] = None,
) -> None:
    """Run one of the paper's experiments and draw its figures; the same command resumes it."""
    with exit_on_interrupt():
        import_sklearn()
        from dynmeans._experiments import ON_FILES, find_experiment
        from dynmeans._experiments.runner import results_file, run_experiment
        from dynmeans.runs._folder import check_output_files

    if input is not None and name.value not in ON_FILES:
        raise InputError(f"--input is {input!r}, but reproduce {name.value} makes its own data")
    check_output_files(out, (), force=True)
    experiment = find_experiment(name.value, input)
    size = experiment.quick if quick else experiment.full
    size = size if trials is None else size._replace(trials=trials)
    with _progress_bar() as show:
        results = run_experiment(experiment, size, out, jobs=jobs or os.cpu_count() or 1, show=show)
    print_lines(experiment.summarize(results), "", f"results  {results_file(experiment, out, quick)}")
    print_lines(*_draw(experiment, results, out))


def _draw(experiment: Experiment, results: Results, out: Path) -> list[str]:
    """Draw the figures; return their paths, or why they cannot be drawn."""
    from dynmeans._experiments.runner import draw_experiment

    try:
        return [f"figure   {path}" for path in draw_experiment(experiment, results, out)]
    except ImportError as error:
        return [f"figures  none: {error}"]


@contextmanager
def _progress_bar() -> Iterator[Show | None]:
    """Show trials and the remaining time on a terminal."""
    with terminal_bar(_columns, estimate_seconds=120.0) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task("", total=None, done=0, of=0)

        def show(now: ExperimentProgress) -> None:
            bar.update(
                task,
                total=now.effort_total,
                completed=now.effort_done,
                description=now.part,
                done=now.done,
                of=now.total,
            )

        yield show


def _columns() -> Sequence[ProgressColumn]:
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    text = TextColumn("{task.fields[done]:,} of {task.fields[of]:,} trials  {task.description}")
    bar = BarColumn(bar_width=20)
    return SpinnerColumn(), bar, text, TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()
