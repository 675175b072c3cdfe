"""Audio tracks that a file format supports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any, NamedTuple

from dynmeans._files.extras import require

# FFmpeg accepts other codecs here, but players cannot read the result, or the muxer fails.
_ONLY = {
    "mpegts": ("mp2", "mp3", "aac", "ac3", "eac3", "dca", "opus"),
    "flv": ("mp3", "aac", "ac3", "eac3", "flac", "opus"),
}


class Track(NamedTuple):
    """An audio track of a video."""

    stream: Any
    sample: bytes  # its first packet

    @property
    def name(self) -> str:
        """Name of its codec."""
        return str(self.stream.codec_context.name).removesuffix("float")


def supported_tracks(tracks: Sequence[Track], kind: str, add_video: Callable[[Any], object]) -> list[Track]:
    """Return the tracks that a file format supports: all that fit together, or the first one.

    Support is tested by muxing into memory, because FFmpeg rejects some codecs only after the header.

    Parameters
    ----------
    tracks : sequence of Track
    kind : str
        Name of the FFmpeg format.
    add_video : callable
        Function that adds the video stream to a container.
    """
    alone = [
        track
        for track in tracks
        if track.name in _ONLY.get(kind, (track.name,)) and _is_held([track], kind, add_video)
    ]
    together = len(alone) < 2 or _is_held(alone, kind, add_video)
    return alone if together else alone[:1]


def _is_held(tracks: Sequence[Track], kind: str, add_video: Callable[[Any], object]) -> bool:
    av = require("av", "video")
    try:
        with av.open(BytesIO(), "w", format=kind) as container:
            add_video(container)
            streams = [container.add_stream_from_template(track.stream) for track in tracks]
            for stream, track in zip(streams, tracks, strict=True):
                packet = av.Packet(track.sample)
                packet.stream, packet.time_base = stream, track.stream.time_base
                packet.pts = packet.dts = 0
                container.mux(packet)
    except (av.FFmpegError, OSError, ValueError):
        return False
    return True
