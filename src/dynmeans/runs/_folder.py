"""Lock, check and clear the folder of a run; other files are kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from dynmeans._files.atomic_write import make_folder, remove_leftovers, sync_folder
from dynmeans._files.errors import InputError
from dynmeans._files.lock import holding, real_path
from dynmeans._files.run_folder.format import (
    CLUSTERS_TABLE,
    EVENTS_FILE,
    FORMAT,
    INFO_FILE,
    LABELS_STEM,
    PICTURE_FILE,
    REPORT_FILE,
    SAMPLE_TABLE,
    STEPS_TABLE,
    with_parameters,
)
from dynmeans._files.run_folder.keyed_tables import KEYS_LOG
from dynmeans._files.run_folder.labels import labels_file
from dynmeans._files.run_folder.tables import LABELS_LOG
from dynmeans._tables.sources import FORMATS
from dynmeans.runs._by_key.key_reports import KEY_REPORT

LOCK_FILE = ".dynmeans.lock"  # only while a run lasts
_FILES = (
    INFO_FILE,
    STEPS_TABLE.file,
    CLUSTERS_TABLE.file,
    EVENTS_FILE,
    SAMPLE_TABLE.file,
    LABELS_LOG,
    KEYS_LOG,
    REPORT_FILE,
    PICTURE_FILE,
)
_ATTEMPTS = 100  # to lock a folder that other processes create and remove


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Lock a folder for this process.

    A missing folder is created, and removed again if nothing is written into it. Temporary files of killed
    processes are removed.

    Raises
    ------
    InputError
        If the folder cannot be written, or another process has locked it.
    """
    _check_writable(folder)
    with ExitStack() as stack:
        for attempt in range(_ATTEMPTS):
            made = make_folder(folder)
            try:
                stack.enter_context(holding(folder / LOCK_FILE, folder, "--out"))
                break
            except FileNotFoundError:  # another process has removed the folder
                if attempt == _ATTEMPTS - 1:
                    raise
        try:
            remove_leftovers(folder)
            yield
        finally:
            stack.close()
            _remove_empty(made)


def _remove_empty(folders: Sequence[Path]) -> None:
    with suppress(OSError):  # stop at the first folder that is not empty
        for folder in reversed(folders):
            folder.rmdir()


def check_folder(
    folder: Path,
    *,
    force: bool,
    again: Mapping[str, Any] | None,
    inputs: Iterable[Path],
    names: Sequence[str] = (),
) -> None:
    """Check that a run may be written into a folder.

    Parameters
    ----------
    folder : Path
        It need not exist.
    force : bool
        Whether another run in the folder may be overwritten.
    again : mapping or None
        Entries of run.json that identify this run. If it was killed before its first checkpoint, it is
        overwritten without `force`.
    inputs : iterable of Path
        Files that must never be overwritten.
    names : sequence of str
        Additional files of this run, as paths relative to the folder.

    Raises
    ------
    InputError
        If the folder cannot be written, or holds a run or an input that would be lost.
    """
    for parent in dict.fromkeys((folder / name).parent for name in (INFO_FILE, *names)):
        _check_writable(parent)
    present = _present(folder, names)
    _check_inputs(present, inputs)
    folders = [path for path in present if path.is_dir()]
    if folders:
        raise InputError(f"{folders[0]}: a folder, where the run would write a file; choose another --out")
    if present and not force and not _is_again(folder, again):
        held = present[0].relative_to(folder)
        what = f"{_kind_of_run(folder)} ({held})" if held.name == INFO_FILE else f"{held} already"
        raise InputError(f"{folder}: holds {what}; --force overwrites it")


def _kind_of_run(folder: Path) -> str:
    info = _info(folder)
    if info.get("complete") is not False or not isinstance(info.get("steps"), int):
        return "a run already"
    n_steps = info["steps"]
    return f"an incomplete run of {n_steps:,} {'step' if n_steps == 1 else 'steps'}"


def check_output_files(
    folder: Path, names: Iterable[str], *, force: bool, inputs: Iterable[Path] = ()
) -> None:
    """Check that files may be written into a folder, which need not exist.

    Raises
    ------
    InputError
        If the folder cannot be written, or one of the files exists and is an input or `force` is false.
    """
    _check_writable(folder)
    present = [folder / name for name in names if (folder / name).exists()]
    _check_inputs(present, inputs)
    if present and not force:
        raise InputError(f"{folder}: holds results already ({present[0].name}); --force overwrites them")


def check_state_file(state: Path, folder: Path) -> None:
    """Refuse a state file that the run would overwrite with one of its results, or the reverse."""
    target, root = real_path(state), real_path(folder)
    name = target.name
    is_result = name in _FILES or name.startswith((f"{LABELS_STEM}.", KEY_REPORT)) or name == LOCK_FILE
    if target == root or (is_result and target.parent == root):
        raise InputError(f"{state}: the run writes a result of this name; choose another --state")


def clear_folder(folder: Path, names: Sequence[str] = ()) -> None:
    """Create a folder, or remove the files of a run from it; run.json last, because it lists the others.

    `names` are those of `check_folder`. All other files stay.
    """
    make_folder(folder)
    for path in reversed(_present(folder, names)):
        path.unlink()
    sync_folder(folder)


def _present(folder: Path, names: Sequence[str]) -> list[Path]:
    """List the existing files of the run and of the previous run, run.json first."""
    paths = [*(folder / name for name in _FILES), *(labels_file(folder, format) for format in FORMATS)]
    own = [folder / name for name in (*names, *_written(folder))]
    return [path for path in dict.fromkeys([*paths, *own]) if os.path.lexists(path)]


def _written(folder: Path) -> list[str]:
    """Return the additional files that run.json lists."""
    info = _info(folder)
    files = info.get("files") if info.get("format") == FORMAT else None
    if not isinstance(files, list) or not all(isinstance(name, str) for name in files):
        return []
    return [name for name in files if not Path(name).is_absolute() and ".." not in Path(name).parts]


def _info(folder: Path) -> dict[str, Any]:
    """Return the content of run.json, or an empty dictionary if it cannot be read."""
    try:
        info = json.loads((folder / INFO_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return with_parameters(info) if isinstance(info, dict) else {}


def _check_inputs(present: Iterable[Path], inputs: Iterable[Path]) -> None:
    lost = {*map(os.path.realpath, present)} & {*map(os.path.realpath, inputs)}
    if lost:
        raise InputError(f"{min(lost)}: an input that the run would overwrite; choose another --out")


def _check_writable(folder: Path) -> None:
    paths = (folder, *folder.absolute().parents)
    nearest = next(path for path in paths if path.exists() or path.is_symlink())
    if not nearest.exists():
        raise InputError(f"{folder}: cannot be written, {nearest} is a symbolic link without a target")
    if not nearest.is_dir():
        raise InputError(f"{folder}: cannot be written, {nearest} is not a folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: cannot be written, no permission to write in {nearest}")


def _is_again(folder: Path, again: Mapping[str, Any] | None) -> bool:
    info = _info(folder)
    if again is None or info.get("complete") is not False:
        return False
    return _is_known(info, again)


def holds_other_run(folder: Path, known: Mapping[str, Any]) -> bool:
    """Whether a folder holds a run other than the one with these entries of run.json."""
    info = _info(folder)
    return bool(info) and not _is_known(info, known)


def _is_known(info: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    return all(info.get(key) == value for key, value in known.items())
