"""Small videos, really encoded."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

av = pytest.importorskip("av", reason="the videos need PyAV")

COLORS = np.array([[200, 30, 30], [30, 160, 40], [20, 40, 190]], dtype=np.uint8)


def pictures(n: int = 8, height: int = 48, width: int = 64) -> list[np.ndarray]:
    """Two bars that move over a background, with a little noise."""
    random = np.random.default_rng(0)
    made = []
    for i in range(n):
        which = np.zeros((height, width), dtype=int)
        which[:, (2 * i) % width : (2 * i) % width + 9] = 1
        which[4 + i : 14 + i, :] = 2
        noise = random.integers(-3, 4, (height, width, 1))
        made.append(np.clip(COLORS[which] + noise, 0, 255).astype(np.uint8))
    return made


def write_clip(
    path: Path,
    frames: list[np.ndarray],
    *,
    codec: str = "ffv1",
    pixel_format: str | None = None,
    sound: bool | str = False,
    seconds: float | None = None,
    rate: int = 10,
    **options: object,
) -> Path:
    """Encode frames, by default without loss; sound is AAC, or the encoder that is named."""
    with av.open(str(path), "w", options={key: str(value) for key, value in options.items()}) as container:
        stream = container.add_stream(codec, rate=rate)
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt = pixel_format or ("bgr0" if codec == "ffv1" else "yuv420p")
        tone = _add_sound(container, sound) if sound else None
        for pixels in frames:
            kind = "rgba" if pixels.shape[2] == 4 else "rgb24"
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format=kind)))
        container.mux(stream.encode())
        if tone is not None:
            _add_tone(container, tone, seconds or len(frames) / rate)
    return path


def write_audio(path: Path, cover: np.ndarray | None = None) -> Path:
    """A file with sound alone, and optionally cover art."""
    with av.open(str(path), "w") as container:
        tone = _add_sound(container, True)
        if cover is not None:
            stream = container.add_stream("png")
            stream.height, stream.width, stream.pix_fmt = *cover.shape[:2], "rgb24"
            stream.disposition = av.stream.Disposition.attached_pic
            container.mux(stream.encode(av.VideoFrame.from_ndarray(cover, format="rgb24")))
        _add_tone(container, tone, 0.5)
    return path


def read_clip(path: Path) -> list[np.ndarray]:
    """All frames of a file in RGB."""
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def packets(path: Path, track: int = 0) -> list[bytes]:
    """The encoded sound of a file."""
    with av.open(str(path)) as container:
        return [bytes(packet) for packet in container.demux(audio=track) if packet.size]


def _add_sound(container: Any, sound: bool | str) -> Any:
    if sound is True:
        return container.add_stream("aac", rate=8000, layout="mono")
    return container.add_stream(sound, rate=48000, layout="mono")


def _add_tone(container: Any, stream: Any, seconds: float) -> None:
    rate = stream.codec_context.sample_rate
    samples = (3000 * np.sin(np.arange(int(rate * seconds)) / 5)).astype(np.int16)[None]
    piece = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
    piece.sample_rate, piece.pts, piece.time_base = rate, 0, Fraction(1, rate)
    container.mux(stream.encode(piece))
    container.mux(stream.encode())
