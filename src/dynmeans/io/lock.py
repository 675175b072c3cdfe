"""One process at a time for a file that several could write."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dynmeans.io.errors import InputError

if sys.platform == "win32":
    import msvcrt

    def _grab(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _grab(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep `path` to this process, or say that another has it.

    The system lets go of the lock when its process ends, however it ends: no killed run leaves one behind.

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
    place = path.with_name(f".{path.name}.lock")
    descriptor = _open_locked(place, path)
    try:
        yield
    finally:
        if sys.platform != "win32":  # there an open file cannot be removed
            place.unlink(missing_ok=True)
        os.close(descriptor)


def _open_locked(place: Path, path: Path) -> int:
    while True:
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT)
        try:
            _grab(descriptor)
        except OSError:
            os.close(descriptor)
            raise InputError(f"{path}: in use by another run; wait for it, or use another --state") from None
        if _is_at(descriptor, place):
            return descriptor
        os.close(descriptor)  # its owner removed it between our two calls


def _is_at(descriptor: int, place: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), place.stat())
    except FileNotFoundError:
        return False
