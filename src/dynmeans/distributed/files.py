"""Cluster a dataset of Parquet files on a Dask cluster, in a resumable run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

import dask
import dask.array as da
import numpy as np
from distributed import Client, KilledWorker
from distributed.comm import CommClosedError

from dynmeans._files.atomic_write import make_folder, remove_leftovers
from dynmeans._files.errors import InputError, InputWarning, reason
from dynmeans._files.lock import locked, real_path
from dynmeans._files.run_format import FORMAT, REPORT_FILE, with_parameters
from dynmeans._files.snapshot import Snapshot, SnapshotError, read_snapshot, write_snapshot
from dynmeans._tables.windowing import Windowing
from dynmeans.distributed.dataset import (
    Dataset,
    Slice,
    Window,
    find_windows,
    open_dataset,
    read_slice,
    read_weights,
)
from dynmeans.distributed.estimator import DMeans, to_distributed
from dynmeans.distributed.label_files import (
    check_labels,
    digest_after,
    end_step,
    find_damage,
    has_labels,
    has_labels_of,
    new_step,
    start_labels,
    write_labels,
)
from dynmeans.distributed.locations import check_unchanged, is_url
from dynmeans.distributed.run_log import DatasetLog
from dynmeans.distributed.unsupported_options import refuse_unsupported
from dynmeans.estimators.state_files.decoding import from_snapshot
from dynmeans.estimators.state_files.encoding import to_snapshot
from dynmeans.estimators.state_files.state_checks import whole
from dynmeans.runs.folder import check_folder, locked_folder
from dynmeans.runs.job import describe_names
from dynmeans.runs.models import make_model
from dynmeans.runs.parameter_checks import check_parameters
from dynmeans.runs.parameters import RunParameters
from dynmeans.runs.report import draw_report
from dynmeans.runs.result import RunStatus
from dynmeans.runs.resume.progress import drop_unset
from dynmeans.runs.session import Session
from dynmeans.runs.time_steps import make_windowing, time_info, time_unit

LABELS = "labels"


class DatasetRun(NamedTuple):
    """Result of a run over a dataset.

    Attributes
    ----------
    labels : Path
        Folder with one folder of Parquet files per step: columns file, row and id.
    model : DMeans
        After the last step.
    features : tuple of str
    rows, steps : int
        Totals of the run; windows without rows are steps too.
    was_complete : bool
        The state file holds the whole run already.
    report : Path or None
        HTML report, with the centers of the clusters and without points.
    unused_columns : tuple of str
        Columns that were not clustered, with the reasons.
    """

    labels: Path
    model: DMeans
    features: tuple[str, ...]
    rows: int
    steps: int
    was_complete: bool
    report: Path | None = None
    unused_columns: tuple[str, ...] = ()


class _Progress(NamedTuple):
    """Progress of a run, kept in the state file."""

    run: dict[str, Any]  # files and parameters: what must not change
    steps: int = 0  # windows with rows
    rows: int = 0
    is_complete: bool = False
    digest: str = ""  # checksum of all labels; state files of earlier versions have none
    lengths: dict[str, int] | None = None  # bytes of each table; None before the first step


def cluster_dataset(
    inputs: Sequence[str],
    parameters: RunParameters,
    client: Client,
    *,
    out: Path,
    state: Path | None = None,
    force: bool = False,
    report: bool = True,
    on_step: Callable[[RunStatus], object] = lambda status: None,
) -> DatasetRun:
    """Cluster the rows of Parquet files, one step per window, and write their labels as Parquet files.

    The description, the clusters, the events and the report are written as by `dynmeans.runs.cluster_files`,
    without a sample of the rows.

    All workers must see the files and the output folder under the same names.

    Parameters
    ----------
    inputs : sequence of str
        Paths, URLs that fsspec reads, or patterns such as ``data/*.parquet``; rows are in the order of time.
    parameters : RunParameters
        As for :func:`dynmeans.runs.cluster_files`.
    client : distributed.Client
    out : Path
        Folder for the labels, on a file system that renames folders atomically: no URL.
    state : Path, optional
        State file, written after each step. The same call resumes a run that was interrupted.
    force : bool, default=False
        Overwrite another run in the folder.
    report : bool, default=True
        Draw ``report.html``.
    on_step : callable
        Called with a :class:`dynmeans.runs.RunStatus` after each step.
    """
    check_parameters(parameters)
    refuse_unsupported(parameters)
    data = open_dataset(inputs, parameters)
    run = {
        "files": [list(file) for file in data.files],
        "parameters": {key: value for key, value in parameters._asdict().items() if value is not None},
        "out": str(real_path(out)),
    }
    job = _Job(data, parameters, client, out, state, force, report, on_step)
    check_labels(job.labels, [path for path, *_ in data.files if not is_url(path)], state)
    with ExitStack() as stack:
        if state is not None:
            make_folder(state.parent)
            stack.enter_context(locked(state))
        stack.enter_context(locked_folder(out))
        return _run(job, run)


class _Job(NamedTuple):
    """Arguments of one call of `cluster_dataset`."""

    data: Dataset
    parameters: RunParameters
    client: Client
    out: Path
    state: Path | None
    force: bool
    report: bool
    on_step: Callable[[RunStatus], object]

    @property
    def labels(self) -> Path:
        """Folder of the labels."""
        return self.out / LABELS

    def log(self, lengths: dict[str, int] | None) -> DatasetLog:
        """Open the tables of the run."""
        info = {
            "format": FORMAT,
            "title": describe_names([Path(file.path).name for file in self.data.files]),
            "features": list(self.data.columns.features),
            "time": time_info(self.parameters, self.data.columns),
            "parameters": drop_unset(self.parameters._asdict()),
        }
        return DatasetLog(self.out, info, time_unit(self.parameters), lengths)


def _run(job: _Job, run: dict[str, Any]) -> DatasetRun:
    model, progress = _start(job, run)
    is_own = job.state is not None and (job.state.exists() or has_labels_of(job.labels, run))
    if progress.steps == 0 and has_labels(job.labels) and not (job.force or is_own):
        raise InputError(f"{job.labels}: holds the labels of another run; use --force or another --out")
    if progress.steps == 0:
        local = [Path(file.path) for file in job.data.files if not is_url(file.path)]
        check_folder(job.out, force=job.force or is_own, again=None, inputs=local)
    was_complete = progress.is_complete
    if not was_complete:
        progress = _cluster(job, model, progress)
    if job.report and not (was_complete and (job.out / REPORT_FILE).exists()):
        draw_report(job.out)
    return DatasetRun(
        job.labels,
        model,
        job.data.columns.features,
        progress.rows,
        model.n_steps_,
        was_complete,
        job.out / REPORT_FILE if job.report else None,
        job.data.columns.left_out,
    )


def _start(job: _Job, run: dict[str, Any]) -> tuple[DMeans, _Progress]:
    """Return the model and the progress of a new or an interrupted run."""
    new = to_distributed(make_model(job.parameters, 1)), _Progress(run)
    if job.state is None or not job.state.exists():
        return new
    snapshot = read_snapshot(job.state)
    known = snapshot.header.get("dataset")
    if not isinstance(known, dict) or not _is_same(known.get("run"), run):
        raise InputError(f"{job.state}: belongs to another run; use another --state")
    progress = _read_progress(known, job.state)._replace(run=run)
    model = to_distributed(from_snapshot(snapshot))
    damaged = find_damage(job.labels, model.n_steps_, progress.digest) if progress.digest else None
    if damaged is None:
        return model, progress
    message = f"{damaged}: missing or damaged; the run is computed again"
    warnings.warn(message, InputWarning, stacklevel=4)  # the caller of `cluster_dataset`
    return new


def _is_same(known: Any, run: dict[str, Any]) -> bool:
    """Return whether a state file belongs to a run; an earlier version kept no times of the files."""
    older = {**run, "files": [file[:2] for file in run["files"]]}
    return with_parameters(known) in (run, older)


def _read_progress(known: dict[str, Any], state: Path) -> _Progress:
    try:
        progress = _Progress(**known)
        for name in ("steps", "rows"):
            whole(known, name)
    except (TypeError, KeyError, SnapshotError) as error:
        raise SnapshotError(f"{state}: impossible progress of a dataset: {reason(error)}") from None
    tables = {} if progress.lengths is None else progress.lengths
    is_known = isinstance(tables, dict) and all(type(size) is int and size >= 0 for size in tables.values())
    if not (isinstance(progress.is_complete, bool) and isinstance(progress.digest, str) and is_known):
        raise SnapshotError(f"{state}: impossible progress of a dataset")
    return progress


def _cluster(job: _Job, model: DMeans, progress: _Progress) -> _Progress:
    """Run all steps that are left, and return the progress; an error names how to resume."""
    hint = "with --state it could resume"
    if job.state is not None:
        hint = "the same command resumes after the last step"
    try:
        for now in _run_steps(job, model, progress):
            progress = now
            fraction = now.rows / job.data.n_rows
            job.on_step(RunStatus(now.rows, model.n_steps_, model.n_clusters_, fraction))
    except KilledWorker:
        raise InputError(
            f"window {progress.steps + 1}: one task killed several workers, perhaps for lack of memory; "
            f"use smaller row groups or more memory per worker; {hint}"
        ) from None
    except (CommClosedError, CancelledError, TimeoutError):
        raise InputError(f"the connection to the Dask scheduler was lost; {hint}") from None
    return progress


def _run_steps(job: _Job, model: DMeans, progress: _Progress) -> Iterator[_Progress]:
    """Run the steps after `progress`, and yield the progress after each, which is then in the state file."""
    rule = make_windowing(job.parameters, {}, is_dated=job.data.columns.dated)
    windows = list(find_windows(job.client, job.data, job.parameters, rule))
    if progress.steps > len(windows):
        raise SnapshotError(f"{job.state}: impossible number of steps: {progress.steps} of {len(windows)}")
    if progress.steps == 0:
        start_labels(job.labels, progress.run)
    log = job.log(progress.lengths)
    log.watch(model)
    with closing(log):
        yield from _run_windows(job, model, progress, rule, windows, log)


def _run_windows(
    job: _Job, model: DMeans, progress: _Progress, rule: Windowing, windows: list[Window], log: DatasetLog
) -> Iterator[_Progress]:
    for number, window in enumerate(windows[progress.steps :], progress.steps + 1):
        _pass_empty(model, rule, window.key, job.data, log)
        t, time = rule.stamp(window.key)
        _step(job, model, window, t)
        n = sum(piece.stop - piece.start for piece in window.slices)
        log.add(model, time, n)
        is_complete, rows = number == len(windows), progress.rows + n
        if is_complete:
            check_unchanged(job.data.files)
        progress = progress._replace(
            steps=number,
            rows=rows,
            is_complete=is_complete,
            digest=digest_after(progress.digest, job.labels, model.n_steps_),
            lengths=log.save(model, rows, is_complete=is_complete),
        )
        if job.state is not None:
            _save(job.state, model, progress)
        yield progress


def _pass_empty(model: DMeans, rule: Windowing, key: float, data: Dataset, log: DatasetLog) -> None:
    """Run the steps of the windows without rows before a window, as `dynmeans cluster` does."""
    if not hasattr(model, "_state"):
        return
    for empty in rule.empty_keys(model._remembered.clock, key):
        if not Session.wants_empty(model):
            return
        t, time = rule.stamp(empty)
        model.partial_fit(np.empty((0, len(data.columns.features))), t=t)
        log.add(model, time, 0)


def _step(job: _Job, model: DMeans, window: Window, t: float | None) -> None:
    """Cluster the rows of a window, and write their labels: all or nothing."""
    columns = job.data.columns
    weights = None if columns.weight is None else _collection(read_weights, window.slices, job.data, ())
    rows = _collection(read_slice, window.slices, job.data, (len(columns.features),))
    model.partial_fit(rows, sample_weight=weights, t=t)
    temporary = new_step(job.labels, model.n_steps_)
    write = dask.delayed(write_labels, pure=False)
    ids: Any = model.labels_
    blocks = ids.to_delayed().ravel()
    names = [f"part-{i:06d}.parquet" for i in range(len(blocks))]
    paths = [str(temporary / name) for name in names]
    written = job.client.compute([write(*each) for each in zip(blocks, window.slices, paths, strict=True)])
    contents = dict(zip(names, job.client.gather(written), strict=True))
    end_step(job.labels, model.n_steps_, temporary, contents)


def _collection(read: Any, slices: Sequence[Slice], data: Dataset, shape: tuple[int, ...]) -> Any:
    delayed = dask.delayed(read, pure=False)  # a second run must not reuse failed tasks
    columns = dask.delayed(data.columns, pure=True)
    blocks = [
        da.from_delayed(delayed(piece, columns), (piece.stop - piece.start, *shape), dtype=np.float64)
        for piece in slices
    ]
    return da.concatenate(blocks)


def _save(state: Path, model: DMeans, progress: _Progress) -> None:
    """Write the model and the progress; the file is also a state file of the estimators."""
    remove_leftovers(state.parent, state.name)
    header, arrays = to_snapshot(model)
    write_snapshot(state, Snapshot(header | {"dataset": progress._asdict()}, arrays))
