"""Capabilities and options of FFmpeg's file formats and encoders."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

MAX_GIF_COLORS = 256
PALETTE_SUFFIXES = (".gif", ".webp")
ENCODERS = {
    "h264": "libx264",
    "hevc": "libx265",
    "vp9": "libvpx-vp9",
    "webp": "libwebp_anim",
    "mpeg1video": "mpeg2video",  # supports more frame rates
    "h263": "libx264",  # supports all sizes
}
OPTIONS = {
    "libx264": {"crf": "16", "preset": "veryfast"},
    "libx265": {"crf": "18", "preset": "veryfast", "x265-params": "log-level=error"},
    "libvpx-vp9": {"crf": "20", "b": "0", "deadline": "realtime", "cpu-used": "6", "row-mt": "1"},
    "libsvtav1": {"crf": "20", "preset": "8"},
    "libwebp_anim": {"lossless": "1"},
    "gif": {"gifflags": "-transdiff"},  # the flag would keep old pixels of nearly the same color
}
FILE_OPTIONS = {
    ".webp": {"loop": "0"},  # loop forever, like a GIF
    ".apng": {"plays": "0"},
    ".avi": {"avoid_negative_ts": "disabled"},  # do not delay video for audio that begins earlier
}
# Chroma at half resolution plays everywhere, but most encoders support it only for even width and height;
# RGB is lossless.
_EVEN, _ODD, _FULL = ("yuv420p", "yuv444p"), ("yuv444p", "yuvj444p", "yuv420p"), ("yuvj420p", "yuvj444p")
_EXACT = ("rgb24", "bgr24", "gbrp", "bgr0", "bgra")
_FINEST = 65535  # ticks per second; the limit of MPEG-4
_STEPS = {"gif": 100, "webp": 1000, "apng": 1000}  # ticks per second
_MP4 = ("mp4", "mov", "ipod", "psp", "3gp", "3g2", "f4v", "ismv", "avif")
_FINE = (*_MP4, "matroska", "webm", "flv", "asf", "nut", "mpegts")
_SPARSE = (*_FINE, "avi")  # formats that need no frame at every tick
UNTAGGED = ("avi", "asf", "flv", "nut", "swf", "yuv4mpegpipe")  # formats that do not store the color matrix
_MPEG_RATES = [Fraction(n, d) for n in (24, 30, 60) for d in (1, Fraction(1001, 1000))]
_MPEG_RATES += [Fraction(25), Fraction(50)]


class Grid(NamedTuple):
    """Time grid of a file format."""

    rate: Fraction  # frames per second
    tick: Fraction  # seconds per tick
    full: bool  # whether each tick needs a frame


def grid(kind: str, encoder: Any, rate: Fraction, clock: Fraction) -> Grid:
    """Return the finest time grid of a file format, at a frame rate that the encoder supports.

    Frames arrive at `rate` on average, at ticks of `clock`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> encoder = SimpleNamespace(name="mpeg4", frame_rates=None)
    >>> grid("mp4", encoder, Fraction(25), Fraction(25)).tick
    Fraction(1, 65525)
    >>> grid("avi", encoder, Fraction(2997, 125), Fraction(2997, 125)).tick
    Fraction(1001, 24000)
    """
    if kind in _STEPS:
        return Grid(rate, Fraction(1, _STEPS[kind]), full=False)
    if kind in _FINE and not encoder.frame_rates:
        steps = max(_FINEST // rate.numerator, 1) * rate.numerator
        return Grid(rate, Fraction(1, min(steps, _FINEST)), full=False)
    steady = _steady(clock)
    if encoder.frame_rates or kind == "mxf":
        allowed = encoder.frame_rates if encoder.name == "mpeg2video" and kind != "mxf" else _MPEG_RATES
        steady = min((known for known in allowed if known >= steady), default=max(allowed))
    return Grid(steady, 1 / steady, full=kind not in _SPARSE)


def _steady(rate: Fraction) -> Fraction:
    """Round a measured rate to the nearest standard rate."""
    whole = max(round(rate), 1)
    near = min(Fraction(whole), Fraction(1000 * whole, 1001), key=lambda usual: abs(usual - rate))
    if abs(near - rate) < rate / 2000 or rate > _FINEST / 1001:
        return near if near.numerator <= _FINEST else Fraction(whole)
    return rate.limit_denominator(1001)


def pixel_format(encoder: Any, width: int, height: int) -> str:
    """Choose the pixel format of an encoder."""
    if encoder.name == "gif":
        return "pal8"
    known = [format.name for format in encoder.video_formats or ()]
    usual = _FULL if encoder.name == "mjpeg" else _ODD if width % 2 or height % 2 else _EVEN
    if not known:  # it supports all
        return usual[0]
    exact = encoder.name == "libwebp_anim" or (encoder.lossless and not encoder.lossy)
    wanted = (*_EXACT, *usual) if exact else (*usual, *_EXACT)
    return next(str(format) for format in (*wanted, *known) if format in known)
