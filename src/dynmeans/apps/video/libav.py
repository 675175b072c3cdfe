"""Videos opened by FFmpeg, and its errors in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dynmeans._files.errors import InputError, reason
from dynmeans._files.extras import require

_MOST_PIXELS = 2**25  # of a frame; 8K has a little less. A small file can promise far more


def plainly(path: Path) -> str:
    """Give the name of a file in a form in which FFmpeg takes no part of it for a protocol."""
    return f"file:{path}"


@contextmanager
def av_error_context(place: Any, kind: type[InputError] = InputError) -> Iterator[None]:
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


def film_of(container: Any, name: str) -> Any:
    """Return the first stream of a container that is a video, if it can be decoded."""
    films = [stream for stream in container.streams.video if not _is_cover(stream)]
    if not films:
        rest = ", only sound" if container.streams.audio else ""
        raise InputError(f"{name}: no video in it{rest}")
    context = films[0].codec_context
    if context is None:
        raise InputError(f"{name}: its video is of a kind that FFmpeg does not decode")
    if context.width * context.height > _MOST_PIXELS:
        size = f"{context.width} x {context.height}"
        raise InputError(f"{name}: frames of {size} pixels; at most {_MOST_PIXELS:,} are read")
    return films[0]


def _is_cover(stream: Any) -> bool:
    """Whether a stream is a picture on the cover of a recording, and no video."""
    return bool(stream.disposition & require("av", "video").stream.Disposition.attached_pic)
