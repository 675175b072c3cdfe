"""What a run over frames leaves behind: labels, tracks, and a run folder that the report draws."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dynmeans._files.append_log import AppendLog
from dynmeans._files.atomic_write import atomic_write, make_folder, remove_leftovers, sync_file, sync_folder
from dynmeans._files.labels import COLUMN
from dynmeans._files.run_folder import FORMAT
from dynmeans._files.run_tables import LABELS_LOG, StepRecord, headings, lines_of, write_info
from dynmeans._model.events import Event
from dynmeans._model.types import IntArray
from dynmeans.apps.points.readers import Frame
from dynmeans.apps.points.tracker import BACKGROUND, Step
from dynmeans.apps.points.tracks import TRACKS_COLUMNS, trace, track_lines
from dynmeans.estimators.base import BatchClusterer
from dynmeans.runs.folder import clear_folder

TRACKS_FILE = "tracks.csv"
LABELS_FOLDER = "labels"
FEATURES = ("x", "y")  # of the top view
_TABLES = (".csv", ".tsv")


class Recorder:
    """Writes down every frame; what was taken before an error stays readable.

    Parameters
    ----------
    folder : Path
        Emptied of an earlier run first.
    info : dict
        Title, settings and version, as run.json has them.
    sources : sequence of Path
        All files of which frames will come.
    """

    def __init__(self, folder: Path, info: dict[str, Any], sources: Sequence[Path]) -> None:
        self.folder, self.steps, self.rows, self.people = folder, 0, 0, 0
        self.seen, self._seen_rows = 0, 0  # frames with people, and points of people
        files = files_for(sources)
        self._info = {
            **info,
            "format": FORMAT,
            "features": list(FEATURES),
            "equal_axes": True,
            "files": files,
        }
        self._info["time"] = {"name": "seconds", "kind": "number"}
        clear_folder(folder, files)
        make_folder(folder / LABELS_FOLDER)
        remove_leftovers(folder / LABELS_FOLDER)
        self._write_info(complete=False)
        first = {**headings(FEATURES), TRACKS_FILE: f"{','.join(TRACKS_COLUMNS)}\n".encode()}
        del first[LABELS_LOG]
        self._spool = AppendLog(folder, first)
        self._source: Path | None = None
        self._labels: list[IntArray] = []
        self._written: list[Path] = []  # files of labels

    def take(
        self, frame: Frame, time: float, step: Step, model: BatchClusterer, events: Sequence[Event]
    ) -> None:
        """Add one frame."""
        if frame.source != self._source:
            self._write_labels()
            self._source = frame.source
        self._labels.append(step.labels)
        self.steps, self.rows = self.steps + 1, self.rows + len(step.labels)
        if step.report is None:
            return
        kept = np.flatnonzero(step.labels != BACKGROUND)
        points, labels = frame.points[kept], step.labels[kept]
        self.people += len(step.report.born)
        self.seen, self._seen_rows = self.seen + 1, self._seen_rows + len(kept)
        report = step.report._replace(labels=labels)
        ids, centers, ages = model.cluster_ids_, model.cluster_centers_, model.cluster_ages_
        lines = lines_of(StepRecord(report, time, points[:, :2], ids, centers, ages, events))
        del lines[LABELS_LOG]
        self._spool.append({**lines, TRACKS_FILE: track_lines(time, trace(points, labels))})

    def close(self, *, complete: bool) -> None:
        """Bring everything to disk, also after an error; run.json is complete only when all is there."""
        if complete:
            self._spool.flush(durable=True)
        self._spool.close()
        self._write_labels()
        for path in self._written:
            sync_file(path)
        sync_folder(self.folder / LABELS_FOLDER)
        self._write_info(complete=complete)

    def _write_labels(self) -> None:
        """Labels of all rows of a file so far, in its order."""
        if self._source is None:
            return
        path = self.folder / LABELS_FOLDER / labels_name(self._source)
        with atomic_write(path, durable=False) as place:  # synced at the end: twice per frame would be slow
            _save_labels(place, np.concatenate(self._labels))
        self._written.append(path)
        self._source, self._labels = None, []

    def _write_info(self, *, complete: bool) -> None:
        """A step is a frame with people, and its rows are their points; run.json has the whole input too."""
        counts = {"rows": self._seen_rows, "steps": self.seen, "points": self.rows, "frames": self.steps}
        write_info(self.folder, {**self._info, **counts, "complete": complete})


def files_for(sources: Sequence[Path]) -> list[str]:
    """What a run over these files writes beside the files of every run, as paths from its folder."""
    return [TRACKS_FILE, *(f"{LABELS_FOLDER}/{labels_name(source)}" for source in sources)]


def labels_name(source: Path) -> str:
    """A table's labels are a table, those of all other files an array."""
    return source.name if source.suffix.lower() in _TABLES else f"{source.name}.npy"


def _save_labels(place: Path, labels: IntArray) -> None:
    if place.suffix.lower() in _TABLES:
        place.write_text("\n".join([COLUMN, *map(str, labels.tolist()), ""]), encoding="utf-8")
    else:
        np.save(place, labels)
