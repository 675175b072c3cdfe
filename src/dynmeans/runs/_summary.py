"""Build the result of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from dynmeans._files.run_folder.format import LABELS_STEM, REPORT_FILE
from dynmeans._files.run_folder.labels import labels_file
from dynmeans._files.run_folder.tables import LABELS_LOG
from dynmeans._files.snapshot import Snapshot
from dynmeans.estimators import to_snapshot
from dynmeans.estimators._shell.base import BatchClusterer
from dynmeans.estimators._state_files.decoding import model_of
from dynmeans.estimators._state_files.run_models import RUN
from dynmeans.runs._resume.progress import Progress, to_json
from dynmeans.runs._resume.start import RunStart
from dynmeans.runs._session import Session
from dynmeans.runs.result import RunResult
from dynmeans.streams import KeyedDMeans
from dynmeans.streams._keyed_files import keyed_model_of, keyed_to_snapshot

Action = Literal["begin", "resume", "continue", "done"]
_LAST_STEP = ("labels_", "step_", "n_iter_", "events_", "_warnings")  # attributes that no state file has


def summarize(session: Session, action: Action, *, report: bool, speed: float) -> RunResult:
    """Return the result of a session that has finished."""
    description = session.description
    labels = labels_file(description.folder, description.label_format)
    return _result(
        session.progress,
        session.model,
        action=action,
        out=description.folder,
        labels=labels,
        report=description.folder / REPORT_FILE if report else None,
        title=description.title,
        rows_per_second=speed,
        step_interval=session.step_interval(),
        warnings=session.warnings(),
    )


def summarize_complete(start: RunStart, title: str, model: BatchClusterer | KeyedDMeans) -> RunResult:
    """Return the result of a run that was complete before the call."""
    assert start.progress is not None
    folder = Path(start.progress.out)
    labels = [path for path in sorted(folder.glob(f"{LABELS_STEM}.*")) if path.name != LABELS_LOG]
    report = folder / REPORT_FILE
    return _result(
        start.progress,
        model,
        action="done",
        out=folder,
        labels=labels[0],
        report=report if report.exists() else None,
        title=title,
        rows_per_second=0.0,
        step_interval=None,
        warnings={},
    )


def _result(progress: Progress, model: BatchClusterer | KeyedDMeans, **entries: Any) -> RunResult:
    """Add the totals of a run to the other entries of its result."""
    n_active, n_clusters = _count(model)
    return RunResult(
        **entries,
        model=_in_units_of_input(model, progress),
        features=tuple(progress.columns.features),
        rows=progress.rows,
        steps=progress.steps,
        born=progress.born,
        revived=progress.revived,
        died=progress.died,
        confirmed=progress.confirmed,
        n_active=n_active,
        n_asleep=n_clusters - n_active,
        n_left_out=progress.left_out,
        unused_columns=tuple(progress.columns.left_out),
        in_seconds=progress.columns.dated and progress.parameters.get("every") is None,
        n_keys=len(model.keys_) if isinstance(model, KeyedDMeans) else None,
    )


def _in_units_of_input(
    model: BatchClusterer | KeyedDMeans, progress: Progress
) -> BatchClusterer | KeyedDMeans:
    """Return the model that takes rows in the units of the input; one with a kernel stays as it is."""
    if progress.scale is None or hasattr(model, "kernel"):
        return model
    is_keyed = isinstance(model, KeyedDMeans)
    header, arrays = keyed_to_snapshot(model) if is_keyed else to_snapshot(model)
    run = {RUN: {"scale": to_json(progress)["scale"]}}
    found: Any = (keyed_model_of if is_keyed else model_of)(Snapshot(header | run, arrays))
    found.__dict__ |= {name: value for name, value in vars(model).items() if name in _LAST_STEP}
    return found  # type: ignore[no-any-return]


def _count(model: BatchClusterer | KeyedDMeans) -> tuple[int, int]:
    """Return the numbers of clusters with rows in the last step, and of all."""
    if isinstance(model, KeyedDMeans):
        return model.count_active(), model.n_clusters_
    return int(np.count_nonzero(model.cluster_ages_ == 0)), len(model.cluster_ids_)
