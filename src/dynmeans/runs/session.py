"""A run in progress: batches go through the model into the run folder, and now and then all is made safe."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from dynmeans._files.append_log import AppendLog
from dynmeans._files.atomic_write import sync_folder
from dynmeans._files.digest import describe_files
from dynmeans._files.errors import InputError, reason
from dynmeans._files.labels import labels_file, write_labels
from dynmeans._files.run_folder import FORMAT, INFO_FILE, REPORT_FILE
from dynmeans._files.run_tables import LABELS_LOG, StepRecord, headings, lines_of, write_info
from dynmeans._files.snapshot import Snapshot, write_snapshot
from dynmeans._model.events import Event, StepReport
from dynmeans._model.types import FloatArray
from dynmeans._tables.standardize import learn_scale
from dynmeans._tables.windows import Batch
from dynmeans.estimators import to_snapshot
from dynmeans.estimators.base import BatchClusterer
from dynmeans.runs.folder import clear_folder
from dynmeans.runs.progress import KEY, Progress, given, to_json

CHECKPOINT_SECONDS = 1.0


class Outline(NamedTuple):
    """What is known of a run before its first step."""

    folder: Path
    title: str
    version: str
    time: dict[str, str]  # name and kind, as in run.json
    unit: float  # length of the model's unit of time, in the units of the time column
    label_format: str
    standardize: bool
    state: Path | None


class Session:
    """One run, from its first step to its last.

    Parameters
    ----------
    outline : Outline
    model : BatchClusterer
    progress : Progress
        Where the run stands; a run that goes on finds its files in the folder and cuts them back to it.
    carry : callable
        Gives what the rule of windows carries, when all is made safe.
    """

    def __init__(
        self,
        outline: Outline,
        model: BatchClusterer,
        progress: Progress,
        carry: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        self.outline, self.model, self.progress, self._carry = outline, model, progress, carry
        self._events: list[Event] = []
        model.on_event = self._events.append
        if not progress.steps:
            clear_folder(outline.folder)
        self._write_info()
        first_lines = headings(progress.columns.features)
        self._spool = AppendLog(outline.folder, first_lines, progress.lengths if progress.steps else None)
        self._due = monotonic() + CHECKPOINT_SECONDS

    def take(self, batch: Batch) -> StepReport:
        """Cluster one batch and write down what happened."""
        self._events.clear()
        try:
            X = self._scaled(batch)
            report = self.model.partial_fit(X, sample_weight=batch.weights, t=batch.t).step_
        except ValueError as error:
            raise InputError(f"{batch.place}: {reason(error)}") from None
        self._spool.append(lines_of(self._record(batch, report)))
        self.progress = self.progress.after(report, len(batch.X), batch.after)
        if monotonic() >= self._due:
            self._make_safe()
        return report

    def finish(self, draw: Callable[[Path], None] | None, check: Callable[[], None] = lambda: None) -> None:
        """Complete the run.

        Every file is on disk before the state says so, with sizes and checksums of all of them.

        Parameters
        ----------
        draw : callable or None
            Draws the report of a folder.
        check : callable
            Raises an error if the run must not be completed.
        """
        if self.outline.state is not None:
            self._make_safe()  # a kill from here on costs no step, and the folder is known to be this run's
        check()
        lengths = self._spool.flush(durable=True)
        self._spool.close()
        self.progress = self.progress._replace(complete=True)
        self._write_info()
        self._write_labels()
        if draw is not None:
            draw(self.outline.folder)
        if self.outline.state is not None:
            self._describe_outputs([REPORT_FILE] if draw is not None else [])
            self._save(lengths)
        (self.outline.folder / LABELS_LOG).unlink()
        sync_folder(self.outline.folder)

    def stop(self) -> None:
        """Leave everything readable up to the last whole step; with a state file, ready to go on."""
        with suppress(OSError):  # a full disk: the steps that did not fit are given up
            self._spool.close()
        self._write_info()
        self._write_labels()
        if self.outline.state is None:
            (self.outline.folder / LABELS_LOG).unlink()

    def _scaled(self, batch: Batch) -> FloatArray:
        """Rows in the units of the model; the first batch of all sets the scale."""
        if self.outline.standardize and self.progress.scale is None:
            self.progress = self.progress._replace(scale=learn_scale(batch.X, batch.weights))
        return batch.X if self.progress.scale is None else self.progress.scale.apply(batch.X)

    def _record(self, batch: Batch, report: StepReport) -> StepRecord:
        """A step in the units of the input."""
        model, scale = self.model, self.progress.scale
        centers = model.cluster_centers_ if scale is None else scale.undo(model.cluster_centers_)
        time = float(report.time) if batch.time is None else batch.time
        ages = model.cluster_ages_ * self.outline.unit
        return StepRecord(report, time, batch.X, model.cluster_ids_, centers, ages, tuple(self._events))

    def _make_safe(self) -> None:
        """Files first, then the state that speaks of them: a state never knows more than the files."""
        lengths = self._spool.flush(durable=self.outline.state is not None)
        self._write_info(durable=self.outline.state is not None)
        if self.outline.state is not None:
            self._save(lengths)
        self._due = monotonic() + CHECKPOINT_SECONDS

    def _save(self, lengths: dict[str, int]) -> None:
        self.progress = self.progress._replace(lengths=lengths, windows=self._carry())
        header, arrays = to_snapshot(self.model)
        if self.outline.state is not None:
            write_snapshot(self.outline.state, Snapshot({**header, KEY: to_json(self.progress)}, arrays))

    def _describe_outputs(self, drawn: list[str]) -> None:
        folder, format = self.outline.folder, self.outline.label_format
        tables = [name for name in headings(()) if name != LABELS_LOG]
        names = [INFO_FILE, *tables, labels_file(folder, format).name, *drawn]
        self.progress = self.progress._replace(outputs=describe_files(folder, names))

    def _write_labels(self) -> None:
        folder, format = self.outline.folder, self.outline.label_format
        write_labels(folder / LABELS_LOG, labels_file(folder, format), format)

    def _write_info(self, *, durable: bool = True) -> None:
        progress = self.progress
        info = {
            "format": FORMAT,
            "title": self.outline.title,
            "features": list(progress.columns.features),
            "time": self.outline.time,
            "settings": given(progress.settings),
            "rows": progress.rows,
            "steps": progress.steps,
            "complete": progress.complete,
            "version": self.outline.version,
        }
        write_info(self.outline.folder, info, durable=durable)

    def awake(self) -> int:
        """Number of clusters that own rows of the last step."""
        return int(np.count_nonzero(self.model.cluster_ages_ == 0))
