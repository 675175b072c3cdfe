"""`dynmeans demo`: clusters that move, die and are replaced, followed and compared with the truth."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from dynmeans import __version__
from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.run_folder import INFO_FILE, PICTURE_FILE, REPORT_FILE, read_run
from dynmeans._model.types import IntArray
from dynmeans._tables.columns import Columns
from dynmeans._tables.inputs import Position
from dynmeans._tables.windows import Batch
from dynmeans.cli.console import progress_bar, say, tell
from dynmeans.cli.report import draw_report
from dynmeans.datasets import Stream, moving_gaussians
from dynmeans.estimators.validation import LARGEST_SEED
from dynmeans.metrics import per_step_accuracy, tracking_accuracy
from dynmeans.runs.folder import check_folder, locked_folder
from dynmeans.runs.parameters import Settings, make_model
from dynmeans.runs.progress import Progress
from dynmeans.runs.session import Outline, Session

_TITLE = "Moving Gaussians"


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")] = Path("dynmeans-demo"),
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of the points.")] = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a run in the folder; an earlier demo always is.")
    ] = False,
) -> None:
    """Cluster points around five centres that move, die and are replaced, and draw what happened."""
    with locked_folder(out):
        check_folder(out, force=force or _is_demo(out), again=None, inputs=[])
        _run_demo(out, seed)


def _run_demo(out: Path, seed: int) -> None:
    stream = moving_gaussians(random_state=seed)
    settings = Settings(birth_cost=0.05, lifetime=3.0, reach=1.3, seed=seed)
    session = _session(out, settings)
    began = perf_counter()
    found = _follow(session, stream)
    speed = session.progress.rows / (perf_counter() - began)
    session.finish(draw_report)
    _tell(session, stream, found, speed)
    say("", f"report   {out / REPORT_FILE}", f"picture  {_draw_picture(out)}")


def _is_demo(folder: Path) -> bool:
    """Whether nothing but an earlier demo lies there."""
    try:
        return bool(json.loads((folder / INFO_FILE).read_text(encoding="utf-8"))["title"] == _TITLE)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _session(out: Path, settings: Settings) -> Session:
    columns = Columns(("x", "y"))
    time = {"name": "step", "kind": "step"}
    outline = Outline(out, _TITLE, __version__, time, 1.0, "csv", standardize=False, state=None)
    progress = Progress(str(out.resolve()), [], settings._asdict(), columns)
    return Session(outline, make_model(settings, jobs=None), progress)


def _follow(session: Session, stream: Stream) -> list[IntArray]:
    """Labels of every batch."""
    found = []
    with progress_bar(endless=False) as show:
        for step, X in enumerate(stream.batches, 1):
            batch = Batch(X, None, None, None, f"step {step}", Position(), step / len(stream.batches))
            found.append(session.take(batch).labels)
            show(session.progress, len(session.model.cluster_ids_), batch.done)
    return found


def _tell(session: Session, stream: Stream, found: list[IntArray], speed: float) -> None:
    now, labels = session.progress, stream.labels
    asleep = len(session.model.cluster_ids_) - session.awake()
    tell(
        {
            "points": f"{now.rows:,} in {now.steps} steps, around 5 centres that move, die and are replaced",
            "clusters alive": f"{session.awake()} awake, {asleep} asleep at the end",
            "lives": f"{now.born} born, {now.revived} revived, {now.died} died",
            "tracked": f"{tracking_accuracy(labels, found):.0%} of the points keep the id of their centre",
            "separated": f"{per_step_accuracy(labels, found):.0%} are right within their step",
            "speed": f"{speed:,.0f} points per second",
        }
    )


def _draw_picture(out: Path) -> str:
    """Where the picture is, or why there is none."""
    from dynmeans.plots.picture import draw_run

    path = out / PICTURE_FILE
    try:
        with atomic_write(path) as place:
            draw_run(read_run(out), place)
    except ImportError as error:
        return f"none: {error}"
    return str(path)
