"""Names of files for FFmpeg, and its errors in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dynmeans.io.errors import InputError, reason
from dynmeans.io.extras import require


def plainly(path: Path) -> str:
    """Give the name of a file in a form in which FFmpeg takes no part of it for a protocol."""
    return f"file:{path}"


@contextmanager
def blame_av(place: Any, kind: type[InputError] = InputError) -> Iterator[None]:
    """Turn the errors of FFmpeg into an `InputError` that names the place."""
    av = require("av", "video")
    try:
        yield
    except (av.FFmpegError, OSError) as error:
        words = place if isinstance(place, str) else place()
        raise kind(f"{words}: {_plain(av, error)}") from None


def _plain(av: Any, error: BaseException) -> str:
    """FFmpeg's word for a file that it does not know is about data; say what it means."""
    if isinstance(error, av.InvalidDataError):
        return "not a video that can be read"
    return getattr(error, "strerror", None) or reason(error)
