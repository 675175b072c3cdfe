"""What a time step says in each file of a run folder."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.labels import LOG_TYPE
from dynmeans._files.run_folder import (
    CLUSTERS_COLUMNS,
    CLUSTERS_FILE,
    EVENTS_FILE,
    INFO_FILE,
    SAMPLE_COLUMNS,
    SAMPLE_FILE,
    STEPS_COLUMNS,
    STEPS_FILE,
)
from dynmeans._model.events import Event, StepReport
from dynmeans._model.types import FloatArray, IntArray

LABELS_LOG = "labels.spool"  # only while the run lasts
SAMPLE_ROWS = 500  # rows of a step that are kept for the report


class StepRecord(NamedTuple):
    """One time step and the clusters remembered after it, in the units of the input."""

    report: StepReport
    time: float
    X: FloatArray  # (n, d)
    ids: IntArray  # (K,)  remembered clusters, sorted
    centers: FloatArray  # (K, d)
    ages: FloatArray  # (K,)  time since each was seen
    events: Sequence[Event]


def headings(features: Sequence[str]) -> dict[str, bytes]:
    """First lines of all files that grow, by name."""
    return {
        STEPS_FILE: _heading(STEPS_COLUMNS),
        CLUSTERS_FILE: _heading([*CLUSTERS_COLUMNS, *features]),
        EVENTS_FILE: b"",
        SAMPLE_FILE: _heading([*SAMPLE_COLUMNS, *features]),
        LABELS_LOG: b"",
    }


def lines_of(record: StepRecord) -> dict[str, bytes]:
    """What a step adds to each file, by name.

    Parameters
    ----------
    record : StepRecord

    Returns
    -------
    dict
        The keys are those of `headings`.
    """
    return {
        STEPS_FILE: _lines([_step_row(record)]),
        CLUSTERS_FILE: _lines(_cluster_rows(record)),
        EVENTS_FILE: b"".join(_event_line(event, record.time) for event in record.events),
        SAMPLE_FILE: _lines(_sample_rows(record)),
        LABELS_LOG: record.report.labels.astype(LOG_TYPE).tobytes(),
    }


def write_info(folder: Path, info: Mapping[str, Any], *, durable: bool = True) -> None:
    """Write run.json, whole or not at all."""
    with atomic_write(folder / INFO_FILE, durable=durable) as place:
        place.write_text(json.dumps(info, indent=2, allow_nan=False) + "\n", encoding="utf-8")


def _heading(names: Sequence[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(names)
    return text.getvalue().encode()


def _lines(rows: Iterable[Iterable[object]]) -> bytes:
    """Rows of numbers as text that reads back as exactly the same numbers."""
    return "".join(f"{','.join(map(repr, row))}\n" for row in rows).encode()


def _step_row(record: StepRecord) -> list[object]:
    report = record.report
    turns = [len(ids) for ids in (report.born, report.revived, report.asleep, report.died)]
    sizes = [len(report.active), len(record.ids)]
    return [report.step, record.time, len(record.X), float(report.cost), int(report.n_iter), *sizes, *turns]


def _cluster_rows(record: StepRecord) -> Iterable[list[object]]:
    taken = dict(zip(record.report.active.tolist(), record.report.sizes.tolist(), strict=True))
    ids, ages, centers = record.ids.tolist(), record.ages.tolist(), record.centers.tolist()
    for cluster, age, center in zip(ids, ages, centers, strict=True):
        yield [record.report.step, record.time, cluster, float(taken.get(cluster, 0.0)), age, *center]


def _sample_rows(record: StepRecord) -> Iterable[list[object]]:
    kept = _evenly_spaced(len(record.X))
    labels, points = record.report.labels[kept].tolist(), record.X[kept].tolist()
    for row, label, point in zip(kept.tolist(), labels, points, strict=True):
        yield [record.report.step, row, label, *point]


def _evenly_spaced(count: int) -> IntArray:
    """Up to SAMPLE_ROWS of the numbers below `count`."""
    if count <= SAMPLE_ROWS:
        return np.arange(count)
    return np.arange(SAMPLE_ROWS) * count // SAMPLE_ROWS


def _event_line(event: Event, time: float) -> bytes:
    line: dict[str, Any] = {
        "step": event.step,
        "time": time,
        "kind": event.kind,
        "id": event.id,
        "cost": event.cost,
    }
    if event.others:
        line["others"] = list(event.others)
    return f"{json.dumps(line, allow_nan=False, separators=(',', ':'))}\n".encode()
