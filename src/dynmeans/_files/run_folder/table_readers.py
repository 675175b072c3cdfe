"""Readers of the tables and events of a run folder."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from dynmeans._files.errors import InputError, error_context
from dynmeans._files.run_folder.format import EVENT_KINDS, FEATURES, KEY_COLUMN, Table, TableFormat, key_cell
from dynmeans._model.events import Event

_REAL_COLUMNS = ("time", "cost", "weight", "age", "birth_cost")  # all other fixed columns are whole numbers


def _open(path: Path) -> TextIO:
    if not path.is_file():
        raise InputError(f"{path.parent} is not a complete run folder: it has no {path.name}")
    return path.open(encoding="utf-8", newline="")


def _finished(lines: Iterable[str]) -> Iterator[str]:
    """Drop an incomplete last line: its writer was stopped."""
    return (line for line in lines if line.endswith("\n"))


def _of_key(lines: Iterable[str], key: str | None, front: str, rest: str = "") -> Iterator[str]:
    """Return the lines of one key, which begin with `front`; `rest` replaces it."""
    if key is None:
        return iter(lines)
    return (rest + line[len(front) :] for line in lines if line.startswith(front))


def read_table(
    folder: Path, format: TableFormat, features: list[str], key: str | None, *, has_texts: bool = False
) -> Table:
    """Read fixed columns by name, the features as one block, and texts; of one key, if it is given."""
    path, fixed, texts = folder / format.file, format.columns, format.texts if has_texts else ()
    front = [] if key is None else [KEY_COLUMN]
    with _open(path) as file, error_context(f"{path} (rows counted from 0, after the heading)"):
        heading = next(csv.reader(file), [])
        if len(heading) != len([*front, *fixed, *features, *texts]):
            fixed = (*fixed, *format.newer)
        expected = [*fixed, *features, *texts]
        if heading != front + expected:
            raise InputError(f"{path}: {_heading_error(heading, front + expected)}")
        own = _of_key(_finished(file), key, f"{key_cell(key or '')},")
        written: list[list[str]] = []
        lines = _split_texts(own, len(texts), written) if texts else own
        numbers = _read_numbers(_filled(lines) if format.newer else lines, len(expected) - len(texts))
    table: Table = {name: numbers[:, i] for i, name in enumerate(fixed)}
    for name in fixed:
        if name not in _REAL_COLUMNS:
            table[name] = _whole(path, name, table[name])
    if features:
        table[FEATURES] = np.ascontiguousarray(numbers[:, len(fixed) :])
    for i, name in enumerate(texts):
        table[name] = np.array([row[i] for row in written], dtype=object)
    return table


def _filled(lines: Iterable[str]) -> Iterator[str]:
    """Replace empty cells by NaN."""
    return (",".join(cell or "nan" for cell in line.rstrip("\n").split(",")) for line in lines)


def _split_texts(lines: Iterable[str], n_texts: int, texts: list[list[str]]) -> Iterator[str]:
    """Return the numbers of each line, and append the texts behind them to `texts`."""
    for cells in csv.reader(lines):
        texts.append(cells[-n_texts:])
        yield ",".join(cells[:-n_texts]) + "\n"


def _heading_error(heading: list[str], expected: list[str]) -> str:
    if len(heading) != len(expected):
        return f"the heading has {len(heading):,} columns; it must have {len(expected):,}"
    i = next(i for i, pair in enumerate(zip(heading, expected, strict=True)) if pair[0] != pair[1])
    return f"column {i + 1} of the heading is {heading[i]!r}; it must be {expected[i]!r}"


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
        raise InputError(f"{path}: {name} of row {row + 1} is {values[row]}; it must be a whole number")
    return values.astype(np.int64)


def read_events(path: Path, key: str | None) -> list[Event]:
    """Read the events, of one key if it is given."""
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
        cost = math.nan if raw["cost"] is None else float(raw["cost"])
        numbers = int(raw["id"]), int(raw["step"]), float(raw["time"]), cost
        return Event(raw["kind"], *numbers, others, raw.get("tentative") is True)
