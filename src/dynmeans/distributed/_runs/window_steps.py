"""The steps of a run over a dataset: one per window."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Any

import dask
import dask.array as da
import numpy as np

from dynmeans._files.errors import InputError, InputWarning, reason
from dynmeans._files.snapshot import SnapshotError
from dynmeans._tables.standardize import Scale, scale_of_parts
from dynmeans._tables.time_steps.windowing import Windowing
from dynmeans.distributed._runs.dataset import (
    Dataset,
    Slice,
    Window,
    find_windows,
    measure_slice,
    read_slice,
    read_weights,
)
from dynmeans.distributed._runs.job import DatasetJob
from dynmeans.distributed._runs.label_files import (
    digest_after,
    end_step,
    new_step,
    start_labels,
    write_label_file,
)
from dynmeans.distributed._runs.locations import check_unchanged
from dynmeans.distributed._runs.progress import DatasetProgress, save_progress
from dynmeans.distributed._runs.run_log import DatasetLog
from dynmeans.distributed.estimator import DMeans
from dynmeans.runs._option_names import as_options
from dynmeans.runs._row_scaling import warn_of_scale
from dynmeans.runs._setup.time_steps import make_windowing, wants_empty


def run_steps(job: DatasetJob, model: DMeans, progress: DatasetProgress) -> Iterator[DatasetProgress]:
    """Run the steps after `progress`, and yield the progress after each, which is then in the state file."""
    rule = make_windowing(job.parameters, {}, is_dated=job.data.columns.dated)
    windows = list(find_windows(job.client, job.data, job.parameters, rule))
    if progress.steps > len(windows):
        raise SnapshotError(f"{job.state}: impossible number of steps: {progress.steps} of {len(windows)}")
    if progress.steps == 0:
        start_labels(job.labels, progress.run)
    log = job.open_log(progress.lengths)
    log.watch(model)
    log.scale = progress.read_scale()
    with closing(log):
        for window in windows[progress.steps :]:
            _pass_empty(model, rule, window.key, job.data, log)
            is_last = window is windows[-1]
            progress = _run_window(job, model, progress, window, rule, log, is_last=is_last)
            yield progress


def _run_window(
    job: DatasetJob,
    model: DMeans,
    progress: DatasetProgress,
    window: Window,
    rule: Windowing,
    log: DatasetLog,
    *,
    is_last: bool,
) -> DatasetProgress:
    """Cluster the rows of a window; then write its labels, the tables and the state file, in this order."""
    t, time = rule.stamp(window.key)
    n = sum(piece.stop - piece.start for piece in window.slices)
    try:
        if job.parameters.standardize and log.scale is None:
            log.scale = _measure_scale(job, window)
            progress = progress.with_scale(log.scale)
        _fit(job.data, model, window, t, log.scale)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(
            f"{window.location}: {as_options(reason(error), job.data.columns.features)}"
        ) from None
    _write_labels(job, model, window)
    log.add(model, time, n)
    if is_last:
        check_unchanged(job.data.files)
    rows = progress.rows + n
    progress = progress._replace(
        steps=progress.steps + 1,
        rows=rows,
        is_complete=is_last,
        digest=digest_after(progress.digest, job.labels, model.n_steps_),
        lengths=log.save(model, rows, is_complete=is_last),
    )
    if job.state is not None:
        save_progress(job.state, model, progress)
    return progress


def _pass_empty(model: DMeans, rule: Windowing, key: float, data: Dataset, log: DatasetLog) -> None:
    """Run the steps of the windows without rows before a window, as `dynmeans cluster` does."""
    if not hasattr(model, "_state"):
        return
    for empty in rule.empty_keys(model._remembered.clock, key):
        if not wants_empty(model):
            return
        t, time = rule.stamp(empty)
        model.partial_fit(np.empty((0, len(data.columns.features))), t=t)
        log.add(model, time, 0)


def _measure_scale(job: DatasetJob, window: Window) -> Scale:
    """Return the scale of the first rows, which standardizes all rows."""
    task = dask.delayed(measure_slice, pure=False)
    columns = dask.delayed(job.data.columns, pure=True)

    def over(measure: Callable[..., Any], *arguments: Any) -> Any:
        tasks = [task(piece, columns, measure, arguments) for piece in window.slices]
        return job.client.gather(job.client.compute(tasks))

    scale, is_constant = scale_of_parts(over)
    n_rows = sum(piece.stop - piece.start for piece in window.slices)
    for text in warn_of_scale(is_constant, n_rows, job.data.columns.features).values():
        warnings.warn(text, InputWarning, stacklevel=2)
    return scale


def _fit(data: Dataset, model: DMeans, window: Window, t: float | None, scale: Scale | None) -> None:
    """Cluster the rows of a window."""
    n_features = len(data.columns.features)
    weights = None if data.columns.weight is None else _collection(read_weights, window.slices, data, ())
    rows = _collection(partial(read_slice, scale=scale), window.slices, data, (n_features,))
    model.partial_fit(rows, sample_weight=weights, t=t)


def _write_labels(job: DatasetJob, model: DMeans, window: Window) -> None:
    """Write the labels of the last step on the workers: all or nothing."""
    temporary = new_step(job.labels, model.n_steps_)
    write = dask.delayed(write_label_file, pure=False)
    ids: Any = model.labels_
    blocks = ids.to_delayed().ravel()
    names = [f"part-{i:06d}.parquet" for i in range(len(blocks))]
    paths = [str(temporary / name) for name in names]
    written = job.client.compute([write(*each) for each in zip(blocks, window.slices, paths, strict=True)])
    contents = dict(zip(names, job.client.gather(written), strict=True))
    end_step(job.labels, model.n_steps_, temporary, contents)


def _collection(
    read: Callable[..., Any], slices: Sequence[Slice], data: Dataset, shape: tuple[int, ...]
) -> Any:
    """Return a lazy Dask array of the rows that `read` returns for each slice."""
    delayed = dask.delayed(read, pure=False)  # a second run must not reuse failed tasks
    columns = dask.delayed(data.columns, pure=True)
    blocks = [
        da.from_delayed(delayed(piece, columns), (piece.stop - piece.start, *shape), dtype=np.float64)
        for piece in slices
    ]
    return da.concatenate(blocks)
