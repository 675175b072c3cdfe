"""Read upright RGB frames and encoded audio from a video file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from dynmeans._files.errors import InputError
from dynmeans._files.extras import require
from dynmeans.apps.video._audio import Track
from dynmeans.apps.video._colorspace import PixelMetadata, assumed_matrix, pixel_metadata
from dynmeans.apps.video._libav import av_error_context, open_video, video_stream
from dynmeans.apps.video._timestamps import MonotonicClock, ReorderBuffer
from dynmeans.apps.video.colors import Pixels

_DEFAULT_RATE = Fraction(24)  # frames per second if the file does not specify a rate
_SHORTFALL = 1.0  # seconds that may be missing at the end of a complete file
_INSTANT = 1e-4  # seconds
_FASTEST = 120  # frames per second; a faster clock is the file's time base, not a frame rate
_BEGINNING = 1000  # audio packets to read before a track counts as empty
_DISORDER = {"avi": 16}  # frames over which timestamps may be out of order: AVI stores decoding times


class DamagedVideo(InputError):
    """A video that cannot be read to its end."""


class VideoFrame(NamedTuple):
    """One frame of a video."""

    pixels: Pixels  # (height, width, 3) RGB
    seconds: float  # presentation time
    duration: float = 0.0  # in seconds; 0 if the file does not specify it


class AudioPacket(NamedTuple):
    """An encoded audio packet."""

    packet: Any


class VideoFile:
    """A video file that is read once from beginning to end.

    All frames have the size of the first one and are rotated as the file specifies. Transparent pixels are
    blended with black.

    Parameters
    ----------
    path : path
    size : (width, height), optional
        Size to which all frames are scaled before rotation.

    Raises
    ------
    InputError
        If the file does not exist or contains no video.
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
        with av_error_context(str(path)):
            self._container = open_video(self.path)
        try:
            with av_error_context(str(path)):
                self._stream = video_stream(self._container, str(path))
                self._stream.thread_type = "AUTO"
        except InputError:
            self._container.close()
            raise
        self._size = size
        self.metadata: PixelMetadata | None = None  # set by the first frame
        self._decoded, self._count, self._last = 0, 0, -math.inf  # pictures, frames, time of the last one

    def __enter__(self) -> VideoFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._container.close()

    @property
    def rate(self) -> Fraction:
        """Average number of frames per second."""
        return Fraction(self._stream.average_rate or self._stream.guessed_rate or _DEFAULT_RATE)

    @property
    def clock(self) -> Fraction:
        """Ticks per second of the frame times: the rate, or more for a variable rate."""
        ticks = Fraction(self._stream.base_rate or 0)
        even = any(abs(ticks - n * self.rate) < self.rate / 100 for n in (1, 2))  # 2: FFmpeg counts fields
        return self.rate if even or not self.rate < ticks <= _FASTEST else ticks

    @property
    def n_frames(self) -> int | None:
        """Number of frames according to the file, or None."""
        if self._stream.frames:
            return int(self._stream.frames)
        return round(self._length * self.rate) if self._length else None

    def tracks(self) -> list[Track]:
        """Return the audio tracks, each with its first packet, read from a second handle."""
        streams = [stream for stream in self._container.streams.audio if stream.codec_context is not None]
        if not streams:
            return []
        samples: dict[int, bytes] = {}
        av = require("av", "video")
        with (
            suppress(av.FFmpegError),
            open_video(self.path) as again,
        ):  # damage is reported when the main pass reaches it
            for packet in islice(again.demux(audio=[*range(len(again.streams.audio))]), _BEGINNING):
                if packet.size:
                    samples.setdefault(packet.stream.index, bytes(packet))
                if len(samples) == len(streams):
                    break
        return [Track(stream, samples.get(stream.index, b"\0")) for stream in streams]

    def frames(self) -> Iterator[VideoFrame]:
        """Iterate over all frames in presentation order."""
        return (part for part in self.parts() if isinstance(part, VideoFrame))

    def parts(self) -> Iterator[VideoFrame | AudioPacket]:
        """Iterate over frames and audio packets in file order.

        Raises
        ------
        DamagedVideo
            If the file is damaged or truncated; everything before the damage has been yielded.
        """
        clock, line, damage = MonotonicClock(), ReorderBuffer(), None
        hold = _DISORDER.get(self._container.format.name, 0)
        try:
            with av_error_context(self._damage_message, DamagedVideo):
                for packet in self._container.demux():
                    shift = clock.of_packet(packet)
                    if packet.stream is self._stream:
                        self._decode(packet, clock, line)
                        yield from self._frames(line, hold)
                    elif packet.stream.type == "audio" and packet.dts is not None:
                        yield AudioPacket(_shift_packet(packet, shift))
        except DamagedVideo as error:
            damage = error
        yield from self._frames(line, 0)
        if damage is not None and not self._count and _is_webp(self.path):
            raise InputError(f"{self.path}: an animated WebP, which FFmpeg does not read")
        if damage is not None:
            raise damage
        if not self._count:
            raise InputError(f"{self.path}: no frame in it")
        self._check_end(max(clock.end, self._last))

    def _decode(self, packet: Any, clock: MonotonicClock, line: ReorderBuffer) -> None:
        for picture in packet.decode():
            counted = float(self._decoded / self.rate)
            line.put(picture, clock.of_picture(counted if picture.time is None else picture.time))
            self._decoded += 1

    def _frames(self, line: ReorderBuffer, hold: int) -> Iterator[VideoFrame]:
        for picture, seconds in line.take(hold):
            if seconds < self._last + _INSTANT:  # equal or decreasing times: delay by half an interval
                seconds = self._last + float(1 / self.rate) / 2
            self._count, self._last = self._count + 1, seconds
            lasts = float(picture.duration * picture.time_base) if picture.duration else 0.0
            yield VideoFrame(self._upright(picture), seconds, lasts)

    def _damage_message(self) -> str:
        return f"{self.path}: damaged after {max(self._last, 0.0):.2f} s ({self._count:,} frames)"

    @property
    def _length(self) -> float | None:
        """Duration in seconds according to the header; for a truncated AVI, FFmpeg estimates it."""
        if self._container.format.name == "avi" and self._stream.frames:
            return float(self._stream.frames / self.rate)
        if self._container.duration:
            return float(self._container.duration / 1e6)
        if self._stream.duration:
            return float(self._stream.duration * self._stream.time_base)
        return None

    def _check_end(self, end: float) -> None:
        """Check that nothing is missing; audio and video may end at different times."""
        promised = self._length or 0.0
        if self._container.format.name == "avi":  # empty packets extend its last frame
            end = max(end, float((self._stream.duration or 0) * self._stream.time_base))
        if promised - end > _SHORTFALL + 1 / self.rate:
            raise DamagedVideo(f"{self.path}: ends after {end:.2f} s, but should last {promised:.2f} s")
        if self._container.format.name == "gif" and not _has_trailer(self.path):
            raise DamagedVideo(f"{self.path}: ends after {end:.2f} s, without the trailer of a GIF")

    def _upright(self, picture: Any) -> Pixels:
        turns = round(picture.rotation / 90) % 4
        see_through = any(part.is_alpha for part in picture.format.components)
        if self._size is None:
            self._size = picture.width, picture.height
        if self.metadata is None:
            self.metadata = pixel_metadata(picture, self._stream.sample_aspect_ratio, turns)
        width, height = self._size
        kind, matrix = "rgba" if see_through else "rgb24", assumed_matrix(picture)
        pixels = picture.reformat(width, height, kind, src_colorspace=matrix).to_ndarray()
        if see_through:
            pixels = (pixels[..., :3] * (pixels[..., 3:] / 255.0)).round().astype(np.uint8)
        return np.ascontiguousarray(np.rot90(pixels, turns))


def _shift_packet(packet: Any, shift: float) -> Any:
    """Shift the times of a packet by a number of seconds."""
    ticks = round(shift / packet.time_base)
    packet.dts += ticks
    if packet.pts is not None:
        packet.pts += ticks
    return packet


def _is_webp(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(12)[8:] == b"WEBP"


def _has_trailer(path: Path) -> bool:
    """Return whether a GIF has its trailer; other bytes may follow it."""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - 1024, 0))
        return b"\0;" in file.read()
