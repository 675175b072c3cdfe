"""Lines of a time step in each file of a run folder."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynmeans._algorithms.estimation.joint_estimate import ONE_OBJECT
from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.run_folder.format import (
    CLUSTERS_TABLE,
    EVENTS_FILE,
    INFO_FILE,
    SAMPLE_TABLE,
    STEPS_TABLE,
)
from dynmeans._files.run_folder.labels import LOG_TYPE, with_left_out
from dynmeans._model.events import Event, StepReport
from dynmeans._model.types import FloatArray, IntArray

LABELS_LOG = "labels.spool"  # exists only during the run
SAMPLE_ROWS = 500  # rows of a step that are kept for the report
SAMPLE_NUMBERS = 65_536  # maximum number of coordinates of a step that are kept, but at least 100 rows
LONGEST_TEXT = 200  # characters of a text in a table


def is_birth_cost_known(report: StepReport) -> bool:
    """Return whether the birth cost was given or estimated; if not, all costs contain a very large number."""
    return report.birth_cost < ONE_OBJECT


class StepTexts(NamedTuple):
    """Texts of one time step."""

    rows: Sequence[str]  # (n,)
    words: Mapping[int, Sequence[str]]  # by cluster, the most distinctive first
    examples: Mapping[int, Sequence[str]]  # by cluster, the nearest to the center first


class StepRecord(NamedTuple):
    """One time step and the clusters remembered after it, in the units of the input."""

    report: StepReport
    time: float
    X: FloatArray  # (n, d)
    ids: IntArray  # (K,)  remembered clusters, sorted
    centers: FloatArray  # (K, d)
    ages: FloatArray  # (K,)  time since each was seen
    events: Sequence[Event]  # with times in the units of the input
    texts: StepTexts | None = None
    left_out: IntArray | None = None  # (n,)  number of rows left out before each row
    n_rows: int | None = None  # if the rows are elsewhere, and X is empty


def headings(features: Sequence[str], *, has_texts: bool = False) -> dict[str, bytes]:
    """Return the first lines of all appended files, by name."""
    of_clusters, of_sample = (CLUSTERS_TABLE.texts, SAMPLE_TABLE.texts) if has_texts else ((), ())
    return {
        STEPS_TABLE.file: heading([*STEPS_TABLE.columns, *STEPS_TABLE.newer]),
        CLUSTERS_TABLE.file: heading([*CLUSTERS_TABLE.columns, *features, *of_clusters]),
        EVENTS_FILE: b"",
        SAMPLE_TABLE.file: heading([*SAMPLE_TABLE.columns, *features, *of_sample]),
        LABELS_LOG: b"",
    }


def has_newer_columns(folder: Path) -> bool:
    """Return whether the steps.csv of a run that is resumed has all columns, unlike in earlier versions."""
    with (folder / STEPS_TABLE.file).open("rb") as file:
        return file.readline().decode().rstrip("\n").endswith(STEPS_TABLE.newer)


def step_lines(record: StepRecord, *, is_newer: bool = True) -> dict[str, bytes]:
    """Return the lines that a step adds to each file, by name.

    Parameters
    ----------
    record : StepRecord
    is_newer : bool, default=True
        Whether steps.csv has the columns that earlier versions lack.

    Returns
    -------
    dict
        The keys are those of `headings`.
    """
    return {
        STEPS_TABLE.file: step_line(record, is_newer=is_newer),
        CLUSTERS_TABLE.file: lines(cluster_rows(record), _cluster_texts(record)),
        EVENTS_FILE: b"".join(event_lines(record)),
        SAMPLE_TABLE.file: lines(sample_rows(record), _sample_texts(record)),
        LABELS_LOG: label_bytes(record.report.labels, record.left_out),
    }


def label_bytes(labels: IntArray, left_out: IntArray | None) -> bytes:
    """Return the labels of a step, with those of the rows left out, as they are appended to the log."""
    return with_left_out(labels, left_out).astype(LOG_TYPE).tobytes()


def write_info(folder: Path, info: Mapping[str, Any], *, durable: bool = True) -> None:
    """Write run.json atomically."""
    with atomic_write(folder / INFO_FILE, durable=durable) as location:
        location.write_text(json.dumps(info, indent=2, allow_nan=False) + "\n", encoding="utf-8")


def heading(names: Sequence[str]) -> bytes:
    """Return the first line of a table."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(names)
    return text.getvalue().encode()


