"""Cluster a dataset of Parquet files on a Dask cluster, in a resumable run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from distributed import Client, KilledWorker
from distributed.comm import CommClosedError

from dynmeans._files.atomic_write import make_folder
from dynmeans._files.errors import InputError
from dynmeans._files.lock import locked
from dynmeans._files.run_folder.format import REPORT_FILE
from dynmeans.distributed._runs.dataset import open_dataset
from dynmeans.distributed._runs.job import DatasetJob
from dynmeans.distributed._runs.label_files import check_labels, has_labels, has_labels_of
from dynmeans.distributed._runs.progress import DatasetProgress, start_run
from dynmeans.distributed._runs.unsupported_options import refuse_unsupported
from dynmeans.distributed._runs.window_steps import run_steps
from dynmeans.distributed.estimator import DMeans
from dynmeans.runs._folder import check_folder, locked_folder
from dynmeans.runs._report import draw_report
from dynmeans.runs._setup.parameter_checks import check_feature_scales, check_parameters
from dynmeans.runs.parameters import RunParameters
from dynmeans.runs.result import RunStatus


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
    check_feature_scales(parameters, data.columns.features)
    job = DatasetJob(
        data=data,
        parameters=parameters,
        client=client,
        out=out,
        state=state,
        force=force,
        report=report,
        on_step=on_step,
    )
    check_labels(job.labels, job.local_inputs, state)
    with ExitStack() as stack:
        if state is not None:
            make_folder(state.parent)
            stack.enter_context(locked(state))
        stack.enter_context(locked_folder(out))
        return _run(job)


def _run(job: DatasetJob) -> DatasetRun:
    """Start or resume a run, and complete it."""
    model, progress = start_run(job)
    if progress.steps == 0:
        _check_output(job, progress)
    was_complete = progress.is_complete
    if not was_complete:
        progress = _cluster(job, model, progress)
    if job.report and not (was_complete and (job.out / REPORT_FILE).exists()):
        draw_report(job.out)
    return DatasetRun(
        labels=job.labels,
        model=model,
        features=job.data.columns.features,
        rows=progress.rows,
        steps=model.n_steps_,
        was_complete=was_complete,
        report=job.out / REPORT_FILE if job.report else None,
        unused_columns=job.data.columns.left_out,
    )


def _check_output(job: DatasetJob, progress: DatasetProgress) -> None:
    """Refuse to overwrite the files of another run."""
    is_own = job.state is not None and (job.state.exists() or has_labels_of(job.labels, progress.run))
    if has_labels(job.labels) and not (job.force or is_own):
        raise InputError(f"{job.labels}: holds the labels of another run; use --force or another --out")
    check_folder(job.out, force=job.force or is_own, again=None, inputs=job.local_inputs)


def _cluster(job: DatasetJob, model: DMeans, progress: DatasetProgress) -> DatasetProgress:
    """Run all steps that are left, and return the progress; an error names how to resume."""
    hint = "with --state it could resume"
    if job.state is not None:
        hint = "the same command resumes after the last step"
    try:
        for now in run_steps(job, model, progress):
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
