"""A running session: cluster batches, append to the run folder, with periodic checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from dynmeans._files.append_log import AppendLog
from dynmeans._files.atomic_write import sync_folder
from dynmeans._files.digest import describe_files
from dynmeans._files.run_folder.format import INFO_FILE, REPORT_FILE
from dynmeans._files.run_folder.labels import NO_ID, KeyColumn, labels_file, write_labels
from dynmeans._files.run_folder.tables import (
    LABELS_LOG,
    StepRecord,
    has_newer_columns,
    headings,
    label_bytes,
    step_lines,
    write_info,
)
from dynmeans._files.snapshot import Snapshot, write_snapshot
from dynmeans._model.events import Event, StepReport
from dynmeans._model.types import FloatArray
from dynmeans._tables.missing import MissingRows
from dynmeans._tables.time_steps.batches import WindowBatch
from dynmeans.estimators import to_snapshot
from dynmeans.estimators._shell.base import BatchClusterer
from dynmeans.estimators._state_files.run_models import RUN
from dynmeans.runs._description import RunDescription, run_info
from dynmeans.runs._folder import clear_folder
from dynmeans.runs._resume.progress import Progress, to_json
from dynmeans.runs._row_errors import row_error
from dynmeans.runs._row_scaling import RowScaling
from dynmeans.runs._step_record import RememberedClusters, describe_clusters, make_record

CHECKPOINT_SECONDS = 1.0  # minimum time between two checkpoints


class Session:
    """One run, from its first step to its last.

    Parameters
    ----------
    description : RunDescription
    model : BatchClusterer
    progress : Progress
        Progress of the run; on resume, the files in the folder are truncated to it.
    carry : callable
        Returns the state of the windowing for a checkpoint.
    """

    def __init__(
        self,
        description: RunDescription,
        model: BatchClusterer,
        progress: Progress,
        carry: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        self.description, self.model, self.progress, self._carry = description, model, progress, carry
        self._events: list[Event] = []
        self._listen()
        if not progress.steps:
            clear_folder(description.folder)
        self._write_info()
        self._log = AppendLog(
            description.folder, self._headings(), progress.lengths if progress.steps else None
        )
        self._is_newer = progress.steps == 0 or has_newer_columns(description.folder)
        self._due = monotonic() + CHECKPOINT_SECONDS
        self._first: tuple[int, float] | None = None  # number and time of the first step of this session
        self._scaling = RowScaling(
            progress.columns.features,
            standardize=description.standardize,
            is_checked=progress.steps == 0 and progress.parameters["metric"] != "cosine",
            scale=progress.scale,
        )

    def take(self, batch: WindowBatch) -> StepReport:
        """Cluster one batch and append its results."""
        self._events.clear()
        try:
            X = self._scaled(batch)
            report = self.model.partial_fit(X, sample_weight=batch.weights, t=batch.t).step_
        except ValueError as error:
            raise row_error(batch, error, self.progress.columns.features) from None
        self._log.append(step_lines(self._record(batch, report), is_newer=self._is_newer))
        self.progress = self.progress.after(report, batch)
        self._checkpoint_if_due()
        return report

    def finish(
        self,
        draw: Callable[[Path], None] | None,
        check: Callable[[], None] = lambda: None,
        missing: MissingRows | None = None,
    ) -> None:
        """Complete the run.

        All files are on disk before the state file records their sizes and checksums.

        Parameters
        ----------
        draw : callable or None
            Draws the report of a folder.
        check : callable
            Raises an error if the run must not be completed.
        missing : MissingRows or None
            The rows left out after the last row.
        """
        if self.description.state is not None:
            self._checkpoint()  # a kill after this point loses no step
        check()
        if missing is not None and missing.pending:
            self._leave_out(missing)
        lengths = self._log.flush(durable=True)
        self._log.close()
        self.progress = self.progress._replace(complete=True)
        self._write_info()
        self._write_labels()
        if draw is not None:
            draw(self.description.folder)
        if self.description.state is not None:
            self._describe_outputs([REPORT_FILE] if draw is not None else [])
            self._save(lengths)
        self._remove_logs()
        sync_folder(self.description.folder)

    def _leave_out(self, missing: MissingRows) -> None:
        """Append labels of rows left out after the last step."""
        self._log.append({LABELS_LOG: label_bytes(np.full(missing.pending, NO_ID), None)})
        self.progress = self.progress._replace(left_out=self.progress.left_out + missing.pending)

    def stop(self) -> None:
        """Leave all files readable up to the last complete step; with a state file, the run can resume.

        Without a complete step, nothing can be lost, so no file is left, which would refuse the next run.
        """
        with suppress(OSError):  # on a full disk, drop the steps that do not fit
            self._log.close()
        if self.progress.steps == 0:
            clear_folder(self.description.folder)
            return
        self._write_info()
        self._write_labels()
        if self.description.state is None:
            self._remove_logs()

    def step_interval(self) -> float | None:
        """Return the mean time between the steps of this session, in the unit of the model."""
        now = self.progress
        if self._first is None or now.clock is None or now.steps <= self._first[0]:
            return None
        return (now.clock - self._first[1]) / (now.steps - self._first[0])

    def warnings(self) -> dict[str, str]:
        """Return the warnings about the rows, by kind."""
        return self._scaling.warnings

    def _listen(self) -> None:
        """Collect the events of each step."""
        self.model.on_event = self._events.append

    def _headings(self) -> dict[str, bytes]:
        columns = self.progress.columns
        return headings(columns.features, has_texts=columns.text is not None)

    def _logs(self) -> tuple[str, ...]:
        """Return the appended files that exist only during the run."""
        return (LABELS_LOG,)

    def _reports(self) -> dict[str, str]:
        """Return the additional reports, by key."""
        return {}

    def _remove_logs(self) -> None:
        for name in self._logs():
            (self.description.folder / name).unlink()

    def _checkpoint_if_due(self) -> None:
        """Save after a step, if the last checkpoint is long ago."""
        if self._first is None and self.progress.clock is not None:
            self._first = self.progress.steps, self.progress.clock
        if monotonic() >= self._due:
            self._checkpoint()

    def _scaled(self, batch: WindowBatch) -> FloatArray:
        """Return rows in the units of the model; the first batch with rows may set the scale."""
        X = self._scaling.apply(batch)
        self.progress = self.progress._replace(scale=self._scaling.scale)
        return X

    def _record(self, batch: WindowBatch, report: StepReport) -> StepRecord:
        """Return a step in the units of the input."""
        model, scale = self.model, self.progress.scale
        centers = model.cluster_centers_ if scale is None else scale.undo(model.cluster_centers_)
        clusters = RememberedClusters(model.cluster_ids_, centers, model.cluster_ages_)
        texts = None
        if self.progress.columns.text is not None:
            metric = getattr(model, "metric_", "euclidean")
            texts = describe_clusters(batch, report.labels, clusters, metric)
        return make_record(batch, batch.X, report, self._events, clusters, self.description.unit, texts)

    def _checkpoint(self) -> None:
        """Write files first, then the state file, which must not refer to missing data.

        The interval grows with the time that this takes, so that nine tenths remain for clustering.
        """
        began = monotonic()
        lengths = self._log.flush(durable=self.description.state is not None)
        self._write_info(durable=self.description.state is not None)
        if self.description.state is not None:
            self._save(lengths)
        now = monotonic()
        self._due = now + CHECKPOINT_SECONDS * max(1.0, 9.0 * (now - began))

    def _save(self, lengths: dict[str, int]) -> None:
        self.progress = self.progress._replace(lengths=lengths, windows=self._carry())
        header, arrays = self._snapshot()
        if self.description.state is not None:
            write_snapshot(self.description.state, Snapshot({**header, RUN: to_json(self.progress)}, arrays))

    def _snapshot(self) -> Snapshot:
        return to_snapshot(self.model)

    def _key_column(self) -> KeyColumn | None:
        """Return the keys of the rows, for the labels."""
        return None

    def _describe_outputs(self, drawn: list[str]) -> None:
        folder, format = self.description.folder, self.description.label_format
        tables = [name for name in headings(()) if name != LABELS_LOG]
        reports = self._reports().values() if drawn else ()
        names = [INFO_FILE, *tables, labels_file(folder, format).name, *drawn, *reports]
        self.progress = self.progress._replace(outputs=describe_files(folder, names))

    def _write_labels(self) -> None:
        folder, format = self.description.folder, self.description.label_format
        write_labels(folder / LABELS_LOG, labels_file(folder, format), format, self._key_column())

    def _write_info(self, *, durable: bool = True) -> None:
        write_info(self.description.folder, self._info(), durable=durable)

    def _info(self) -> dict[str, Any]:
        """Return the content of run.json."""
        return run_info(self.description, self.progress, self.model)
