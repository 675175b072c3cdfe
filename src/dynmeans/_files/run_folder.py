"""Format and reader of a run folder, the output of `dynmeans cluster`.

Tables are CSV files with a heading: fixed columns, then the features of the data. A feature may have the
name of a fixed column, so features are identified by position.
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
# After the features, if rows have texts: words that set the cluster apart, and texts nearest to its center.
CLUSTERS_TEXTS = ("words", "example1", "example2", "example3")
SAMPLE_TEXTS = ("text",)
TIME_KINDS = ("number", "datetime", "step")
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
KEY_COLUMN = "key"  # the first one in the tables of a run by key
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
    """Content of a run folder."""

    info: dict[str, Any]  # run.json
    steps: Table  # one entry per step, keys STEPS_COLUMNS
    clusters: Table  # one entry per step and remembered cluster, keys CLUSTERS_COLUMNS and FEATURES (n, d)
    sample: Table  # some points of every step, keys SAMPLE_COLUMNS and FEATURES (n, d)
    # With texts, these two also have the keys CLUSTERS_TEXTS and SAMPLE_TEXTS.
    events: list[Event]


def read_run(folder: str | Path) -> Run:
    """Read a run folder.

    An incomplete run is read up to the last step that all files have.

    Parameters
    ----------
    folder : path
        Folder with ``run.json`` and the tables.

    Returns
    -------
    Run
        Its tables are dictionaries of arrays, one entry per line; the feature columns are one array of shape
        (n, d) under the key ``"features"``.

    Raises
    ------
    InputError
        If a file is missing, damaged, of another program, or newer than this version.

    Examples
    --------
    >>> run = read_run("dynmeans-run")          # doctest: +SKIP
    >>> run.clusters["features"].shape          # doctest: +SKIP
    (812, 2)
    """
    folder = Path(folder)
    info = read_info(folder)
    if "by" in info["settings"]:
        raise InputError(f"{folder}: a run by {info['settings']['by']!r}; read the keys one by one")
    return _read_tables(folder, info, None)


def read_key(folder: str | Path, key: str) -> Run:
    """Read one key of a run by key, as `read_run` reads a run with one model.

    The sample has points of the key in the steps in which it was among the largest, or in all steps if
    it was named in ``report_keys``.

    Parameters
    ----------
    folder : path
        Folder of ``dynmeans cluster --by``.
    key : str
        As in the tables.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        If the folder is not one of a run by key, is damaged, or does not have the key.
    """
    folder = Path(folder)
    info = read_info(folder)
    if "by" not in info["settings"]:
        raise InputError(f"{folder}: the run has one model for all rows, not one per key")
    run = _read_tables(folder, info, str(key))
    if len(run.steps["step"]) == 0:
        raise InputError(f"{folder}: no key {str(key)!r}")
    counts = {"rows": int(run.steps["rows"].sum()), "steps": len(run.steps["step"])}
    title = f"{info['title']}, {info['settings']['by']} {key}"
    return run._replace(info={**info, **counts, "title": title})


def _read_tables(folder: Path, info: dict[str, Any], key: str | None) -> Run:
    features = info["features"]
    of_clusters, of_sample = ((), ()) if info.get("text") is None else (CLUSTERS_TEXTS, SAMPLE_TEXTS)
    run = Run(
        info,
        _read_table(folder / STEPS_FILE, STEPS_COLUMNS, [], key),
        _read_table(folder / CLUSTERS_FILE, CLUSTERS_COLUMNS, features, key, of_clusters),
        _read_table(folder / SAMPLE_FILE, SAMPLE_COLUMNS, features, key, of_sample),
        _read_events(folder / EVENTS_FILE, key),
    )
    if info["complete"]:
        return _check_steps(run, folder)
    # In a run by key, not every step has a sample.
    return _trim_unfinished(run, (run.steps, run.clusters) if key else (run.steps, run.clusters, run.sample))


def key_cell(key: str) -> str:
    """Return a key as a cell of a CSV file."""
    return '"{}"'.format(key.replace('"', '""')) if any(mark in key for mark in ',"') else key


def read_info(folder: Path) -> dict[str, Any]:
    """Read run.json, and check its format and keys."""
    path = folder / INFO_FILE
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
    """Drop an incomplete last line: its writer was stopped."""
    return (line for line in lines if line.endswith("\n"))


def _of_key(lines: Iterable[str], key: str | None, front: str, rest: str = "") -> Iterator[str]:
    """Return the lines of one key, which begin with `front`, with `rest` in its place."""
    if key is None:
        return iter(lines)
    return (rest + line[len(front) :] for line in lines if line.startswith(front))


def _read_table(
    path: Path, fixed: tuple[str, ...], features: list[str], key: str | None, texts: tuple[str, ...] = ()
) -> Table:
    """Read fixed columns by name, the features as one block, and texts; of one key, if it is given."""
    expected = [*fixed, *features, *texts]
    front = [] if key is None else [KEY_COLUMN]
    with _open(path) as file, error_context(f"{path} (rows counted from 0, after the heading)"):
        heading = next(csv.reader(file), [])
        if heading != front + expected:
            raise InputError(f"{path}: {_heading_error(heading, front + expected)}")
        own = _of_key(_finished(file), key, f"{key_cell(key or '')},")
        written: list[list[str]] = []
        lines = _split_texts(own, len(texts), written) if texts else own
        numbers = _read_numbers(lines, len(expected) - len(texts))
    table: Table = {name: numbers[:, i] for i, name in enumerate(fixed)}
    for name in fixed:
        if name not in _REAL_COLUMNS:
            table[name] = _whole(path, name, table[name])
    if features:
        table[FEATURES] = np.ascontiguousarray(numbers[:, len(fixed) :])
    for i, name in enumerate(texts):
        table[name] = np.array([row[i] for row in written], dtype=object)
    return table


def _split_texts(lines: Iterable[str], n_texts: int, texts: list[list[str]]) -> Iterator[str]:
    """Return the numbers of each line, and append the texts behind them to `texts`."""
    for cells in csv.reader(lines):
        texts.append(cells[-n_texts:])
        yield ",".join(cells[:-n_texts]) + "\n"


def _heading_error(heading: list[str], expected: list[str]) -> str:
    if len(heading) != len(expected):
        return f"the heading has {len(heading):,} columns, it must have {len(expected):,}"
    i = next(i for i, pair in enumerate(zip(heading, expected, strict=True)) if pair[0] != pair[1])
    return f"column {i + 1} of the heading is {heading[i]!r}, it must be {expected[i]!r}"


def _read_numbers(lines: Iterator[str], n_columns: int) -> NDArray[np.float64]:
    """Read all remaining lines as an array (n, n_columns)."""
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


def _read_events(path: Path, key: str | None) -> list[Event]:
    with _open(path) as file, error_context(str(path)):
        own = _of_key(_finished(file), key, f'{{"{KEY_COLUMN}":{json.dumps(key)},', "{")
        word = "line" if key is None else f"event of key {key!r}"
        return [_parse_event(line, f"{path}, {word} {n}") for n, line in enumerate(own, 1)]


def _parse_event(line: str, location: str) -> Event:
    with error_context(f"{location}: not an event"):
        raw = json.loads(line)
        if not isinstance(raw, dict) or raw.get("kind") not in EVENT_KINDS:
            raise InputError(
                f"{location}: {line.strip()!r} is not an event; its kind must be one of {EVENT_KINDS}"
            )
        others = tuple(int(other) for other in raw.get("others", ()))
        numbers = int(raw["id"]), int(raw["step"]), float(raw["time"]), float(raw["cost"])
        return Event(raw["kind"], *numbers, others, raw.get("tentative") is True)


def _check_steps(run: Run, folder: Path) -> Run:
    """Check that every line of a complete run belongs to a step in steps.csv."""
    steps = run.steps["step"]
    if np.any(np.diff(steps) <= 0):
        raise InputError(f"{folder / STEPS_FILE}: the steps must increase from line to line")
    for name, table in ((CLUSTERS_FILE, run.clusters), (SAMPLE_FILE, run.sample)):
        unknown = np.setdiff1d(table["step"], steps)
        if unknown.size:
            raise InputError(f"{folder / name}: step {unknown[0]} is not in {STEPS_FILE}")
    return run


def _trim_unfinished(run: Run, tables: tuple[Table, ...]) -> Run:
    """Keep the steps that all files have; if their ends differ, the last common step may be incomplete."""
    ends = [int(table["step"].max(initial=0)) for table in tables]
    last = min(ends) if len(set(ends)) == 1 else min(ends) - 1

    def until(table: Table) -> Table:
        return {key: column[table["step"] <= last] for key, column in table.items()}

    events = [event for event in run.events if event.step <= last]
    return Run(run.info, until(run.steps), until(run.clusters), until(run.sample), events)
