"""Write quantized frames to a video file; GIF and WebP files store the palette."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynmeans._files.errors import InputError
from dynmeans._files.extras import require
from dynmeans.apps.video._audio import Track, supported_tracks
from dynmeans.apps.video._colorspace import TAGS, PixelMetadata, default_matrix
from dynmeans.apps.video._encoding import (
    ENCODERS,
    FILE_OPTIONS,
    MAX_GIF_COLORS,
    OPTIONS,
    PALETTE_SUFFIXES,
    UNTAGGED,
    grid,
    pixel_format,
)
from dynmeans.apps.video._gif_delay import set_last_delay
from dynmeans.apps.video._libav import av_error_context, file_url
from dynmeans.apps.video.quantizers import QuantizedFrame

_BITS_PER_PIXEL = 0.3  # for encoders with a bit rate instead of a quality
_LATE = 3  # ticks by which a frame may be delayed if it coincides with the previous one
_ROUNDING = 0.002  # seconds of rounding in frame times
_LIMITED, _FULL = 1, 2  # values of the color range


class VideoFormat(NamedTuple):
    """Size, rate and pixel metadata of the output."""

    width: int
    height: int
    rate: Fraction  # average frames per second
    clock: Fraction | None = None  # ticks per second of frame times, if different
    metadata: PixelMetadata = PixelMetadata()


class VideoWriter:
    """Writer of a video file, which can be played after `close`.

    Parameters
    ----------
    path : Path
        Its suffix determines the file format.
    shape : VideoFormat
    codec : str, optional
        Name of an FFmpeg encoder; by default the usual one for the file format.
    tracks : sequence of Track
        Audio tracks of an open `VideoFile`; those that the format supports are copied packet by packet.
    name : str, optional
        Name of the file in errors.

    Raises
    ------
    InputError
        If the format or encoder is unknown, or the encoder does not support the frames.
    """

    def __init__(
        self,
        path: Path,
        shape: VideoFormat,
        *,
        codec: str | None = None,
        tracks: Sequence[Track] = (),
        name: str | None = None,
    ) -> None:
        self._av = require("av", "video")
        self._path, self._shape, self._name = path, shape, name or str(path)
        self._container = self._open()
        self._kind = self._container.format.name
        try:
            self._encoder = self._find_encoder(codec)
            self._grid = grid(self._kind, self._encoder, shape.rate, shape.clock or shape.rate)
            self._format = pixel_format(self._encoder, shape.width, shape.height)
            untagged = self._kind in UNTAGGED
            self._matrix = default_matrix(shape.height) if untagged else shape.metadata.matrix
            self._stream = self._add_video(self._container)
            held = supported_tracks(tracks, self._kind, self._add_video)
            self._sounds = {track.stream.index: self._add_audio(track) for track in held}
            with av_error_context(f"{self._name}: {self._encoder.name} at {shape.width} x {shape.height}"):
                self._container.start_encoding()
        except BaseException:
            self._container.close()
            raise
        self._reformatter = self._av.video.reformatter.VideoReformatter()
        self._begin: float | None = None
        self._picture: Any = None
        self._last, self._duration = -1, 0.0
        self._last_sound: dict[int, int] = {}

    @property
    def n_audio_tracks(self) -> int:
        """Number of audio tracks that are copied."""
        return len(self._sounds)

    def write(self, quantized: QuantizedFrame, seconds: float, duration: float = 0.0) -> None:
        """Add a frame with its presentation time; the duration matters for the last frame only.

        A frame that coincides with the previous one is delayed slightly, or dropped.
        """
        if self._begin is None:
            self._begin = min(seconds, 0.0) if self._sounds else seconds
        ticks = round((seconds - self._begin) / self._grid.tick)
        if ticks <= self._last - _LATE:
            return
        ticks = max(ticks, self._last + 1)
        if self._grid.full and self._picture is not None:
            for empty in range(self._last + 1, ticks):
                self._encode(empty)
        usual = float(1 / self._shape.rate)
        is_given = duration > _ROUNDING and abs(duration - usual) > _ROUNDING
        self._picture, self._duration = self._to_picture(quantized), duration if is_given else usual
        self._encode(ticks)

    def write_audio(self, packet: Any) -> None:
        """Add an audio packet; a packet out of order is moved after the previous one."""
        source = packet.stream.index
        if source not in self._sounds:
            return
        target = self._sounds[source]
        step = math.ceil(target.time_base / packet.time_base)
        last = self._last_sound.get(source, packet.dts - step)
        packet.dts = max(packet.dts, last + step)
        packet.duration = packet.duration or packet.dts - last  # otherwise MP4 drops the last packet
        packet.pts = packet.dts if packet.pts is None else max(packet.pts, packet.dts)
        self._last_sound[source] = packet.dts
        packet.stream = target
        with av_error_context(self._name):
            self._container.mux(packet)

    def close(self) -> None:
        """Flush the encoder and finish the file."""
        with av_error_context(self._name):
            if self._last >= 0:
                self._container.mux(self._stream.encode())
            self._container.close()
            if self._path.suffix.lower() in PALETTE_SUFFIXES and self._last >= 0:
                set_last_delay(self._path, self._duration)

    def _encode(self, ticks: int) -> None:
        self._last = ticks
        self._picture.pts, self._picture.time_base = ticks, self._grid.tick
        self._picture.duration = round(self._duration / self._grid.tick)
        with av_error_context(self._name):
            self._container.mux(self._stream.encode(self._picture))

    def _to_picture(self, quantized: QuantizedFrame) -> Any:
        if self._format != "pal8":
            picture = self._av.VideoFrame.from_ndarray(quantized.pixels, format="rgb24")
            metadata = {"dst_colorspace": self._matrix, "dst_color_range": self._range} if self._range else {}
            return self._reformatter.reformat(picture, format=self._format, **metadata)
        palette = np.zeros((MAX_GIF_COLORS, 4), dtype=np.uint8)
        palette[:, 0] = 255  # opaque
        palette[: len(quantized.palette), 1:] = quantized.palette
        return self._av.VideoFrame.from_ndarray((quantized.indices.astype(np.uint8), palette), format="pal8")

    @property
    def _range(self) -> int:
        """Color range of the pixel format; 0 for RGB."""
        return _FULL if self._format.startswith("yuvj") else _LIMITED if self._format.startswith("yuv") else 0

    def _open(self) -> Any:
        suffix = self._path.suffix.lower()
        kind = suffix[1:] if suffix in PALETTE_SUFFIXES else None  # FFmpeg would choose another format
        options = FILE_OPTIONS.get(suffix, {})
        with av_error_context(self._name):
            try:
                container = self._av.open(file_url(self._path), "w", format=kind, options=options)
            except ValueError:
                raise InputError(f"{self._name}: {suffix or 'no suffix'} is no kind of video file") from None
        if container.format.name == "image2":
            container.close()
            raise InputError(f"{self._name}: {suffix} is a picture; it must be a kind of video file")
        return container

    def _find_encoder(self, codec: str | None) -> Any:
        usual = self._container.default_video_codec
        name = codec or ENCODERS.get(usual, usual)
        try:
            encoder = self._av.codec.Codec(name, "w")
        except ValueError:
            raise InputError(f"{self._name}: FFmpeg has no encoder called {name}") from None
        if encoder.type != "video":
            raise InputError(f"{self._name}: {name} encodes no video, but {encoder.type}")
        if encoder.name == "libsvtav1":
            os.environ.setdefault("SVT_LOG", "1")  # otherwise it prints its progress
        return encoder

    def _add_video(self, container: Any) -> Any:
        name, shape = self._encoder.name, self._shape
        with av_error_context(f"{self._name}: {name}"):
            try:
                stream = container.add_stream(name, rate=self._grid.rate, options=OPTIONS.get(name, {}))
            except ValueError as error:
                raise InputError(f"{self._name}: {error}") from None
        stream.width, stream.height, stream.pix_fmt = shape.width, shape.height, self._format
        context = stream.codec_context
        context.time_base = self._grid.tick
        context.flags |= self._av.codec.context.Flags.frame_duration
        if shape.metadata.aspect != 1:
            context.sample_aspect_ratio = shape.metadata.aspect
        if self._range:
            context.colorspace, context.color_range = TAGS[self._matrix], self._range
        if name not in OPTIONS:
            context.bit_rate = int(_BITS_PER_PIXEL * shape.width * shape.height * self._grid.rate)
        return stream

    def _add_audio(self, track: Track) -> Any:
        with av_error_context(f"{self._name}: {track.name}"):
            stream = self._container.add_stream_from_template(track.stream)
        stream.metadata.update({k: v for k, v in track.stream.metadata.items() if k in ("language", "title")})
        return stream
