"""Convert a video file to a video with few colors."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.errors import InputError
from dynmeans._model.costs import AgingParameters, make_costs
from dynmeans.apps.video._colorspace import PixelMetadata
from dynmeans.apps.video._encoding import MAX_GIF_COLORS, PALETTE_SUFFIXES
from dynmeans.apps.video._palette_file import PaletteLog
from dynmeans.apps.video._preview import Preview
from dynmeans.apps.video._writing import VideoFormat, VideoWriter
from dynmeans.apps.video.colors import distinct
from dynmeans.apps.video.measures import Quality, QualityMeter
from dynmeans.apps.video.quantizers import PaletteOptions, make_quantizer
from dynmeans.apps.video.reading import AudioPacket, DamagedVideo, VideoFile, VideoFrame


class QuantizeOptions(NamedTuple):
    """Input, palette and outputs of a conversion."""

    source: Path
    target: Path
    palette: PaletteOptions
    codec: str | None = None
    palette_file: Path | None = None
    preview_file: Path | None = None


class QuantizeResult(NamedTuple):
    """Summary of a conversion."""

    frames: int
    quality: Quality
    sound: str  # "copied", "none", or the reason why audio is missing
    complete: bool  # False if the conversion was stopped
    damage: InputError | None  # the damage found in the source; all frames before it are written


Show = Callable[[int, "int | None", int], object]  # frames done, total frames or None, colors of this frame


def quantize(
    options: QuantizeOptions, show: Show = lambda *_: None, stopped: Callable[[], bool] = lambda: False
) -> QuantizeResult:
    """Convert a video to few colors.

    The target is written atomically. If the source is damaged or `stopped` returns True, the target contains
    all frames up to that point and can be played.

    Parameters
    ----------
    options : QuantizeOptions
    show : callable, optional
        Called after each frame with the frames done, the total or None, and the colors of this frame.
    stopped : callable, optional
        Called before each frame; True ends the conversion.

    Returns
    -------
    QuantizeResult

    Raises
    ------
    InputError
        If no frame can be read, or the target cannot be written.

    Examples
    --------
    >>> quantize(QuantizeOptions(Path("in.mp4"), Path("out.gif"), PaletteOptions()))  # doctest: +SKIP
    """
    check(options)
    with VideoFile(options.source) as video, atomic_write(options.target) as path:
        conversion = _Conversion(options, video, path)
        outcome = _convert(conversion, video, show, stopped)
    conversion.write_extras()
    return outcome


def _convert(
    conversion: _Conversion, video: VideoFile, show: Show, stopped: Callable[[], bool]
) -> QuantizeResult:
    """Convert until the end, a stop or damage, and always close the file."""
    complete, damage = True, None
    try:
        for part in video.parts():
            if stopped():
                complete = False
                break
            conversion.take(part)
            if isinstance(part, VideoFrame):
                show(conversion.frames, video.n_frames, conversion.colors)
    except DamagedVideo as error:
        if not conversion.frames:
            raise
        damage = error
    finally:
        conversion.close()
    if not conversion.frames:
        raise InputError(f"{video.path}: stopped before the first frame")
    return QuantizeResult(conversion.frames, conversion.meter.quality, conversion.sound, complete, damage)


class _Conversion:
    """State of a conversion: the open target, the palette log and the preview."""

    def __init__(self, options: QuantizeOptions, video: VideoFile, path: Path) -> None:
        self._options, self._video, self._path = options, video, path
        indexed = options.target.suffix.lower() in PALETTE_SUFFIXES
        self._paint = make_quantizer(options.palette.limited(MAX_GIF_COLORS) if indexed else options.palette)
        self._tracks = video.tracks()
        self._writer: VideoWriter | None = None
        self._waiting: list[AudioPacket] = []  # audio before the first frame
        self._log, self._preview = PaletteLog(), Preview()
        self.meter, self.frames, self.colors = QualityMeter(), 0, 0

    @property
    def sound(self) -> str:
        """Outcome for the audio, in words."""
        if not self._tracks:
            return "none"
        copied = self._writer.n_audio_tracks if self._writer is not None else 0
        if copied == len(self._tracks):
            return "copied"
        if copied:
            return f"{copied} of {len(self._tracks)} copied"
        return f"left out: {self._options.target.suffix} holds no {self._tracks[0].name}"

    def take(self, part: VideoFrame | AudioPacket) -> None:
        if isinstance(part, AudioPacket):
            self._waiting.append(part)
        else:
            self._take_frame(part)
        if self._writer is not None:
            for sound in self._waiting:
                self._writer.write_audio(sound.packet)
            self._waiting.clear()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def write_extras(self) -> None:
        """Write the palette log and the preview if requested."""
        if self._options.palette_file is not None:
            with atomic_write(self._options.palette_file) as path:
                path.write_text(self._log.text)
        if self._options.preview_file is not None:
            self._preview.write(self._options.preview_file)

    def _take_frame(self, frame: VideoFrame) -> None:
        if self._writer is None:
            self._writer = self._open(frame)
        colors = distinct(frame.pixels)
        quantized = self._paint(colors)
        self._writer.write(quantized, frame.seconds, frame.duration)
        self.meter.add(frame.pixels, colors, quantized)
        if self._options.palette_file is not None:
            self._log.add(quantized, frame.seconds)
        if self._options.preview_file is not None:
            self._preview.add(frame.pixels, quantized)
        self.frames, self.colors = self.frames + 1, len(quantized.palette)

    def _open(self, frame: VideoFrame) -> VideoWriter:
        height, width = frame.pixels.shape[:2]
        shape = VideoFormat(
            width, height, self._video.rate, self._video.clock, self._video.metadata or PixelMetadata()
        )
        name = str(self._options.target)
        return VideoWriter(self._path, shape, codec=self._options.codec, tracks=self._tracks, name=name)


def check(options: QuantizeOptions) -> None:
    """Validate options before reading anything."""
    written = [
        path for path in (options.target, options.palette_file, options.preview_file) if path is not None
    ]
    for path in written:
        _check_output(path, options.source)
    if len({*map(os.path.realpath, written)}) < len(written):
        raise InputError(f"{options.target}: video, palette and preview must be different files")
    if not options.target.suffix:
        raise InputError(f"{options.target}: the name must end in the kind of video, such as .mp4 or .gif")
    try:
        make_costs(
            options.palette.birth_cost, AgingParameters(options.palette.lifetime, options.palette.reach)
        )
    except ValueError as error:
        raise InputError(str(error)) from None


def _check_output(path: Path, source: Path) -> None:
    """Check that an output can be written and does not overwrite the source."""
    if path.is_dir():
        raise InputError(f"{path}: a folder; it must be a file")
    if path.exists() and source.exists() and path.samefile(source):
        raise InputError(f"{path}: the result must not replace its source")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
