"""The same line again after a run is complete: verify its outputs, and restore what is missing or damaged."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dynmeans._files.atomic_write import sync_folder
from dynmeans._files.digest import describe_files, find_damaged
from dynmeans._files.errors import InputError
from dynmeans._files.run_folder import INFO_FILE, LABELS_STEM, REPORT_FILE
from dynmeans._files.run_tables import LABELS_LOG
from dynmeans._files.snapshot import Snapshot, write_snapshot
from dynmeans.cli.console import amount, print_error, say
from dynmeans.cli.report import draw_report
from dynmeans.runs.folder import holds_other_run, locked_folder
from dynmeans.runs.plan import Plan
from dynmeans.runs.progress import KEY, Progress, to_json


def must_repeat(
    plan: Plan, state: Path, out: Path, known: Mapping[str, Any], *, report: bool, force: bool
) -> bool:
    """Verify the outputs of a complete run, and report whether it must be computed again.

    A report is drawn again here; all other files come only from a new run.

    Parameters
    ----------
    plan : Plan
        Its action is "done".
    state, out : Path
        State file and folder of the command line.
    known : mapping
        Entries of run.json by which the run is known.
    report : bool
        Whether a report is wanted.
    force : bool
        Whether another run that lies in the folder may be overwritten.

    Raises
    ------
    InputError
        If outputs are damaged and cannot be computed again.
    """
    if plan.progress is None:
        raise RuntimeError("a finished run without progress")
    folder = Path(plan.progress.out)
    damaged = _damaged(folder, plan.progress)
    if set(damaged) - {REPORT_FILE}:
        _check_repeatable(plan, state, out, known, damaged, force)
        print_error(f"{folder / damaged[0]}: missing or damaged; the run is computed again", kind="warning: ")
        return True
    _remove_rest(folder)
    if report and (damaged or not (folder / REPORT_FILE).exists()):
        _draw_again(plan, plan.progress, state)
    say(f"already complete: {size_of(plan.progress)}, in {folder}")
    return False


def size_of(progress: Progress) -> str:
    """Rows and steps of a run, in words."""
    return f"{amount(progress.rows, 'row')} in {amount(progress.steps, 'step')}"


def _damaged(folder: Path, progress: Progress) -> list[str]:
    if progress.outputs:
        return find_damaged(folder, progress.outputs)
    return _damaged_by_size(folder, progress)


def _damaged_by_size(folder: Path, progress: Progress) -> list[str]:
    """State files of version 0.1 know only the lengths of the files that grow."""
    grown = {name: length for name, length in progress.lengths.items() if name != LABELS_LOG}
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
    plan: Plan, state: Path, out: Path, known: Mapping[str, Any], damaged: list[str], force: bool
) -> None:
    if plan.progress is None or plan.snapshot is None:
        raise RuntimeError("a finished run without progress")
    folder = Path(plan.progress.out)
    place = folder / damaged[0]
    if out.resolve() != folder:
        raise InputError(f"{place}: missing or damaged; with --out {folder} the run is computed again")
    if plan.snapshot.header.get("n_steps") != plan.progress.steps:
        raise InputError(
            f"{place}: missing or damaged, and cannot be computed again: the run began with the model of an "
            f"earlier run, which {state} no longer has; cluster all inputs again with another --state"
        )
    if not force and holds_other_run(folder, known):
        raise InputError(
            f"{state}: its run is complete, but {folder} holds another run now; "
            "--force overwrites it, or use another --state and --out"
        )


def _remove_rest(folder: Path) -> None:
    """Remove what a run leaves that is struck after its last save: raw labels, a lock, temporary files."""
    if any(path.name == LABELS_LOG or path.name.startswith(".") for path in folder.iterdir()):
        with locked_folder(folder):
            (folder / LABELS_LOG).unlink(missing_ok=True)
            sync_folder(folder)


def _draw_again(plan: Plan, progress: Progress, state: Path) -> None:
    """Draw the report, and let the state know its new checksum."""
    folder = Path(progress.out)
    with locked_folder(folder):
        draw_report(folder)
    if progress.outputs and plan.snapshot is not None:
        outputs = {**progress.outputs, **describe_files(folder, [REPORT_FILE])}
        header = {**plan.snapshot.header, KEY: to_json(progress._replace(outputs=outputs))}
        write_snapshot(state, Snapshot(header, plan.snapshot.arrays))
