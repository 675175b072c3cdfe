"""Verify the outputs of a complete run, and decide whether it must be computed again."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dynmeans._files.atomic_write import sync_folder
from dynmeans._files.digest import describe_files, find_damaged
from dynmeans._files.errors import InputError, InputWarning
from dynmeans._files.run_folder.format import INFO_FILE, LABELS_STEM, REPORT_FILE
from dynmeans._files.run_folder.keyed_tables import KEYS_LOG
from dynmeans._files.run_folder.reader import read_info
from dynmeans._files.run_folder.tables import LABELS_LOG
from dynmeans._files.snapshot import Snapshot, write_snapshot
from dynmeans.estimators._state_files.run_models import RUN
from dynmeans.runs._by_key.key_reports import KEY_REPORT
from dynmeans.runs._folder import holds_other_run, locked_folder
from dynmeans.runs._report import draw_report
from dynmeans.runs._resume.progress import Progress, to_json
from dynmeans.runs._resume.start import RunStart


def must_repeat(start: RunStart, state: Path, known: Mapping[str, Any], *, report: bool, force: bool) -> bool:
    """Verify the outputs of a complete run, and report whether it must be computed again.

    A missing or damaged report is drawn here. All other files require a new run.

    Parameters
    ----------
    start : RunStart
        Its action is "done", so it has a progress and a snapshot.
    state : Path
        State file.
    known : mapping
        Entries of run.json that identify the run.
    report : bool
        Whether to draw a report.
    force : bool
        Whether another run in the folder may be overwritten.

    Raises
    ------
    InputError
        If outputs are damaged and cannot be computed again.
    """
    progress, snapshot = start.progress, start.snapshot
    assert progress is not None
    assert snapshot is not None
    folder = Path(progress.out)
    damaged = _damaged(folder, progress)
    if not all(_is_report(name) for name in damaged):
        is_from_start = snapshot.header.get("n_steps") == progress.steps
        _check_repeatable(folder, state, known, damaged[0], is_from_start=is_from_start, force=force)
        message = f"{folder / damaged[0]}: missing or damaged; the run is computed again"
        warnings.warn(message, InputWarning, stacklevel=4)  # the caller of `cluster_files`
        return True
    _remove_rest(folder)
    if report and (damaged or not (folder / REPORT_FILE).exists()):
        _draw_again(progress, snapshot, state)
    return False


def _is_report(name: str) -> bool:
    return name == REPORT_FILE or name.startswith(KEY_REPORT)


def _damaged(folder: Path, progress: Progress) -> list[str]:
    if progress.outputs:
        return find_damaged(folder, progress.outputs)
    return _damaged_by_size(folder, progress)


def _damaged_by_size(folder: Path, progress: Progress) -> list[str]:
    """Find damaged files by size: state files of version 0.1 have only the lengths of appended files."""
    grown = {name: size for name, size in progress.lengths.items() if name not in (LABELS_LOG, KEYS_LOG)}
    damaged = [name for name, length in grown.items() if _size(folder / name) != length]
    if not any(_size(path) for path in folder.glob(f"{LABELS_STEM}.*") if path.name != LABELS_LOG):
        damaged.append(LABELS_STEM)
    if not _size(folder / INFO_FILE):
        damaged.append(INFO_FILE)
    drawn = (folder / REPORT_FILE).exists() and not _size(folder / REPORT_FILE)
    return [*damaged, *([REPORT_FILE] if drawn else [])]


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _check_repeatable(
    folder: Path, state: Path, known: Mapping[str, Any], damaged: str, *, is_from_start: bool, force: bool
) -> None:
    """Raise if a run cannot be computed again; `is_from_start` if all steps of its model are its own."""
    if not is_from_start:
        raise InputError(
            f"{folder / damaged}: missing or damaged, and cannot be computed again: the run began with the "
            f"model of an earlier run, which {state} no longer has; cluster all inputs again with another "
            "--state"
        )
    if not force and holds_other_run(folder, known):
        raise InputError(
            f"{state}: its run is complete, but {folder} holds another run now; "
            "--force overwrites it, or use another --state and --out"
        )


def _remove_rest(folder: Path) -> None:
    """Remove raw labels, locks and temporary files of a process that was killed after its last save."""
    logs = (LABELS_LOG, KEYS_LOG)
    if any(path.name in logs or path.name.startswith(".") for path in folder.iterdir()):
        with locked_folder(folder):
            for name in logs:
                (folder / name).unlink(missing_ok=True)
            sync_folder(folder)


def _draw_again(progress: Progress, snapshot: Snapshot, state: Path) -> None:
    """Draw the report, and store its checksum in the state file."""
    folder = Path(progress.out)
    with locked_folder(folder):
        draw_report(folder)
    if progress.outputs:
        names = [REPORT_FILE, *read_info(folder).get("reports", {}).values()]
        outputs = {**progress.outputs, **describe_files(folder, names)}
        header = {**snapshot.header, RUN: to_json(progress._replace(outputs=outputs))}
        write_snapshot(state, Snapshot(header, snapshot.arrays))
