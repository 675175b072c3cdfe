"""Cluster a dataset of Parquet files on a Dask cluster, in a resumable run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any, NamedTuple

import dask
import dask.array as da
import numpy as np
from distributed import Client, KilledWorker
from distributed.comm import CommClosedError

from dynmeans._files.atomic_write import atomic_write, make_folder, remove_leftovers, sync_folder
from dynmeans._files.errors import InputError
from dynmeans._files.extras import require
from dynmeans._files.lock import locked
from dynmeans._files.snapshot import Snapshot, read_snapshot, write_snapshot
from dynmeans._model.types import IntArray
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
from dynmeans.estimators.state_files.serialization import from_snapshot, to_snapshot
from dynmeans.runs.models import make_model
from dynmeans.runs.parameter_checks import check_parameters
from dynmeans.runs.parameters import RunParameters
from dynmeans.runs.result import RunStatus
from dynmeans.runs.session import Session
from dynmeans.runs.time_steps import make_windowing

LABELS = "labels"
UNSUPPORTED = ("standardize", "duplicates", "refine", "exclusive", "kernel", "embedding", "text", "by")


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
        Totals of the run.
    was_complete : bool
        The state file holds the whole run already.
    """

    labels: Path
    model: DMeans
    features: tuple[str, ...]
    rows: int
    steps: int
    was_complete: bool


class _Progress(NamedTuple):
    """Progress of a run, kept in the state file."""

    run: dict[str, Any]  # files and parameters: what must not change
    steps: int = 0
    rows: int = 0
    is_complete: bool = False


def cluster_dataset(
    inputs: Sequence[str],
    parameters: RunParameters,
    client: Client,
    *,
    out: Path,
    state: Path | None = None,
    force: bool = False,
    on_step: Callable[[RunStatus], object] = lambda status: None,
) -> DatasetRun:
    """Cluster the rows of Parquet files, one step per window, and write their labels as Parquet files.

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
        Overwrite the labels of another run.
    on_step : callable
        Called with a :class:`dynmeans.runs.RunStatus` after each step.
    """
    check_parameters(parameters)
    _refuse_unsupported(parameters)
    data = open_dataset(inputs, parameters)
    run = {
        "files": [list(file) for file in data.files],
        "settings": {key: value for key, value in parameters._asdict().items() if value is not None},
        "out": str(out.resolve()),
    }
    if state is not None:
        make_folder(state.parent)
        with locked(state):
            return _run(data, parameters, client, run, out, state, force, on_step)
    return _run(data, parameters, client, run, out, None, force, on_step)


def _run(
    data: Dataset,
    parameters: RunParameters,
    client: Client,
    run: dict[str, Any],
    out: Path,
    state: Path | None,
    force: bool,
    on_step: Callable[[RunStatus], object],
) -> DatasetRun:
    model, progress = _start(parameters, run, state)
    labels = out / LABELS
    if progress.steps == 0 and labels.exists() and not force:
        raise InputError(f"{labels}: holds the labels of another run; use --force or another --out")
    rule = make_windowing(parameters, {}, is_dated=data.columns.dated)
    if not progress.is_complete:
        progress = _cluster(data, parameters, client, model, progress, rule, labels, state, on_step)
        was_complete = False
    else:
        was_complete = True
    return DatasetRun(labels, model, data.columns.features, progress.rows, progress.steps, was_complete)


def _start(parameters: RunParameters, run: dict[str, Any], state: Path | None) -> tuple[DMeans, _Progress]:
    """Return the model and the progress of a new or an interrupted run."""
    if state is None or not state.exists():
        return to_distributed(make_model(parameters, 1)), _Progress(run)
    snapshot = read_snapshot(state)
    known = snapshot.header.get("dataset")
    if not isinstance(known, dict) or known.get("run") != run:
        raise InputError(f"{state}: belongs to another run; use another --state")
    return to_distributed(from_snapshot(snapshot)), _Progress(**known)


