"""Build the result of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from dynmeans._files.labels import labels_file
from dynmeans._files.run_format import LABELS_STEM, REPORT_FILE
from dynmeans._files.run_tables import LABELS_LOG
from dynmeans.estimators.shell.base import BatchClusterer
from dynmeans.runs.progress import Progress
from dynmeans.runs.result import RunResult
from dynmeans.runs.session import Session
from dynmeans.runs.start import RunStart
from dynmeans.streams import KeyedDMeans

Action = Literal["begin", "resume", "continue", "done"]


def summarize(session: Session, action: Action, *, report: bool, speed: float) -> RunResult:
    """Return the result of a session that has finished."""
    description = session.description
    labels = labels_file(description.folder, description.label_format)
    files = (description.folder, labels, description.folder / REPORT_FILE if report else None)
    interval = session.step_interval()
    seen = speed, interval, session.warnings
    return _result(action, files, session.model, description.title, session.progress, *seen)


def summarize_complete(start: RunStart, title: str, model: BatchClusterer | KeyedDMeans) -> RunResult:
    """Return the result of a run that was complete before the call."""
    if start.progress is None:
        raise RuntimeError("a complete run without progress")
    folder = Path(start.progress.out)
    labels = [path for path in sorted(folder.glob(f"{LABELS_STEM}.*")) if path.name != LABELS_LOG]
    report = folder / REPORT_FILE
    files = (folder, labels[0], report if report.exists() else None)
    return _result("done", files, model, title, start.progress, 0.0, None, {})


def _result(
    action: Action,
    files: tuple[Path, Path, Path | None],
    model: BatchClusterer | KeyedDMeans,
    title: str,
    progress: Progress,
    speed: float,
    interval: float | None,
    warnings: dict[str, str],
) -> RunResult:
    n_awake, n_clusters = _count(model)
    return RunResult(
        action,
        *files,
        model=model,
        title=title,
        features=tuple(progress.columns.features),
        rows=progress.rows,
        steps=progress.steps,
        born=progress.born,
        revived=progress.revived,
        died=progress.died,
        confirmed=progress.confirmed,
        n_awake=n_awake,
        n_asleep=n_clusters - n_awake,
        rows_per_second=speed,
        n_left_out=progress.left_out,
        unused_columns=tuple(progress.columns.left_out),
        in_seconds=progress.columns.dated and progress.parameters.get("every") is None,
        step_interval=interval,
        warnings=warnings,
        n_keys=len(model.keys_) if isinstance(model, KeyedDMeans) else None,
    )


def _count(model: BatchClusterer | KeyedDMeans) -> tuple[int, int]:
    """Return the numbers of clusters with rows in the last step, and of all."""
    if isinstance(model, KeyedDMeans):
        return model.count_awake(), model.n_clusters_
    return int(np.count_nonzero(model.cluster_ages_ == 0)), len(model.cluster_ids_)
