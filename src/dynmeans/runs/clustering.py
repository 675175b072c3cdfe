"""Cluster files in a resumable run: find the start, read batches, cluster them, write the folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from time import monotonic
from typing import Any

from dynmeans import __version__
from dynmeans._files.atomic_write import make_folder
from dynmeans._files.errors import InputError
from dynmeans._files.limits import parse_limits
from dynmeans._files.lock import locked
from dynmeans._tables.missing import MissingRows
from dynmeans._tables.time_steps.batches import WindowBatch, cut
from dynmeans._tables.time_steps.windowing import Windowing
from dynmeans.runs._by_key.keyed_session import ROWS_ARRAY, KeyedSession
from dynmeans.runs._description import RunDescription
from dynmeans.runs._folder import check_folder, check_state_file, locked_folder
from dynmeans.runs._report import draw_report
from dynmeans.runs._resume.completed import must_repeat
from dynmeans.runs._resume.progress import Progress, drop_unset
from dynmeans.runs._resume.start import RunStart, find_start
from dynmeans.runs._session import Session
from dynmeans.runs._setup.job import (
    Job,
    StepCallback,
    check_inputs,
    find_sources,
    load_model,
    open_rows,
    read_files,
    title,
)
from dynmeans.runs._setup.parameter_checks import check_feature_scales, check_parameters
from dynmeans.runs._setup.time_steps import check_time_unit, make_windowing, time_info, time_unit, wants_empty
from dynmeans.runs._summary import summarize, summarize_complete
from dynmeans.runs.parameters import RunParameters, normalize_parameters
from dynmeans.runs.result import RunInterrupted, RunResult, RunStatus
from dynmeans.streams import KeyedDMeans


def cluster_files(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    parameters: RunParameters = RunParameters(),  # noqa: B008
    *,
    out: str | os.PathLike[str] = "dynmeans-run",
    state: str | os.PathLike[str] | None = None,
    force: bool = False,
    report: bool = True,
    n_jobs: int | None = None,
    limits: Sequence[str] = (),
    on_step: StepCallback | None = None,
) -> RunResult:
    r"""Cluster the rows of files step by step, and write labels, clusters, events and a report.

    This is ``dynmeans cluster`` as a function; both write the same files. With a state file, the same call
    resumes an interrupted or killed run and gives the same result as a run without interruption. With
    other inputs and another `out`, it continues a complete run, and clusters keep their ids.

    Parameters
    ----------
    inputs : path or sequence of paths
        CSV, TSV, JSON Lines, Parquet, Arrow, NPY or NPZ files with the same columns, read in this order;
        ``"-"`` is standard input.
    parameters : RunParameters
        Columns, windows, hyperparameters and seed.
    out : path, default="dynmeans-run"
        Folder for the results. It is created if it does not exist.
    state : path, optional
        State file, written about once per second. Without it the run cannot be resumed.
    force : bool, default=False
        Overwrite another run in the folder.
    report : bool, default=True
        Draw ``report.html``.
    n_jobs : int, optional
        Number of threads; the result does not depend on it.
    limits : sequence of str
        Limits on the inputs, such as ``"line=64MB"``, as in the option ``--limit``.
    on_step : callable, optional
        Called with a `RunStatus` after each step.

    Returns
    -------
    RunResult

    Raises
    ------
    InputError
        If a parameter, an input or the folder is invalid. The message names the file, the row and the rule;
        parameters are named as options of the command line.
    SnapshotError
        If the state file is damaged.
    RunInterrupted
        On Ctrl-C. It is a `KeyboardInterrupt`; all complete steps are on disk.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from dynmeans.runs import RunParameters, cluster_files, read_run
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "points.csv")
    ...     _ = table.write_text("day,x\n1,0.0\n1,5.0\n2,0.1\n2,5.1\n")
    ...     parameters = RunParameters(time="day", birth_cost=1.0)
    ...     result = cluster_files(table, parameters, out=Path(folder, "run"), state=Path(folder, "state"))
    ...     run = read_run(result.out)
    >>> result.steps, result.born, result.n_active
    (2, 2, 2)
    >>> run.clusters["id"].tolist()
    [0, 1, 0, 1]
    """
    parameters = normalize_parameters(parameters)
    check_parameters(parameters)
    job = Job(
        sources=find_sources(inputs, parameters.format, parse_limits(limits)),
        parameters=parameters,
        out=Path(out),
        state=None if state is None else Path(state),
        n_jobs=n_jobs,
        force=force,
        report=report,
        on_step=on_step or (lambda status: None),
    )
    with _locked_state(job.state, job.out):
        return _run(job)


def _locked_state(state: Path | None, out: Path) -> AbstractContextManager[object]:
    """Lock the state file, and make its folder."""
    if state is None:
        return nullcontext()
    check_state_file(state, out)
    make_folder(state.parent)
    if state.is_dir():
        raise InputError(f"{state}: a folder, --state must be a file")
    return locked(state)


def _run(job: Job) -> RunResult:
    start = find_start(job.state, read_files(job), job.parameters._asdict(), job.out, force=job.force)
    known = {"title": title(job.sources), "parameters": drop_unset(job.parameters._asdict())}
    force = job.force
    if start.action == "done":
        assert job.state is not None
        if not must_repeat(start, job.state, known, report=job.report, force=force):
            return summarize_complete(start, title(job.sources), load_model(job, start))
        start, force = RunStart("begin", start.inputs), True
    with locked_folder(job.out):
        if start.action != "resume":
            inputs = [source.path for source in read_files(job) if source.path is not None]
            check_folder(job.out, force=force, again=known if job.state else None, inputs=inputs)
        return _cluster(job, start)


def _cluster(job: Job, start: RunStart) -> RunResult:
    began = monotonic()
    missing = MissingRows(drop=job.parameters.missing == "drop")
    progress, blocks = open_rows(job, start, missing)
    check_feature_scales(job.parameters, progress.columns.features)
    windowing = make_windowing(job.parameters, progress.windows, is_dated=progress.columns.dated)
    model = load_model(job, start)
    batches = cut(
        blocks,
        windowing,
        progress.clock,
        resumed_at=progress.position if start.action == "resume" else None,
        wants_empty=partial(wants_empty, model),
    )
    begun = _first_batches(batches, progress)  # an unreadable input must not cause any output
    _check_first(begun, job, progress, missing)
    session = _session(job, start, progress, model, windowing)
    try:
        _take_all(chain(begun, batches), job, session)
        speed = (session.progress.rows - progress.rows) / max(monotonic() - began, 1e-9)
        check = partial(check_inputs, job, progress)
        session.finish(draw_report if job.report else None, check, missing)
    except BaseException as error:
        with suppress(OSError):  # on a full disk, report the first error
            session.stop()
        explained = _explained(error, job, session.progress)
        if explained is None:
            raise
        raise explained from None
    return summarize(session, start.action, report=job.report, speed=speed)


def _take_all(batches: Iterable[WindowBatch], job: Job, session: Session) -> None:
    """Cluster one batch after another, and report the status after each."""
    is_size_known = all(source.size for source in job.sources)
    for batch in batches:
        session.take(batch)
        now, fraction = session.progress, batch.done if is_size_known else None
        job.on_step(RunStatus(now.rows, now.steps, session.model.n_clusters_, fraction))


def _check_first(begun: list[WindowBatch], job: Job, progress: Progress, missing: MissingRows) -> None:
    """Check the first batches, before any output."""
    if missing.pending and not progress.steps and not any(len(batch.X) for batch in begun):
        raise InputError(f"{title(job.sources)}: every row has an empty cell")
    if begun:
        check_time_unit(job.parameters, begun[0].time, is_dated=progress.columns.dated)


def _explained(error: BaseException, job: Job, progress: Progress) -> BaseException | None:
    """Return the error that the caller gets instead of one that has ended the run, if there is another."""
    if isinstance(error, KeyboardInterrupt):
        return RunInterrupted(progress.rows, job.out, resumable=job.state is not None)
    if isinstance(error, InputError) and progress.steps:
        return InputError(f"{error}; {_how_to_repeat(job, progress.steps)}")
    return None


def _first_batches(batches: Iterator[WindowBatch], progress: Progress) -> list[WindowBatch]:
    """Return the first batch; in a run that begins, all batches up to the first with rows."""
    begun = list(islice(batches, 1))
    while begun and not progress.steps and not len(begun[-1].X):
        following = next(batches, None)
        if following is None:
            break
        begun.append(following)
    return begun


def _how_to_repeat(job: Job, n_steps: int) -> str:
    """Return where the steps of a run that ended in an error are, and the options of a corrected command."""
    steps = "1 complete step is" if n_steps == 1 else f"{n_steps:,} complete steps are"
    state = "" if job.state is None else "another --state, and "
    return f"{steps} in {job.out}; to repeat the run, use {state}--force or another --out"


def _session(job: Job, start: RunStart, progress: Progress, model: Any, windowing: Windowing) -> Session:
    description = _describe(job, progress)
    if not isinstance(model, KeyedDMeans):
        return Session(description, model, progress, windowing.carry)
    rows = start.snapshot.arrays.get(ROWS_ARRAY) if start.action == "resume" and start.snapshot else None
    return KeyedSession(description, model, progress, windowing.carry, rows)


def _describe(job: Job, progress: Progress) -> RunDescription:
    return RunDescription(
        folder=job.out,
        title=title(job.sources),
        version=__version__,
        time=time_info(job.parameters, progress.columns),
        unit=time_unit(job.parameters),
        label_format=job.sources[0].format,
        standardize=job.parameters.standardize,
        state=job.state,
    )
