"""Correct timestamps of video and audio."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Any

_SET_BACK = 0.1  # seconds; a smaller decrease is rounding


class MonotonicClock:
    """Monotonic time for a file whose timestamps restart, as in concatenated recordings.

    Streams reach a restart at different times. All use the shift that the first of them determined, so that
    video and audio stay synchronous.
    """

    def __init__(self) -> None:
        self._shifts = [0.0]  # seconds, one for each conversion
        self._recording: dict[int, int] = {}  # index of the current recording of each stream
        self._decoded: dict[int, float] = {}  # stored time of the last packet of each stream
        self._pictures, self._stored = 0, 0.0  # conversion and stored time of the last picture
        self.end = 0.0  # end of the last packet in seconds

    def of_packet(self, packet: Any) -> float:
        """Return the shift in seconds for the next packet of a file."""
        stream, unit = packet.stream.index, float(packet.time_base)
        shown = packet.dts if packet.pts is None else packet.pts
        if packet.dts is not None and packet.stream.type in ("video", "audio"):
            seconds = packet.dts * unit
            if seconds < self._decoded.get(stream, seconds) - _SET_BACK:
                self._enter(stream, shown * unit)
            self._decoded[stream] = seconds
        shift = self._shifts[self._recording.get(stream, 0)]
        if shown is not None:
            self.end = max(self.end, (shown + (packet.duration or 0)) * unit + shift)
        return shift

    def of_picture(self, seconds: float) -> float:
        """Return the shifted time of the next decoded frame; frames lag behind their packets."""
        if seconds < self._stored - _SET_BACK and self._pictures + 1 < len(self._shifts):
            self._pictures += 1
        self._stored = seconds
        return seconds + self._shifts[self._pictures]

    def _enter(self, stream: int, seconds: float) -> None:
        self._recording[stream] = self._recording.get(stream, 0) + 1
        if self._recording[stream] == len(self._shifts):
            self._shifts.append(self.end - seconds)


class ReorderBuffer:
    """Buffer that gives frames, in presentation order, the sorted timestamps.

    A file that stores only decoding times has the right times at the wrong frames.

    Examples
    --------
    >>> line = ReorderBuffer()
    >>> for picture, seconds in zip("abcd", (0, 3, 1, 2)):
    ...     line.put(picture, seconds)
    >>> list(line.take(hold=1))
    [('a', 0), ('b', 1), ('c', 2)]
    """

    def __init__(self) -> None:
        self._pictures: deque[Any] = deque()
        self._times: list[float] = []

    def put(self, picture: Any, seconds: float) -> None:
        """Add the next frame with its stored time."""
        self._pictures.append(picture)
        heappush(self._times, seconds)

    def take(self, hold: int) -> Iterator[tuple[Any, float]]:
        """Yield all frames except the last `hold`, whose times may still change."""
        while len(self._pictures) > hold:
            yield self._pictures.popleft(), heappop(self._times)
