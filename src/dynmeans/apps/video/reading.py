"""Frames out of a video file, upright and in RGB, with its sound as it is stored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from dynmeans.apps.video.colors import Pixels
from dynmeans.io.errors import InputError, reason
from dynmeans.io.extras import require

_PLAIN_RATE = Fraction(24)  # where a file does not say
_SHORTFALL = 1.0  # seconds that may be missing at the end of a file that is whole


class Frame(NamedTuple):
    """One picture of a video."""

    pixels: Pixels  # (height, width, 3) RGB
    seconds: float  # when it is shown


class Sound(NamedTuple):
    """A piece of sound, still encoded."""

    packet: Any


class VideoFile:
    """A video to be read once, from its beginning to its end.

    All frames have the size of the first, turned as the file says; what is transparent is seen before black.

    Parameters
    ----------
    path : path
    size : (width, height), optional
        To which all frames are scaled, before they are turned.

    Raises
    ------
    InputError
        If there is no such file, or no video in it.
    ImportError
        If PyAV, which the extra ``video`` brings, is missing.

    Examples
    --------
    >>> with VideoFile("holiday.mp4") as video:  # doctest: +SKIP
    ...     for frame in video.frames():
    ...         print(frame.seconds, frame.pixels.mean())
    """

    def __init__(self, path: str | Path, *, size: tuple[int, int] | None = None) -> None:
        self.path = Path(path)
        av = require("av", "video")
        with blame_av(str(path)):
            self._container = av.open(str(path))
        if not self._container.streams.video:
            rest = ", only sound" if self._container.streams.audio else ""
            self._container.close()
            raise InputError(f"{path}: no video in it{rest}")
        self._stream = self._container.streams.video[0]
        self._stream.thread_type = "AUTO"
        self._size = size

    def __enter__(self) -> VideoFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._container.close()

    @property
    def rate(self) -> Fraction:
        """Frames a second, on average."""
        return Fraction(self._stream.average_rate or self._stream.guessed_rate or _PLAIN_RATE)

    @property
    def n_frames(self) -> int | None:
        """How many frames there should be, if the file tells."""
        if self._stream.frames:
            return int(self._stream.frames)
        return round(self._length * self.rate) if self._length else None

    @property
    def sound(self) -> Any:
        """The stream of sound, or None."""
        return next(iter(self._container.streams.audio), None)

    def frames(self) -> Iterator[Frame]:
        """All frames in the order in which they are shown."""
        return (part for part in self.parts() if isinstance(part, Frame))

    def parts(self) -> Iterator[Frame | Sound]:
        """Frames and sound as they come in the file.

        Raises
        ------
        InputError
            Where the file is damaged or ends too early, after all that could be read before.
        """
        wanted = [self._stream] if self.sound is None else [self._stream, self.sound]
        count, last, shift = 0, 0.0, 0.0
        with blame_av(lambda: f"{self.path}: damaged after {last:.2f} s ({count:,} frames)"):
            for packet in self._container.demux(wanted):
                if packet.stream is not self._stream:
                    if packet.dts is not None:
                        yield Sound(packet)
                    continue
                for picture in packet.decode():
                    seconds = float(count / self.rate if picture.time is None else picture.time) + shift
                    if count and seconds <= last:  # the clock was set back, as where files were joined
                        shift += last + float(1 / self.rate) - seconds
                        seconds = last + float(1 / self.rate)
                    count, last = count + 1, seconds
                    yield Frame(self._upright(picture), last)
        if not count:
            raise InputError(f"{self.path}: no frame in it")
        self._check_end(last)

    @property
    def _length(self) -> float | None:
        """Seconds of video that the file promises."""
        if self._stream.duration:
            return float(self._stream.duration * self._stream.time_base)
        if self._container.duration and self.sound is None:  # sound may go on after the last frame
            return float(self._container.duration / 1e6)
        return None

    def _check_end(self, last: float) -> None:
        begin = float((self._stream.start_time or 0) * self._stream.time_base)
        promised = 0.0 if self._length is None else self._length
        if promised - (last - begin) > _SHORTFALL + 1 / self.rate:
            raise InputError(f"{self.path}: ends after {last:.2f} s, but should last {promised:.2f} s")

    def _upright(self, picture: Any) -> Pixels:
        turns = round(picture.rotation / 90) % 4
        see_through = any(part.is_alpha for part in picture.format.components)
        width, height = self._size or (picture.width, picture.height)
        self._size = width, height
        shape = {"width": width, "height": height, "format": "rgba" if see_through else "rgb24"}
        pixels = picture.reformat(**shape).to_ndarray()
        if see_through:
            pixels = (pixels[..., :3] * (pixels[..., 3:] / 255.0)).round().astype(np.uint8)
        return np.ascontiguousarray(np.rot90(pixels, turns))


@contextmanager
def blame_av(place: Any) -> Iterator[None]:
    """Turn the errors of FFmpeg into an `InputError` that names the place."""
    av = require("av", "video")
    try:
        yield
    except (av.FFmpegError, OSError) as error:
        words = place if isinstance(place, str) else place()
        raise InputError(f"{words}: {_plain(av, error)}") from None


def _plain(av: Any, error: BaseException) -> str:
    """FFmpeg's word for a file that it does not know is about data; say what it means."""
    if isinstance(error, av.InvalidDataError):
        return "not a video that can be read"
    return reason(error)