def _cluster(
    data: Dataset,
    parameters: RunParameters,
    client: Client,
    model: DMeans,
    progress: _Progress,
    rule: Windowing,
    labels: Path,
    state: Path | None,
    on_step: Callable[[RunStatus], object],
) -> _Progress:
    hint = (
        "the same command resumes after the last step"
        if state is not None
        else "with --state it could resume"
    )
    try:
        windows = list(find_windows(client, data, parameters, rule))
        if progress.steps == 0:
            shutil.rmtree(labels, ignore_errors=True)
        make_folder(labels)
        for number, window in enumerate(windows):
            n = sum(piece.stop - piece.start for piece in window.slices)
            if number < progress.steps:
                continue
            _pass_empty(model, rule, window.key, data)
            _step(client, data, model, window, rule.stamp(window.key)[0], labels, number)
            is_last = number + 1 == len(windows)
            progress = progress._replace(steps=number + 1, rows=progress.rows + n, is_complete=is_last)
            if state is not None:
                _save(state, model, progress)
            on_step(RunStatus(progress.rows, progress.steps, model.n_clusters_, progress.rows / data.n_rows))
    except KilledWorker:
        raise InputError(
            f"step {progress.steps + 1}: workers died at one task again and again, for lack of memory? "
            f"Use smaller row groups or more memory per worker; {hint}"
        ) from None
    except (CommClosedError, CancelledError, TimeoutError):
        raise InputError(f"the Dask scheduler was lost; {hint}") from None
    return progress


def _pass_empty(model: DMeans, rule: Windowing, key: float, data: Dataset) -> None:
    """Run the steps of the windows without rows before a window, as `dynmeans cluster` does."""
    if not hasattr(model, "_state"):
        return
    for empty in rule.empty_keys(model._remembered.clock, key):
        if not Session.wants_empty(model):
            return
        model.partial_fit(np.empty((0, len(data.columns.features))), t=rule.stamp(empty)[0])


def _step(
    client: Client, data: Dataset, model: DMeans, window: Window, t: float | None, labels: Path, number: int
) -> None:
    """Cluster the rows of a window, and write their labels: all or nothing."""
    model.partial_fit(
        _collection(read_slice, window.slices, data, (len(data.columns.features),)),
        sample_weight=None
        if data.columns.weight is None
        else _collection(read_weights, window.slices, data, ()),
        t=t,
    )
    target = labels / f"step={number + 1:06d}"
    temporary = labels / f".{target.name}.tmp"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    write = dask.delayed(write_labels, pure=False)
    ids: Any = model.labels_
    blocks = ids.to_delayed().ravel()
    names = [str(temporary / f"part-{i:06d}.parquet") for i in range(len(blocks))]
    written = client.compute([write(*each) for each in zip(blocks, window.slices, names, strict=True)])
    client.gather(written)
    shutil.rmtree(target, ignore_errors=True)
    temporary.rename(target)
    sync_folder(labels)


def _collection(read: Any, slices: Sequence[Slice], data: Dataset, shape: tuple[int, ...]) -> Any:
    delayed = dask.delayed(read, pure=False)  # a second run must not meet the failed tasks of the first
    columns = dask.delayed(data.columns, pure=True)
    blocks = [
        da.from_delayed(delayed(piece, columns), (piece.stop - piece.start, *shape), dtype=np.float64)
        for piece in slices
    ]
    return da.concatenate(blocks)


def write_labels(ids: IntArray, piece: Slice, path: str) -> None:
    """Write the ids of some rows of a file, on a worker."""
    arrow, parquet = require("pyarrow", "frames"), require("pyarrow.parquet", "frames")
    first = piece.part.first + piece.start + 1
    table = arrow.table(
        {
            "file": arrow.array([Path(piece.part.path).name] * len(ids)).dictionary_encode(),
            "row": np.arange(first, first + len(ids)),
            "id": ids,
        }
    )
    with atomic_write(Path(path)) as temporary:
        parquet.write_table(table, temporary)


def _save(state: Path, model: DMeans, progress: _Progress) -> None:
    """Write the model and the progress; the file is also a state file of the estimators."""
    remove_leftovers(state.parent, state.name)
    header, arrays = to_snapshot(model)
    write_snapshot(state, Snapshot(header | {"dataset": progress._asdict()}, arrays))


def _refuse_unsupported(parameters: RunParameters) -> None:
    if parameters.algorithm != "dmeans" or parameters.metric == "cosine":
        raise InputError("--scheduler and --workers need --algorithm dmeans and a metric other than cosine")
    for name in UNSUPPORTED:
        if getattr(parameters, name):
            raise InputError(f"--{name.replace('_', '-')} is not supported with --scheduler or --workers")
    if parameters.format not in (None, "parquet"):
        raise InputError(f"--format is {parameters.format!r}; --scheduler and --workers read Parquet files")
