"""Which sounds a file can hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any, NamedTuple

from dynmeans._files.extras import require

# FFmpeg writes into these what no player reads, or breaks down.
_ONLY = {
    "mpegts": ("mp2", "mp3", "aac", "ac3", "eac3", "dca", "opus"),
    "flv": ("mp3", "aac", "ac3", "eac3", "flac", "opus"),
}


class Track(NamedTuple):
    """A sound of a video."""

    stream: Any
    sample: bytes  # its first packet

    @property
    def name(self) -> str:
        """How it is encoded."""
        return str(self.stream.codec_context.name).removesuffix("float")


def fitting(tracks: Sequence[Track], kind: str, add_pictures: Callable[[Any], object]) -> list[Track]:
    """Give the tracks that a kind of file holds, all of them or the first that fit.

    Whether they fit is seen by writing them into memory: FFmpeg refuses some only when it has begun.

    Parameters
    ----------
    tracks : sequence of Track
    kind : str
        Format of FFmpeg.
    add_pictures : callable
        Adds the stream of pictures to a container.
    """
    alone = [
        track
        for track in tracks
        if track.name in _ONLY.get(kind, (track.name,)) and _is_held([track], kind, add_pictures)
    ]
    together = len(alone) < 2 or _is_held(alone, kind, add_pictures)
    return alone if together else alone[:1]


def _is_held(tracks: Sequence[Track], kind: str, add_pictures: Callable[[Any], object]) -> bool:
    av = require("av", "video")
    try:
        with av.open(BytesIO(), "w", format=kind) as container:
            add_pictures(container)
            streams = [container.add_stream_from_template(track.stream) for track in tracks]
            for stream, track in zip(streams, tracks, strict=True):
                packet = av.Packet(track.sample)
                packet.stream, packet.time_base = stream, track.stream.time_base
                packet.pts = packet.dts = 0
                container.mux(packet)
    except (av.FFmpegError, OSError, ValueError):
        return False
    return True
