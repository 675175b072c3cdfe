"""Taking a folder for a run without harming what lies in it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dynmeans.io.errors import InputError
from dynmeans.io.labels import labels_file
from dynmeans.io.run import (
    CLUSTERS_FILE,
    EVENTS_FILE,
    INFO_FILE,
    PICTURE_FILE,
    REPORT_FILE,
    SAMPLE_FILE,
    STEPS_FILE,
)
from dynmeans.io.runfiles import LABELS_SPOOL
from dynmeans.io.sources import FORMATS


def check_folder(
    folder: Path, *, force: bool, again: Mapping[str, Any] | None, inputs: Iterable[Path]
) -> None:
    """Make sure that a run may be written into a folder, before anything is read or written.

    Parameters
    ----------
    folder : Path
        It need not exist.
    force : bool
        Whether a run that lies there may be overwritten.
    again : mapping or None
        Entries of run.json by which a run is known that was killed before it could save its state: it is
        overwritten without force.
    inputs : iterable of Path
        Files that must not be overwritten in any case.

    Raises
    ------
    InputError
        If the folder cannot be written, or holds a run or an input that would be lost.
    """
    _check_writable(folder)
    present = _present(folder)
    _check_inputs(present, inputs)
    if present and not force and not _is_again(folder, again):
        raise InputError(f"{folder}: holds a run already ({present[0].name}); --force overwrites it")


def check_place(folder: Path, names: Iterable[str], *, force: bool, inputs: Iterable[Path] = ()) -> None:
    """Make sure that files may be written into a folder, which need not exist.

    Raises
    ------
    InputError
        If the folder cannot be written, or holds one of the files and `force` does not allow to overwrite it
        or it is one of the inputs.
    """
    _check_writable(folder)
    present = [folder / name for name in names if (folder / name).exists()]
    _check_inputs(present, inputs)
    if present and not force:
        raise InputError(f"{folder}: holds results already ({present[0].name}); --force overwrites them")


def clear_folder(folder: Path) -> None:
    """Make a folder, or remove the files of a run from it; run.json goes last, to tell what the rest is."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in reversed(_present(folder)):
        path.unlink()


def _present(folder: Path) -> list[Path]:
    """Files of a run that lie in a folder, run.json first."""
    fixed = (
        INFO_FILE,
        STEPS_FILE,
        CLUSTERS_FILE,
        EVENTS_FILE,
        SAMPLE_FILE,
        LABELS_SPOOL,
        REPORT_FILE,
        PICTURE_FILE,
    )
    paths = [*(folder / name for name in fixed), *(labels_file(folder, format) for format in FORMATS)]
    return [path for path in paths if path.exists()]


def _check_inputs(present: Iterable[Path], inputs: Iterable[Path]) -> None:
    lost = {path.resolve() for path in present} & {path.resolve() for path in inputs}
    if lost:
        raise InputError(f"{min(lost)}: an input that the run would overwrite; choose another --out")


def _check_writable(folder: Path) -> None:
    nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not nearest.is_dir():
        raise InputError(f"{folder}: cannot be written, {nearest} is not a folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: cannot be written, no permission to write in {nearest}")


def _is_again(folder: Path, again: Mapping[str, Any] | None) -> bool:
    try:
        info = json.loads((folder / INFO_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    if again is None or not isinstance(info, dict) or info.get("complete") is not False:
        return False
    return all(info.get(key) == value for key, value in again.items())
