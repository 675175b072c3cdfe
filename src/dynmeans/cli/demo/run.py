"""Run `dynmeans demo`: cluster moving Gaussians, and compare the labels with the true ones."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter

from dynmeans import __version__
from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.run_folder.format import INFO_FILE, PICTURE_FILE, REPORT_FILE
from dynmeans._files.run_folder.reader import read_run
from dynmeans._model.types import IntArray
from dynmeans._tables.columns import Columns
from dynmeans._tables.inputs import Position
from dynmeans._tables.time_steps.batches import WindowBatch
from dynmeans.cli.console import print_lines, print_summary, progress_bar
from dynmeans.datasets import Stream, moving_gaussians
from dynmeans.metrics import per_step_accuracy, tracking_accuracy
from dynmeans.runs._description import RunDescription
from dynmeans.runs._folder import check_folder, locked_folder
from dynmeans.runs._report import draw_report
from dynmeans.runs._resume.progress import Progress
from dynmeans.runs._session import Session
from dynmeans.runs._setup.models import make_model
from dynmeans.runs.parameters import RunParameters

_TITLE = "Moving Gaussians"


def run_demo(out: Path, seed: int, *, force: bool) -> None:
    """Cluster the points, write the run folder and print the result."""
    with locked_folder(out):
        check_folder(out, force=force or _is_demo(out), again=None, inputs=[])
        _cluster_points(out, seed)


def _cluster_points(out: Path, seed: int) -> None:
    stream = moving_gaussians(random_state=seed)
    parameters = RunParameters(birth_cost=0.05, lifetime=3.0, reach=1.3, seed=seed)
    session = _session(out, parameters)
    began = perf_counter()
    found = _cluster_stream(session, stream)
    speed = session.progress.rows / (perf_counter() - began)
    session.finish(draw_report)
    _print_result(session, stream, found, speed)
    print_lines("", f"report   {out / REPORT_FILE}", f"picture  {_draw_picture(out)}")


def _is_demo(folder: Path) -> bool:
    """Whether the folder holds an earlier demo."""
    try:
        return bool(json.loads((folder / INFO_FILE).read_text(encoding="utf-8"))["title"] == _TITLE)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def _session(out: Path, parameters: RunParameters) -> Session:
    columns = Columns(("x", "y"))
    time = {"name": "step", "kind": "step"}
    description = RunDescription(
        folder=out,
        title=_TITLE,
        version=__version__,
        time=time,
        unit=1.0,
        label_format="csv",
        standardize=False,
        state=None,
    )
    progress = Progress(str(out.resolve()), [], parameters._asdict(), columns)
    return Session(description, make_model(parameters, jobs=None), progress)


def _cluster_stream(session: Session, stream: Stream) -> list[IntArray]:
    """Cluster all batches and return their labels."""
    found = []
    with progress_bar() as show:
        for step, X in enumerate(stream.batches, 1):
            batch = WindowBatch(
                X=X,
                weights=None,
                t=None,
                time=None,
                location=f"step {step}",
                after=Position(),
                done=step / len(stream.batches),
            )
            found.append(session.take(batch).labels)
            now = session.progress
            show(now.rows, now.steps, session.model.n_clusters_, batch.done)
    return found


def _print_result(session: Session, stream: Stream, found: list[IntArray], speed: float) -> None:
    now, labels = session.progress, stream.labels
    n_active = int((session.model.cluster_ages_ == 0).sum())
    print_summary(
        {
            "points": f"{now.rows:,} in {now.steps} steps, around 5 centers that move, die and are replaced",
            "clusters alive": f"{n_active} active, {session.model.n_clusters_ - n_active} asleep at the end",
            "events": f"{now.born} born, {now.revived} revived, {now.died} died",
            "tracked": f"{tracking_accuracy(labels, found):.0%} of the points keep the id of their center",
            "separated": f"{per_step_accuracy(labels, found):.0%} are right within their step",
            "speed": f"{speed:,.0f} points per second",
        }
    )


def _draw_picture(out: Path) -> str:
    """Draw the picture; return its path, or why it cannot be drawn."""
    from dynmeans.plots.picture import draw_run

    path = out / PICTURE_FILE
    try:
        with atomic_write(path) as temporary:
            draw_run(read_run(out), temporary)
    except ImportError as error:
        return f"none: {error}"
    return str(path)
