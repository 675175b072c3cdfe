"""From a video file to one in few colours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.errors import InputError
from dynmeans._model.costs import AgingParameters, make_costs
from dynmeans.apps.video.colors import distinct
from dynmeans.apps.video.colorspace import Look
from dynmeans.apps.video.encoding import MAX_GIF_COLORS, PALETTE_SUFFIXES
from dynmeans.apps.video.measures import Meter, Quality
from dynmeans.apps.video.palette_file import PaletteLog
from dynmeans.apps.video.preview import Preview
from dynmeans.apps.video.quantizers import Palette, painter
from dynmeans.apps.video.reading import DamagedVideo, Frame, Sound, VideoFile
from dynmeans.apps.video.writing import Shape, VideoWriter


class Job(NamedTuple):
    """What to read, how to paint, and what to write."""

    source: Path
    target: Path
    settings: Palette
    codec: str | None = None
    palette_file: Path | None = None
    preview_file: Path | None = None


class Outcome(NamedTuple):
    """What was done."""

    frames: int
    quality: Quality
    sound: str  # "copied", "none", or why there is none
    complete: bool  # False if it was asked to stop
    damage: InputError | None  # what is wrong with the source; all before it was written


Show = Callable[[int, "int | None", int], object]  # frames done, frames in all if known, colours


def quantize(job: Job, show: Show = lambda *_: None, stopped: Callable[[], bool] = lambda: False) -> Outcome:
    """Paint a video with few colours.

    The target appears when it is whole. If the source turns out to be damaged half-way, or `stopped` says
    so, it holds all frames up to there, and can be played.

    Parameters
    ----------
    job : Job
    show : callable, optional
        Told after each frame: frames done, frames in all or None, colours of this frame.
    stopped : callable, optional
        Asked before each frame whether to end here.

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        If not even one frame can be read, or the target cannot be written.

    Examples
    --------
    >>> quantize(Job(Path("in.mp4"), Path("out.gif"), Palette()))  # doctest: +SKIP
    """
    check(job)
    with VideoFile(job.source) as video, atomic_write(job.target) as place:
        recording = _Recording(job, video, place)
        outcome = _record(recording, video, show, stopped)
    recording.write_sheets()
    return outcome


def _record(recording: _Recording, video: VideoFile, show: Show, stopped: Callable[[], bool]) -> Outcome:
    """Take everything until the end, a stop or damage, and close the file in each case."""
    complete, damage = True, None
    try:
        for part in video.parts():
            if stopped():
                complete = False
                break
            recording.take(part)
            if isinstance(part, Frame):
                show(recording.frames, video.n_frames, recording.colors)
    except DamagedVideo as error:
        if not recording.frames:
            raise
        damage = error
    finally:
        recording.close()
    if not recording.frames:
        raise InputError(f"{video.path}: stopped before the first frame")
    return Outcome(recording.frames, recording.meter.quality, recording.sound, complete, damage)


class _Recording:
    """A target under way, and what is noted of its frames beside it."""

    def __init__(self, job: Job, video: VideoFile, place: Path) -> None:
        self._job, self._video, self._place = job, video, place
        indexed = job.target.suffix.lower() in PALETTE_SUFFIXES
        self._paint = painter(job.settings.limited(MAX_GIF_COLORS) if indexed else job.settings)
        self._tracks = video.tracks()
        self._writer: VideoWriter | None = None
        self._waiting: list[Sound] = []  # sound that comes before the first frame
        self._log, self._preview = PaletteLog(), Preview()
        self.meter, self.frames, self.colors = Meter(), 0, 0

    @property
    def sound(self) -> str:
        """What became of the sound."""
        if not self._tracks:
            return "none"
        copied = self._writer.n_sounds if self._writer is not None else 0
        if copied == len(self._tracks):
            return "copied"
        if copied:
            return f"{copied} of {len(self._tracks)} copied"
        return f"left out: {self._job.target.suffix} holds no {self._tracks[0].name}"

    def take(self, part: Frame | Sound) -> None:
        if isinstance(part, Sound):
            self._waiting.append(part)
        else:
            self._take_frame(part)
        if self._writer is not None:
            for sound in self._waiting:
                self._writer.write_sound(sound.packet)
            self._waiting.clear()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def write_sheets(self) -> None:
        """Write the palette over time and the preview, where they are wanted."""
        if self._job.palette_file is not None:
            with atomic_write(self._job.palette_file) as place:
                place.write_text(self._log.text)
        if self._job.preview_file is not None:
            self._preview.write(self._job.preview_file)

    def _take_frame(self, frame: Frame) -> None:
        if self._writer is None:
            self._writer = self._open(frame)
        colors = distinct(frame.pixels)
        painting = self._paint(colors)
        self._writer.write(painting, frame.seconds, frame.duration)
        self.meter.take(frame.pixels, colors, painting)
        if self._job.palette_file is not None:
            self._log.take(painting, frame.seconds)
        if self._job.preview_file is not None:
            self._preview.take(frame.pixels, painting)
        self.frames, self.colors = self.frames + 1, len(painting.palette)

    def _open(self, frame: Frame) -> VideoWriter:
        height, width = frame.pixels.shape[:2]
        shape = Shape(width, height, self._video.rate, self._video.clock, self._video.look or Look())
        name = str(self._job.target)
        return VideoWriter(self._place, shape, codec=self._job.codec, tracks=self._tracks, name=name)


def check(job: Job) -> None:
    """Find what cannot be, before anything is read."""
    written = [path for path in (job.target, job.palette_file, job.preview_file) if path is not None]
    for path in written:
        _check_place(path, job.source)
    if len({path.resolve() for path in written}) < len(written):
        raise InputError(f"{job.target}: video, palette and preview must be different files")
    if not job.target.suffix:
        raise InputError(f"{job.target}: the name must end in the kind of video, such as .mp4 or .gif")
    try:
        make_costs(job.settings.birth_cost, AgingParameters(job.settings.lifetime, job.settings.reach))
    except ValueError as error:
        raise InputError(str(error)) from None


def _check_place(path: Path, source: Path) -> None:
    """A file can be put there, and does not take the place of the video that it is made from."""
    if path.is_dir():
        raise InputError(f"{path}: a folder, it must be a file")
    if path.exists() and source.exists() and path.samefile(source):
        raise InputError(f"{path}: the result must not replace the video that it is made from")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
