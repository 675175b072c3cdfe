"""A run folder: what `dynmeans cluster` leaves behind, and how to read it back.

Tables are CSV files with a heading. Their first columns are fixed, the features of the data follow; a
feature may carry any name, also that of a fixed column, so features are told apart by position.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO, get_args

import numpy as np
from numpy.typing import NDArray

from dynmeans._files.errors import InputError, error_context
from dynmeans._model.events import Event, EventKind

FORMAT = 1
INFO_FILE = "run.json"
STEPS_FILE = "steps.csv"
CLUSTERS_FILE = "clusters.csv"
EVENTS_FILE = "events.jsonl"
SAMPLE_FILE = "sample.csv"
REPORT_FILE = "report.html"
PICTURE_FILE = "picture.png"
LABELS_STEM = "labels"  # its suffix is that of the input

STEPS_COLUMNS = (
    "step",
    "time",
    "rows",
    "cost",
    "n_iter",
    "awake",
    "remembered",
    "born",
    "revived",
    "asleep",
    "died",
)
CLUSTERS_COLUMNS = ("step", "time", "id", "weight", "age")  # then the features
SAMPLE_COLUMNS = ("step", "row", "id")  # then the features
TIME_KINDS = ("number", "datetime", "step")
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
FEATURES = "features"  # key of the (n, d) block of feature columns in a table that was read

_REAL_COLUMNS = ("time", "cost", "weight", "age")  # all other fixed columns are whole numbers
_INFO_TYPES: dict[str, type] = {
    "title": str,
    "features": list,
    "time": dict,
    "settings": dict,
    "rows": int,
    "steps": int,
    "complete": bool,
    "version": str,
}

Table = dict[str, NDArray[Any]]


class Run(NamedTuple):
    """Everything that a report needs to know about a run."""

    info: dict[str, Any]  # run.json
    steps: Table  # one entry a step, keys STEPS_COLUMNS
    clusters: Table  # one entry a remembered cluster and step, keys CLUSTERS_COLUMNS and FEATURES (n, d)
    sample: Table  # some points of every step, keys SAMPLE_COLUMNS and FEATURES (n, d)
    events: list[Event]


def read_run(folder: str | Path) -> Run:
    """Read a run folder.

    A run that was stopped half-way is read as far as all of its files agree.

    Parameters
    ----------
    folder : path
        Folder that holds ``run.json`` and its companions.

    Returns
    -------
    Run
        Its tables are dictionaries of arrays, one entry a line; the feature columns form one array of shape
        (n, d) under the key ``"features"``.

    Raises
    ------
    InputError
        If a file is missing, foreign, newer than this version, or damaged.

    Examples
    --------
    >>> run = read_run("dynmeans-run")          # doctest: +SKIP
    >>> run.clusters["features"].shape          # doctest: +SKIP
    (812, 2)
    """
    folder = Path(folder)
    info = _read_info(folder / INFO_FILE)
    features = info["features"]
    run = Run(
        info,
        _read_table(folder / STEPS_FILE, STEPS_COLUMNS, []),
        _read_table(folder / CLUSTERS_FILE, CLUSTERS_COLUMNS, features),
        _read_table(folder / SAMPLE_FILE, SAMPLE_COLUMNS, features),
        _read_events(folder / EVENTS_FILE),
    )
    return _check_steps(run, folder) if info["complete"] else _trim_unfinished(run)


def _read_info(path: Path) -> dict[str, Any]:
    """run.json, with every promised key and of a format that this version knows."""
    if not path.is_file():
        raise InputError(f"{path.parent} is not a run folder: it has no {path.name}")
    with error_context(f"{path} is not JSON"):
        info = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(info, dict) or "format" not in info:
        raise InputError(f"{path}: not a description of a dynmeans run, it has no 'format'")
    if info["format"] != FORMAT:
        raise InputError(f"{path}: format {info['format']!r}, but this version reads format {FORMAT} only")
    for key, kind in _INFO_TYPES.items():
        if not isinstance(info.get(key), kind):
            raise InputError(f"{path}: {key!r} is {info.get(key)!r}, it must be of type {kind.__name__}")
    if not info["features"] or not all(isinstance(name, str) for name in info["features"]):
        raise InputError(f"{path}: 'features' is {info['features']!r}, it must list at least one name")
    if info["time"].get("kind") not in TIME_KINDS or not isinstance(info["time"].get("name"), str):
        raise InputError(f"{path}: 'time' is {info['time']!r}, it must have a name and a kind, {TIME_KINDS}")
    return info


def _open(path: Path) -> TextIO:
    if not path.is_file():
        raise InputError(f"{path.parent} is not a complete run folder: it has no {path.name}")
    return path.open(encoding="utf-8", newline="")


def _finished(lines: Iterable[str]) -> Iterator[str]:
    """Leave out a last line that lacks its newline: its writer was stopped in the middle of it."""
    return (line for line in lines if line.endswith("\n"))


def _read_table(path: Path, fixed: tuple[str, ...], features: list[str]) -> Table:
    """Fixed columns by name, and the features behind them as one block."""
    expected = [*fixed, *features]
    with _open(path) as file, error_context(f"{path} (rows counted from 0, after the heading)"):
        heading = next(csv.reader(file), [])
        if heading != expected:
            raise InputError(f"{path}: the heading is {heading}, it must be {expected}")
        numbers = _read_numbers(_finished(file), len(expected))
    table: Table = {name: numbers[:, i] for i, name in enumerate(fixed)}
    for name in fixed:
        if name not in _REAL_COLUMNS:
            table[name] = _whole(path, name, table[name])
    if features:
        table[FEATURES] = np.ascontiguousarray(numbers[:, len(fixed) :])
    return table


def _read_numbers(lines: Iterator[str], n_columns: int) -> NDArray[np.float64]:
    """All remaining lines as an array (n, n_columns); no lines are an array of length 0."""
    first = next(lines, None)
    if first is None:
        return np.empty((0, n_columns))

    def all_lines() -> Iterator[str]:
        yield first
        yield from lines

    numbers = np.loadtxt(all_lines(), delimiter=",", ndmin=2, comments=None)
    if numbers.shape[1] != n_columns:
        raise ValueError(f"{numbers.shape[1]} columns, the heading has {n_columns}")
    return numbers


def _whole(path: Path, name: str, values: NDArray[np.float64]) -> NDArray[np.int64]:
    wrong = ~(np.isfinite(values) & (values == np.floor(values)))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(f"{path}: {name} of row {row + 1} is {values[row]}, it must be a whole number")
    return values.astype(np.int64)


def _read_events(path: Path) -> list[Event]:
    with _open(path) as file, error_context(str(path)):
        return [_parse_event(line, f"{path}, line {n}") for n, line in enumerate(_finished(file), 1)]


def _parse_event(line: str, place: str) -> Event:
    with error_context(f"{place}: not an event"):
        raw = json.loads(line)
        if not isinstance(raw, dict) or raw.get("kind") not in EVENT_KINDS:
            raise InputError(f"{place}: {line.strip()!r} is no event, its kind must be one of {EVENT_KINDS}")
        others = tuple(int(other) for other in raw.get("others", ()))
        numbers = int(raw["id"]), int(raw["step"]), float(raw["time"]), float(raw["cost"])
        return Event(raw["kind"], *numbers, others)


def _check_steps(run: Run, folder: Path) -> Run:
    """In a complete run every line belongs to a step that steps.csv knows."""
    steps = run.steps["step"]
    if np.any(np.diff(steps) <= 0):
        raise InputError(f"{folder / STEPS_FILE}: the steps must increase from line to line")
    for name, table in ((CLUSTERS_FILE, run.clusters), (SAMPLE_FILE, run.sample)):
        unknown = np.setdiff1d(table["step"], steps)
        if unknown.size:
            raise InputError(f"{folder / name}: step {unknown[0]} is not in {STEPS_FILE}")
    return run


def _trim_unfinished(run: Run) -> Run:
    """Keep the steps that every file has; where the files end apart, the last common step may be torn."""
    ends = [int(table["step"].max(initial=0)) for table in (run.steps, run.clusters, run.sample)]
    last = min(ends) if len(set(ends)) == 1 else min(ends) - 1

    def until(table: Table) -> Table:
        return {key: column[table["step"] <= last] for key, column in table.items()}

    events = [event for event in run.events if event.step <= last]
    return Run(run.info, until(run.steps), until(run.clusters), until(run.sample), events)
