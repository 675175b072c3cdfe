"""A running session with one model per key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from dynmeans._files.run_folder.format import KEY_COLUMN, SAMPLE_TABLE
from dynmeans._files.run_folder.keyed_tables import KEYS_LOG, keyed_headings, keyed_lines, sample_lines
from dynmeans._files.run_folder.labels import COLUMN, KeyColumn
from dynmeans._files.run_folder.tables import LABELS_LOG, StepRecord, label_bytes
from dynmeans._files.snapshot import Snapshot, SnapshotError
from dynmeans._model.lifecycle import StepResult
from dynmeans._model.types import FloatArray, IntArray
from dynmeans._tables.missing import MissingRows
from dynmeans._tables.time_steps.batches import WindowBatch
from dynmeans.estimators._parameters.feature_scales import in_units_of_rows
from dynmeans.runs._by_key.key_reports import report_file
from dynmeans.runs._by_key.largest_keys import LargestKeys
from dynmeans.runs._description import RunDescription
from dynmeans.runs._resume.progress import Progress
from dynmeans.runs._row_errors import row_error
from dynmeans.runs._session import Session
from dynmeans.runs._step_record import RememberedClusters, make_record
from dynmeans.streams import KeyedDMeans, KeyedStep
from dynmeans.streams._keyed_files import keyed_to_snapshot

ROWS_ARRAY = "run_key_rows"  # in the state file: number of rows of each key
DEFAULT_LARGEST = 3  # keys that get a report if none is named
SHOWN_KEYS = 5  # names of keys in a warning
CANDIDATES = 4  # keys with a sample per key with a report, because the largest keys may change


class KeyedSession(Session):
    """One run by key, from its first step to its last; its parameters are those of `Session`.

    ``rows`` is the number of rows of each key so far, from the state file.
    """

    model: Any

    def __init__(
        self,
        description: RunDescription,
        model: KeyedDMeans,
        progress: Progress,
        carry: Callable[[], dict[str, Any]] = dict,
        rows: IntArray | None = None,
    ) -> None:
        parameters = progress.parameters
        self._by, self._named = parameters["by"], parameters.get("report_keys")
        number = parameters.get("report_largest")
        self._n_reports = DEFAULT_LARGEST if number is None else number
        self._largest = LargestKeys(CANDIDATES * self._n_reports)
        known = np.zeros(len(model.keys_), dtype=np.int64) if rows is None else rows
        if known.shape != (len(model.keys_),) or known.dtype != np.int64 or (known < 0).any():
            raise SnapshotError(f"the state file has a wrong array {ROWS_ARRAY!r}")
        for key, count in zip(model.keys_, known.tolist(), strict=True):
            self._largest.add(str(key), count)
        super().__init__(description, cast(Any, model), progress, carry)

    def take(self, batch: WindowBatch) -> KeyedStep:  # type: ignore[override]
        """Cluster one batch and append its results."""
        keys = batch.keys or []
        lines: dict[str, list[bytes]] = {name: [] for name in self._headings()}
        candidates: dict[str, StepRecord] = {}

        def on_key(key: Any, rows: IntArray, result: StepResult) -> None:
            record = self._key_record(batch, batch.X[rows], result)
            for name, text in keyed_lines(key, record, is_newer=self._is_newer).items():
                lines[name].append(text)
            self._largest.add(key, len(rows))
            if self._is_candidate(key):
                candidates[key] = record

        try:
            X = self._scaled(batch)
            report: KeyedStep = self.model.partial_fit(
                X, keys, sample_weight=batch.weights, t=batch.t, on_key=on_key
            ).step_
        except ValueError as error:
            raise row_error(batch, error, self.progress.columns.features) from None
        sampled = [sample_lines(key, record) for key, record in candidates.items() if self._is_candidate(key)]
        lines[SAMPLE_TABLE.file] = sampled
        lines[LABELS_LOG] = [label_bytes(report.labels, batch.left_out)]
        lines[KEYS_LOG] = [_key_lines(keys, batch.left_out_keys)]
        self._log.append({name: b"".join(parts) for name, parts in lines.items()})
        self.progress = self._progress_after(report, batch)
        self._checkpoint_if_due()
        return report

    def reported_keys(self) -> list[str]:
        """Return the keys that get a report: the named ones that have rows, or the largest."""
        if self._named is not None:
            return [key for key in self._named if self._largest.rows(key)]
        return self._largest.top(self._n_reports)

    def warnings(self) -> dict[str, str]:
        """Return the warnings about the rows and the named keys, by kind."""
        missing = [key for key in self._named or () if not self._largest.rows(key)]
        if not missing:
            return super().warnings()
        shown = ", ".join(map(repr, missing[:SHOWN_KEYS])) + (", ..." if len(missing) > SHOWN_KEYS else "")
        text = f"--report-keys: no row has the key {shown} in column {self._by!r}, so it has no report"
        return {**super().warnings(), "keys": text}

    def _listen(self) -> None:
        """Do nothing: the events of a key come with the result of its step."""

    def _headings(self) -> dict[str, bytes]:
        return keyed_headings(self.progress.columns.features)

    def _logs(self) -> tuple[str, ...]:
        return (LABELS_LOG, KEYS_LOG)

    def _reports(self) -> dict[str, str]:
        return {key: report_file(key) for key in self.reported_keys()}

    def _is_candidate(self, key: str) -> bool:
        return key in self._named if self._named is not None else self._largest.is_large(key)

    def _key_record(self, batch: WindowBatch, X: FloatArray, result: StepResult) -> StepRecord:
        """Return the step of a key in the units of the input."""
        state, scale = result.state, self.progress.scale
        centers = in_units_of_rows(state.centers, self.progress.parameters.get("feature_scales"))
        centers = centers if scale is None else scale.undo(centers)
        clusters = RememberedClusters(state.ids, centers, state.clock - state.last_seen)
        return make_record(batch, X, result.report, result.events, clusters, self.description.unit)

    def _progress_after(self, report: KeyedStep, batch: WindowBatch) -> Progress:
        now = self.progress
        return now.after_rows(batch)._replace(
            steps=now.steps + 1,
            born=now.born + report.born,
            revived=now.revived + report.revived,
            died=now.died + report.died,
            confirmed=now.confirmed + report.confirmed,
            clock=float(report.time),
        )

    def _leave_out(self, missing: MissingRows) -> None:
        super()._leave_out(missing)
        self._log.append({KEYS_LOG: _key_lines(missing.pending_keys)})

    def _snapshot(self) -> Snapshot:
        header, arrays = keyed_to_snapshot(self.model)
        rows = np.array([self._largest.rows(str(key)) for key in self.model.keys_], dtype=np.int64)
        return Snapshot(header, arrays | {ROWS_ARRAY: rows})

    def _info(self) -> dict[str, Any]:
        info = super()._info()
        reports = self._reports() if self.progress.complete else {}
        return {**info, "keys": len(self.model.keys_), "reports": reports, "files": sorted(reports.values())}

    def _key_column(self) -> KeyColumn:
        """Return the keys of the rows; a column may not have the name of the labels."""
        name = KEY_COLUMN if self._by == COLUMN else self._by
        return KeyColumn(name, self.description.folder / KEYS_LOG)


def _key_lines(keys: Sequence[str], left_out: Sequence[tuple[str, ...]] | None = None) -> bytes:
    """Return a line per row, also for the rows left out before each."""
    if left_out is not None:
        keys = [each for key, before in zip(keys, left_out, strict=True) for each in (*before, key)]
    return "".join(f"{key}\n" for key in keys).encode()
