"""Checks of the progress of a run in a state file, which may be well-formed and still be false."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from dynmeans._files.snapshot import SnapshotError
from dynmeans._tables.columns import Columns
from dynmeans.estimators._state_files.run_models import check_scale
from dynmeans.estimators._state_files.state_checks import number, whole

_COUNTS = ("rows", "steps", "born", "revived", "died", "confirmed", "left_out")
_WINDOWS = ("anchor", "origin")


def check_progress(raw: Any) -> None:
    """Raise an error unless each entry has a type and a value that a run can have saved.

    Raises
    ------
    SnapshotError
        If an entry is impossible.
    KeyError
        If an entry is missing.
    """
    _require(isinstance(raw, dict), "progress", raw)
    _check("out", raw["out"], _is_text)
    _check("complete", raw.get("complete", False), lambda value: isinstance(value, bool))
    _check("parameters", raw["parameters"], lambda value: isinstance(value, dict))
    _check("inputs", raw["inputs"], lambda value: isinstance(value, list) and all(map(_is_input, value)))
    _check("position", raw["position"], lambda value: _are(value, _is_count) and len(value) in (2, 3))
    _check("windows", raw["windows"], lambda value: isinstance(value, dict) and set(value) <= {*_WINDOWS})
    for name, value in {**raw["windows"], "clock": raw.get("clock")}.items():
        _ = None if value is None else number(name, value)
    for name in _COUNTS:
        whole({name: 0, **raw}, name)
    _check_files("lengths", raw.get("lengths", {}), _is_count)
    _check_files("outputs", raw.get("outputs", {}), _is_content)
    _check_columns(raw["columns"])
    check_scale(raw["scale"], len(raw["columns"]["features"]))


def _check_columns(raw: Any) -> None:
    _check("columns", raw, lambda value: isinstance(value, dict) and set(value) <= set(Columns._fields))
    for name, value in {"names": [], "dated": False, **raw}.items():
        if name in ("features", "names", "left_out"):
            _check(name, value, lambda value: _are(value, _is_text))
        elif name == "dated":
            _check(name, value, lambda value: isinstance(value, bool))
        elif value is not None:
            _check(name, value, _is_text)
    if raw.get("names"):
        for name in Columns(**{**raw, "features": tuple(raw["features"])}).needed():
            _require(name in raw["names"], "column", name)


def _check_files(name: str, raw: Any, is_valid: Callable[[Any], bool]) -> None:
    """Check entries by the name of a file in the folder of the run; a path would lead out of it."""
    _check(name, raw, lambda value: isinstance(value, dict))
    for file, value in raw.items():
        _require(PurePath(file).name == file, f"a file in {name}", file)
        _check(f"{name} of {file!r}", value, is_valid)


def _check(name: str, value: Any, is_valid: Callable[[Any], bool]) -> None:
    _require(is_valid(value), name, value)


def _require(holds: bool, name: str, value: Any) -> None:
    if not holds:
        raise SnapshotError(f"impossible {name}: {str(value)[:60]!r}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**62


def _are(values: Any, is_valid: Callable[[Any], bool]) -> bool:
    return isinstance(values, list) and all(map(is_valid, values))


def _is_input(value: Any) -> bool:
    """Return whether a value is a fingerprint: a name, and a size unless it was a stream."""
    is_known = isinstance(value, Mapping) and _is_text(value.get("name"))
    return is_known and (value.get("size") is None or _is_count(value["size"]))


def _is_content(value: Any) -> bool:
    is_known = isinstance(value, Mapping) and set(value) == {"size", "hash"}
    return is_known and _is_count(value["size"]) and _is_text(value["hash"])
