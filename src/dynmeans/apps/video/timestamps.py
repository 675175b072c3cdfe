"""Times of pictures and sound, where a file tells them badly."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Any

_SET_BACK = 0.1  # seconds; less is only a time that was rounded


class Clock:
    """One time for a file whose clock is set back, as where recordings were joined.

    The streams do not reach such a place together: each goes over by itself, and all by the shift that the
    first of them found, so that pictures and sound stay together.
    """

    def __init__(self) -> None:
        self._shifts = [0.0]  # seconds, one for each recording
        self._recording: dict[int, int] = {}  # of each stream, the one that it is in
        self._decoded: dict[int, float] = {}  # of each stream, stored time of its last packet
        self._pictures, self._stored = 0, 0.0  # recording and stored time of the last picture
        self.end = 0.0  # seconds until which there is something to see or hear

    def of_packet(self, packet: Any) -> float:
        """Seconds by which the times of the next packet of a file are shifted."""
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
        """Shifted time of the next picture; pictures follow their packets with a delay."""
        if seconds < self._stored - _SET_BACK and self._pictures + 1 < len(self._shifts):
            self._pictures += 1
        self._stored = seconds
        return seconds + self._shifts[self._pictures]

    def _enter(self, stream: int, seconds: float) -> None:
        self._recording[stream] = self._recording.get(stream, 0) + 1
        if self._recording[stream] == len(self._shifts):
            self._shifts.append(self.end - seconds)


class Line:
    """Pictures in the order in which they are shown, each with the earliest time that is not given yet.

    A file that stores only when pictures are decoded has the right times, at the wrong pictures.

    Examples
    --------
    >>> line = Line()
    >>> for picture, seconds in zip("abcd", (0, 3, 1, 2)):
    ...     line.put(picture, seconds)
    >>> list(line.take(hold=1))
    [('a', 0), ('b', 1), ('c', 2)]
    """

    def __init__(self) -> None:
        self._pictures: deque[Any] = deque()
        self._times: list[float] = []

    def put(self, picture: Any, seconds: float) -> None:
        """Add the next picture, with the time that its file gives it."""
        self._pictures.append(picture)
        heappush(self._times, seconds)

    def take(self, hold: int) -> Iterator[tuple[Any, float]]:
        """Give all but so many pictures, whose times may still change."""
        while len(self._pictures) > hold:
            yield self._pictures.popleft(), heappop(self._times)
