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
    """Turn whatever FFmpeg or PyAV raises into an `InputError` that names the place."""
    av = require("av", "video")
    try:
        yield
    except (InputError, ImportError):
        raise
    except Exception as error:
        words = place if isinstance(place, str) else place()
        cause = "not enough memory, " if isinstance(error, MemoryError) else ""
        raise kind(f"{words}: {cause}{_plain(av, error)}") from None


def open_video(path: Path) -> Any:
    """Open a video with PyAV; text in it that is not UTF-8 is read as far as it can be."""
    return require("av", "video").open(plainly(path), metadata_errors="replace")


def _plain(av: Any, error: BaseException) -> str:
    """FFmpeg's word for a file that it does not know is about data; say what it means."""
    if isinstance(error, av.InvalidDataError):
        return "not a video that can be read"
    return getattr(error, "strerror", None) or reason(error)
