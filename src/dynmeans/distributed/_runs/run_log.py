"""Description and tables of a run over a dataset, as in a run folder; the rows stay on the workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dynmeans import __version__
from dynmeans._files.append_log import AppendLog
from dynmeans._files.run_folder.tables import (
    LABELS_LOG,
    StepRecord,
    has_newer_columns,
    headings,
    step_lines,
    write_info,
)
from dynmeans._model.events import Event
from dynmeans._tables.standardize import Scale
from dynmeans.distributed.estimator import DMeans
from dynmeans.runs._description import parameters_as_json, scales_as_json
from dynmeans.runs._folder import clear_folder
from dynmeans.runs._step_record import in_units

NO_LABELS = np.empty(0, dtype=np.int64)


class DatasetLog:
    """Append the clusters and events of each step to the tables of a run folder.

    Parameters
    ----------
    folder : Path
    info : dict
        Content of run.json that does not change.
    unit : float
        Length of the model's unit of time, in the units of the time column.
    lengths : dict or None
        Number of bytes of each table after the last step of an interrupted run.
    """

    def __init__(
        self, folder: Path, info: dict[str, Any], unit: float, lengths: dict[str, int] | None
    ) -> None:
        self._folder, self._info, self._unit = folder, info, unit
        self._events: list[Event] = []
        self.scale: Scale | None = None  # of standardized rows: the tables are in the units of the input
        if lengths is None:
            clear_folder(folder)
        first_lines = headings(info["features"])
        del first_lines[LABELS_LOG]
        self._log = AppendLog(folder, first_lines, lengths)
        self._is_newer = lengths is None or has_newer_columns(folder)

    def watch(self, model: DMeans) -> None:
        """Collect the events of each step."""
        model.on_event = self._events.append

    def add(self, model: DMeans, time: float | None, n_rows: int) -> None:
        """Append the last step of a model; `time` is None if steps are counted."""
        report = model.step_
        time = float(report.time) if time is None else time
        record = StepRecord(
            report=report._replace(labels=NO_LABELS),
            time=time,
            X=np.empty((0, len(self._info["features"]))),
            ids=model.cluster_ids_,
            centers=model.cluster_centers_ if self.scale is None else self.scale.undo(model.cluster_centers_),
            ages=model.cluster_ages_ * self._unit,
            events=in_units(self._events, float(report.time), time, self._unit),
            n_rows=n_rows,
        )
        lines = step_lines(record, is_newer=self._is_newer)
        del lines[LABELS_LOG]
        self._log.append(lines)
        self._events.clear()

    def save(self, model: DMeans, n_rows: int, *, is_complete: bool) -> dict[str, int]:
        """Write all tables and run.json to the disk, and return the number of bytes of each table."""
        lengths = self._log.flush(durable=True)
        counts = {"rows": n_rows, "steps": model.n_steps_, "complete": is_complete, "version": __version__}
        scales = scales_as_json(self.scale, self._info["parameters"].get("feature_scales"))
        scaled = {} if scales is None else {"scales": scales}
        write_info(self._folder, {**self._info, **counts, **scaled, "used": parameters_as_json(model)})
        return lengths

    def close(self) -> None:
        """Close the tables."""
        self._log.close()
