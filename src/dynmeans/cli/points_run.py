"""A run of `dynmeans points`: follow the people of every frame, write it down, tell what was found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import typer

from dynmeans import __version__
from dynmeans._files.errors import InputError, reason
from dynmeans._files.limits import Limits
from dynmeans._files.run_folder import REPORT_FILE
from dynmeans._model.events import Event
from dynmeans.apps.points import Background, Frame, Recorder, Setting, Tracker, read_frames
from dynmeans.cli.console import amount, print_error, progress_bar, tell
from dynmeans.cli.report import draw_report
from dynmeans.runs.progress import given

_OF_PIECES = {"bandwidth", "piece_cost", "few"}  # settings that D-Means on cells has no use for


class Job(NamedTuple):
    """One command line."""

    paths: list[Path]
    time: str | None
    rate: float
    background: Background | None
    setting: Setting
    out: Path
    report: bool
    limits: Limits = Limits()


def track_frames(job: Job) -> None:
    """Follow, write and tell; what was written before an error or an interrupt stays readable."""
    began, events = monotonic(), list[Event]()
    frames = read_frames(job.paths, job.time, job.limits)
    first = next(frames, None)  # if it cannot be read, nothing is written
    title = job.paths[0].name if len(job.paths) == 1 else f"{job.paths[0].name} and {len(job.paths) - 1} more"
    info = {"title": title, "settings": _told(job.setting), "version": __version__}
    recorder = Recorder(job.out, info, job.paths)
    follower = Tracker(job.setting, job.background, events.append)
    try:
        _follow(job, chain([] if first is None else [first], frames), recorder, follower, events)
        recorder.close(complete=True)
    except BaseException as error:
        with suppress(OSError):  # on a full disk the first error is the one to report
            recorder.close(complete=False)
        if not isinstance(error, KeyboardInterrupt):
            raise
        print_error(f"interrupted after {amount(recorder.steps, 'frame')}, which are in {job.out}", kind="")
        raise typer.Exit(130) from None
    seconds = monotonic() - began
    if job.report:
        draw_report(job.out)
    _tell(job, recorder, title, seconds)


def _told(setting: Setting) -> dict[str, Any]:
    """The settings that say something, as run.json has them."""
    unused = _OF_PIECES if setting.algorithm == "dmeans" else set()
    return {name: value for name, value in given(setting._asdict()).items() if name not in unused}


def _follow(
    job: Job, frames: Iterator[Frame], recorder: Recorder, follower: Tracker, events: list[Event]
) -> None:
    place = {path: i for i, path in enumerate(job.paths)}
    with progress_bar(endless=False) as show:
        for frame in frames:
            events.clear()
            now = recorder.steps / job.rate if frame.time is None else frame.time
            try:
                step = follower.take(frame.points, now)
            except ValueError as error:
                raise InputError(f"{frame.name}: {reason(error)}") from None
            except MemoryError as error:
                size = f"{amount(len(frame.points), 'point')} need more memory than there is"
                raise InputError(
                    f"{frame.name}: {size} ({reason(error)}); larger cells (--voxel) need less"
                ) from None
            recorder.take(frame, now, step, follower.model, events)
            people = 0 if step.report is None else len(step.report.active)
            show(recorder, people, place[frame.source] / len(job.paths))


def _tell(job: Job, recorder: Recorder, title: str, seconds: float) -> None:
    files = ["tracks.csv", "labels", *([REPORT_FILE] if job.report else [])]
    people, frames = f"{recorder.people} followed", amount(recorder.steps, "frame")
    if recorder.seen < recorder.steps:
        people += f", seen in {recorder.seen:,} of {frames}"
    tell(
        {
            "input": f"{title}: {amount(recorder.rows, 'point')} in {frames}",
            "people": people,
            "speed": f"{recorder.steps / max(seconds, 1e-9):,.0f} frames per second",
            "written": ", ".join(str(job.out / name) for name in files),
        }
    )
