"""Reader of a run folder, the output of `dynmeans cluster`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from dynmeans._files.errors import InputError, error_context
from dynmeans._files.run_folder.format import (
    CLUSTERS_TABLE,
    EVENTS_FILE,
    FORMAT,
    INFO_FILE,
    SAMPLE_TABLE,
    STEPS_TABLE,
    TIME_KINDS,
    Run,
    Table,
    with_parameters,
)
from dynmeans._files.run_folder.table_readers import read_events, read_table

_INFO_TYPES: dict[str, type] = {
    "title": str,
    "features": list,
    "time": dict,
    "parameters": dict,
    "rows": int,
    "steps": int,
    "complete": bool,
    "version": str,
}


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
    if "by" in info["parameters"]:
        raise InputError(f"{folder}: a run by {info['parameters']['by']!r}; read the keys one by one")
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
    if "by" not in info["parameters"]:
        raise InputError(f"{folder}: the run has one model for all rows, not one per key")
    run = _read_tables(folder, info, str(key))
    if len(run.steps["step"]) == 0:
        raise InputError(f"{folder}: no key {str(key)!r}")
    counts = {"rows": int(run.steps["rows"].sum()), "steps": len(run.steps["step"])}
    title = f"{info['title']}, {info['parameters']['by']} {key}"
    return run._replace(info={**info, **counts, "title": title})


def _read_tables(folder: Path, info: dict[str, Any], key: str | None) -> Run:
    features, has_texts = info["features"], info.get("text") is not None
    run = Run(
        info,
        read_table(folder, STEPS_TABLE, [], key),
        read_table(folder, CLUSTERS_TABLE, features, key, has_texts=has_texts),
        read_table(folder, SAMPLE_TABLE, features, key, has_texts=has_texts),
        read_events(folder / EVENTS_FILE, key),
    )
    if info["complete"]:
        return _check_steps(run, folder)
    # In a run by key, not every step has a sample.
    return _trim_unfinished(run, (run.steps, run.clusters) if key else (run.steps, run.clusters, run.sample))


def read_info(folder: Path) -> dict[str, Any]:
    """Read run.json, and check its format and keys."""
    path = folder / INFO_FILE
    if not path.is_file():
        raise InputError(f"{path.parent} is not a run folder: it has no {path.name}")
    with error_context(f"{path} is not JSON"):
        info = with_parameters(json.loads(path.read_text(encoding="utf-8")))
    if not isinstance(info, dict) or "format" not in info:
        raise InputError(f"{path}: not a description of a dynmeans run, it has no 'format'")
    if info["format"] != FORMAT:
        raise InputError(f"{path}: format {info['format']!r}, but this version reads format {FORMAT} only")
    for key, kind in _INFO_TYPES.items():
        if not isinstance(info.get(key), kind):
            raise InputError(f"{path}: {key!r} is {info.get(key)!r}; it must be of type {kind.__name__}")
    if not info["features"] or not all(isinstance(name, str) for name in info["features"]):
        raise InputError(f"{path}: 'features' is {info['features']!r}; it must list at least one name")
    for scales in (info.get("scales"), info["parameters"].get("feature_scales")):
        if scales is not None and not _are_scales(scales, len(info["features"])):
            raise InputError(
                f"{path}: a scale must be a positive number, one for each feature, got {scales!r}"
            )
    if info["time"].get("kind") not in TIME_KINDS or not isinstance(info["time"].get("name"), str):
        raise InputError(f"{path}: 'time' is {info['time']!r}; it must have a name and a kind, {TIME_KINDS}")
    return info


def _are_scales(values: Any, n_features: int) -> bool:
    are_numbers = isinstance(values, list) and all(type(value) in (int, float) for value in values)
    return are_numbers and len(values) == n_features and all(0 < value < math.inf for value in values)


def _check_steps(run: Run, folder: Path) -> Run:
    """Check that every line of a complete run belongs to a step in steps.csv."""
    steps = run.steps["step"]
    if np.any(np.diff(steps) <= 0):
        raise InputError(f"{folder / STEPS_TABLE.file}: the steps must increase from line to line")
    for name, table in ((CLUSTERS_TABLE.file, run.clusters), (SAMPLE_TABLE.file, run.sample)):
        unknown = np.setdiff1d(table["step"], steps)
        if unknown.size:
            raise InputError(f"{folder / name}: step {unknown[0]} is not in {STEPS_TABLE.file}")
    return run


def _trim_unfinished(run: Run, tables: tuple[Table, ...]) -> Run:
    """Keep the steps that all files have; if their ends differ, the last common step may be incomplete."""
    ends = [int(table["step"].max(initial=0)) for table in tables]
    last = min(ends) if len(set(ends)) == 1 else min(ends) - 1

    def until(table: Table) -> Table:
        return {key: column[table["step"] <= last] for key, column in table.items()}

    events = [event for event in run.events if event.step <= last]
    return Run(run.info, until(run.steps), until(run.clusters), until(run.sample), events)
