"""Open videos with FFmpeg and translate its errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dynmeans._files.errors import InputError, reason
from dynmeans._files.extras import require

_MAX_PIXELS = 2**25  # per frame, slightly more than 8K; a small damaged file can claim far more


def file_url(path: Path) -> str:
    """Return a file URL, so that FFmpeg does not take part of the name for a protocol."""
    return f"file:{path}"


@contextmanager
def av_error_context(location: Any, kind: type[InputError] = InputError) -> Iterator[None]:
    """Convert any exception of FFmpeg or PyAV to an `InputError` that names the file."""
    av = require("av", "video")
    try:
        yield
    except (InputError, ImportError):
        raise
    except Exception as error:
        words = location if isinstance(location, str) else location()
        cause = "not enough memory, " if isinstance(error, MemoryError) else ""
        raise kind(f"{words}: {cause}{_plain(av, error)}") from None


def open_video(path: Path) -> Any:
    """Open a video with PyAV; invalid UTF-8 in its metadata is replaced."""
    av = require("av", "video")
    # PyAV 19 replaces invalid text by itself and has no such option.
    options = {} if int(av.__version__.partition(".")[0]) >= 19 else {"metadata_errors": "replace"}
    return av.open(file_url(path), **options)


def _plain(av: Any, error: BaseException) -> str:
    """Return the message of an error, with a clearer text for an unknown format."""
    if isinstance(error, av.InvalidDataError):
        return "not a readable video"
    return getattr(error, "strerror", None) or reason(error)


def video_stream(container: Any, name: str) -> Any:
    """Return the first stream of a container that is a video, if it can be decoded."""
    films = [stream for stream in container.streams.video if not _is_cover(stream)]
    if not films:
        rest = ", only sound" if container.streams.audio else ""
        raise InputError(f"{name}: contains no video{rest}")
    context = films[0].codec_context
    if context is None:
        raise InputError(f"{name}: FFmpeg has no decoder for its video")
    if context.width * context.height > _MAX_PIXELS:
        size = f"{context.width} x {context.height}"
        raise InputError(f"{name}: frames of {size} pixels; at most {_MAX_PIXELS:,} are read")
    return films[0]


def _is_cover(stream: Any) -> bool:
    """Return whether a stream is cover art instead of video."""
    return bool(stream.disposition & require("av", "video").stream.Disposition.attached_pic)
