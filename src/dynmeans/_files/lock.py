"""Locks: one process at a time writes to a file."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dynmeans._files.errors import InputError, reason

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)

if sys.platform == "win32":
    import msvcrt

    def _grab(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _grab(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def try_lock(descriptor: int) -> bool:
    """Lock an open file, or return False if another process has it.

    The operating system releases the lock when the process ends, also after a crash.

    Raises
    ------
    OSError
        If the file system has no locks.
    """
    try:
        _grab(descriptor)
    except (BlockingIOError, PermissionError):
        return False
    return True


def real_path(path: str | os.PathLike[str]) -> Path:
    """Follow all symbolic links of a path.

    Raises
    ------
    OSError
        If the links form a loop.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))
    return target


@contextmanager
def locked(path: Path, option: str = "--state") -> Iterator[None]:
    """Lock `path` for this process, or raise an error that names the option to change.

    All symbolic links to a file share one lock file, which is next to the file.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "state"
    >>> with locked(target):
    ...     sorted(entry.name for entry in target.parent.iterdir())
    ['.state.lock']
    >>> list(target.parent.iterdir())
    []
    """
    target = real_path(path)
    location = target.with_name(f".{target.name}.lock")
    with holding(location, path, option):
        yield


@contextmanager
def holding(location: Path, path: Path, option: str) -> Iterator[None]:
    """Hold the lock file `location` of `path`, and remove it at the end."""
    descriptor = _open_locked(location, path, option)
    try:
        yield
    finally:
        if sys.platform != "win32":  # there an open file cannot be removed
            location.unlink(missing_ok=True)
        os.close(descriptor)


def _open_locked(location: Path, path: Path, option: str) -> int:
    while True:
        descriptor = _open(location, path)
        try:
            mine = try_lock(descriptor)
        except OSError as error:
            os.close(descriptor)
            raise InputError(f"{path}: cannot be locked ({reason(error)}); use another {option}") from None
        if not mine:
            os.close(descriptor)
            raise InputError(f"{path}: in use by another run; wait for it, or use another {option}")
        if _is_at(descriptor, location):
            return descriptor
        os.close(descriptor)  # its owner removed it between our two calls


def _open(location: Path, path: Path) -> int:
    try:
        return os.open(location, os.O_RDWR | os.O_CREAT | _NO_FOLLOW, 0o666)
    except OSError as error:
        error.filename = str(path)  # the message names the path that the user gave
        raise


def _is_at(descriptor: int, location: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), location.stat())
    except FileNotFoundError:
        return False
