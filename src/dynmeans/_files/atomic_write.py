"""Atomic and durable writes of files."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dynmeans._files.lock import real_path, try_lock

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)  # Windows has neither of these two
_BINARY = getattr(os, "O_BINARY", 0)
_STEM = 40  # characters of a name that its temporary file repeats: names have a maximum length
_NOT_SYNCED = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)  # file systems and folders that cannot be synced


@contextmanager
def atomic_write(path: Path, *, durable: bool = True) -> Iterator[Path]:
    """Yield a temporary file to write to, and move it to `path` when it is complete.

    The temporary file is in the folder of its target, with a random name and the same suffix. A symbolic
    link is followed: the file that it points to is replaced, the link stays.

    Parameters
    ----------
    path : Path
        File to write. An error of the operating system names this path.
    durable : bool
        Sync the file before it is moved and its folder afterwards, so that it survives a power cut.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> with atomic_write(target) as temporary:
    ...     _ = temporary.write_text("all of it")
    >>> target.read_text()
    'all of it'
    """
    target = real_path(path)
    temporary, descriptor = _create(target, path)
    try:
        with naming_errors(path, temporary):
            yield temporary
            if durable:
                sync_file(temporary)
            _move(temporary, target, descriptor)
            if durable:
                sync_folder(target.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    finally:
        with suppress(OSError):  # on Windows it is closed already
            os.close(descriptor)


@contextmanager
def naming_errors(path: Path | str, temporary: Path | None = None) -> Iterator[None]:
    """Make errors of the operating system name `path` if they name no file, or the file `temporary`."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # with a file name such an error would lose its message
            raise OSError(f"{path}: {error}") from error
        if error.filename is None or str(error.filename) == str(temporary):
            error.filename = str(path)
        raise


def sync_file(path: Path) -> None:
    """Sync the content of a file to the disk."""
    descriptor = os.open(path, os.O_RDWR | _BINARY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to the disk, if the system supports it."""
    if sys.platform == "win32":  # a folder cannot be opened there
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _NOT_SYNCED:
            raise


def make_folder(folder: Path) -> list[Path]:
    """Create a folder and its parents durably; return those that were missing, outermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()][::-1]
    for path in missing:
        path.mkdir(exist_ok=True)
    for path in folder.parents:  # also if none was missing: a killed process may not have synced them
        sync_folder(path)
    return missing


def remove_leftovers(folder: Path, name: str | None = None) -> None:
    """Remove temporary files that killed processes left in a folder; those in use stay.

    Parameters
    ----------
    folder : Path
    name : str or None
        Only temporary files for this target; None for all.
    """
    stem, suffix = ("", "") if name is None else (Path(name).stem[:_STEM], Path(name).suffix)
    words = (r".+", r"(\.[^.]*)?") if name is None else (re.escape(stem), re.escape(suffix))
    pattern = re.compile(rf"\.{words[0]}\.[0-9a-f]{{16}}\.tmp{words[1]}")
    for entry in list(folder.iterdir()) if folder.is_dir() else []:
        if pattern.fullmatch(entry.name):
            _remove_unlocked(entry)


def _remove_unlocked(leftover: Path) -> None:
    with suppress(OSError):
        descriptor = os.open(leftover, os.O_RDWR | _NO_FOLLOW)
        try:
            if sys.platform != "win32" and try_lock(descriptor):
                leftover.unlink(missing_ok=True)
        finally:
            os.close(descriptor)


def _create(target: Path, path: Path) -> tuple[Path, int]:
    """Create a temporary file that is locked while it is in use, and never one that exists."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY
    while True:
        temporary = target.with_name(f".{target.stem[:_STEM]}.{secrets.token_hex(8)}.tmp{target.suffix}")
        try:
            with naming_errors(path, temporary):
                descriptor = os.open(temporary, flags, 0o666)
        except FileExistsError:
            continue
        if sys.platform != "win32":
            with suppress(OSError):  # a file system without locks: leftovers stay there
                if not (try_lock(descriptor) and temporary.exists()):  # taken for a leftover just now
                    os.close(descriptor)
                    continue
        return temporary, descriptor


def _move(temporary: Path, target: Path, descriptor: int) -> None:
    """Replace the target and keep its permissions."""
    if sys.platform == "win32":
        os.close(descriptor)  # there an open file cannot be moved
    with suppress(OSError):
        temporary.chmod(stat.S_IMODE(target.stat().st_mode))
    temporary.replace(target)