def lines(rows: Iterable[Iterable[object]], texts: Iterable[Sequence[str]] | None = None) -> bytes:
    """Encode rows of numbers as text without loss, and texts behind them in quotes."""
    numbers = (",".join(map(repr, row)) for row in rows)
    if texts is None:
        return "".join(f"{line}\n" for line in numbers).encode()
    return "".join(
        f"{line},{','.join(map(_quoted, row))}\n" for line, row in zip(numbers, texts, strict=True)
    ).encode()


def _quoted(text: str) -> str:
    """Return a text in one line, shortened, as a cell of a CSV file."""
    line = " ".join(text.replace("\0", " ").split())
    line = line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}\u2026"
    quoted = line.replace('"', '""')
    return f'"{quoted}"'


def _cluster_texts(record: StepRecord) -> list[list[str]] | None:
    if record.texts is None:
        return None
    blank = [""] * (len(CLUSTERS_TABLE.texts) - 1)
    return [
        [" ".join(record.texts.words.get(k, ())), *[*record.texts.examples.get(k, ()), *blank][: len(blank)]]
        for k in record.ids.tolist()
    ]


def _sample_texts(record: StepRecord) -> list[list[str]] | None:
    if record.texts is None:
        return None
    return [[record.texts.rows[row]] for row in _sampled(record.X).tolist()]


def step_line(record: StepRecord, *, is_newer: bool = True) -> bytes:
    """Return the line of a step in steps.csv; costs that are not known are empty."""
    report = record.report
    is_known = is_birth_cost_known(report)
    cost, birth_cost = (float(x) if is_known else None for x in (report.cost, report.birth_cost))
    changes = [len(ids) for ids in (report.born, report.revived, report.asleep, report.died)]
    sizes = [len(report.active), len(record.ids)]
    n_rows = len(record.X) if record.n_rows is None else record.n_rows
    cells = [report.step, record.time, n_rows, cost, int(report.n_iter), *sizes, *changes]
    newer = [birth_cost] if is_newer else []
    return ",".join("" if cell is None else repr(cell) for cell in (*cells, *newer)).encode() + b"\n"


def cluster_rows(record: StepRecord) -> Iterable[list[object]]:
    """Return the rows of a step in clusters.csv."""
    weights = dict(zip(record.report.active.tolist(), record.report.sizes.tolist(), strict=True))
    ids, ages, centers = record.ids.tolist(), record.ages.tolist(), record.centers.tolist()
    for cluster, age, center in zip(ids, ages, centers, strict=True):
        yield [record.report.step, record.time, cluster, float(weights.get(cluster, 0.0)), age, *center]


def sample_rows(record: StepRecord) -> Iterable[list[object]]:
    """Return the rows of a step in sample.csv."""
    kept = _sampled(record.X)
    labels, points = record.report.labels[kept].tolist(), record.X[kept].tolist()
    for row, label, point in zip(kept.tolist(), labels, points, strict=True):
        yield [record.report.step, row, label, *point]


def _sampled(X: FloatArray) -> IntArray:
    """Return evenly spaced rows: at most SAMPLE_ROWS, and fewer if they are wide."""
    count, width = X.shape
    limit = min(SAMPLE_ROWS, max(100, SAMPLE_NUMBERS // max(width, 1)))
    return np.arange(count) if count <= limit else np.arange(limit) * count // limit


def event_lines(record: StepRecord) -> list[bytes]:
    """Return the lines of the events of a step in events.jsonl; costs that are not known are null."""
    is_known = is_birth_cost_known(record.report)
    known = (event.cost if is_known or event.cost == 0.0 else None for event in record.events)
    return [_event_line(*pair) for pair in zip(record.events, known, strict=True)]


def _event_line(event: Event, cost: float | None) -> bytes:
    line: dict[str, Any] = {
        "step": event.step,
        "time": event.time,
        "kind": event.kind,
        "id": event.id,
        "cost": cost,
    }
    if event.others:
        line["others"] = list(event.others)
    if event.tentative:
        line["tentative"] = True
    return f"{json.dumps(line, allow_nan=False, separators=(',', ':'))}\n".encode()
