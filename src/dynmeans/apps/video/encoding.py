"""What each kind of file and each encoder of FFmpeg can take."""

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
    "mpeg1video": "mpeg2video",  # which takes more rates
    "h263": "libx264",  # which takes all sizes
}
OPTIONS = {
    "libx264": {"crf": "16", "preset": "veryfast"},
    "libx265": {"crf": "18", "preset": "veryfast", "x265-params": "log-level=error"},
    "libvpx-vp9": {"crf": "20", "b": "0", "deadline": "realtime", "cpu-used": "6", "row-mt": "1"},
    "libsvtav1": {"crf": "20", "preset": "8"},
    "libwebp_anim": {"lossless": "1"},
    "gif": {"gifflags": "-transdiff"},  # which would keep old pixels whose colour is only nearly the new one
}
FILE_OPTIONS = {
    ".webp": {"loop": "0"},  # play for ever, as a GIF does
    ".apng": {"plays": "0"},
    ".avi": {"avoid_negative_ts": "disabled"},  # pictures are not put off for sound that begins before them
}
# Colours at half resolution play everywhere, but most encoders take them only at an even width and height;
# RGB loses nothing.
_EVEN, _ODD, _FULL = ("yuv420p", "yuv444p"), ("yuv444p", "yuvj444p", "yuv420p"), ("yuvj420p", "yuvj444p")
_EXACT = ("rgb24", "bgr24", "gbrp", "bgr0", "bgra")
_FINEST = 65535  # steps a second: MPEG-4 knows no more
_STEPS = {"gif": 100, "webp": 1000, "apng": 1000}  # a second
_MP4 = ("mp4", "mov", "ipod", "psp", "3gp", "3g2", "f4v", "ismv", "avif")
_FINE = (*_MP4, "matroska", "webm", "flv", "asf", "nut", "mpegts")
_SPARSE = (*_FINE, "avi")  # need no picture at every tick
UNTAGGED = ("avi", "asf", "flv", "nut", "swf", "yuv4mpegpipe")  # do not say with which matrix
_MPEG_RATES = [Fraction(n, d) for n in (24, 30, 60) for d in (1, Fraction(1001, 1000))]
_MPEG_RATES += [Fraction(25), Fraction(50)]


class Grid(NamedTuple):
    """The times that a file can hold."""

    rate: Fraction  # frames a second
    tick: Fraction  # seconds
    full: bool  # whether each tick needs a picture


def grid(kind: str, encoder: Any, rate: Fraction, clock: Fraction) -> Grid:
    """Give the finest times for a kind of file; where they are as coarse as frames, at a rate that it knows.

    Frames come at the rate on average, and at ticks of the clock.

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
    """Give the usual rate that is meant by one that was measured."""
    whole = max(round(rate), 1)
    near = min(Fraction(whole), Fraction(1000 * whole, 1001), key=lambda usual: abs(usual - rate))
    if abs(near - rate) < rate / 2000 or rate > _FINEST / 1001:
        return near if near.numerator <= _FINEST else Fraction(whole)
    return rate.limit_denominator(1001)


def pixel_format(encoder: Any, width: int, height: int) -> str:
    """Choose how an encoder gets its pixels."""
    if encoder.name == "gif":
        return "pal8"
    known = [format.name for format in encoder.video_formats or ()]
    usual = _FULL if encoder.name == "mjpeg" else _ODD if width % 2 or height % 2 else _EVEN
    if not known:  # it takes any
        return usual[0]
    exact = encoder.name == "libwebp_anim" or (encoder.lossless and not encoder.lossy)
    wanted = (*_EXACT, *usual) if exact else (*usual, *_EXACT)
    return next(str(format) for format in (*wanted, *known) if format in known)
