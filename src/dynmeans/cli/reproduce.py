"""`dynmeans reproduce`: the paper's experiments on synthetic data, from trials to figures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import (
    BarColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from dynmeans._files.errors import InputError
from dynmeans.cli.console import say, terminal_bar
from dynmeans.runs.folder import check_place

if TYPE_CHECKING:  # other commands need not wait until all that is compared has been imported
    from dynmeans._experiments.results import Results
    from dynmeans._experiments.runner import Show, Standing
    from dynmeans._experiments.trials import Experiment


class Name(str, Enum):
    """Which experiment."""

    gaussians = "gaussians"
    rings = "rings"
    gps = "gps"
    video = "video"
    people = "people"
    flights = "flights"


def reproduce(
    name: Annotated[Name, typer.Argument(help="Which experiment.")],
    trials: Annotated[
        int | None, typer.Option(min=1, help="Streams for each method; by default as many as in the paper.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small form of everything, in a minute or two.")
    ] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for results and figures.")] = Path(
        "results"
    ),
    input: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="For video, a film; for flights, messages to run on as well."),
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; by default one for each core.")] = None,
) -> None:
    """Run one of the paper's experiments and draw its figures; a run that was stopped goes on."""
    from dynmeans._experiments import ON_FILES, find_experiment
    from dynmeans._experiments.runner import results_file, run_experiment

    if input is not None and name.value not in ON_FILES:
        raise InputError(f"--input is {input!r}, but reproduce {name.value} makes its own data")
    check_place(out, (), force=True)
    experiment = find_experiment(name.value, input)
    size = experiment.quick if quick else experiment.full
    size = size if trials is None else size._replace(trials=trials)
    with _progress_bar() as show:
        results = run_experiment(experiment, size, out, jobs=jobs or os.cpu_count() or 1, show=show)
    say(experiment.summarize(results), "", f"results  {results_file(experiment, out, quick)}")
    say(*_draw(experiment, results, out))


def _draw(experiment: Experiment, results: Results, out: Path) -> list[str]:
    """Where the figures are, or why there are none."""
    from dynmeans._experiments.runner import draw_experiment

    try:
        return [f"figure   {path}" for path in draw_experiment(experiment, results, out)]
    except ImportError as error:
        return [f"figures  none: {error}"]


@contextmanager
def _progress_bar() -> Iterator[Show | None]:
    """Show a bar with the time left on a terminal, and nothing elsewhere."""
    text = TextColumn("{task.fields[done]:,} of {task.fields[of]:,} trials  {task.description}")
    columns = (
        SpinnerColumn(),
        BarColumn(bar_width=20),
        text,
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with terminal_bar(*columns, patience=120.0) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task("", total=None, done=0, of=0)

        def show(now: Standing) -> None:
            bar.update(
                task,
                total=now.effort_total,
                completed=now.effort_done,
                description=now.part,
                done=now.done,
                of=now.total,
            )

        yield show
