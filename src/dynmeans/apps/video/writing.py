"""Paintings into a video file; GIF and WebP get the palette itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynmeans.apps.video.painters import Painting
from dynmeans.apps.video.reading import blame_av
from dynmeans.io.errors import InputError
from dynmeans.io.extras import require

MAX_GIF_COLORS = 256
PALETTE_SUFFIXES = (".gif", ".webp")
_ENCODERS = {"h264": "libx264", "hevc": "libx265", "vp9": "libvpx-vp9", "webp": "libwebp_anim"}
_OPTIONS = {
    "libx264": {"crf": "16", "preset": "veryfast"},
    "libx265": {"crf": "18", "preset": "veryfast", "x265-params": "log-level=error"},
    "libvpx-vp9": {"crf": "20", "b": "0", "deadline": "realtime", "cpu-used": "6", "row-mt": "1"},
    "libwebp_anim": {"lossless": "1"},
    "gif": {"gifflags": "-transdiff"},  # which would keep old pixels whose colour is only nearly the new one
}
_BITS_A_PIXEL = 0.3  # for encoders that are told a rate and not a quality
# Colours at half resolution play everywhere, but take an even width and height; RGB loses nothing.
_EVEN, _ODD = ("yuv420p", "yuv444p"), ("yuv444p", "yuvj444p")
_EXACT = ("pal8", "rgb24", "bgr24", "gbrp", "bgr0", "bgra")
_FINEST = 65535  # steps a second: MPEG-4 knows no more


class Shape(NamedTuple):
    """What a file has to hold."""

    width: int
    height: int
    rate: Fraction  # frames a second


class VideoWriter:
    """A video file under way; it can be played once it is closed.

    Parameters
    ----------
    path : Path
        Its suffix says what kind of file it is.
    shape : Shape
    codec : str, optional
        Name of an encoder of FFmpeg; otherwise the usual one for the kind of file.
    sound : stream of an open `VideoFile`, optional
        Copied packet by packet, if this kind of file can hold it.

    Raises
    ------
    InputError
        If there is no such kind of file or encoder, or the encoder cannot take the size.
    """

    def __init__(
        self,
        path: Path,
        shape: Shape,
        *,
        codec: str | None = None,
        sound: Any = None,
        name: str | None = None,
    ) -> None:
        self._av = require("av", "video")
        self._name = name or str(path)
        self._indexed = path.suffix.lower() == ".gif"
        with blame_av(self._name):
            try:
                self._container = self._av.open(str(path), "w")
            except ValueError:
                raise InputError(
                    f"{self._name}: {path.suffix or 'no suffix'} is no kind of video file"
                ) from None
        try:
            self._stream = self._add_pictures(shape, codec)
            self._sound = self._add_sound(sound)
        except BaseException:
            self._container.close()
            raise
        self._begin: float | None = None
        self._last = -1
        self._last_sound = -math.inf

    @property
    def has_sound(self) -> bool:
        """Whether sound is copied."""
        return self._sound is not None

    def write(self, painting: Painting, seconds: float) -> None:
        """Add a frame that is shown at this time; one that comes with the one before it is left out."""
        if self._begin is None:
            self._begin = seconds if self._sound is None else min(seconds, 0.0)
        ticks = round((seconds - self._begin) / self._ticks)
        if ticks <= self._last:
            return
        self._last = ticks
        picture = self._picture(painting)
        picture.pts, picture.time_base = ticks, self._ticks
        with blame_av(self._name):
            self._container.mux(self._stream.encode(picture))

    def write_sound(self, packet: Any) -> None:
        """Add a packet of the stream of sound; one that is out of order is left out."""
        if self._sound is not None and packet.dts > self._last_sound:
            self._last_sound = packet.dts
            packet.stream = self._sound
            with blame_av(self._name):
                self._container.mux(packet)

    def close(self) -> None:
        """Write what is still held back, and the end of the file."""
        with blame_av(self._name):
            if self._last >= 0:
                self._container.mux(self._stream.encode())
            self._container.close()

    def _picture(self, painting: Painting) -> Any:
        if not self._indexed:
            return self._av.VideoFrame.from_ndarray(painting.pixels, format="rgb24")
        palette = np.zeros((MAX_GIF_COLORS, 4), dtype=np.uint8)
        palette[:, 0] = 255  # opaque
        palette[: len(painting.palette), 1:] = painting.palette
        return self._av.VideoFrame.from_ndarray((painting.indices.astype(np.uint8), palette), format="pal8")

    def _add_pictures(self, shape: Shape, codec: str | None) -> Any:
        usual = self._container.default_video_codec
        name = codec or _ENCODERS.get(usual, usual)
        encoder = self._encoder(name)
        with blame_av(f"{self._name}: {name}"):
            try:
                stream = self._container.add_stream(name, rate=shape.rate, options=_OPTIONS.get(name, {}))
            except ValueError as error:
                raise InputError(f"{self._name}: {error}") from None
            stream.width, stream.height = shape.width, shape.height
            stream.pix_fmt = self._format(encoder, shape, name)
            if name not in _OPTIONS and not self._indexed:
                stream.bit_rate = int(_BITS_A_PIXEL * shape.width * shape.height * shape.rate)
            finest = 100 if self._indexed else _FINEST
            self._ticks = Fraction(1, shape.rate.numerator * max(finest // shape.rate.numerator, 1))
            if self._indexed:
                self._ticks = Fraction(1, finest)
            stream.codec_context.time_base = self._ticks
        return stream

    def _encoder(self, name: str) -> Any:
        try:
            return self._av.codec.Codec(name, "w")
        except ValueError:
            raise InputError(f"{self._name}: FFmpeg has no encoder called {name}") from None

    def _format(self, encoder: Any, shape: Shape, name: str) -> str:
        known = [format.name for format in encoder.video_formats or ()]
        odd = shape.width % 2 or shape.height % 2
        exact = name in ("libwebp_anim", "gif") or (encoder.lossless and not encoder.lossy)
        usual = _ODD if odd else _EVEN
        wanted: Sequence[str] = (*_EXACT, *usual, *known) if exact else (*usual, *_EXACT, *known)
        choices = [format for format in wanted if format in known and not (odd and "420" in format)]
        if not choices:
            size = f"{shape.width} x {shape.height}"
            raise InputError(f"{self._name}: {name} takes an even width and height only, got {size}")
        return choices[0]

    def _add_sound(self, sound: Any) -> Any:
        if sound is None or sound.codec_context.name not in self._container.supported_codecs:
            return None
        with blame_av(f"{self._name}: {sound.codec_context.name}"):
            return self._container.add_stream_from_template(sound)
