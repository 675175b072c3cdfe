"""Write the outputs of a run: labels, tracks, and a run folder for the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dynmeans._files.append_log import AppendLog
from dynmeans._files.atomic_write import atomic_write, make_folder, remove_leftovers, sync_file, sync_folder
from dynmeans._files.run_folder.format import FORMAT
from dynmeans._files.run_folder.labels import COLUMN
from dynmeans._files.run_folder.tables import LABELS_LOG, StepRecord, headings, step_lines, write_info
from dynmeans._model.events import Event
from dynmeans._model.types import IntArray
from dynmeans.apps.points._tracks import TRACKS_COLUMNS, bounding_boxes, track_lines
from dynmeans.apps.points.readers import Frame
from dynmeans.apps.points.tracker import BACKGROUND, Step
from dynmeans.estimators import DMeans
from dynmeans.runs._folder import clear_folder

TRACKS_FILE = "tracks.csv"
LABELS_FOLDER = "labels"
FEATURES = ("x", "y")  # axes of the top view
_TABLES = (".csv", ".tsv")


class RunRecorder:
    """Write every frame; frames before an error stay readable.

    Parameters
    ----------
    folder : Path
        Output folder; files of an earlier run are removed first.
    info : dict
        Title, parameters and version for run.json.
    sources : sequence of Path
        All input files.
    """

    def __init__(self, folder: Path, info: dict[str, Any], sources: Sequence[Path]) -> None:
        self.folder, self.steps, self.rows, self.people = folder, 0, 0, 0
        self.seen, self._seen_rows = 0, 0  # frames with people, and their points
        self._counts: dict[int, tuple[int, int]] = {}  # frames and points of each id
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
        self._log = AppendLog(folder, first)
        self._source: Path | None = None
        self._labels: list[IntArray] = []
        self._written: list[Path] = []  # label files

    def take(self, frame: Frame, time: float, step: Step, model: DMeans, events: Sequence[Event]) -> None:
        """Add one frame."""
        if frame.source != self._source:
            self._write_labels()
            self._source = frame.source
        self._labels.append(step.labels)
        self.steps, self.rows = self.steps + 1, self.rows + len(step.labels)
        kept = np.flatnonzero(step.labels != BACKGROUND)
        points, labels = frame.points[kept], step.labels[kept]
        self.people += len(step.report.born if model.min_hits == 1 else step.report.confirmed)
        self.seen, self._seen_rows = self.seen + (len(kept) > 0), self._seen_rows + len(kept)
        report = step.report._replace(labels=labels)
        ids, centers, ages = model.cluster_ids_, model.cluster_centers_, model.cluster_ages_
        lines = step_lines(
            StepRecord(
                report=report,
                time=time,
                X=points[:, :2],
                ids=ids,
                centers=centers,
                ages=ages,
                events=events,
            )
        )
        del lines[LABELS_LOG]
        tracks = bounding_boxes(points, labels)
        for k, count in zip(tracks.ids.tolist(), tracks.counts.tolist(), strict=True):
            n_frames, n_points = self._counts.get(k, (0, 0))
            self._counts[k] = n_frames + 1, n_points + count
        self._log.append({**lines, TRACKS_FILE: track_lines(time, tracks)})

    def n_sparse(self, n_points: int) -> int:
        """Return the number of people with fewer points than this per frame on average."""
        return sum(total < n_points * n_frames for n_frames, total in self._counts.values())

    def close(self, *, complete: bool) -> None:
        """Flush everything to disk, also after an error, and write run.json last."""
        if complete:
            self._log.flush(durable=True)
        self._log.close()
        self._write_labels()
        for path in self._written:
            sync_file(path)
        sync_folder(self.folder / LABELS_FOLDER)
        self._write_info(complete=complete)

    def _write_labels(self) -> None:
        """Write the labels of all rows of the current file, in its order."""
        if self._source is None:
            return
        path = self.folder / LABELS_FOLDER / labels_name(self._source)
        with atomic_write(path, durable=False) as temporary:  # synced at the end: faster
            _save_labels(temporary, np.concatenate(self._labels))
        self._written.append(path)
        self._source, self._labels = None, []

    def _write_info(self, *, complete: bool) -> None:
        """Write run.json; a step is a frame, its rows are the points of people."""
        counts = {"rows": self._seen_rows, "steps": self.steps, "points": self.rows, "frames": self.steps}
        write_info(self.folder, {**self._info, **counts, "complete": complete})


def files_for(sources: Sequence[Path]) -> list[str]:
    """List the additional output files of a run over these files, relative to its folder."""
    return [TRACKS_FILE, *(f"{LABELS_FOLDER}/{labels_name(source)}" for source in sources)]


def labels_name(source: Path) -> str:
    """Return the name of a label file: a table for a table, otherwise an array."""
    return source.name if source.suffix.lower() in _TABLES else f"{source.name}.npy"


def _save_labels(temporary: Path, labels: IntArray) -> None:
    if temporary.suffix.lower() in _TABLES:
        temporary.write_text("\n".join([COLUMN, *map(str, labels.tolist()), ""]), encoding="utf-8")
    else:
        np.save(temporary, labels)
