"""The run behind `dynmeans cluster`: plan, read, cluster, write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import typer

from dynmeans import __version__
from dynmeans._files.atomic_write import make_folder
from dynmeans._files.errors import InputError
from dynmeans._files.labels import labels_file
from dynmeans._files.limits import Limits
from dynmeans._files.lock import locked
from dynmeans._files.run_folder import REPORT_FILE
from dynmeans._tables.fingerprint import check_unchanged
from dynmeans._tables.inputs import RowBlock, open_inputs, reopen_inputs
from dynmeans._tables.sources import STDIN, Source, find_source
from dynmeans._tables.windows import cut
from dynmeans.cli.console import amount, print_error, progress_bar, tell
from dynmeans.cli.finished import must_repeat, size_of
from dynmeans.cli.report import draw_report
from dynmeans.estimators import from_snapshot
from dynmeans.estimators.base import BatchClusterer
from dynmeans.runs.folder import check_folder, locked_folder
from dynmeans.runs.parameters import Settings, make_model, make_windowing, time_info, time_unit
from dynmeans.runs.plan import Plan, make_plan
from dynmeans.runs.progress import Progress, given
from dynmeans.runs.session import Outline, Session


class Job(NamedTuple):
    """One command line."""

    inputs: list[str]
    settings: Settings
    out: Path
    state: Path | None
    jobs: int | None
    force: bool
    report: bool
    limits: Limits = Limits()


def run_job(job: Job) -> None:
    """Run a command line, from what the state file knows on."""
    if job.inputs.count(STDIN) > 1:
        raise InputError("standard input (-) can be read only once")
    sources = [find_source(name, job.settings.format, job.limits) for name in job.inputs]
    if job.state is None:
        _follow_plan(job, sources)
        return
    _ready_folder(job.state)
    with locked(job.state):
        _follow_plan(job, sources)


def _follow_plan(job: Job, sources: Sequence[Source]) -> None:
    plan = make_plan(job.state, sources, job.settings._asdict(), job.out, force=job.force)
    known = {"title": _title(sources), "settings": given(job.settings._asdict())}
    force = job.force
    if plan.action == "done" and job.state is not None:
        if not must_repeat(plan, job.state, job.out, known, report=job.report, force=force):
            return
        plan, force = Plan("begin", plan.inputs), True
    with locked_folder(job.out):
        if plan.action != "resume":
            inputs = [source.path for source in sources if source.path is not None]
            check_folder(job.out, force=force, again=known if job.state else None, inputs=inputs)
        _cluster(job, plan, sources)


def _cluster(job: Job, plan: Plan, sources: Sequence[Source]) -> None:
    began = monotonic()
    progress, stretches = _open(job, plan, sources)
    earlier = progress.rows
    rule = make_windowing(job.settings, progress.windows)
    outline = Outline(
        job.out,
        _title(sources),
        __version__,
        time_info(job.settings, progress.columns),
        time_unit(job.settings),
        sources[0].format,
        job.settings.standardize,
        job.state,
    )
    batches = cut(stretches, rule, progress.clock)
    first = next(batches, None)  # if it cannot be read, nothing is written
    session = Session(outline, _model(job, plan), progress, rule.carry)
    try:
        with progress_bar(endless=any(not source.size for source in sources)) as show:
            for batch in chain([] if first is None else [first], batches):
                session.take(batch)
                show(session.progress, len(session.model.cluster_ids_), batch.done)
        speed = (session.progress.rows - earlier) / max(monotonic() - began, 1e-9)
        session.finish(
            draw_report if job.report else None, check=partial(_check_unchanged, sources, progress)
        )
    except BaseException as error:
        with suppress(OSError):  # on a full disk the first error is the one to tell
            session.stop()
        if isinstance(error, KeyboardInterrupt):
            print_error(_farewell(job, session), kind="")
            raise typer.Exit(130) from None
        raise
    _tell_result(job, session, speed)


def _open(job: Job, plan: Plan, sources: Sequence[Source]) -> tuple[Progress, Iterator[RowBlock]]:
    """Where the run stands, and the rows that follow."""
    if plan.action == "resume" and plan.progress is not None:
        progress = plan.progress._replace(inputs=plan.inputs)
        return progress, reopen_inputs(sources, progress.columns, progress.position)
    settings = job.settings
    columns, stretches = open_inputs(
        sources, features=settings.features, time=settings.time, weight=settings.weight
    )
    progress = Progress(str(job.out.resolve()), plan.inputs, settings._asdict(), columns)
    if plan.progress is not None:
        progress = _take_up(progress, plan.progress, sources[0].name)
    return progress, stretches


def _take_up(progress: Progress, old: Progress, name: str) -> Progress:
    """A new run with the model of a finished one: its features, its scale, its clock."""
    if progress.columns.features != old.columns.features:
        raise InputError(
            f"{name}: the features are {', '.join(progress.columns.features)}, "
            f"but the state knows {', '.join(old.columns.features)}"
        )
    windows = {key: value for key, value in old.windows.items() if key == "origin"}
    return progress._replace(scale=old.scale, clock=old.clock, windows=windows)


def _model(job: Job, plan: Plan) -> BatchClusterer:
    if plan.snapshot is None:
        return make_model(job.settings, job.jobs)
    model: BatchClusterer = from_snapshot(plan.snapshot)
    model.n_jobs = job.jobs
    return model


def _title(sources: Sequence[Source]) -> str:
    first = sources[0].name if sources[0].path is None else sources[0].path.name
    return first if len(sources) == 1 else f"{first} and {len(sources) - 1} more"


def _ready_folder(state: Path) -> None:
    """Make a folder for the state file."""
    make_folder(state.parent)
    if state.is_dir():
        raise InputError(f"{state}: a folder, --state must be a file")


def _check_unchanged(sources: Sequence[Source], progress: Progress) -> None:
    for source, known in zip(sources, progress.inputs, strict=False):  # none are known without a state file
        check_unchanged(source, known)


def _tell_result(job: Job, session: Session, speed: float) -> None:
    now, model = session.progress, session.model
    auto = " (auto)" if job.settings.birth_cost == "auto" else ""
    asleep = len(model.cluster_ids_) - session.awake()
    files = [
        labels_file(job.out, session.outline.label_format),
        *([job.out / REPORT_FILE] if job.report else []),
    ]
    tell(
        {
            "input": f"{session.outline.title}: {size_of(now)}",
            "features": ", ".join(now.columns.features),
            "clusters": f"{session.awake()} awake, {asleep} asleep at the end",
            "lives": f"{now.born:,} born, {now.revived:,} revived, {now.died:,} died",
            "birth cost": f"{model.birth_cost_:.6g}{auto}",
            "speed": f"{speed:,.0f} points per second",
            "written": ", ".join(map(str, files)),
        }
    )


def _farewell(job: Job, session: Session) -> str:
    again = "; the same line goes on" if job.state is not None else ""
    return f"interrupted after {amount(session.progress.rows, 'row')}, which are in {job.out}{again}"
